package gort

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// Goroutine is one that does not run: its stack is as it left it.
type Goroutine struct {
	ID uint64
	// PC and SP are as it left them; the stack ends at StackHi.
	PC, SP, StackHi uint64
}

// Offsets in struct g (runtime2.go, Go 1.18 to 1.26). sched.sp is 0 while the
// goroutine runs (asm_amd64.s, gogo).
const (
	offStackLo = 0
	offStackHi = 8
	offSchedSP = 56
	offSchedPC = 64
	offSchedG  = 72
	gBytes     = 168 // as much of it as is read
)

const (
	wordBytes = 8
	maxGs     = 1 << 24 // more is not believed
	// Structures lie close together. What is between them is read along up to
	// maxGap bytes, since a read of its own costs as much as copying that.
	maxGap  = 4 << 10
	maxRead = 1 << 20
)

// Preempted lists the goroutines that were suspended at an arbitrary
// instruction (asynchronous preemption) and have not been resumed: Resumes
// tells from the stack where each will go on. A few others may be among them,
// no more than there are threads. The process must be stopped.
//
// The error is ErrUnknown when memory does not look like a runtime.
func (r *Runtime) Preempted(mem io.ReaderAt) ([]Goroutine, error) {
	gs, err := r.all(mem)
	if err != nil {
		return nil, err
	}
	var out []Goroutine
	err = eachG(mem, gs, func(addr uint64, b []byte) error {
		word := func(off uint64) uint64 { return binary.LittleEndian.Uint64(b[off:]) }
		if g := word(offSchedG); g != addr && g != 0 || word(offStackLo) > word(offStackHi) {
			return fmt.Errorf("%w: there is no g at %#x", ErrUnknown, addr)
		}
		sp, hi := word(offSchedSP), word(offStackHi)
		if sp == 0 || !in(word(offSchedPC), r.suspended) {
			return nil
		}
		if sp <= word(offStackLo) || sp > hi {
			return fmt.Errorf("%w: the stack pointer %#x of the g at %#x is not in its stack", ErrUnknown, sp, addr)
		}
		out = append(out, Goroutine{word(r.goid), word(offSchedPC), sp, hi})
		return nil
	})
	return out, err
}

// all lists the addresses of all g structures, in ascending order.
func (r *Runtime) all(mem io.ReaderAt) ([]uint64, error) {
	n, err := words(mem, r.allglen, 1)
	if err != nil {
		return nil, err
	}
	at, err := words(mem, r.allgptr, 1)
	if err != nil {
		return nil, err
	}
	if n[0] == 0 && at[0] == 0 {
		return nil, nil // not started yet
	}
	if n[0] > maxGs {
		return nil, fmt.Errorf("%w: %d goroutines", ErrUnknown, n[0])
	}
	gs, err := words(mem, at[0], int(n[0]))
	slices.Sort(gs)
	return gs, err
}

func words(mem io.ReaderAt, addr uint64, n int) ([]uint64, error) {
	b := make([]byte, n*wordBytes)
	if _, err := mem.ReadAt(b, int64(addr)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	out := make([]uint64, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(b[i*wordBytes:])
	}
	return out, nil
}

// eachG calls f with the first gBytes of each structure. Those that lie close together
// are read at once.
func eachG(mem io.ReaderAt, gs []uint64, f func(addr uint64, b []byte) error) error {
	buf := make([]byte, maxRead)
	for len(gs) > 0 {
		n := 1
		for n < len(gs) && gs[n]-gs[n-1] <= maxGap && gs[n]+gBytes-gs[0] <= maxRead {
			n++
		}
		b := buf[:gs[n-1]+gBytes-gs[0]]
		if _, err := mem.ReadAt(b, int64(gs[0])); err != nil {
			return fmt.Errorf("%w: %w", ErrUnknown, err)
		}
		for _, g := range gs[:n] {
			if err := f(g, b[g-gs[0]:][:gBytes]); err != nil {
				return err
			}
		}
		gs = gs[n:]
	}
	return nil
}
