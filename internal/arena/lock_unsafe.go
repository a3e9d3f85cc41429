package arena

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Lock marks a session as alive by a robust futex: when the thread that holds
// it ends, for whatever reason, the kernel sets LockOwnerDied in the word
// before it lets go of the thread's ptrace stops (futex(2), "robust lists").
// It is never waited for here; a successor reads it.
//
// Take and Release must run on the same OS thread, the tracer's, which must
// stay locked to its goroutine.
type Lock struct {
	mem  []byte
	head *robustHead
	own  []byte // memory of our own head, nil if the thread had one
}

// robustHead is the kernel's struct robust_list_head.
type robustHead struct {
	next    uintptr
	offset  int64
	pending uintptr
}

// lockDistance is from a list entry to its lock word. It is what glibc's lists
// use, so that our word can join such a list in programs that use cgo.
const lockDistance = LockOff - RobustOff

// TakeLock takes the lock in the header at the start of mem for the calling
// thread, whose id is tid.
func TakeLock(mem []byte, tid int) (*Lock, error) {
	l := &Lock{mem: mem}
	var size uintptr
	_, _, errno := unix.RawSyscall(unix.SYS_GET_ROBUST_LIST, 0, uintptr(unsafe.Pointer(&l.head)), uintptr(unsafe.Pointer(&size)))
	if errno != 0 {
		return nil, fmt.Errorf("get_robust_list: %w", errno)
	}
	if l.head == nil {
		if err := l.newHead(); err != nil {
			return nil, err
		}
	} else if l.head.offset != lockDistance {
		return nil, errors.New("the thread has a robust list of an unknown layout")
	}
	l.link()
	atomic.StoreUint32(l.word(), uint32(tid))
	return l, nil
}

// newHead gives the thread a list. The head is outside of Go's heap, since the
// kernel keeps its address.
func (l *Lock) newHead() error {
	own, err := unix.Mmap(-1, 0, PageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("memory for a robust list: %w", err)
	}
	// As in glibc, the word before the head is the list's backward link.
	l.own, l.head = own, (*robustHead)(unsafe.Pointer(&own[64]))
	l.head.offset = lockDistance
	l.head.next = uintptr(unsafe.Pointer(l.head))
	size := unsafe.Sizeof(robustHead{})
	if _, _, errno := unix.RawSyscall(unix.SYS_SET_ROBUST_LIST, uintptr(unsafe.Pointer(l.head)), size, 0); errno != 0 {
		unix.Munmap(own)
		return fmt.Errorf("set_robust_list: %w", errno)
	}
	return nil
}

func (l *Lock) word() *uint32   { return (*uint32)(unsafe.Pointer(&l.mem[LockOff])) }
func (l *Lock) entry() *uintptr { return (*uintptr)(unsafe.Pointer(&l.mem[RobustOff])) }

// prev is the backward link of the entry at address e.
func prev(e uintptr) *uintptr { return *(**uintptr)(unsafe.Pointer(&[]uintptr{e - 8}[0])) }

// link puts the entry first. Backward links are glibc's; the kernel follows
// only the forward ones.
func (l *Lock) link() {
	e, h := l.entry(), uintptr(unsafe.Pointer(l.head))
	first := l.head.next
	*e = first
	*prev(uintptr(unsafe.Pointer(e))) = h
	*prev(first) = uintptr(unsafe.Pointer(e))
	l.head.next = uintptr(unsafe.Pointer(e))
}

// Release frees the lock and takes it out of the thread's list.
func (l *Lock) Release() {
	e := uintptr(unsafe.Pointer(l.entry()))
	before, after := *prev(e), *l.entry()
	*(*(**uintptr)(unsafe.Pointer(&before))) = after
	*prev(after) = before
	atomic.StoreUint32(l.word(), 0)
	if l.own != nil && l.head.next == uintptr(unsafe.Pointer(l.head)) {
		unix.RawSyscall(unix.SYS_SET_ROBUST_LIST, 0, unsafe.Sizeof(robustHead{}), 0)
		unix.Munmap(l.own)
		l.own = nil
	}
}
