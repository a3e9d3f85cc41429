package ptrace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Mem is the memory of a process. It implements io.ReaderAt and io.WriterAt;
// offsets are absolute addresses. It refers to the memory as it was when opened:
// after an exec, reads and writes fail instead of meeting the new program.
// Reading may be done from any goroutine, writing from one at a time.
type Mem struct {
	fd     int
	tid    int
	poker  *Stop // held threads for PTRACE_POKEDATA, nil outside of a stop
	closed bool
}

// bulk is the size from which process_vm_readv is quicker than the mem file.
const bulk = 4096

// OpenMem opens the memory of the process that thread tid belongs to. The
// process need not be stopped, but the right to trace it is required.
func OpenMem(tid int) (*Mem, error) {
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/mem", tid), unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("opening memory of thread %d: %w", tid, exited(err))
	}
	return &Mem{fd: fd, tid: tid}, nil
}

// ReadAt fills p from address addr on. Where only a part can be read it returns
// its length and an error.
func (m *Mem) ReadAt(p []byte, addr int64) (int, error) {
	if m.closed {
		return 0, os.ErrClosed
	}
	done := 0
	if len(p) >= bulk && m.poker != nil { // outside of a stop tid may be somebody else by now
		done = readVM(m.tid, p, uint64(addr))
	}
	for done < len(p) {
		n, err := ignoringEINTR(func() (int, error) { return unix.Pread(m.fd, p[done:], addr+int64(done)) })
		if err != nil || n == 0 {
			return done, readError(addr+int64(done), err)
		}
		done += n
	}
	return done, nil
}

func readError(addr int64, err error) error {
	if err == nil {
		err = io.ErrUnexpectedEOF // the memory is gone: its process has ended
	}
	return fmt.Errorf("reading memory at %#x: %w", addr, err)
}

// WriteAt writes p at address addr, also into pages that the process itself may
// not write; a private mapping of a file gets a copy of the page. Within one page
// the write is one copy. A shared mapping is written only where the process itself
// may write.
func (m *Mem) WriteAt(p []byte, addr int64) (int, error) {
	if m.closed {
		return 0, os.ErrClosed
	}
	for done := 0; done < len(p); {
		n, err := ignoringEINTR(func() (int, error) { return unix.Pwrite(m.fd, p[done:], addr+int64(done)) })
		if refused(err) && m.poker != nil {
			return done, m.pokeAll(p[done:], uint64(addr)+uint64(done))
		}
		if err != nil || n == 0 {
			return done, fmt.Errorf("writing memory at %#x: %w", addr+int64(done), errors.Join(err, eof(n)))
		}
		done += n
	}
	return len(p), nil
}

func eof(n int) error {
	if n == 0 {
		return io.ErrShortWrite
	}
	return nil
}

// refused recognises kernels that let the mem file change writable pages only
// (the proc_mem.force_override setting of Linux 6.12).
func refused(err error) bool {
	return errors.Is(err, unix.EIO) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES)
}

// pokeAll writes by PTRACE_POKEDATA, whole words at a time.
func (m *Mem) pokeAll(p []byte, addr uint64) error {
	for len(p) > 0 {
		word := addr &^ 7
		old, err := peek(m.tid, word)
		if err != nil {
			return fmt.Errorf("reading word at %#x: %w", word, err)
		}
		var buf [8]byte
		binary.LittleEndian.PutUint64(buf[:], old)
		n := copy(buf[addr-word:], p)
		if err := poke(m.tid, word, binary.LittleEndian.Uint64(buf[:])); err != nil {
			return fmt.Errorf("writing word at %#x: %w", word, err)
		}
		p, addr = p[n:], addr+uint64(n)
	}
	return nil
}

// Close releases the descriptor.
func (m *Mem) Close() error {
	if m.closed {
		return nil
	}
	m.closed = true
	return unix.Close(m.fd)
}

func ignoringEINTR(f func() (int, error)) (int, error) {
	for {
		n, err := f()
		if err != unix.EINTR {
			return n, err
		}
	}
}
