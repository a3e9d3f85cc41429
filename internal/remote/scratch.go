package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
)

// ErrNoScratch says that no memory of the target was found that is surely unused.
var ErrNoScratch = errors.New("no unused memory for a system call's frame")

const (
	// ScratchSize holds the largest frame (an XSAVE image with AMX tiles) and
	// 4 KiB of data.
	ScratchSize = 16 << 10
	// distance keeps the region away from the main thread's stack pointer.
	distance = 64 << 10
)

// mark is written first to borrowed memory. If the tracer dies during a call, its
// successor knows by it that nothing of the target's is there.
var mark = []byte("functap scratch\x00")

// Region is memory of the target that a Caller may borrow.
type Region struct{ Addr, Size uint64 }

func (r Region) end() uint64 { return r.Addr + r.Size }

// ScratchRegion finds memory to borrow for a call through th.
//
// The first choice is the bottom of the main thread's stack. The kernel maps more
// of it than most programs ever use, and bytes that are still zero have never been
// used. The main thread must be held, so that it cannot begin to, or have ended.
//
// The second is the thread's own stack below the red zone, if it may be that:
// never when the thread may be running on a goroutine, a fiber or the like, whose
// stack can end anywhere. The mapping must look like a stack, with a guard below.
func ScratchRegion(s *ptrace.Stop, th *ptrace.Thread, maps []procfs.Mapping, ownStack bool) (Region, error) {
	if r, ok := untouchedStack(s, maps); ok {
		return r, nil
	}
	if !ownStack {
		return Region{}, ErrNoScratch
	}
	regs, err := th.Regs()
	if err != nil {
		return Region{}, err
	}
	return belowStackPointer(maps, regs.Rsp)
}

func untouchedStack(s *ptrace.Stop, maps []procfs.Mapping) (Region, bool) {
	i := slices.IndexFunc(maps, func(m procfs.Mapping) bool { return m.Path == "[stack]" })
	if i < 0 || maps[i].Len() < ScratchSize || !maps[i].Write {
		return Region{}, false
	}
	r := Region{maps[i].Start, ScratchSize}
	sp, held := mainStackPointer(s)
	if !held || (maps[i].Contains(sp) && sp < r.end()+distance) {
		return Region{}, false
	}
	return r, unused(s.Mem(), r)
}

// mainStackPointer returns 0 for a main thread that has ended.
func mainStackPointer(s *ptrace.Stop) (sp uint64, held bool) {
	for _, th := range s.Threads() {
		if th.TID() != s.PID() {
			continue
		}
		regs, err := th.Regs()
		if err != nil {
			return 0, false
		}
		return regs.Rsp, true
	}
	st, err := procfs.ReadStat(s.PID())
	return 0, err == nil && st.State == 'Z'
}

// unused: never written by the target, or left there by a tracer that died.
func unused(mem io.ReaderAt, r Region) bool {
	buf := make([]byte, r.Size)
	if _, err := mem.ReadAt(buf, int64(r.Addr)); err != nil {
		return false
	}
	return bytes.HasPrefix(buf, mark) || !slices.ContainsFunc(buf, func(b byte) bool { return b != 0 })
}

func belowStackPointer(maps []procfs.Mapping, sp uint64) (Region, error) {
	i := slices.IndexFunc(maps, func(m procfs.Mapping) bool { return m.Contains(sp) })
	if i < 0 || !looksLikeStack(maps, i) {
		return Region{}, fmt.Errorf("%w: stack pointer %#x is not in a stack's mapping", ErrNoScratch, sp)
	}
	top := (sp - redZone) &^ 63
	if top < maps[i].Start+ScratchSize {
		return Region{}, fmt.Errorf("%w: less than %d bytes below stack pointer %#x", ErrNoScratch, ScratchSize, sp)
	}
	return Region{top - ScratchSize, ScratchSize}, nil
}

// looksLikeStack wants the kernel's name or a guard area right below.
func looksLikeStack(maps []procfs.Mapping, i int) bool {
	m := maps[i]
	if !m.Read || !m.Write || m.Shared || m.Inode != 0 {
		return false
	}
	if m.Path == "[stack]" {
		return true
	}
	return i > 0 && maps[i-1].End == m.Start && !maps[i-1].Read && !maps[i-1].Write && !maps[i-1].Exec
}
