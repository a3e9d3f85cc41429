package hook

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/functap/functap/internal/ptrace"
)

// ifuncBodies finds which body the resolver of an IFUNC has picked in a
// process. The dynamic loader has stored the answer in the words through which
// each module calls the function.
type ifuncBodies struct {
	p   *Process
	own map[*Image]map[uint64]uint64 // resolver to body, both of the file
}

func (p *Process) ifuncBodies() *ifuncBodies {
	return &ifuncBodies{p: p, own: map[*Image]map[uint64]uint64{}}
}

// replace puts bodies in the place of resolvers. A resolver whose body is not
// known, because nobody has called the function yet, stays, and knows why.
func (b *ifuncBodies) replace(found []*Function) ([]*Function, error) {
	if b == nil || !slices.ContainsFunc(found, func(f *Function) bool { return f.sym.IFunc }) {
		return found, nil
	}
	mem, err := openMem(b.p.pid)
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	out := slices.Clone(found)
	for i, f := range found {
		if !f.sym.IFunc {
			continue
		}
		body, err := b.body(mem, f)
		if err != nil {
			return nil, fmt.Errorf("looking for the body that %s has chosen: %w", f.Name(), err)
		}
		if body != nil {
			out[i] = body.alsoAs(append([]string{f.Name()}, f.Aliases()...))
		} else if out[i], err = f.unbound(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unbound is a resolver that says which implementations it may choose. C
// libraries name these __memcpy_avx_unaligned and the like.
func (f *Function) unbound() (*Function, error) {
	funcs, err := f.im.Functions()
	if err != nil {
		return nil, err
	}
	var names []string
	prefix := "__" + strings.TrimLeft(f.Name(), "_") + "_"
	for _, c := range funcs {
		for _, n := range append([]string{c.sym.Name}, c.sym.Aliases...) {
			if strings.HasPrefix(n, prefix) && !c.sym.IFunc && !strings.HasPrefix(n, prefix+"chk") && !strings.Contains(n, "@") {
				names = append(names, n)
				break
			}
		}
	}
	g := *f
	g.why = "nobody has called it yet, so none is chosen in this process"
	if len(names) > 0 {
		g.why += ": it will be one of " + strings.Join(names, ", ")
	}
	if f.im.module.Dynamic() {
		g.why += "; attach after its first call, or start the program with LD_BIND_NOW=1"
	} else {
		g.why += "; attach to the program once it runs"
	}
	return &g, nil
}

// body is the function in use for the resolver f, or nil.
func (b *ifuncBodies) body(mem *ptrace.Mem, f *Function) (*Function, error) {
	own, err := b.ofModule(mem, f.im)
	if err != nil {
		return nil, err
	}
	if addr, ok := own[f.sym.Addr]; ok {
		return f.im.begins(addr)
	}
	for _, im := range b.p.images {
		addr, err := usedBy(mem, im, f)
		if err != nil {
			return nil, err
		}
		for _, a := range addr {
			if body, err := f.im.begins(a - f.im.bias); body != nil || err != nil {
				return body, err
			}
		}
	}
	return nil, nil
}

func (b *ifuncBodies) ofModule(mem *ptrace.Mem, im *Image) (map[uint64]uint64, error) {
	if own, ok := b.own[im]; ok {
		return own, nil
	}
	own, err := im.module.IFuncTargets(func(vaddr uint64) (uint64, error) {
		w, err := word(mem, im.bias+vaddr)
		return w - im.bias, err
	})
	b.own[im] = own
	return own, err
}

// usedBy reads the words through which a module calls f.
func usedBy(mem *ptrace.Mem, im *Image, f *Function) ([]uint64, error) {
	m, err := im.symbols()
	if err != nil {
		return nil, err
	}
	var out []uint64
	for _, name := range append([]string{f.sym.Name}, f.sym.Aliases...) {
		slots, err := m.GOTSlots(name)
		if err != nil {
			return nil, err
		}
		for _, s := range slots {
			w, err := word(mem, im.bias+s)
			if err != nil {
				return nil, err
			}
			out = append(out, w)
		}
	}
	return out, nil
}

func word(mem *ptrace.Mem, addr uint64) (uint64, error) {
	var w [8]byte
	_, err := mem.ReadAt(w[:], int64(addr))
	return binary.LittleEndian.Uint64(w[:]), err
}

// begins returns the function whose first byte is at a file address, unless it
// is a resolver itself; nil if there is none.
func (im *Image) begins(vaddr uint64) (*Function, error) {
	f, err := im.functionAt(im.bias + vaddr)
	if err != nil || f == nil || f.sym.Addr != vaddr || f.sym.IFunc {
		return nil, err
	}
	return f, nil
}

// alsoAs returns the function with further names that it was asked for by.
func (f *Function) alsoAs(names []string) *Function {
	g := *f
	g.as = slices.Clone(f.as)
	for _, n := range names {
		if !slices.Contains(g.as, n) {
			g.as = append(g.as, n)
		}
	}
	return &g
}
