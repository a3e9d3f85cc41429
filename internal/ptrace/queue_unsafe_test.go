package ptrace

import (
	"encoding/binary"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	rtSignal = 36 // SIGRTMIN+2 of glibc
	siQueue  = -1
)

// queue sends a real-time signal with a value to a thread, as sigqueue does.
func queue(pid, tid, value int) error {
	var info [128]byte // siginfo_t: signo, errno, code, pad, pid, uid, value
	code := int32(siQueue)
	binary.LittleEndian.PutUint32(info[0:], rtSignal)
	binary.LittleEndian.PutUint32(info[8:], uint32(code))
	binary.LittleEndian.PutUint32(info[16:], uint32(unix.Getpid()))
	binary.LittleEndian.PutUint64(info[24:], uint64(value))
	for {
		_, _, errno := unix.Syscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(pid), uintptr(tid), rtSignal,
			uintptr(unsafe.Pointer(&info)), 0, 0)
		switch errno {
		case 0:
			return nil
		case unix.EAGAIN: // the queue is full
			time.Sleep(time.Millisecond)
		default:
			return errno
		}
	}
}
