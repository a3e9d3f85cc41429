package plan

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/functap/functap/internal/symbols"
)

// Analysis is what is known of one module's code. Its methods may be called from
// several goroutines. It keeps the module's bytes and needs the module open only
// while it is made.
type Analysis struct {
	// Cold is the number of functions of the module that are cold parts and are
	// left out of All.
	Cold int

	im     *image
	layout *layout
	edges  []edge // by to, then from
	funcs  []symbols.Func
	entry  uint64

	once  sync.Once
	plans []Plan // by All
}

// Analyze decodes the module's code. Errors are those of reading the module, and
// ErrTooBig.
func Analyze(m *symbols.Module) (*Analysis, error) {
	im, err := loadImage(m)
	if err != nil {
		return nil, err
	}
	funcs, err := m.Functions()
	if err != nil {
		return nil, fmt.Errorf("reading functions: %w", err)
	}
	fdes, err := m.FDEs()
	if err != nil {
		return nil, fmt.Errorf("reading unwind ranges: %w", err)
	}
	a := &Analysis{im: im, layout: newLayout(im, funcs, fdes), funcs: funcs, entry: m.Entry()}
	w := a.layout.run(im)
	a.layout.settle()
	if err := a.addReferences(m, w); err != nil {
		return nil, err
	}
	sortEdges(w.edges)
	a.edges = w.edges
	for i := range funcs {
		if a.isCold(&funcs[i]) {
			a.Cold++
		}
	}
	return a, nil
}

// addReferences adds the targets that are not in instructions.
func (a *Analysis) addReferences(m *symbols.Module, w *sweep) error {
	addends, err := m.RelativeAddends()
	if err != nil {
		return fmt.Errorf("reading relocations: %w", err)
	}
	pads, err := m.LandingPads()
	if err != nil {
		return fmt.Errorf("reading landing pads: %w", err)
	}
	w.readTables()
	if a.im.fixed {
		w.readWords()
	}
	for _, v := range addends {
		w.name(v, 0, kindData)
	}
	for _, v := range pads {
		w.jump(v, 0, kindPad)
	}
	if w.full {
		return fmt.Errorf("%w: too many branches to the starts of functions, or jump tables", ErrTooBig)
	}
	for _, v := range w.rseq {
		if c := a.layout.clusterAt(v); c != nil {
			c.rseq = true
		}
	}
	return nil
}

// isCold applies the rule for parts of functions (see the package comment).
func (a *Analysis) isCold(f *symbols.Func) bool {
	if f.Cold || f.Source != symbols.EhFrame {
		return f.Cold
	}
	s := a.im.code(f.Addr)
	return s == nil || !s.named.has(f.Addr) && f.Addr != a.entry
}

// edgesIn are the known ways to addresses in [lo, hi).
func (a *Analysis) edgesIn(lo, hi uint64) []edge {
	find := func(x uint64) int {
		i, _ := slices.BinarySearchFunc(a.edges, x, func(e edge, x uint64) int { return cmp.Compare(e.to, x) })
		return i
	}
	return a.edges[find(lo):find(hi)]
}

// All plans every function of the module in address order, cold parts left out.
// The result is computed once and shared: do not change it. There is no error
// today.
func (a *Analysis) All() ([]Plan, error) {
	return a.all(), nil
}

func (a *Analysis) all() []Plan {
	a.once.Do(a.planAll)
	return a.plans
}

// Function plans one function, one of the module's own. It agrees with All, which
// it calls only when a short jump has to be considered.
func (a *Analysis) Function(f symbols.Func) Plan {
	p := a.planAlone(&f)
	if p.Hookable() || !shortMayHelp(p.Reason) {
		return p
	}
	all := a.all()
	i, ok := slices.BinarySearchFunc(all, f.Addr, func(p Plan, x uint64) int { return cmp.Compare(p.Func.Addr, x) })
	if !ok {
		return p
	}
	return all[i]
}

// planAll plans each function alone, in parallel, and then hands out filler to the
// rest in address order.
func (a *Analysis) planAll() {
	plans := make([]Plan, len(a.funcs))
	parallel(len(a.funcs), func(_, i int) {
		if !a.isCold(&a.funcs[i]) {
			plans[i] = a.planAlone(&a.funcs[i])
		}
	})
	plans = slices.DeleteFunc(plans, func(p Plan) bool { return p.Tactic == Refused && p.Reason == "" })
	a.allotHoles(plans)
	a.plans = plans
}
