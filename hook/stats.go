package hook

import (
	"fmt"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/codegen"
)

// Stats are one site's duration statistics in the target's memory.
type Stats struct {
	s     *Slot
	first int // cell
}

// newStats takes statistics. The slot is locked.
func (s *Slot) newStats() (*Stats, error) {
	i, err := s.n.AddRun(arena.StatCells, s.n.claims)
	if err != nil {
		return nil, fmt.Errorf("statistics for %s: %w", s.site.Function.Name(), err)
	}
	s.n.session.wraps.Store(true)
	return &Stats{s, i}, nil
}

// finished are statistics that are given up.
type finished struct {
	first int // cell
	last  func()
}

// Finish gives statistics up that the slot's attachments do not use any more. Calls that
// began before still end in them. When none does any more, last is called, the slot being
// locked, and then they are given out again as released cells are.
func (s *Slot) Finish(st *Stats, last func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.finished = append(s.finished, finished{st.first, last})
	}
}

// Place is where programs find them.
func (st *Stats) Place() codegen.Stats {
	return codegen.Stats{Shared: st.s.n.SharedCellAddr(st.first), Offset: int32(st.first) * arena.CellSize}
}

// Read adds one of them up (arena.StatCalls and so on); it is exact, as Cell's is.
func (st *Stats) Read(i int) uint64 { return st.s.n.Read(st.first+i, st.s.n.claims) }

// addUp adds to the statistics what only a detach finds out.
func (s *session) addUp(inflight, unwound map[uint64]uint64) {
	for stat, calls := range map[uint64]map[uint64]uint64{arena.StatInflight: inflight, arena.StatUnwound: unwound} {
		for at, n := range calls {
			for _, nb := range s.arenas {
				if nb.AddShared(at+stat*arena.CellSize, n) {
					break
				}
			}
		}
	}
}
