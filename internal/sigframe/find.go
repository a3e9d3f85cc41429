package sigframe

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/functap/functap/internal/procfs"
)

// Memory is a stopped process's memory, by absolute address (ptrace.Mem).
type Memory interface {
	io.ReaderAt
	io.WriterAt
}

// DefaultLimit is enough for the default stack of a thread.
const DefaultLimit = 8 << 20

// Finder finds the signal frames of stopped threads.
type Finder struct {
	Mem       Memory
	Maps      []procfs.Mapping // sorted, as procfs.Maps gives them
	Restorers []uint64         // sorted, as Restorers gives them
	// Limit is how many bytes from a stack pointer on are looked at, if the mapping
	// does not end before; 0 means DefaultLimit. Go programs need less: a handler
	// runs on a stack of 32 KiB, and the mapping goes on with the heap.
	Limit uint64
	// Bytes, if it is set, is shown all memory that Everywhere reads, in parts that overlap.
	Bytes func(addr uint64, b []byte)

	buf []byte // for scanRange
}

// Frame is one signal frame.
type Frame struct {
	Addr uint64 // of its first word
	mem  Memory
}

// RegAddr is the address of the 8 bytes where a register is saved.
func (f Frame) RegAddr(r Register) uint64 { return f.Addr + OffGPR + wordSize*uint64(r) }

// Get returns the saved value of a register.
func (f Frame) Get(r Register) (uint64, error) {
	var b [wordSize]byte
	if _, err := f.mem.ReadAt(b[:], int64(f.RegAddr(r))); err != nil {
		return 0, fmt.Errorf("reading a signal frame: %w", err)
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}

// Set changes the value that the register will have when the handler returns.
func (f Frame) Set(r Register, v uint64) error {
	var b [wordSize]byte
	binary.LittleEndian.PutUint64(b[:], v)
	if _, err := f.mem.WriteAt(b[:], int64(f.RegAddr(r))); err != nil {
		return fmt.Errorf("writing a signal frame: %w", err)
	}
	return nil
}

// IP is where the handler will return to.
func (f Frame) IP() (uint64, error) { return f.Get(RIP) }

// SetIP changes where the handler will return to.
func (f Frame) SetIP(ip uint64) error { return f.Set(RIP, ip) }

// Find returns the signal frames of a thread that stands at rip with stack
// pointer rsp: those from rsp to the end of the stack, and, since a handler may
// run on an alternate stack, those on the stacks that handlers found have
// interrupted. Among them may be frames left over in unused bytes of the stack,
// which nobody minds being changed, and frames of another thread whose stack is
// part of the same mapping: so a change must be right whoever owns the frame.
func (f *Finder) Find(rip, rsp uint64) ([]Frame, error) {
	if f.inRestorer(rip) {
		rsp -= wordSize // the handler's return has taken the frame's first word
	}
	found := map[uint64]bool{}
	defer func(b func(uint64, []byte)) { f.Bytes = b }(f.Bytes)
	f.Bytes = nil
	for todo := []uint64{rsp}; len(todo) > 0; todo = todo[1:] {
		err := f.scan(todo[0], func(addr, sp uint64) {
			if !found[addr] {
				found[addr] = true
				todo = append(todo, sp)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	frames := make([]Frame, 0, len(found))
	for addr := range found {
		frames = append(frames, Frame{addr, f.Mem})
	}
	slices.SortFunc(frames, func(a, b Frame) int {
		if a.Addr < b.Addr {
			return -1
		}
		return 1
	})
	return frames, nil
}

// inRestorer tells whether rip is behind the start of a restorer and not behind
// its system call.
func (f *Finder) inRestorer(rip uint64) bool {
	i, exact := slices.BinarySearch(f.Restorers, rip)
	longest := uint64(len(restorers[0]))
	return exact || (i > 0 && rip < f.Restorers[i-1]+longest)
}

// scan calls hit with address and saved stack pointer of each frame from sp on.
func (f *Finder) scan(sp uint64, hit func(addr, sp uint64)) error {
	i, ok := slices.BinarySearchFunc(f.Maps, sp, func(m procfs.Mapping, sp uint64) int {
		switch {
		case m.Contains(sp):
			return 0
		case m.Start > sp:
			return 1
		}
		return -1
	})
	if !ok || !f.Maps[i].Read || !f.Maps[i].Write {
		return nil // no stack: the thread has a stack pointer of its own making
	}
	limit := f.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	from := sp &^ (wordSize - 1)
	// A handler that was wrapped returns to generated code first, which goes on with the
	// stack pointer behind the frame's first word.
	if from > f.Maps[i].Start {
		from -= wordSize
	}
	return f.scanRange(from, min(f.Maps[i].End, from+limit), hit)
}

// window is how much is read at once: the processor's cache holds it.
const window = 256 << 10

func (f *Finder) scanRange(from, to uint64, hit func(addr, sp uint64)) error {
	if f.buf == nil {
		f.buf = make([]byte, window)
	}
	buf := f.buf
	for from < to {
		b := buf[:min(window, to-from)]
		if _, err := f.Mem.ReadAt(b, int64(from)); err != nil {
			return fmt.Errorf("reading the stack at %#x: %w", from, err)
		}
		// A frame that begins in this part and ends in the next is looked at again.
		last := len(b) - Size
		f.scanBytes(from, b, hit)
		if f.Bytes != nil {
			f.Bytes(from, b)
		}
		if last < 0 || from+uint64(len(b)) == to {
			return nil
		}
		from += uint64(last)&^(wordSize-1) + wordSize
	}
	return nil
}

// frameAlign: the kernel places frames as if the restorer had called the handler.
const frameAlign = 16

// scanBytes calls hit for the frames that lie wholly in the bytes b of address from.
func (f *Finder) scanBytes(from uint64, b []byte, hit func(addr, sp uint64)) {
	if len(f.Restorers) == 0 {
		return
	}
	lo, hi := f.Restorers[0], f.Restorers[len(f.Restorers)-1]
	first := int((frameAlign + wordSize - from%frameAlign) % frameAlign)
	for at := first; at <= len(b)-Size; at += frameAlign {
		// Most words are none of the restorers: so this comes first.
		if w := binary.LittleEndian.Uint64(b[at:]); w-lo > hi-lo {
			continue
		}
		if addr := from + uint64(at); f.plausible(addr, b[at:]) {
			hit(addr, saved(b[at:], RSP))
		}
	}
}

func saved(frame []byte, r Register) uint64 {
	return binary.LittleEndian.Uint64(frame[OffGPR+wordSize*int(r):])
}

// plausible checks what the kernel writes into every frame (setup_rt_frame in
// arch/x86/kernel/signal_64.c) and needs when it takes one.
func (f *Finder) plausible(addr uint64, b []byte) bool {
	if _, ok := slices.BinarySearch(f.Restorers, binary.LittleEndian.Uint64(b)); !ok || addr%frameAlign != wordSize {
		return false
	}
	flags, link := binary.LittleEndian.Uint64(b[OffFlags:]), binary.LittleEndian.Uint64(b[OffFlags+8:])
	cs, eflags := binary.LittleEndian.Uint16(b[OffCS:]), binary.LittleEndian.Uint64(b[OffEflags:])
	fp := binary.LittleEndian.Uint64(b[OffFPState:])
	const alwaysSet = 2 // bit 1 of eflags
	return flags&^(FlagXState|FlagSS|FlagStrictSS) == 0 && link == 0 && cs == UserCS &&
		eflags&alwaysSet != 0 && fp%16 == 0 && canonical(saved(b, RIP)) && canonical(saved(b, RSP))
}

func canonical(addr uint64) bool { return addr != 0 && addr < userCeiling }
