package hook

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
)

// liveTask is a thread of the process by which its memory, maps and
// descriptors can be reached: the main thread, or another one if that has
// ended (pthread_exit in main leaves a zombie that has none of these).
func liveTask(pid int) int {
	if st, err := procfs.ReadStat(pid); err != nil || st.State != 'Z' || st.Threads < 2 {
		return pid
	}
	tids, err := procfs.Tasks(pid)
	if err != nil {
		return pid
	}
	for _, tid := range tids {
		if st, err := procfs.ReadTaskStat(pid, tid); err == nil && st.State != 'Z' && st.State != 'X' {
			return tid
		}
	}
	return pid
}

// mapsOf, openMem and procPath are those of a live thread.
func mapsOf(pid int) ([]procfs.Mapping, error) {
	maps, err := procfs.Maps(liveTask(pid))
	return maps, wrapGone(err)
}

func openMem(pid int) (*ptrace.Mem, error) {
	mem, err := ptrace.OpenMem(liveTask(pid))
	return mem, wrapExit(err)
}

func procPath(pid int, name string) string { return fmt.Sprintf("/proc/%d/%s", liveTask(pid), name) }

// ended reports whether the process has no thread left that runs.
func ended(pid int) bool {
	st, err := procfs.ReadStat(pid)
	if err != nil {
		return errors.Is(err, os.ErrProcessDone)
	}
	return (st.State == 'Z' || st.State == 'X') && st.Threads < 2
}

// settle makes an error ErrExited if the target has ended meanwhile, and ErrExeced
// if it runs another program: whatever failed, failed because of that. A process
// whose main thread has ended may be in the middle of it.
func (p *Process) settle(err error) error {
	if err == nil || errors.Is(err, ErrExited) || errors.Is(err, ErrExeced) {
		return err
	}
	for range 20 {
		if ended(p.pid) {
			return fmt.Errorf("%w: %w", ErrExited, err)
		}
		// A process on its way out loses its memory before it shows as ended.
		st, serr := procfs.ReadStat(p.pid)
		if serr == nil && st.State != 'Z' && st.State != 'X' && !errors.Is(err, procfs.ErrNoMemory) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if p.ident.auxv != nil && errors.Is(p.ident.check(p.pid), ErrExeced) {
		return fmt.Errorf("%w: %w", ErrExeced, err)
	}
	return err
}
