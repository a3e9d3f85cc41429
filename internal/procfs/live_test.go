package procfs

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/functap/functap/internal/testutils"
)

// start runs a program that waits for its input, and returns its PID once it waits.
func start(t *testing.T, as *testutils.User, path string, args ...string) int {
	t.Helper()
	p := testutils.StartProcess(t, as, path, args...)
	testutils.Eventually(t, 10*time.Second, "the program to wait", func() error {
		s, err := ReadStat(p.PID())
		if err == nil && (s.State != 'S' || s.Comm != filepath.Base(path)) {
			err = errors.New("state " + string(s.State) + " of " + s.Comm)
		}
		return err
	})
	return p.PID()
}

func cat(t *testing.T) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(testutils.Program(t, "cat", "coreutils"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// textOf is the executable mapping of a file.
func textOf(t *testing.T, pid int, path string) Mapping {
	t.Helper()
	maps, err := Maps(pid)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(maps, func(m Mapping) bool { return m.Exec && m.Path == path })
	if i < 0 {
		t.Fatalf("%s is not in %+v", path, maps)
	}
	return maps[i]
}

func TestLive(t *testing.T) {
	pid := start(t, nil, cat(t))
	m := textOf(t, pid, cat(t))
	auxv, err := Auxv(pid)
	if err != nil || !m.Contains(auxv[AtEntry]) || m.Len()%4096 != 0 {
		t.Errorf("entry %#x in %+v, %v", auxv[AtEntry], m, err)
	}
	maps, err := Maps(pid)
	if err != nil || !slices.ContainsFunc(maps, func(m Mapping) bool { return m.Path == "[vdso]" && m.Start == auxv[AtSysinfoEhdr] }) {
		t.Errorf("vdso at %#x is not in %+v, %v", auxv[AtSysinfoEhdr], maps, err)
	}
	if tids, err := Tasks(pid); err != nil || !slices.Equal(tids, []int{pid}) {
		t.Errorf("tasks %v, %v", tids, err)
	}
	s, err := ReadStatus(pid)
	if err != nil || s.Name != "cat" || s.Pid != pid || s.Tgid != pid || s.PPid != os.Getpid() || s.Threads != 1 ||
		int(s.Uids[1]) != os.Geteuid() || len(s.NSpid) == 0 || s.NSpid[0] != pid {
		t.Errorf("%+v, %v", s, err)
	}
	if ts, err := ReadTaskStatus(pid, pid); err != nil || !reflect.DeepEqual(ts.Uids, s.Uids) || ts.Pid != pid {
		t.Errorf("%+v, %v", ts, err)
	}
	st, err := ReadTaskStat(pid, pid)
	if whole, err2 := ReadStat(pid); err != nil || err2 != nil || st.StartTime != whole.StartTime || st.StartTime == 0 {
		t.Errorf("%+v, %v, %+v, %v", st, err, whole, err2)
	}
}

func TestManyThreads(t *testing.T) {
	tids, err := Tasks(os.Getpid())
	if err != nil || !slices.IsSorted(tids) || !slices.Contains(tids, os.Getpid()) || len(tids) < 2 {
		t.Errorf("%v, %v", tids, err)
	}
	if _, err := ReadTaskStatus(os.Getpid(), 1); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("a thread of another process: %v", err)
	}
}

func TestGone(t *testing.T) {
	cmd := exec.Command(testutils.Program(t, "true", "coreutils"))
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	requireAll(t, pid, os.ErrProcessDone)
	if _, err := Tasks(pid); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("tasks: %v", err)
	}
	if _, err := ReadStatus(pid); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("status: %v", err)
	}
}

// requireAll wants an error from everything that needs the process's memory.
func requireAll(t *testing.T, pid int, want error) {
	t.Helper()
	if _, err := Maps(pid); !errors.Is(err, want) {
		t.Errorf("maps: %v, want %v", err, want)
	}
	if _, err := Auxv(pid); !errors.Is(err, want) {
		t.Errorf("auxv: %v, want %v", err, want)
	}
}

func TestZombie(t *testing.T) {
	cmd := exec.Command(testutils.Program(t, "true", "coreutils"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	testutils.Eventually(t, 10*time.Second, "a zombie", func() error {
		if s, err := ReadStat(cmd.Process.Pid); err != nil || s.State != 'Z' {
			return errors.New("not yet")
		}
		return nil
	})
	requireAll(t, cmd.Process.Pid, ErrNoMemory)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// TestKernelThread looks for one; a PID namespace has none, and nothing to mistake
// for one then.
func TestKernelThread(t *testing.T) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		s, err := ReadStat(pid)
		if err == nil && s.Flags&KernelThread != 0 {
			requireAll(t, pid, ErrNoMemory)
			return
		}
		if _, mapsErr := Maps(pid); err == nil && s.Comm == "kthreadd" && mapsErr == nil {
			t.Errorf("kthreadd has memory: %+v", s)
		}
	}
}

// content reads all of what OpenMapped gives for a file's text.
func content(t *testing.T, pid int, m Mapping) []byte {
	t.Helper()
	f, err := OpenMapped(pid, m)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// copyOf copies cat to a directory that everybody may enter.
func copyOf(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ft-procfs-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, read(t, cat(t)), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOpenMapped replaces and deletes the file of a running program: through
// map_files the old content is still there, through the path it is refused.
func TestOpenMapped(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("this test opens map_files: run it as root")
	}
	path := copyOf(t, "my cat")
	want := read(t, path)
	pid := start(t, nil, path)
	m := textOf(t, pid, path)
	if got := content(t, pid, m); !slices.Equal(got, want) {
		t.Errorf("%d bytes of %d", len(got), len(want))
	}
	if f, err := openBelowRoot(pid, m); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}

	other := path + ".new"
	if err := os.WriteFile(other, []byte("another file"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	m = textOf(t, pid, path)
	if got := content(t, pid, m); !m.Deleted || !slices.Equal(got, want) {
		t.Errorf("replaced: %+v, %d bytes of %d", m, len(got), len(want))
	}
	// As if the kernel had not said so: the inode tells.
	m.Deleted = false
	if f, err := openBelowRoot(pid, m); !errors.Is(err, ErrNotSameFile) {
		t.Errorf("replaced: %v, %v", f, err)
	}
	checkFIFO(t, pid, m, path)
}

// checkFIFO puts a FIFO at the mapped path, which must not be waited for.
func checkFIFO(t *testing.T, pid int, m Mapping, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := openBelowRoot(pid, m)
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, ErrNotSameFile) {
			t.Errorf("FIFO: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("opening a FIFO blocks")
	}
}

func TestOpenMappedNoFile(t *testing.T) {
	pid := start(t, nil, cat(t))
	maps, err := Maps(pid)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range maps {
		if f, err := OpenMapped(pid, m); m.Inode == 0 && !errors.Is(err, ErrNotSameFile) || m.Inode != 0 && err != nil {
			t.Errorf("%+v: %v", m, err)
		} else if err == nil {
			f.Close()
		}
	}
	cmd := exec.Command(cat(t))
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	gone := Mapping{Start: 0x1000, End: 0x2000, Inode: 1, Path: "/"}
	if _, err := OpenMapped(cmd.Process.Pid, gone); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("process gone: %v", err)
	}
}

// TestOpenMappedUnprivileged runs itself as an ordinary user, who may not open
// map_files: the path must do, and a replaced file must be refused.
func TestOpenMappedUnprivileged(t *testing.T) {
	if dir := os.Getenv("PROCFS_TEST_COPY"); dir != "" {
		unprivileged(t, dir)
		return
	}
	as := testutils.AsUser(t)
	self := as.Copy(t, "/proc/self/exe")
	testutils.RunProgram(t, as, testutils.Command{Path: self, Args: []string{"-test.run=^TestOpenMappedUnprivileged$"},
		Env: []string{"PROCFS_TEST_COPY=" + copyOf(t, "cat")}})
}

func unprivileged(t *testing.T, path string) {
	if os.Geteuid() == 0 {
		t.Fatal("still root")
	}
	mine := filepath.Join(t.TempDir(), "cat")
	if err := os.WriteFile(mine, read(t, path), 0o755); err != nil {
		t.Fatal(err)
	}
	pid := start(t, nil, mine)
	m := textOf(t, pid, mine)
	link := "/proc/" + strconv.Itoa(pid) + "/map_files/" + strings.TrimLeft(strconv.FormatUint(m.Start, 16), "0") + "-" + strconv.FormatUint(m.End, 16)
	if _, err := os.Open(link); !errors.Is(err, os.ErrPermission) {
		t.Fatalf("map_files is open to this user: %v", err)
	}
	if got := content(t, pid, m); !slices.Equal(got, read(t, path)) {
		t.Errorf("%d bytes", len(got))
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	if f, err := OpenMapped(pid, textOf(t, pid, mine)); !errors.Is(err, ErrNotSameFile) {
		t.Errorf("deleted: %v, %v", f, err)
	}
}
