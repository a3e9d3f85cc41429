package sigframe

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { testutils.Main(m) }

// build compiles a program of testdata.
func build(t testing.TB, compiler, pkg string, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "victim")
	args = append([]string{"-O1", "-Wall", "-pthread", "-o", out, "testdata/handlers.c"}, args...)
	testutils.RunProgram(t, nil, testutils.Command{Path: testutils.Program(t, compiler, pkg), Args: args, Timeout: time.Minute})
	return out
}

// process is a started handlers.c.
type process struct {
	*testutils.Process
	loop, first, second uint64
	kinds               map[int]string  // by tid
	frames              map[uint64]bool // found, of all threads
}

// start brings all threads into their handlers.
func start(t *testing.T, path string) *process {
	t.Helper()
	p := &process{Process: testutils.StartProcess(t, nil, path), kinds: map[int]string{}, frames: map[uint64]bool{}}
	scan(t, p.Line(), "labels %x %x %x", &p.loop, &p.first, &p.second)
	for range 3 {
		var tid int
		scan(t, p.Line(), "spinning %d", &tid)
		p.kinds[tid] = ""
	}
	time.Sleep(20 * time.Millisecond) // from saying so to spinning
	for tid := range p.kinds {
		if err := unix.Tgkill(p.PID(), tid, unix.SIGUSR1); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		var tid int
		var kind string
		scan(t, p.Line(), "here %d %s", &tid, &kind)
		p.kinds[tid] = kind
	}
	time.Sleep(20 * time.Millisecond) // into read
	return p
}

func scan(t *testing.T, line, format string, into ...any) {
	t.Helper()
	if _, err := fmt.Sscanf(line, format, into...); err != nil {
		t.Fatalf("line %q: %v", line, err)
	}
}

// stopped stops the process and calls fn with a Finder.
func stopped(t *testing.T, pid int, fn func(*ptrace.Stop, *Finder) error) {
	t.Helper()
	maps, err := procfs.Maps(pid)
	if err != nil {
		t.Fatal(err)
	}
	mem, err := ptrace.OpenMem(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	found := Restorers(maps, mem)
	if len(found) == 0 {
		t.Fatal("no restorer in the target")
	}
	tr, err := ptrace.NewTracer()
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	_, err = tr.Stop(context.Background(), pid, ptrace.StopOptions{}, func(s *ptrace.Stop) error {
		return fn(s, &Finder{Mem: s.Mem(), Maps: maps, Restorers: found})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFindAndMove(t *testing.T) {
	for _, c := range []struct{ name, compiler, pkg, arg string }{
		{"glibc", "gcc", "gcc", "-O1"},
		{"static", "gcc", "gcc", "-static"},
		{"musl", "musl-gcc", "musl-tools", "-O1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, build(t, c.compiler, c.pkg, c.arg))
			moved := 0
			stopped(t, p.PID(), func(s *ptrace.Stop, f *Finder) error {
				for _, th := range s.Threads() {
					n, err := p.moveOut(t, th, f)
					if err != nil {
						return err
					}
					moved += n
				}
				return nil
			})
			if moved != 3 || len(p.frames) != 4 {
				t.Errorf("%d of 3 threads moved, %d of 4 frames found", moved, len(p.frames))
			}
			p.Send("go")
			for range 3 {
				var tid, how int
				var r12 uint64
				scan(t, p.Line(), "left %d %d %x", &tid, &how, &r12)
				if how != 2 || r12 != 0x7654321 {
					t.Errorf("%s: left by exit %d with r12 = %#x", p.kinds[tid], how, r12)
				}
			}
			if line := p.Line(); line != "bye" {
				t.Errorf("victim said %q", line)
			}
			if err := p.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// moveOut makes the handlers of a thread return to second_exit instead of loop.
func (p *process) moveOut(t *testing.T, th *ptrace.Thread, f *Finder) (moved int, err error) {
	regs, err := th.Regs()
	if err != nil {
		return 0, err
	}
	frames, err := f.Find(regs.Rip, regs.Rsp)
	if err != nil {
		return 0, err
	}
	want := map[string]int{"": 0, "normal": 1, "alternate": 1, "nested": 2}[p.kinds[th.TID()]]
	if len(frames) < want {
		t.Errorf("%d frames on the stack of a %q thread", len(frames), p.kinds[th.TID()])
	}
	for _, frame := range frames {
		p.frames[frame.Addr] = true
	}
	for _, frame := range frames {
		ip, err := frame.IP()
		if err != nil {
			return 0, err
		}
		if ip < p.loop || ip >= p.first {
			continue
		}
		if r12, err := frame.Get(R12); err != nil || r12 != 0x1234567 {
			t.Errorf("saved r12 is %#x (%v)", r12, err)
		}
		if err := frame.Set(R12, 0x7654321); err != nil {
			return 0, err
		}
		if err := frame.SetIP(p.second); err != nil {
			return 0, err
		}
		moved++
	}
	return moved, nil
}

// TestRestorersOfGo looks into a Go program, whose runtime has its own restorer.
func TestRestorersOfGo(t *testing.T) {
	maps, err := procfs.Maps(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	mem, err := ptrace.OpenMem(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	if got := Restorers(maps, mem); len(got) == 0 {
		t.Error("none found")
	}
}

// TestInRestorer: at its first byte, between its two instructions, at its end.
func TestInRestorer(t *testing.T) {
	f := &Finder{Restorers: []uint64{0x1000, 0x2000}}
	for rip, want := range map[uint64]bool{0xfff: false, 0x1000: true, 0x1007: true, 0x1009: false, 0x2007: true, 0x3000: false} {
		if f.inRestorer(rip) != want {
			t.Errorf("at %#x: %v", rip, !want)
		}
	}
}
