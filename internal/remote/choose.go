package remote

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
	"golang.org/x/sys/unix"
)

// ErrNoThread says that no thread is fit for a call.
var ErrNoThread = errors.New("no thread can make a system call for us")

// Grades of threads, the better the lower.
const (
	fit     = iota
	sleeper // in a wait with a timeout, whose restart a healing thread would lose
	unfit
)

// ChooseThread returns the best of the stopped threads to make calls with: the
// main thread if it will do, because the best place for the frame is its stack.
func ChooseThread(s *ptrace.Stop) (*ptrace.Thread, error) {
	grades := map[*ptrace.Thread]int{}
	for _, th := range s.Threads() {
		regs, err := th.Regs()
		if err != nil {
			return nil, err
		}
		grades[th] = 2 * gradeRegs(regs)
		if th.TID() != s.PID() {
			grades[th]++
		}
	}
	order := slices.SortedStableFunc(maps.Keys(grades), func(a, b *ptrace.Thread) int {
		return cmp.Or(cmp.Compare(grades[a], grades[b]), cmp.Compare(a.TID(), b.TID()))
	})
	for _, th := range order {
		if grades[th] >= 2*unfit {
			break
		}
		if status, err := procfs.ReadTaskStatus(s.PID(), th.TID()); err == nil && status.SigPnd&synchronous == 0 {
			return th, nil
		}
	}
	return nil, ErrNoThread
}

func gradeRegs(r *unix.PtraceRegs) int {
	const restartBlock = -516
	switch {
	case r.Cs != 0x33: // 32-bit code: other numbers, other registers
		return unfit
	case int64(r.Orig_rax) >= 0 && int64(r.Rax) == restartBlock:
		return sleeper
	}
	return fit
}

// ChooseTID is ChooseThread before the stop, for StopThread: from what the kernel
// tells about the running threads. It needs the right to trace them.
func ChooseTID(pid int) (int, error) {
	tids, err := procfs.Tasks(pid)
	if err != nil {
		return 0, err
	}
	best, bestGrade := 0, unfit
	for _, tid := range tids {
		if g := gradeTask(pid, tid); g < bestGrade || (g == bestGrade && g < unfit && tid == pid) {
			best, bestGrade = tid, g
		}
	}
	if best == 0 {
		return 0, fmt.Errorf("choosing a thread of process %d: %w", pid, ErrNoThread)
	}
	return best, nil
}

func gradeTask(pid, tid int) int {
	st, err := procfs.ReadTaskStat(pid, tid)
	if err != nil || strings.IndexByte("DZX", st.State) >= 0 {
		return unfit
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/syscall", pid, tid))
	if err != nil {
		return unfit
	}
	return gradeSyscall(strings.Fields(string(text)))
}

// gradeSyscall judges a line of a syscall file: "running", or a number, six
// arguments, stack pointer and instruction pointer.
func gradeSyscall(f []string) int {
	if len(f) == 0 {
		return unfit
	}
	nr, err := strconv.Atoi(f[0])
	if err != nil { // running
		return fit
	}
	switch nr {
	case unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_POLL, unix.SYS_RESTART_SYSCALL:
		return sleeper
	case unix.SYS_FUTEX:
		if len(f) > 4 && f[4] != "0x0" { // has a timeout
			return sleeper
		}
	}
	return fit
}
