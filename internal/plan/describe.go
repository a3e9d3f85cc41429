package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/functap/functap/internal/symbols"
)

// describe writes an address as function+0x12.
func (a *Analysis) describe(addr uint64) string {
	i, ok := slices.BinarySearchFunc(a.funcs, addr, func(f symbols.Func, x uint64) int { return cmp.Compare(f.Addr, x) })
	if !ok {
		i--
	}
	if i < 0 || addr-a.funcs[i].Addr >= max(a.funcs[i].Size, 1) {
		return fmt.Sprintf("%#x", addr)
	}
	if off := addr - a.funcs[i].Addr; off != 0 {
		return fmt.Sprintf("%s+%#x", a.funcs[i].Name, off)
	}
	return a.funcs[i].Name
}

// who says in a phrase how a thread may come to an address inside f's patch.
func (a *Analysis) who(f *symbols.Func, to uint64) string {
	off := to - f.Addr
	for _, e := range a.edgesIn(to, to+1) {
		switch e.kind {
		case kindJump:
			return fmt.Sprintf("a branch at %s goes to +%d", a.describe(e.from), off)
		case kindCall:
			return fmt.Sprintf("a call at %s goes to +%d", a.describe(e.from), off)
		case kindReturn:
			return fmt.Sprintf("the call at %s returns to +%d", a.describe(e.from), off)
		case kindTable:
			return fmt.Sprintf("a jump table used at %s has an entry for +%d", a.describe(e.from), off)
		case kindLea:
			return fmt.Sprintf("the code at %s takes the address of +%d", a.describe(e.from), off)
		case kindData:
			return fmt.Sprintf("the module's data holds the address of +%d", off)
		case kindPad:
			return fmt.Sprintf("an exception handler begins at +%d", off)
		}
	}
	return fmt.Sprintf("something goes to +%d", off)
}
