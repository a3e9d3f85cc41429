package ptrace

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The calls in this file are raw: they take microseconds, and going through the
// scheduler's system call hooks could cost the tracer its processor while a
// whole process stands still. Those that may take longer say so.

// seizeOptions is given to every thread at PTRACE_SEIZE. TRACESYSGOOD makes system
// call stops distinguishable, TRACEEXEC makes an exec visible. Clone and fork
// events are not asked for: the task directory is read until it shows nothing
// new, which finds newborn threads without touching forked children. EXITKILL
// would kill the target with the tracer and is never set.
const seizeOptions = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACEEXEC

const (
	ntPrstatus  = 1     // NT_PRSTATUS: general registers
	ntX86XState = 0x202 // NT_X86_XSTATE: the XSAVE image
	sigsetSize  = 8     // bytes in a kernel signal set
	maxXState   = 16384 // an XSAVE image with AMX tiles is 11 KiB
)

func rawPtrace(request, tid int, addr, data uintptr) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, uintptr(request), uintptr(tid), addr, data, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// seize waits while a thread of the process executes a program, which can take
// as long as it likes: so it is no raw call. See undertaker.
func seize(tid int) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(tid), 0, seizeOptions, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func interrupt(tid int) error { return rawPtrace(unix.PTRACE_INTERRUPT, tid, 0, 0) }

// resume continues tid with request (PTRACE_CONT, PTRACE_SYSCALL or
// PTRACE_DETACH) and delivers sig if tid stands at the delivery of a signal.
func resume(request, tid int, sig unix.Signal) error {
	return rawPtrace(request, tid, 0, uintptr(sig))
}

// regset moves one register set and returns the number of bytes the kernel used.
func regset(request, tid, kind int, buf unsafe.Pointer, size int) (int, error) {
	iov := unix.Iovec{Base: (*byte)(buf), Len: uint64(size)}
	err := rawPtrace(request, tid, uintptr(kind), uintptr(unsafe.Pointer(&iov)))
	return int(iov.Len), err
}

func getRegs(tid int, r *unix.PtraceRegs) error {
	_, err := regset(unix.PTRACE_GETREGSET, tid, ntPrstatus, unsafe.Pointer(r), int(unsafe.Sizeof(*r)))
	return err
}

func setRegs(tid int, r *unix.PtraceRegs) error {
	_, err := regset(unix.PTRACE_SETREGSET, tid, ntPrstatus, unsafe.Pointer(r), int(unsafe.Sizeof(*r)))
	return err
}

func getXState(tid int) ([]byte, error) {
	buf := make([]byte, maxXState)
	n, err := regset(unix.PTRACE_GETREGSET, tid, ntX86XState, unsafe.Pointer(&buf[0]), len(buf))
	if err != nil {
		return nil, err
	}
	return buf[:n:n], nil
}

func getSigMask(tid int) (mask uint64, err error) {
	err = rawPtrace(unix.PTRACE_GETSIGMASK, tid, sigsetSize, uintptr(unsafe.Pointer(&mask)))
	return mask, err
}

func setSigMask(tid int, mask uint64) error {
	return rawPtrace(unix.PTRACE_SETSIGMASK, tid, sigsetSize, uintptr(unsafe.Pointer(&mask)))
}

func getSigInfo(tid int) (info unix.Siginfo, err error) {
	err = rawPtrace(unix.PTRACE_GETSIGINFO, tid, 0, uintptr(unsafe.Pointer(&info)))
	return info, err
}

func peek(tid int, addr uint64) (word uint64, err error) {
	err = rawPtrace(unix.PTRACE_PEEKDATA, tid, uintptr(addr), uintptr(unsafe.Pointer(&word)))
	return word, err
}

func poke(tid int, addr, word uint64) error {
	return rawPtrace(unix.PTRACE_POKEDATA, tid, uintptr(addr), uintptr(word))
}

// waitNow asks, without blocking, for one event of the traced thread tid.
// ok is false if there is none. If tid ended, it is reaped.
func waitNow(tid int) (status unix.WaitStatus, ok bool, err error) {
	var raw uint32
	for {
		got, _, errno := unix.RawSyscall6(unix.SYS_WAIT4, uintptr(tid), uintptr(unsafe.Pointer(&raw)),
			unix.WALL|unix.WNOHANG, 0, 0, 0)
		switch {
		case errno == unix.EINTR:
		case errno != 0:
			return 0, false, errno
		default:
			return unix.WaitStatus(raw), got != 0, nil
		}
	}
}

// waitChildNow is waitNow for the main thread of a child of the tracing process,
// which must not be reaped: it is not the tracer but the rest of the process that
// waits for its end.
func waitChildNow(tid int) (status unix.WaitStatus, ok bool, err error) {
	const stoppedStatus = 0x7f
	event, _, err := waitID(tid, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT)
	if err != nil || event != cldTrapped && event != cldStopped {
		return 0, event != 0, err
	}
	event, code, err := waitID(tid, unix.WSTOPPED)
	return unix.WaitStatus(code<<8 | stoppedStatus), event != 0, err
}

// Values of si_code for SIGCHLD.
const (
	cldTrapped = 4
	cldStopped = 5
)

// waitID returns the si_code (0: nothing to report) and si_status of waitid.
func waitID(tid, options int) (event, code int32, err error) {
	var info [32]int32 // siginfo_t: signo, errno, code, -, pid, uid, status
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_WAITID, unix.P_PID, uintptr(tid), uintptr(unsafe.Pointer(&info)),
			uintptr(options|unix.WALL|unix.WNOHANG), 0, 0)
		switch {
		case errno == unix.EINTR:
		case errno != 0:
			return 0, 0, errno
		default:
			return info[2], info[6], nil
		}
	}
}

// nap sleeps for d. Short naps keep the processor of the Go scheduler, so that
// the tracer cannot be kept waiting for one afterwards.
func nap(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	if d <= 100*time.Microsecond {
		unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
		return
	}
	unix.Syscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// sameVM asks the kernel whether two processes share their memory.
func sameVM(a, b int) (bool, error) {
	const kcmpVM = 1
	r, _, errno := unix.RawSyscall6(unix.SYS_KCMP, uintptr(a), uintptr(b), kcmpVM, 0, 0, 0)
	if errno != 0 {
		return false, errno
	}
	return r == 0, nil
}

// readVM reads target memory in one copy; it can be short.
func readVM(tid int, p []byte, addr uint64) int {
	local := unix.Iovec{Base: &p[0], Len: uint64(len(p))}
	remote := unix.RemoteIovec{Base: uintptr(addr), Len: len(p)}
	n, _, errno := unix.RawSyscall6(unix.SYS_PROCESS_VM_READV, uintptr(tid),
		uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}
