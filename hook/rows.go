package hook

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/codegen"
	"github.com/functap/functap/internal/unwind"
)

// unwindSize is how much an arena with so much code needs. Sites have an FDE for the stub and
// one for the program that is in use, which take a fifteenth of the code that is reserved for
// them; those of programs that are retired go with these.
func unwindSize(code uint64) int {
	return unwind.Config{CodeSize: code}.Size(int(code / 8))
}

// rows are the unwind table of an arena. There is none before the first program that wraps
// a function, since nobody would look into it.
type rows struct {
	mu    sync.Mutex // a leaf
	table *unwind.Table
}

// rowsOf says how to unwind from each place of a unit. window is what it displaces.
func rowsOf(kind arena.UnitKind, window []byte, c codegen.Code) []unwind.Row {
	if kind == arena.UnitClaim {
		return unwind.Plain()
	}
	if kind == arena.UnitFrame || wraps(c.Exits) {
		points := make([]unwind.Point, len(c.Exits))
		for i, e := range c.Exits {
			points[i] = unwind.Point{Off: int(e.Off), Stage: stageOf(e.Call), Pop: int(e.Pop)}
		}
		return unwind.Wrapped(points)
	}
	boundaries := make([]unwind.Boundary, len(c.Exits))
	for i, e := range c.Exits {
		boundaries[i] = unwind.Boundary{Off: int(e.Off), Delta: int(e.Delta), Pop: int(e.Pop)}
	}
	return unwind.Displaced(window, boundaries)
}

// wraps: the unit calls its function, so that a stack has an address of it.
func wraps(exits []arena.Exit) bool {
	return slices.ContainsFunc(exits, func(e arena.Exit) bool { return e.Call == arena.CallDropped })
}

// stageOf is what an unwinder must know of a program that wraps, where the call is so far.
func stageOf(c arena.Call) unwind.Stage {
	switch c {
	case arena.CallDropped:
		return unwind.Calling
	case arena.CallBack:
		return unwind.Returned
	case arena.CallJoinLeft, arena.CallRecorded, arena.CallLeft:
		return unwind.Restored
	case arena.CallReturns:
		return unwind.Leaving
	}
	return unwind.Before
}

// set registers a unit before anything leads to it.
func (r *rows) set(at uint64, size int, rows []unwind.Row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.table == nil {
		return nil
	}
	err := r.table.Set(at, size, rows)
	if errors.Is(err, unwind.ErrFull) {
		err = fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// clear forgets a unit that nobody is in.
func (r *rows) clear(at uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.table != nil {
		r.table.Clear(at)
	}
}

// freeUnit gives a unit's memory back. The precondition is Arena.FreeUnit's.
func (n *neighbourhood) freeUnit(unit int) {
	at, _ := n.UnitAddr(unit)
	n.rows.clear(at)
	n.FreeUnit(unit)
}

// startTable makes the arena's table, with what is there already. Nobody adds units
// meanwhile.
func (n *neighbourhood) startTable(rule unwind.Rule) (*unwind.Table, error) {
	mem, at := n.Unwind()
	frames := unwind.Frames{
		Addr: n.claims.Frames, Mask: arena.FrameMask,
		Home: n.claims.Frames + arena.HomeOff, HomeMask: arena.HomeMask,
	}
	t, err := unwind.NewTable(mem, at, unwind.Config{Code: n.Code, CodeSize: n.CodeSize, Frames: frames, Rule: rule})
	if err != nil {
		return nil, err
	}
	n.rows.mu.Lock()
	n.rows.table = t
	n.rows.mu.Unlock()
	return t, n.registerAll()
}

// registerAll registers the units that are there: none of them wraps a function.
func (n *neighbourhood) registerAll() error {
	windows := map[uint32][]byte{}
	for _, s := range n.slots {
		windows[uint32(s.index)] = s.site.window()
	}
	var err error
	n.Tables().EachUnit(func(i int, u arena.Unit) {
		c := codegen.Code{Exits: n.ExitsOf(i)}
		at, size := n.UnitAddr(i)
		err = errors.Join(err, n.rows.set(at, int(size), rowsOf(u.Kind, windows[u.Site], c)))
	})
	return err
}
