package testutils

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Snapshot is everything of a process that hooking it must leave as it was.
type Snapshot struct {
	PID            int
	Maps           []Mapping
	Text           []Text
	FDs            map[int]string // descriptor -> what it is open on
	Threads        map[int]Thread // by thread id
	SigIgn, SigCgt uint64
}

// Text is the content of one executable mapping.
type Text struct {
	Mapping Mapping
	Bytes   []byte
	// FromFile tells that Bytes were compared with the mapped file; Differs has
	// the addresses at which they are not the file's.
	FromFile bool
	Differs  []uint64
}

// Thread is the state of one thread.
type Thread struct {
	State     byte // as in procfs: R, S, D, T (stopped), t (traced), Z
	TracerPID int
	SigBlk    uint64
	GSBase    uint64
}

// TakeSnapshot looks at a process. Every thread is stopped for an instant, one after
// the other, to read its GS base; system calls that this interrupts are restarted.
// Threads that end meanwhile are left out. Nobody else may be tracing the process.
func TakeSnapshot(t testing.TB, pid int) *Snapshot {
	t.Helper()
	s, err := takeSnapshot(pid)
	if err != nil {
		t.Fatalf("looking at process %d: %v", pid, err)
	}
	return s
}

func takeSnapshot(pid int) (*Snapshot, error) {
	s := &Snapshot{PID: pid}
	// Threads come first: reading text takes long, and what is ours in it or in the maps
	// does not go away by itself.
	if err := s.settledThreads(); err != nil {
		return nil, err
	}
	tid := s.living()
	maps, err := Maps(tid)
	s.Maps = maps
	return s, errors.Join(err, s.readFDs(tid), s.readText(tid))
}

// living is a thread through which procfs shows memory and descriptors. It is not the
// leader if that one has ended before the others.
func (s *Snapshot) living() int {
	if s.Threads[s.PID].State != 'Z' {
		return s.PID
	}
	for tid, th := range s.Threads {
		if th.State != 'Z' {
			return tid
		}
	}
	return s.PID
}

// allBlocked is the mask of a thread that has blocked all signals: SIGKILL and SIGSTOP
// cannot be. The C library and Go's runtime do that while a thread is being born or
// ends. During remote calls functap leaves synchronous ones unblocked.
const allBlocked = ^uint64(1<<(9-1) | 1<<(19-1))

// settledThreads looks again while a thread is being born or ends, for a while: its
// mask is another one a moment later.
func (s *Snapshot) settledThreads() error {
	for try := 0; ; try++ {
		if err := s.readThreads(); err != nil || try == 50 || !s.anyBlocked() {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

func (s *Snapshot) anyBlocked() bool {
	for _, th := range s.Threads {
		if th.SigBlk == allBlocked {
			return true
		}
	}
	return false
}

func (s *Snapshot) readThreads() error {
	dirs, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", s.PID))
	if err != nil {
		return err
	}
	s.Threads = map[int]Thread{}
	for _, d := range dirs {
		tid, err := strconv.Atoi(d.Name())
		if err != nil {
			return err
		}
		if err := s.readThread(tid); err != nil && !gone(err) {
			return fmt.Errorf("thread %d: %w", tid, err)
		}
	}
	return readGSBases(s.PID, s.Threads)
}

func (s *Snapshot) readThread(tid int) error {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/status", s.PID, tid))
	if err != nil {
		return err
	}
	f := statusFields(string(text))
	var errs [4]error
	th := Thread{State: (f["State"] + "?")[0]}
	th.TracerPID, errs[0] = strconv.Atoi(f["TracerPid"])
	th.SigBlk, errs[1] = strconv.ParseUint(f["SigBlk"], 16, 64)
	s.SigIgn, errs[2] = strconv.ParseUint(f["SigIgn"], 16, 64)
	s.SigCgt, errs[3] = strconv.ParseUint(f["SigCgt"], 16, 64)
	s.Threads[tid] = th
	return errors.Join(errs[:]...)
}

func (s *Snapshot) readFDs(tid int) error {
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", tid))
	if err != nil {
		return err
	}
	s.FDs = map[int]string{}
	for _, link := range links {
		target, err := os.Readlink(link)
		if gone(err) {
			continue
		}
		if err != nil {
			return err
		}
		fd, err := strconv.Atoi(filepath.Base(link))
		if err != nil {
			return err
		}
		s.FDs[fd] = target
	}
	return nil
}

func (s *Snapshot) readText(tid int) error {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", tid))
	if err != nil {
		return err
	}
	defer mem.Close()
	for _, m := range s.Maps {
		// The vsyscall page is the kernel's and cannot be read.
		if !m.executable() || m.Path == "[vsyscall]" {
			continue
		}
		text := Text{Mapping: m, Bytes: make([]byte, m.End-m.Start)}
		n, err := mem.ReadAt(text.Bytes, int64(m.Start))
		if n == 0 {
			return fmt.Errorf("reading text at %x: %w", m.Start, err)
		}
		text.Bytes = text.Bytes[:n] // pages behind a file's end cannot be read
		if err := text.compare(tid); err != nil {
			return err
		}
		s.Text = append(s.Text, text)
	}
	return nil
}

// compare finds the bytes that are not the mapped file's. A file that cannot be opened
// any more, because it was replaced and we are not root, is left out.
func (x *Text) compare(pid int) error {
	f := openMapped(pid, x.Mapping)
	if f == nil {
		return nil
	}
	defer f.Close()
	want := make([]byte, len(x.Bytes))
	n, err := f.ReadAt(want, int64(x.Mapping.Offset))
	if err != nil && err != io.EOF {
		return fmt.Errorf("reading %s: %w", x.Mapping.Path, err)
	}
	x.FromFile = true
	if bytes.Equal(want[:n], x.Bytes[:n]) {
		return nil
	}
	for i := range n {
		if want[i] != x.Bytes[i] {
			x.Differs = append(x.Differs, x.Mapping.Start+uint64(i))
		}
	}
	return nil
}

func openMapped(pid int, m Mapping) *os.File {
	if !strings.HasPrefix(m.Path, "/") {
		return nil
	}
	f, err := os.Open(fmt.Sprintf("/proc/%d/map_files/%x-%x", pid, m.Start, m.End))
	if err != nil {
		f, err = os.Open(fmt.Sprintf("/proc/%d/root%s", pid, m.Path))
	}
	if err != nil {
		return nil
	}
	return f
}

// Ours lists what functap has in the process: mappings, descriptors, and changed text.
// An empty list says that it has gone without a trace.
func (s *Snapshot) Ours() []string {
	var found []string
	for _, m := range s.Maps {
		if oursByName(m.Path) {
			found = append(found, "mapping "+m.String())
		}
	}
	for fd, target := range s.FDs {
		if oursByName(target) {
			found = append(found, fmt.Sprintf("descriptor %d: %s", fd, target))
		}
	}
	for _, x := range s.Text {
		if len(x.Differs) > 0 {
			found = append(found, fmt.Sprintf("%d bytes of %s differ from the file, the first at %x", len(x.Differs), x.Mapping.Path, x.Differs[0]))
		}
	}
	sort.Strings(found)
	return found
}

// oursByName does not take an ordinary file for ours: the target may be functap itself,
// or a victim in a directory of that name.
func oursByName(name string) bool {
	special := strings.HasPrefix(name, "/memfd:") || strings.HasPrefix(name, "[") || strings.HasPrefix(name, "anon_inode:") || strings.HasPrefix(name, "/dev/shm/")
	return special && strings.Contains(name, "functap")
}
