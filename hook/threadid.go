package hook

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
)

// Threads tells a target's threads by their FS base. Those that a stop has seen are
// known. Of others the C library's control block, which is at the FS base, says the
// thread's id; where in it, is found on threads that are known.
//
// It is for package fgraph, and used by one goroutine at a time.
type Threads struct {
	p     *Process
	known map[uint64]int
	at    []int // where in a control block the id may be, the best first
	// namespace: the target numbers its threads otherwise than we do. It was born so.
	namespace bool
}

// Threads looks at the threads that are known.
func (p *Process) Threads() *Threads {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.threads(p.session)
}

func (p *Process) threads(s *session) *Threads {
	t := &Threads{p: p, known: map[uint64]int{}}
	st, err := procfs.ReadStatus(p.pid)
	t.namespace = err == nil && len(st.NSpid) > 1
	if s != nil {
		for fs, tid := range s.threads {
			t.known[fs] = tid
		}
	}
	t.learn()
	return t
}

// Offset is where a thread's id is behind its FS base, 0 if that is not known.
func (t *Threads) Offset() int {
	if len(t.at) == 0 {
		return 0
	}
	return t.at[0]
}

// Outside is the id here of a thread that the target numbers so, 0 if there is none.
func (t *Threads) Outside(id int) int { return t.outside(id) }

const (
	controlBlock = 2048 // bytes of it that are looked at
	// glibcTID is where glibc from 2.4 to 2.41 has the id (struct pthread in nptl/descr.h).
	glibcTID = 720
)

// learn finds the offsets at which all known threads have their ids.
func (t *Threads) learn() {
	mem, err := openMem(t.p.pid)
	if err != nil {
		return
	}
	defer mem.Close()
	first := true
	for fs, tid := range t.known {
		found := offsetsOf(mem, fs, t.p.inside(tid))
		if found == nil {
			continue // it has ended
		}
		if !first {
			found = slices.DeleteFunc(found, func(at int) bool { return !slices.Contains(t.at, at) })
		}
		t.at, first = found, false
	}
	if i := slices.Index(t.at, glibcTID); i > 0 {
		t.at[0], t.at[i] = t.at[i], t.at[0]
	}
}

// inside is a thread's id as the target numbers it, 0 if it has ended.
func (p *Process) inside(tid int) int {
	st, err := procfs.ReadTaskStatus(p.pid, tid)
	switch {
	case err != nil:
		return 0
	case len(st.NSpid) == 0:
		return tid
	}
	return st.NSpid[len(st.NSpid)-1]
}

func offsetsOf(mem *ptrace.Mem, fs uint64, id int) (found []int) {
	b := make([]byte, controlBlock)
	n, _ := mem.ReadAt(b, int64(fs)) // its mapping may end before
	var want [4]byte
	binary.LittleEndian.PutUint32(want[:], uint32(id))
	for at := 0; id != 0 && at+4 <= n; at += 4 {
		if bytes.Equal(b[at:at+4], want[:]) {
			found = append(found, at)
		}
	}
	return found
}

// ID is the id of the thread whose FS base this is, 0 if that cannot be told. The
// thread may have ended.
func (t *Threads) ID(fs uint64) int {
	if len(t.at) == 0 {
		return t.known[fs]
	}
	mem, err := openMem(t.p.pid)
	if err != nil {
		return t.known[fs]
	}
	defer mem.Close()
	var b [4]byte
	if _, err := mem.ReadAt(b[:], int64(fs)+int64(t.at[0])); err != nil {
		return t.known[fs]
	}
	if tid := t.outside(int(int32(binary.LittleEndian.Uint32(b[:])))); tid != 0 {
		t.known[fs] = tid
	}
	return t.known[fs]
}

// outside is the id here of a thread that the target numbers so. In a namespace of its own
// it can be told only while the thread lives.
func (t *Threads) outside(id int) int {
	if id <= 0 || !t.namespace {
		return max(id, 0)
	}
	tids, err := procfs.Tasks(t.p.pid)
	if err != nil {
		return 0
	}
	for _, tid := range tids {
		if t.p.inside(tid) == id {
			return tid
		}
	}
	return 0
}
