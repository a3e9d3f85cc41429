package hook

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/functap/functap/internal/plan"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/symbols"
)

// Match chooses functions by patterns. A pattern is, in this order:
//
//   - an exact name, in which every character stands for itself:
//     processCommand, main.(*Server).handle, operator(), F[...];
//   - a glob: * is any characters, ? is one, [a-z] one of these, [!a-z] one
//     not of these, and \ takes the next character literally; [...] is any type
//     arguments, as in main.Map[...];
//   - /regex/, which may match anywhere in a name;
//   - 0xADDRESS, the first byte of a function (in a file: the file's own
//     address), or the one after its endbr64;
//   - module:PATTERN, for the functions of the files whose base name is
//     module; it may be a glob, and ".so" and what follows may be left out.
//     The program also goes by the process's name.
//
// C++ and Rust functions go by their symbol and by their demangled name, with
// and without the parameter list. Parts of functions that the compiler has
// moved elsewhere match only exact names. A pattern that names an IFUNC (memcpy
// of glibc) means, in a process, the body that its resolver has chosen there; if
// nobody has called the function yet, none is chosen, and it cannot be hooked.
// Of several names of one function the one that matched is used.
type Match struct {
	// Include are the patterns of the functions wanted; none means all.
	Include []string
	// Exclude are the patterns of those not wanted among them.
	Exclude []string
}

// Functions returns the functions of all images that m chooses, by address,
// each once. An Include pattern that matches nothing is an error
// (*NoMatchError), and so is a choice of which Exclude leaves nothing.
func (p *Process) Functions(m Match) ([]*Function, error) {
	f := &finder{images: p.images, bodies: p.ifuncBodies()}
	if st, err := procfs.ReadStat(p.pid); err == nil {
		f.name = st.Comm
	}
	return f.find(m)
}

// Select is [Process.Functions] for one image.
func (im *Image) Select(m Match) ([]*Function, error) {
	f := &finder{images: []*Image{im}}
	return f.find(m)
}

// Defines reports whether the image has a function of exactly this name, as its symbol
// table has it.
func (im *Image) Defines(name string) (bool, error) {
	m, err := im.symbols()
	if err != nil {
		return false, err
	}
	funcs, err := m.Lookup(name)
	return len(funcs) > 0, err
}

// Sites judges the functions that m chooses: those that can be hooked, and
// why the others cannot. Code without a name that turns out to be no function
// is left out of both, unless nothing else was found.
func (p *Process) Sites(m Match) (sites []Site, refused []*UnpatchableError, err error) {
	funcs, err := p.Functions(m)
	if err != nil {
		return nil, nil, err
	}
	var parts []*UnpatchableError
	for _, f := range funcs {
		s, err := f.Site()
		var no *UnpatchableError
		switch {
		case err == nil:
			sites = append(sites, s)
		case !errors.As(err, &no):
			return nil, nil, fmt.Errorf("judging %s: %w", f.Name(), err)
		case no.Reason == plan.NotAnEntry && f.Nameless():
			parts = append(parts, no)
		default:
			refused = append(refused, no)
		}
	}
	if len(sites)+len(refused) == 0 {
		refused = parts
	}
	return sites, refused, nil
}

// Nameless reports whether the function has no symbol: unwind information
// alone knows it, and its name is made up.
func (f *Function) Nameless() bool { return f.sym.Source == symbols.EhFrame }

// finder looks for functions in some images.
type finder struct {
	images []*Image
	bodies *ifuncBodies // nil: a resolver stands for itself
	name   string       // of the process: its program is the first image
}

func (f *finder) find(m Match) ([]*Function, error) {
	chosen := map[uint64]*Function{}
	if len(m.Include) == 0 {
		all, err := f.all()
		if err != nil {
			return nil, err
		}
		addTo(chosen, all)
	}
	for _, text := range m.Include {
		found, err := f.pattern(text)
		if err != nil {
			return nil, err
		}
		if found, err = f.bodies.replace(found); err != nil {
			return nil, err
		}
		addTo(chosen, found)
	}
	n := len(chosen)
	if err := f.exclude(chosen, m.Exclude); err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		return nil, &NoMatchError{Pattern: cmp.Or(strings.Join(m.Include, " "), "*"), Excluded: n, Detail: "excluded by " + strings.Join(m.Exclude, " ")}
	}
	return inOrder(chosen), nil
}

// addTo joins functions found by several names.
func addTo(chosen map[uint64]*Function, found []*Function) {
	for _, fn := range found {
		if old := chosen[fn.Addr()]; old != nil {
			fn = old.alsoAs(fn.as)
		}
		chosen[fn.Addr()] = fn
	}
}

func inOrder(set map[uint64]*Function) []*Function {
	out := make([]*Function, 0, len(set))
	for _, fn := range set {
		out = append(out, fn)
	}
	slices.SortFunc(out, func(a, b *Function) int { return cmp.Compare(a.Addr(), b.Addr()) })
	return out
}

func (f *finder) exclude(chosen map[uint64]*Function, patterns []string) error {
	for _, text := range patterns {
		found, err := f.pattern(text)
		if errors.Is(err, ErrNoMatch) {
			continue
		}
		if err != nil {
			return err
		}
		bodies, err := f.bodies.replace(found)
		if err != nil {
			return err
		}
		for _, fn := range append(found, bodies...) {
			delete(chosen, fn.Addr())
		}
	}
	return nil
}

// all are the functions of all images, parts of functions left out.
func (f *finder) all() ([]*Function, error) { return f.filter(func(*Function) bool { return true }) }

// filter asks keep about every function, in parallel: demangling 80,000 names
// takes half a second.
func (f *finder) filter(keep func(*Function) bool) ([]*Function, error) {
	var out []*Function
	for _, im := range f.images {
		funcs, err := im.Functions()
		if err != nil {
			return nil, err
		}
		kept := make([]bool, len(funcs))
		var wg sync.WaitGroup
		size := len(funcs)/runtime.GOMAXPROCS(0) + 1
		for lo := 0; lo < len(funcs); lo += size {
			wg.Go(func() {
				for i := lo; i < min(lo+size, len(funcs)); i++ {
					kept[i] = !funcs[i].sym.Cold && keep(funcs[i])
				}
			})
		}
		wg.Wait()
		for i, fn := range funcs {
			if kept[i] {
				out = append(out, fn)
			}
		}
	}
	return out, nil
}
