package plan

import (
	"fmt"
	"maps"
	"slices"
)

// Why the return of a function whose entry can be hooked may not be.
const (
	whyReturnsTwice = "it keeps its return address and goes there again later"
	whySwitches     = "it goes on somewhere else, on another stack or further up its own"
	whyReadsRA      = "it judges its caller by its return address"
	whyUnwinds      = "it walks the stack, or the walk depends on it"
	whyNoReturn     = "it does not return, or not to its caller"
)

// noExit are functions whose return may not be hooked, by name.
var noExit = map[Refusal][]neverRule{
	ReturnsTwice: rules(whyReturnsTwice, "setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp*",
		"vfork", "__vfork", "__libc_vfork", "getcontext", "__getcontext", "savectx"),
	SwitchesStack: rules(whySwitches, "setcontext", "__setcontext", "swapcontext", "__swapcontext", "makecontext",
		"__makecontext", "__start_context", "jump_fcontext", "ontop_fcontext", "longjmp", "_longjmp", "__longjmp*",
		"____longjmp_chk", "siglongjmp", "__siglongjmp", "__libc_longjmp", "__libc_siglongjmp", "sigreturn", "rt_sigreturn"),
	ReadsRA: rules(whyReadsRA, "dlsym", "dlvsym", "dlopen", "dlmopen", "__dlsym", "__dlvsym", "__dlopen", "__dlmopen",
		"__cyg_profile_*", "__sanitizer_*", "__mcount_internal"),
	Unwinder: rules(whyUnwinds, "_Unwind_*", "__cxa_throw", "__cxa_rethrow", "__cxa_begin_catch",
		"dl_iterate_phdr", "__dl_iterate_phdr", "_dl_find_object", "_dl_find_dso_for_object"),
	NoReturn: rules(whyNoReturn, "exit", "_exit", "_Exit", "quick_exit", "abort", "execl", "execle", "execlp", "execv", "execve",
		"execvp", "execvpe", "execveat", "fexecve", "pthread_exit", "__pthread_exit",
		"thrd_exit", "__libc_start_main*", "__libc_start_call_main"),
}

// loopsCleanly: what has p.SelfLoop set are only jumps of code that keeps nothing below the
// stack pointer, with the return address at it. So are calls at the end of a function that
// compilers have turned into jumps. In the function itself that is looked at; a cold part
// has a frame like the function's where it jumps there, since unwind tables have one rule
// for the first byte.
func (a *Analysis) loopsCleanly(entry, site uint64, code []byte) bool {
	own := a.layout.clusterAt(entry)
	if own == nil || own.traits.redZone || a.runInto(entry) {
		return false
	}
	at := returnsAt(code, entry)
	for _, e := range a.edgesIn(entry, site+1) {
		if e.to != entry && e.to != site || !a.comesWithData(e, own) {
			continue
		}
		from := a.layout.clusterAt(e.from)
		if e.kind != kindJump || from == nil || from.traits.redZone || from == own && !at[e.from] {
			return false
		}
	}
	return true
}

// maxJumps is how many jumps are followed to where the return address may be read.
const maxJumps = 3

// finder looks for an instruction in code that begins at base.
type finder func(code []byte, base uint64) (at uint64, found bool)

// jumpsTo looks for a jump out of a function, with the return address at the stack
// pointer, to code that has such an instruction: _setjmp jumps to sigsetjmp's, which reads
// the return address. Names do not tell where they have been stripped.
func (a *Analysis) jumpsTo(has finder, code []byte, entry uint64, most int) (to uint64, found bool) {
	jumps := jumpsAtReturn(code, entry)
	for _, from := range slices.Sorted(maps.Keys(jumps)) {
		to := jumps[from]
		own, other := a.layout.clusterAt(from), a.layout.clusterAt(to)
		s := a.im.code(to)
		if to-entry < uint64(len(code)) || s == nil || other == nil || own == other {
			continue
		}
		there := s.b[to-s.base : min(other.end, s.end())-s.base]
		if _, ok := has(there, to); ok {
			return to, true
		}
		if most > 1 {
			if at, ok := a.jumpsTo(has, there, to, most-1); ok {
				return at, true
			}
		}
	}
	return 0, false
}

// exitOrder is the order in which they are tried.
var exitOrder = []Refusal{ReturnsTwice, SwitchesStack, Unwinder, NoReturn, ReadsRA}

func rules(why string, patterns ...string) []neverRule {
	var out []neverRule
	for _, p := range patterns {
		out = append(out, neverRule{p, why})
	}
	return out
}

// Exit is the reason why the return of a planned function may not be hooked although
// its entry may, and a detail; "" if it may.
//
// To hook a return the program takes the return address off the stack and calls the
// function itself. So the first stack word must be a return address at each entry, and
// nothing may depend on which one it is.
func (a *Analysis) Exit(p *Plan) (Refusal, string) {
	f := &p.Func
	if f.Go {
		return GoStack, ""
	}
	for _, r := range exitOrder {
		if why := ruleFor(noExit[r], f); why != "" {
			return r, why
		}
	}
	s := a.im.code(f.Addr)
	code := s.b[f.Addr-s.base : a.endOf(s, f)-s.base]
	if p.SelfLoop && !a.loopsCleanly(f.Addr, p.Site, code) {
		return LoopsToEntry, ""
	}
	if at, ok := readsReturnAddress(code, f.Addr); ok {
		return ReadsRA, fmt.Sprintf("at +%d", at-f.Addr)
	}
	if to, ok := a.jumpsTo(readsReturnAddress, code, f.Addr, maxJumps); ok {
		return ReadsRA, fmt.Sprintf("by what it jumps to, at %#x", to)
	}
	if at, ok := popsArguments(code, f.Addr); ok {
		return CalleePops, fmt.Sprintf("at +%d", at-f.Addr)
	}
	if to, ok := a.jumpsTo(popsArguments, code, f.Addr, maxJumps); ok {
		return CalleePops, fmt.Sprintf("by what it jumps to, at %#x", to)
	}
	return "", ""
}
