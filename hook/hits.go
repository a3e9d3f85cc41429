package hook

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/x86"
)

// touched reads words of memory to which only the process itself writes. Pages that it has
// never touched read as 0, and stay untouched: reading would make them.
type touched struct {
	mem     io.ReaderAt
	pagemap *os.File
	pages   map[uint64][]byte // nil: a hole
}

func newTouched(pid int, mem io.ReaderAt) (*touched, error) {
	f, err := os.Open(procPath(pid, "pagemap"))
	if err != nil {
		return nil, fmt.Errorf("opening the page map: %w", wrapVanished(err))
	}
	return &touched{mem, f, map[uint64][]byte{}}, nil
}

func (s *touched) close() { s.pagemap.Close() }

func (s *touched) word(addr uint64) (uint64, error) {
	at := addr &^ (pageSize - 1)
	b, known := s.pages[at]
	if !known {
		var err error
		if b, err = s.page(at); err != nil {
			return 0, fmt.Errorf("reading a counter at %#x: %w", addr, err)
		}
		s.pages[at] = b
	}
	if b == nil {
		return 0, nil
	}
	return binary.LittleEndian.Uint64(b[addr-at:]), nil
}

func (s *touched) page(at uint64) ([]byte, error) {
	var entry [8]byte
	if _, err := s.pagemap.ReadAt(entry[:], int64(at/pageSize*8)); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint64(entry[:])&pageThere == 0 {
		return nil, nil
	}
	b := make([]byte, pageSize)
	_, err := s.mem.ReadAt(b, int64(at))
	return b, err
}

// counters reads an arena's cells as its tracer does: the shared form and that of
// each area that was ever claimed.
type counters struct {
	*touched
	t     *arena.Tables
	areas []int
}

// counters are those of t; claims is the arena that has the claim table.
func (s *touched) counters(t, claims *arena.Tables) (*counters, error) {
	c := &counters{touched: s, t: t}
	if claims == nil || t.Header.Index >= arena.MaxArenas {
		return c, nil
	}
	b := make([]byte, 8*claims.AreaCount)
	if _, err := s.mem.ReadAt(b, int64(claims.Near+claims.ClaimOff)); err != nil {
		return nil, fmt.Errorf("reading which areas were claimed: %w", err)
	}
	for i := range claims.AreaCount {
		if binary.LittleEndian.Uint64(b[8*i:]) != 0 {
			c.areas = append(c.areas, i)
		}
	}
	return c, nil
}

// sum adds one cell up.
func (c *counters) sum(cell int) (uint64, error) {
	sum := c.t.Shared(cell)
	for _, area := range c.areas {
		w, err := c.word(c.t.Far + uint64(area)*c.t.Stride + uint64(cell)*arena.CellSize)
		if err != nil {
			return 0, err
		}
		sum += w
	}
	return sum, nil
}

// used is what a program counts in.
type used struct {
	cells []int // that count calls
	stats []int // first cells of duration statistics
	rings bool  // events are written
}

// usersOf finds it out: a program has one `lock inc` of the shared form of each cell, for
// threads without an area, of statistics it loads the address, and where it writes events
// that of the ring that all share.
func usersOf(t *arena.Tables, program Code, rings []arena.Range) (u used) {
	base := t.Near + t.SharedOff
	for off := 0; off < len(program.Bytes); {
		in, err := x86.Decode(program.Bytes[off:])
		if err != nil {
			break
		}
		cell := (in.Target(program.Addr+uint64(off)) - base) / arena.CellSize
		if in.Map == x86.Map1 && in.RIPRel && cell < uint64(t.Cells) {
			switch {
			case in.Opcode == 0x8d:
				u.stats = append(u.stats, int(cell))
			case in.Prefix&x86.PrefixLock != 0 && in.Opcode == 0xff:
				u.cells = append(u.cells, int(cell))
			}
		}
		if to, ok := constant(&in, program.Bytes[off:]); ok {
			u.rings = u.rings || slices.ContainsFunc(rings, func(r arena.Range) bool { return to >= r.Start && to < r.End })
		}
		off += int(in.Len)
	}
	slices.Sort(u.stats)
	u.stats = slices.Compact(u.stats)
	u.cells = slices.DeleteFunc(u.cells, u.isStat)
	return u
}

// constant is the 64-bit constant that an instruction loads.
func constant(in *x86.Inst, code []byte) (value uint64, ok bool) {
	if in.Map != x86.Map1 || in.Opcode&0xf8 != 0xb8 || in.ImmLen != 8 {
		return 0, false
	}
	return binary.LittleEndian.Uint64(code[in.ImmOff:]), true
}

func (u used) isStat(cell int) bool {
	return slices.ContainsFunc(u.stats, func(first int) bool { return cell >= first && cell < first+arena.StatCells })
}

// claimsOf is the arena with the claim table of t's session.
func claimsOf(all []*arena.Tables, t *arena.Tables) *arena.Tables {
	i := slices.IndexFunc(all, func(o *arena.Tables) bool { return o.Header.Index == 0 && o.Owner.Session == t.Owner.Session })
	if i < 0 {
		return nil
	}
	return all[i]
}

// setHits fills in who uses a site and what they have counted.
func (s *SiteStatus) setHits(c *counters, rings []arena.Range) error {
	if s.Answers {
		return nil
	}
	u := usersOf(c.t, s.Program, rings)
	s.Users, s.Measuring = len(u.cells)+len(u.stats), len(u.stats)
	if u.rings {
		s.Recording = 1 // one can be at a target
	}
	for _, cell := range u.cells {
		n, err := c.sum(cell)
		if err != nil {
			return err
		}
		s.Hits = max(s.Hits, n)
	}
	for _, first := range u.stats {
		calls, err := c.sum(first + arena.StatCalls)
		if err != nil {
			return err
		}
		missed, err := c.sum(first + arena.StatMissed)
		if err != nil {
			return err
		}
		s.Hits = max(s.Hits, calls+missed)
	}
	return nil
}
