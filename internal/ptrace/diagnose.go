package ptrace

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/functap/functap/internal/procfs"
	"golang.org/x/sys/unix"
)

// precheck refuses what can be refused without touching the target.
func precheck(pid, only int) error {
	if pid == os.Getpid() {
		return fmt.Errorf("stopping process %d: %w; use another process for it", pid, ErrSelf)
	}
	st, err := statusOf(pid)
	if err != nil {
		return missing(pid)
	}
	if st.Tgid != pid {
		return fmt.Errorf("stopping process %d: %w; it is a thread of process %d", pid, ErrNoProcess, st.Tgid)
	}
	if only == 0 {
		return nil
	}
	if th, err := procfs.ReadStatus(only); err != nil || th.Tgid != pid {
		return fmt.Errorf("stopping thread %d of process %d: %w", only, pid, ErrExited)
	}
	return nil
}

// statusOf reads a process's status. While a thread that is not the main one
// executes a program, the process has no entry in /proc for a moment.
func statusOf(pid int) (st procfs.Status, err error) {
	for range 50 {
		st, err = procfs.ReadStatus(pid)
		if err == nil || unix.Kill(pid, 0) == unix.ESRCH {
			break
		}
		nap(time.Millisecond)
	}
	return st, err
}

// missing tells a process that does not exist from one that must not be seen
// (the hidepid option of the proc file system).
func missing(pid int) error {
	if err := unix.Kill(pid, 0); pid > 0 && (err == nil || errors.Is(err, unix.EPERM)) {
		return fmt.Errorf("stopping process %d: %w in /proc (mount option hidepid); become its user or root", pid, ErrHidden)
	}
	return fmt.Errorf("stopping process %d: %w", pid, ErrNoProcess)
}

// party is one side of a ptrace permission check.
type party struct {
	pid    int
	status procfs.Status
	userNS string // "" if it may not be known
}

func newParty(pid int) party {
	st, err := procfs.ReadStatus(pid)
	if err != nil {
		st = procfs.Status{} // ended meanwhile: no cause will be found
	}
	ns, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/user", pid))
	if err != nil {
		ns = ""
	}
	return party{pid: pid, status: st, userNS: ns}
}

const capSysPtrace = 19

func (p party) mayTraceAll() bool {
	return p.status.CapEff&(1<<capSysPtrace) != 0
}

// causes are tried in this order; the first that applies is reported.
var causes = []func(me, target party) error{
	kernelThread, traced, yama, otherUser, notDumpable, otherNamespace, moreCapable, ownSeccomp,
}

// diagnose finds out why the kernel refused to let us trace the thread tid. The
// kernel gives one errno for all reasons (ptrace_attach and __ptrace_may_access
// in kernel/ptrace.c), so the rules are gone through one by one.
func diagnose(pid, tid int, cause error) error {
	me, target := newParty(os.Getpid()), newParty(tid)
	for _, check := range causes {
		if err := check(me, target); err != nil {
			return fmt.Errorf("stopping process %d: %w", pid, err)
		}
	}
	return fmt.Errorf("stopping process %d: %w: %w", pid, errUnexplained, cause)
}

var errUnexplained = permission("a security module or the settings of a container may forbid it")

func kernelThread(_, target party) error {
	st, err := procfs.ReadStat(target.pid)
	if err != nil || st.Flags&procfs.KernelThread == 0 {
		return nil
	}
	return fmt.Errorf("%w, which has no user code", ErrKernelThread)
}

func traced(_, target party) error {
	tracer := target.status.TracerPid // of the thread that traces it
	if tracer == 0 {
		return nil
	}
	st, err := procfs.ReadStatus(tracer)
	if err != nil {
		return &TracedError{TracerPID: tracer, Name: "a process that cannot be seen"}
	}
	if main, err := procfs.ReadStatus(st.Tgid); err == nil {
		st = main
	}
	return &TracedError{TracerPID: st.Tgid, Name: st.Name}
}

// yama applies the rules of Documentation/admin-guide/LSM/Yama.rst.
func yama(me, target party) error {
	text, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	if err != nil {
		return nil //nolint:nilerr // no such module
	}
	return yamaScope(strings.TrimSpace(string(text)), me.mayTraceAll(), descends(target.pid, me.pid))
}

func yamaScope(scope string, privileged, descendant bool) error {
	switch {
	case scope == "3":
		return fmt.Errorf("%w for everybody (kernel.yama.ptrace_scope is 3, which only a reboot changes)", ErrYama)
	case scope == "2" && !privileged:
		return fmt.Errorf("%w without CAP_SYS_PTRACE (kernel.yama.ptrace_scope is 2); run as root", ErrYama)
	case scope == "1" && !privileged && !descendant:
		return fmt.Errorf("%w for processes that are not its children (kernel.yama.ptrace_scope is 1); run as root, or set it to 0", ErrYama)
	}
	return nil
}

// descends tells whether pid is a child, grandchild... of ancestor.
func descends(pid, ancestor int) bool {
	for pid > 1 {
		st, err := procfs.ReadStat(pid)
		if err != nil {
			return false
		}
		if pid = st.PPID; pid == ancestor {
			return true
		}
	}
	return false
}

// otherUser compares real, effective and saved ids of the target with the
// tracer's real ones.
func otherUser(me, target party) error {
	if me.mayTraceAll() {
		return nil
	}
	if err := otherID("uid", me.status.Uids, target.status.Uids); err != nil {
		return err
	}
	return otherID("gid", me.status.Gids, target.status.Gids)
}

func otherID(kind string, mine, theirs [4]uint32) error {
	for _, id := range theirs[:3] {
		if id != mine[0] {
			return fmt.Errorf("%w (%s %d, tracer's %d); run as that user or as root", ErrOtherUser, kind, id, mine[0])
		}
	}
	return nil
}

// notDumpable recognises it by the owner of the process's files in /proc, which
// is root then.
func notDumpable(me, target party) error {
	var st unix.Stat_t
	if me.mayTraceAll() || unix.Stat(fmt.Sprintf("/proc/%d/mem", target.pid), &st) != nil {
		return nil
	}
	if target.status.Uids[1] == st.Uid {
		return nil
	}
	return fmt.Errorf("%w (it holds secrets, or was given privileges at exec); run as root", ErrNotDumpable)
}

func otherNamespace(me, target party) error {
	if target.userNS == "" || target.userNS == me.userNS {
		return nil
	}
	return fmt.Errorf("%w; run as root of the outer namespace or inside the target's", ErrUserNamespace)
}

// moreCapable: without CAP_SYS_PTRACE a tracer must have every capability that
// the target may use.
func moreCapable(me, target party) error {
	more := target.status.CapPrm &^ me.status.CapPrm
	if me.mayTraceAll() || more == 0 {
		return nil
	}
	return fmt.Errorf("%w (mask %#x); run as root", ErrCapabilities, more)
}

func ownSeccomp(me, _ party) error {
	if me.status.Seccomp == 0 {
		return nil
	}
	return fmt.Errorf("%w filter, which seems to forbid ptrace (no_new_privs: %t); allow the ptrace system call for it",
		ErrOwnSeccomp, me.status.NoNewPrivs)
}
