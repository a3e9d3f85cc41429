package ptrace

import "golang.org/x/sys/unix"

// stolen looks for a stop that the kernel has reported to somebody else. The
// ptrace stops of a child are offered to every thread of its parent that waits
// for the child, whatever it waits for (wait_consider_task in the kernel's
// exit.c): a goroutine in exec.Cmd.Wait may be handed a stop that is the
// tracer's. The thread stands still all the same, and its siginfo says why.
func stolen(tid int) (unix.WaitStatus, bool) {
	info, err := getSigInfo(tid)
	if err != nil {
		return 0, false // ESRCH: it runs
	}
	const stoppedStatus = 0x7f
	code := uint32(info.Signo)
	if info.Code > 0 && uint32(info.Code)&0x7f == code && info.Code != info.Signo {
		code = uint32(info.Code) // a ptrace event, or SIGTRAP|0x80 at a system call
	}
	return unix.WaitStatus(code<<8 | stoppedStatus), true
}
