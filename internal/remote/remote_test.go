package remote

import (
	"context"
	"slices"
	"testing"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { testutils.Main(m) }

func newTracer(t testing.TB) *ptrace.Tracer {
	t.Helper()
	tr, err := ptrace.NewTracer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	})
	return tr
}

// target is what has to be known about a process before calls can be made.
type target struct {
	pid     int
	maps    []procfs.Mapping
	gadgets Gadgets
}

func findTarget(pid int) (target, error) {
	maps, err := procfs.Maps(pid)
	if err != nil {
		return target{}, err
	}
	mem, err := ptrace.OpenMem(pid)
	if err != nil {
		return target{}, err
	}
	defer mem.Close()
	g, err := FindGadgets(maps, mem)
	return target{pid, maps, g}, err
}

// with runs fn with a Caller on thread tid, all threads being stopped.
func (tg target) with(tr *ptrace.Tracer, tid int, fn func(*ptrace.Stop, *Caller) error) error {
	_, err := tr.Stop(context.Background(), tg.pid, ptrace.StopOptions{}, func(s *ptrace.Stop) error {
		th, err := ChooseThread(s)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(s.Threads(), func(th *ptrace.Thread) bool { return th.TID() == tid }); i >= 0 {
			th = s.Threads()[i]
		}
		return tg.call(s, th, fn)
	})
	return err
}

// call runs fn with a Caller on a stopped thread.
func (tg target) call(s *ptrace.Stop, th *ptrace.Thread, fn func(*ptrace.Stop, *Caller) error) error {
	region, err := ScratchRegion(s, th, tg.maps, true)
	if err != nil {
		return err
	}
	c, err := New(s, th, tg.gadgets, region)
	if err != nil {
		return err
	}
	err = fn(s, c)
	if closed := c.Close(); err == nil {
		err = closed
	}
	return err
}

func mustFind(t testing.TB, pid int) target {
	t.Helper()
	tg, err := findTarget(pid)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

func TestMemory(t *testing.T) {
	for _, variant := range slices.Concat(testutils.CVariants(), testutils.GoVariants()) {
		t.Run(variant.Name, func(t *testing.T) {
			source := "count.c"
			if slices.Contains([]string{"go", "go-stripped", "go-pie", "go-cgo"}, variant.Name) {
				source = "count.go"
			}
			v := testutils.Start(t, testutils.Build(t, source, variant))
			tg := mustFind(t, v.PID())
			if tg.gadgets.Restorer == 0 {
				t.Errorf("no restorer found")
			}
			v.Run(1) // a new thread of musl has signals blocked
			before := testutils.TakeSnapshot(t, v.PID())
			v.StartLoad()
			for range 20 {
				if err := tg.with(newTracer(t), 0, mapAndUnmap); err != nil {
					t.Fatal(err)
				}
			}
			v.StopLoad()
			if source == "count.c" { // the Go runtime makes mappings and threads as it likes
				testutils.RequireEqual(t, before, testutils.DiffOptions{})
			}
			v.Run(10)
			v.Quit()
		})
	}
}

// mapAndUnmap makes the calls that hooks need, and undoes them.
func mapAndUnmap(s *ptrace.Stop, c *Caller) error {
	name, err := c.Data([]byte("remote-test\x00"))
	if err != nil {
		return err
	}
	fd, err := c.Syscall(unix.SYS_MEMFD_CREATE, name, unix.MFD_CLOEXEC)
	if err != nil {
		return err
	}
	if _, err := c.Syscall(unix.SYS_FTRUNCATE, fd, 8192); err != nil {
		return err
	}
	addr, err := c.Syscall(unix.SYS_MMAP, 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED, fd, 0)
	if err != nil {
		return err
	}
	if _, err := s.Mem().WriteAt([]byte("hello"), int64(addr+4090)); err != nil {
		return err
	}
	if _, err := c.Syscall(unix.SYS_MADVISE, addr, 8192, unix.MADV_DONTFORK); err != nil {
		return err
	}
	if _, err := c.Syscall(unix.SYS_MUNMAP, addr, 8192); err != nil {
		return err
	}
	_, err = c.Syscall(unix.SYS_CLOSE, fd)
	return err
}

func TestErrno(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic))
	err := mustFind(t, v.PID()).with(newTracer(t), 0, func(_ *ptrace.Stop, c *Caller) error {
		if _, err := c.Syscall(unix.SYS_CLOSE, 12345); err != unix.EBADF {
			t.Errorf("closing a descriptor that is not open: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	v.Quit()
}
