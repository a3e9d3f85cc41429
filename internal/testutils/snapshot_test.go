package testutils

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// poke writes a byte into a process's memory, text included, and returns the old one.
func poke(t *testing.T, pid int, addr uint64, b byte) byte {
	t.Helper()
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	var old [1]byte
	if _, err := mem.ReadAt(old[:], int64(addr)); err != nil {
		t.Fatal(err)
	}
	if _, err := mem.WriteAt([]byte{b}, int64(addr)); err != nil {
		t.Fatal(err)
	}
	return old[0]
}

func textOf(t *testing.T, s *Snapshot, part string) Text {
	t.Helper()
	for _, x := range s.Text {
		if strings.Contains(x.Mapping.Path, part) {
			return x
		}
	}
	t.Fatalf("no text of %s", part)
	return Text{}
}

func requireDiff(t *testing.T, before *Snapshot, o DiffOptions, want string) {
	t.Helper()
	diffs := strings.Join(Diff(before, TakeSnapshot(t, before.PID), o), "\n")
	if !strings.Contains(diffs, want) {
		t.Errorf("Diff does not say %q but:\n%s", want, diffs)
	}
}

func TestDiffFindsText(t *testing.T) {
	v := Start(t, Build(t, "count.c", CDynamic))
	before := TakeSnapshot(t, v.PID())
	for _, part := range []string{"count-c", "libc.so"} {
		text := textOf(t, before, part)
		if !text.FromFile || len(text.Differs) != 0 {
			t.Errorf("text of %s: compared=%v, differs at %x", part, text.FromFile, text.Differs)
		}
		addr := text.Mapping.End - 1
		old := poke(t, v.PID(), addr, text.Bytes[len(text.Bytes)-1]^0xff)
		requireDiff(t, before, DiffOptions{AllowGrowth: true, Working: true, Churn: true}, fmt.Sprintf("at %x: ", addr))
		requireDiff(t, before, DiffOptions{}, "1 bytes of "+text.Mapping.Path+" differ from the file")
		poke(t, v.PID(), addr, old)
		RequireEqual(t, before, DiffOptions{})
	}
	// The process did not notice.
	v.Run(10)
	v.Quit()
}

func TestDiffFindsGSBase(t *testing.T) {
	v := Start(t, Build(t, "count.c", CDynamic), "3")
	before := TakeSnapshot(t, v.PID())
	var tid int
	for id := range before.Threads {
		tid = max(tid, id)
	}
	setGSBase(t, tid, 0x12340000)
	requireDiff(t, before, DiffOptions{}, fmt.Sprintf("thread %d: GS base 0 became 12340000", tid))
	setGSBase(t, tid, 0)
	RequireEqual(t, before, DiffOptions{})
	v.Quit()
}

func setGSBase(t *testing.T, tid int, base uint64) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := stopped(tid, func() error {
		var regs unix.PtraceRegs
		err := unix.PtraceGetRegs(tid, &regs)
		regs.Gs_base = base
		return errors.Join(err, unix.PtraceSetRegs(tid, &regs))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestDiffFindsStoppedAndSignals(t *testing.T) {
	v := Start(t, Build(t, "count.c", CDynamic))
	before := TakeSnapshot(t, v.PID())
	v.Signal(syscall.SIGSTOP)
	Eventually(t, replyTimeout, "stopping", func() error {
		if s := TakeSnapshot(t, v.PID()); s.Threads[v.PID()].State != 'T' {
			return fmt.Errorf("state %c", s.Threads[v.PID()].State)
		}
		return nil
	})
	requireDiff(t, before, DiffOptions{}, "is stopped (state T)")
	v.Signal(syscall.SIGCONT)
	EventuallyEqual(t, before, DiffOptions{})
	changed := *before
	changed.SigCgt |= 1 << 10
	requireDiff(t, &changed, DiffOptions{}, "signals: ")
	v.Quit()
}

func TestDiffFindsNames(t *testing.T) {
	s := &Snapshot{
		Maps: []Mapping{
			{Start: 0x1000, End: 0x2000, Perms: "r-xs", Path: "/memfd:functap (deleted)"},
			{Start: 0x3000, End: 0x4000, Perms: "r-xp", Path: "/usr/src/functap/victim"},
		},
		FDs: map[int]string{7: "/memfd:functap (deleted)", 8: "/usr/src/functap/out"},
	}
	if ours := s.Ours(); len(ours) != 2 {
		t.Errorf("ours: %q", ours)
	}
}

func TestSnapshotLeavesNoEINTR(t *testing.T) {
	v := Start(t, Build(t, "eintr.c", CDynamic))
	before := TakeSnapshot(t, v.PID())
	// Working, for sigtimedwait changes the thread's mask while it waits.
	for range 50 {
		RequireEqual(t, before, DiffOptions{Working: true})
	}
	if kinds := len(v.Report().Count); kinds < 50 {
		t.Errorf("%d blocking calls", kinds)
	}
	v.Quit()
}

// TestSnapshotWaits: a thread that has all signals blocked is looked at once more.
func TestSnapshotWaits(t *testing.T) {
	p := StartProcess(t, nil, Program(t, "/usr/bin/python3", "python3"), "-c", `
import ctypes, sys, time
def mask(signals): # as the C library does it, its own signals included
    assert ctypes.CDLL(None).syscall(14, 2, ctypes.byref(ctypes.c_uint64(signals)), None, 8) == 0
mask(2**64 - 1)
print("blocked", flush=True)
time.sleep(0.01)
mask(0)
sys.stdin.read()`)
	p.Until("blocked")
	if th := TakeSnapshot(t, p.PID()).Threads[p.PID()]; th.SigBlk != 0 {
		t.Errorf("signals %x are blocked", th.SigBlk)
	}
}
