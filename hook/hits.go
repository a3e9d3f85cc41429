package hook

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/x86"
)

// cellSums adds up every counter of an arena, as its tracer does: the shared
// form and that of each area that was ever claimed. claims is the arena that
// has the claim table.
func cellSums(mem io.ReaderAt, t, claims *arena.Tables) ([]uint64, error) {
	sums, err := readWords(mem, t.Near+t.SharedOff, t.Cells)
	if err != nil || claims == nil || t.Header.Index >= arena.MaxArenas {
		return sums, err
	}
	claimed, err := readWords(mem, claims.Near+claims.ClaimOff, claims.AreaCount)
	if err != nil {
		return nil, err
	}
	for area, c := range claimed {
		if c == 0 {
			continue
		}
		own, err := readWords(mem, t.Far+uint64(area)*t.Stride, t.Cells)
		if err != nil {
			return nil, err
		}
		for i := range own {
			sums[i] += own[i]
		}
	}
	return sums, nil
}

func readWords(mem io.ReaderAt, addr uint64, n int) ([]uint64, error) {
	b := make([]byte, 8*n)
	if _, err := mem.ReadAt(b, int64(addr)); err != nil {
		return nil, fmt.Errorf("reading counters at %#x: %w", addr, err)
	}
	words := make([]uint64, n)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words, nil
}

// cellsOf finds the counters that a program counts in: it has one `lock inc` of
// the shared form for each, for threads without an area.
func cellsOf(t *arena.Tables, program Code) []int {
	var cells []int
	base := t.Near + t.SharedOff
	for off := 0; off < len(program.Bytes); {
		in, err := x86.Decode(program.Bytes[off:])
		if err != nil {
			break
		}
		if in.Prefix&x86.PrefixLock != 0 && in.Opcode == 0xff && in.RIPRel {
			if cell := (in.Target(program.Addr+uint64(off)) - base) / arena.CellSize; cell < uint64(t.Cells) {
				cells = append(cells, int(cell))
			}
		}
		off += int(in.Len)
	}
	return cells
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
func (s *SiteStatus) setHits(t *arena.Tables, sums []uint64) {
	for _, cell := range cellsOf(t, s.Program) {
		s.Users++
		s.Hits = max(s.Hits, sums[cell])
	}
}
