package hook

import (
	"cmp"
	"slices"

	"github.com/functap/functap/internal/codegen"
	"github.com/functap/functap/internal/plan"
	"github.com/functap/functap/internal/symbols"
)

// Function is one function of an image. It is immutable.
type Function struct {
	im  *Image
	sym *symbols.Func
	as  []string // names that it was asked for by, if its own first name is not to be used
	why string   // what is known about an IFUNC whose body is not known
}

// Name is the function's name as its symbol table has it (mangled for C++ and
// Rust), or sub_ and its file address in hexadecimal if it has none. If it has
// several, it is the one that a pattern matched; so the body of an IFUNC goes by
// the name that it was asked for (see [Match]).
func (f *Function) Name() string {
	if len(f.as) > 0 {
		return f.as[0]
	}
	return f.sym.Name
}

// DisplayName is Name demangled.
func (f *Function) DisplayName() string { return symbols.Demangle(f.Name()) }

// ShortName is DisplayName for people: the types of C++'s library go by the
// names that programs have for them, such as std::string.
func (f *Function) ShortName() string { return symbols.ShortDemangle(f.Name()) }

// Aliases are further names of the same address, each once.
func (f *Function) Aliases() []string {
	if len(f.as) == 0 {
		return f.sym.Aliases
	}
	var out []string
	for _, n := range slices.Concat(f.as[1:], []string{f.sym.Name}, f.sym.Aliases) {
		if n != f.as[0] && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// Addr is the address of the function's first byte in the target.
func (f *Function) Addr() uint64 { return f.im.bias + f.sym.Addr }

// Size is the function's length in bytes.
func (f *Function) Size() uint64 { return f.sym.Size }

// Image is the file the function is in.
func (f *Function) Image() *Image { return f.im }

// Go reports whether the Go compiler made the function.
func (f *Function) Go() bool { return f.sym.Go }

// Site judges how the function's entry can be hooked. The error is an
// *UnpatchableError if it cannot, and otherwise about reading the file. The
// first question about an image decodes all of its code.
func (f *Function) Site() (Site, error) {
	a, err := f.im.plans()
	if err != nil {
		return Site{}, err
	}
	p := a.Function(*f.sym)
	if !p.Hookable() {
		return Site{}, &UnpatchableError{f.DisplayName(), f.Addr(), p.Reason, cmp.Or(p.Detail, f.why)}
	}
	return Site{Function: f, plan: p}, nil
}

// Site is a function's patchable entry: where it is and how it is diverted.
// It is a value, and valid as long as its function.
type Site struct {
	Function *Function
	plan     plan.Plan
}

// Exit judges whether the function's return can be hooked too. The error is a
// *NoExitError if it cannot, and otherwise about reading the file.
func (s Site) Exit() error {
	a, err := s.Function.im.plans()
	if err != nil {
		return err
	}
	if reason, detail := a.Exit(&s.plan); reason != "" {
		return &NoExitError{s.Function.DisplayName(), s.Function.Addr(), reason, detail}
	}
	return nil
}

// Addr is the address of the first overwritten byte: the function's, or the
// one after its endbr64.
func (s Site) Addr() uint64 { return s.Function.im.bias + s.plan.Site }

// Tactic is "window" (five bytes in the function), "padding" (its end and
// filler behind it) or "short" (two bytes, by way of filler nearby).
func (s Site) Tactic() string { return s.plan.Tactic.String() }

func (s Site) holeAddr() uint64 { return s.Function.im.bias + s.plan.Hole }

// window is the displaced instructions' bytes, as the file has them.
func (s Site) window() []byte {
	return s.Function.im.module.Bytes(s.plan.Site, int(s.plan.Window))
}

// overwritten is what the file has where the patch goes.
func (s Site) overwritten() []byte {
	return s.Function.im.module.Bytes(s.plan.Site, int(s.plan.Patch))
}

func (s Site) displaced() codegen.Displaced {
	return codegen.Displaced{
		Site:      s.Addr(),
		Bytes:     s.window(),
		FlagsLive: s.plan.FlagsLive,
		SelfLoop:  s.plan.SelfLoop,
		Go:        s.plan.Func.Go,
		GoCheck:   int(s.plan.GoCheck),
	}
}
