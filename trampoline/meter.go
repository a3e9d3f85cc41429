package trampoline

import (
	"slices"
	"sync"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/codegen"
)

// Meter measures a function's calls for one of its users. Each version of a site's list
// has statistics of its own, to which a call belongs from its entry to its end, so users
// come and go without a call that only one of them has seen in the other's numbers. A
// meter is the sum of the versions that it was in. Safe for concurrent use.
type Meter struct {
	// Events of the calls are recorded, too; nil: they are not. One user of a site can
	// have them, as there is one reader of a target's rings.
	Events *codegen.Events
	// Self: the self times of the calls are kept, too.
	Self bool

	mu       sync.Mutex
	versions []*version
	folded   [arena.StatCells]uint64 // of versions that are gone
}

// version is a list's statistics, until nobody is in a call any more that it counts.
type version struct {
	slot  *hook.Slot
	stats *hook.Stats
	users []*Meter
}

// newVersion makes statistics for these meters, nil for none of them. They have it before
// the first call, so that none is ever missing.
func newVersion(s *hook.Slot, c *hook.Change, users []*Meter) (*version, error) {
	if len(users) == 0 {
		return nil, nil
	}
	st, err := c.NewStats()
	if err != nil {
		return nil, err
	}
	v := &version{slot: s, stats: st, users: users}
	for _, m := range users {
		m.mu.Lock()
		m.versions = append(m.versions, v)
		m.mu.Unlock()
	}
	return v, nil
}

// retire gives the statistics up when another version has taken over, or could not.
func (v *version) retire() {
	if v != nil {
		v.slot.Finish(v.stats, v.fold)
	}
}

// fold keeps what the statistics have come to, in each meter.
func (v *version) fold() {
	var last [arena.StatCells]uint64
	for i := range last {
		last[i] = v.stats.Read(i)
	}
	for _, m := range v.users {
		m.mu.Lock()
		for i, n := range last {
			m.folded[i] = addStat(i, m.folded[i], n)
		}
		m.versions = slices.DeleteFunc(m.versions, func(x *version) bool { return x == v })
		m.mu.Unlock()
	}
}

func addStat(i int, x, y uint64) uint64 {
	if i == arena.StatMax {
		return max(x, y)
	}
	return x + y
}

// Read adds one of the statistics up (arena.StatCalls and so on), or finds the longest
// call's. It is exact, as Cell's is, until the Process is closed.
func (m *Meter) Read(i int) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := m.folded[i]
	for _, v := range m.versions {
		sum = addStat(i, sum, v.stats.Read(i))
	}
	return sum
}
