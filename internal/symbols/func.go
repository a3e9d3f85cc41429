package symbols

import (
	"slices"
	"strings"
)

// Source is where a function was found. When several places know it, the one
// first in this list is named.
type Source uint8

const (
	// Pclntab is Go's own function table.
	Pclntab Source = iota
	// Symtab is .symtab, of the file or of its separate debug file.
	Symtab
	// Dynsym is the table of exported symbols.
	Dynsym
	// EhFrame is an unwind range that no function symbol covers.
	EhFrame
)

// String is the name of the ELF section the source is.
func (s Source) String() string {
	return [...]string{".gopclntab", ".symtab", ".dynsym", ".eh_frame"}[s]
}

// Func is a function of a module.
type Func struct {
	// Name is the chosen one of all names at Addr: global before local, default
	// version before others, then the shortest, then the first in byte order.
	// Functions known from unwind information are called like an untyped symbol at
	// their address, or else sub_<hex address>.
	Name string
	Addr uint64
	// Size is up to the last byte of code; SizeKnown is false when it is only the
	// distance to whatever comes next.
	Size uint64
	// Aliases are the other names, sorted, versioned ones as "name@VERSION".
	Aliases   []string
	Source    Source
	SizeKnown bool
	IFunc     bool // Addr is the resolver that picks a body at load time
	Go        bool
	Assembly  bool // a Go function from a .s file
	// Cold marks code that a compiler has moved out of a function: it is entered
	// by jumps, with that function's frame, never called.
	Cold bool
}

// End is the first address after the function.
func (f Func) End() uint64 { return f.Addr + f.Size }

// Has reports whether name is one of the function's names.
func (f Func) Has(name string) bool {
	if f.Name == name {
		return true
	}
	for _, a := range f.Aliases {
		if a == name {
			return true
		}
	}
	return false
}

// addName gives a nameless function a name, or one more.
func (f *Func) addName(name string) {
	switch {
	case strings.HasPrefix(f.Name, "sub_"):
		f.Name = name
	case !f.Has(name):
		f.Aliases = append(f.Aliases, name)
		slices.Sort(f.Aliases)
	}
}

// isColdName knows gcc's "f.cold" and "f.cold.1", and LLVM's "f.cold.1". A plain
// "f.part.0" is an ordinary function.
func isColdName(name string) bool {
	i := strings.Index(name, ".cold")
	if i < 0 {
		return false
	}
	rest := name[i+len(".cold"):]
	return rest == "" || rest[0] == '.'
}
