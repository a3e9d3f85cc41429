package hook

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
)

// The shadow return stack is a table of frames in the target's private memory, found by
// the stack word that holds a return address. While a wrapped function runs, that word
// is an address in its program, and the caller's is in the frame. A frame whose word is
// something else was left by longjmp, an exception or the end of a thread.

// placed is a frame and where it is.
type placed struct {
	arena.Frame
	addr uint64
}

// readFrames reads all frames of the tables that arenas name.
func readFrames(pid int, mem *ptrace.Mem, tables []*arena.Tables) ([]placed, error) {
	var out []placed
	for _, t := range tables {
		if t.FrameSize == 0 || t.Frames == 0 {
			continue
		}
		pages, err := writtenPages(pid, arena.Range{Start: t.Frames, End: t.Frames + t.FrameSize})
		if err != nil {
			return nil, fmt.Errorf("looking for the frames of running functions: %w", err)
		}
		b := make([]byte, pageSize)
		for _, at := range pages {
			if _, err := mem.ReadAt(b, int64(at)); err != nil {
				return nil, fmt.Errorf("reading the frames of running functions: %w", err)
			}
			for off := 0; off < len(b); off += arena.FrameSize {
				f := arena.DecodeFrame(b[off:])
				idle := f.Stats == 0 && at-t.Frames >= arena.HomeOff // its slot's for good, and no call's
				if f.Slot != 0 && !idle {
					out = append(out, placed{f, at + uint64(off)})
				}
			}
		}
	}
	return out, nil
}

// Bits of the page map (Documentation/admin-guide/mm/pagemap.rst).
const (
	pageThere = 3 << 62 // present or swapped
	pageFile  = 1 << 61 // the file's own: nobody has written to it
)

// writtenPages are the pages of a private mapping that the process has written to. The
// others are not touched: reading would make them.
func writtenPages(pid int, r arena.Range) (pages []uint64, err error) {
	f, err := os.Open(procPath(pid, "pagemap"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, (r.End-r.Start)/pageSize*8)
	if _, err := f.ReadAt(b, int64(r.Start/pageSize*8)); err != nil {
		return nil, fmt.Errorf("page map: %w", err)
	}
	for i := range len(b) / 8 {
		if e := binary.LittleEndian.Uint64(b[8*i:]); e&pageThere != 0 && e&pageFile == 0 {
			pages = append(pages, r.Start+uint64(i)*pageSize)
		}
	}
	return pages, nil
}

// shadow is the table as a stop finds it.
type shadow struct {
	mem    *ptrace.Mem
	frames []placed
	newest map[uint64]*placed // of each slot; the first of its window is
	open   map[uint64]bool    // slots whose call was running
	back   map[uint64]bool    // of these, those whose function had just returned to us
	// held are slots in whose program a thread is: it says what no signal frame does better.
	held map[uint64]bool
	// unwound are further calls that were, by address of their statistics.
	unwound map[uint64]uint64
	failed  error // of resume
}

func readShadow(pid int, mem *ptrace.Mem, tables []*arena.Tables) (*shadow, error) {
	frames, err := readFrames(pid, mem, tables)
	if err != nil {
		return nil, err
	}
	s := &shadow{mem: mem, frames: frames, newest: map[uint64]*placed{}, open: map[uint64]bool{}, back: map[uint64]bool{}, held: map[uint64]bool{}, unwound: map[uint64]uint64{}}
	for i := range frames {
		f := &frames[i]
		if s.newest[f.Slot] == nil {
			s.newest[f.Slot] = f
		}
	}
	return s, nil
}

// running are the frames whose function is running, with the word in the slot.
func (s *shadow) running(do func(*placed) error) error {
	for _, f := range s.newest {
		if _, n := f.JoinedTo(); n > 0 || f.Stats == 0 {
			continue // it has no slot of its own, or was never written to its end
		}
		// A word that cannot be read was on a stack that is gone.
		if near, err := s.around(f.Slot); err != nil || near.word != f.Back || s.isWalkers(f.Slot, near) {
			continue
		}
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

// putBack writes the original return address into every slot whose word is ours. From
// then on running functions return to their callers, and need no frame.
func (s *shadow) putBack() error {
	return s.running(func(f *placed) error {
		s.open[f.Slot] = true
		return s.put(f.Slot, f.RA)
	})
}

// resume is shown all memory of a target that switches stacks itself. A wrapped function
// may have jumped to swapcontext, which keeps the return address and the stack pointer
// above it (in this order's reverse) to go on there later.
func (s *shadow) resume(addr uint64, b []byte) {
	if len(s.open) == 0 {
		return
	}
	sp := binary.LittleEndian.Uint64(b)
	for at := 8; at+8 <= len(b); at += 8 {
		ip := binary.LittleEndian.Uint64(b[at:])
		if f := s.newest[sp-8]; f != nil && f.Back == ip && s.open[f.Slot] && !s.isLibgccs(addr+uint64(at)) {
			s.failed = errors.Join(s.failed, s.put(addr+uint64(at), f.RA))
		}
		sp = ip
	}
}

// left tells that what is below the stack pointer of a thread, on a stack that is its own
// alone, is not running, although nothing has overwritten it yet.
func (s *shadow) left(maps []procfs.Mapping, sp, fsBase uint64) {
	m, ok := mappingOf(maps, sp)
	if !ok || !ownStack(maps, sp, fsBase) {
		return
	}
	for slot := range s.open {
		if m.Contains(slot) && slot < sp && !s.back[slot] {
			delete(s.open, slot)
		}
	}
}

func (s *shadow) put(addr, v uint64) error {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	if _, err := s.mem.WriteAt(b[:], int64(addr)); err != nil {
		return fmt.Errorf("putting a return address back at %#x: %w", addr, err)
	}
	return nil
}

func (s *shadow) word(addr uint64) (uint64, error) {
	var b [8]byte
	if _, err := s.mem.ReadAt(b[:], int64(addr)); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}

// evicted notes what it means for a slot's frame that a thread, or code that was
// interrupted, is taken out of a program. What a signal frame says that was left over
// on the stack does not fit with the slot, or with the thread that is in the slot's program,
// and means nothing.
func (s *shadow) evicted(slot uint64, call arena.Call, c *cpu) {
	f := s.newest[slot]
	if f == nil {
		return
	}
	if call >= arena.CallJoinMaybe && call <= arena.CallJoinEntered || call == arena.CallJoinLeft {
		s.evictedJoin(f, call, c)
		return
	}
	s.back[slot] = call == arena.CallBack
	if s.open[slot] {
		return
	}
	word, err := s.word(slot)
	returns := err == nil && word == f.RA
	switch call {
	case arena.CallMaybe:
		if c.flags&zeroBit != 0 {
			s.taken(f)
		}
	case arena.CallTaken:
		s.taken(f)
	case arena.CallClaimed:
		f.Stats = 0 // they may be another call's still, which was counted
	case arena.CallEntered, arena.CallDropped, arena.CallBack:
		s.open[slot] = returns
	case arena.CallRecorded:
		if returns {
			f.Stats = 0
		}
	}
}

// evictedJoin does it for the next function that joins the call of f, or the last that
// has.
func (s *shadow) evictedJoin(f *placed, call arena.Call, c *cpu) {
	n := f.Joined + 1
	if call == arena.CallJoinLeft {
		n = f.Joined
		s.open[f.Slot], s.back[f.Slot] = true, true
	}
	key := arena.JoinKey(f.Slot, n)
	if call == arena.CallJoinMaybe && (c.flags&zeroBit == 0 || c.rdx != key) {
		return
	}
	j := s.newest[key]
	if j == nil || !s.open[f.Slot] {
		return
	}
	switch call {
	case arena.CallJoinMaybe, arena.CallJoinTaken:
		s.taken(j)
	case arena.CallJoinClaimed, arena.CallJoinLeft:
		j.Stats = 0
	case arena.CallJoinEntered:
		s.open[key] = true
	}
}

// taken: the call that has the frame is not counted yet, and the one before it is over.
func (s *shadow) taken(f *placed) {
	if f.Stats != 0 {
		s.unwound[f.Stats]++
	}
	f.Stats = 0
}

// tally says, by address of the statistics, how many calls were running and how many
// had been left without a return.
func (s *shadow) tally() (inflight, unwound map[uint64]uint64) {
	inflight = map[uint64]uint64{}
	for i := range s.frames {
		f := &s.frames[i]
		switch {
		case f.Stats == 0:
		case s.newest[f.Slot] == f && s.isOpen(f):
			inflight[f.Stats]++
		default:
			s.unwound[f.Stats]++
		}
	}
	return inflight, s.unwound
}

// isOpen: the call is running, or has joined one that is.
func (s *shadow) isOpen(f *placed) bool {
	slot, n := f.JoinedTo()
	return s.open[f.Slot] || n > 0 && s.open[slot] && n <= s.newest[slot].Joined
}
