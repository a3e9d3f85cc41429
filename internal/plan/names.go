package plan

import (
	"strings"

	"github.com/functap/functap/internal/symbols"
)

// neverRule forbids the functions whose names match pattern: a whole name, or with
// a * at its end everything that begins so.
type neverRule struct{ pattern, why string }

const (
	whyBeforeMain  = "it runs before the loader has set up the process"
	whyBinder      = "it runs between a caller and its callee and must preserve every register"
	whyTLS         = "compilers assume that it preserves nearly every register"
	whyNewStack    = "a new thread starts in the middle of it on an empty stack"
	whySignalFrame = "unwinders know it by its bytes"
	whyVDSO        = "it is part of the kernel's own page"
	whyCompiler    = "compilers call it with a convention of its own"
	whyThunk       = "compilers use it as an indirect branch, not as a function"
	whyUnwinder    = "exceptions through hooked functions depend on it"
	whyGoBoot      = "it runs before there is a goroutine or a stack of Go's own"
	whyGoSwitch    = "it saves and switches stacks"
	whyGoSignal    = "it runs in a signal handler, perhaps on a thread that Go does not know"
	whyGoForeign   = "it runs between C and Go with neither's stack and registers in order"
	whyGoBarrier   = "the compiler calls it with a convention that preserves every register"
)

// neverC are functions of C libraries and compilers.
var neverC = []neverRule{
	{"_start", whyBeforeMain},
	{"_dl_start*", whyBeforeMain},
	{"_dl_sysinfo_*", whyBeforeMain},
	{"_dl_runtime_resolve*", whyBinder},
	{"_dl_runtime_profile*", whyBinder},
	{"_dl_tlsdesc_*", whyTLS},
	{"__tls_get_addr*", whyTLS},
	{"clone", whyNewStack},
	{"__clone", whyNewStack},
	{"clone3", whyNewStack},
	{"__clone3", whyNewStack},
	{"__clone_internal*", whyNewStack},
	{"start_thread", whyNewStack},
	{"__restore_rt", whySignalFrame},
	{"__vdso_*", whyVDSO},
	{"__fentry__", whyCompiler},
	{"mcount", whyCompiler},
	{"_mcount", whyCompiler},
	{"__morestack*", whyCompiler},
	{"__x86.get_pc_thunk.*", whyThunk},
	{"__x86_return_thunk*", whyThunk},
	{"__x86_indirect_thunk*", whyThunk},
	{"__llvm_retpoline_*", whyThunk},
	{"_Unwind_Find_FDE", whyUnwinder},
}

// neverGo are functions of Go's runtime; those in assembly are refused anyway.
var neverGo = []neverRule{
	{"_rt0_*", whyGoBoot},
	{"runtime.rt0*", whyGoBoot},
	{"runtime.mstart*", whyGoBoot},
	{"runtime.mcall", whyGoSwitch},
	{"runtime.gogo", whyGoSwitch},
	{"runtime.gosave*", whyGoSwitch},
	{"runtime.goexit*", whyGoSwitch},
	{"runtime.systemstack*", whyGoSwitch},
	{"runtime.morestack*", whyGoSwitch},
	{"runtime.asyncPreempt*", whyGoSignal},
	{"runtime.sigtramp*", whyGoSignal},
	{"runtime.sighandler", whyGoSignal},
	{"runtime.sigfwd*", whyGoSignal},
	{"runtime.sigreturn*", whyGoSignal},
	{"runtime.badsignal*", whyGoSignal},
	{"runtime.needm*", whyGoForeign},
	{"runtime.dropm", whyGoForeign},
	{"runtime.cgocallback*", whyGoForeign},
	{"runtime.asmcgocall*", whyGoForeign},
	{"runtime.gcWriteBarrier*", whyGoBarrier},
	{"runtime.wbBuf*", whyGoBarrier},
	{"runtime.duff*", whyGoBarrier},
}

// neverHookReason is why f may never be hooked, judged by all its names, or "".
func neverHookReason(f *symbols.Func) string {
	rules := neverC
	if f.Go {
		rules = neverGo
	}
	return ruleFor(rules, f)
}

// ruleFor is why the first rule that one of f's names matches forbids it, or "".
func ruleFor(rules []neverRule, f *symbols.Func) string {
	if why := matchRules(rules, f.Name); why != "" {
		return why
	}
	for _, name := range f.Aliases {
		if why := matchRules(rules, name); why != "" {
			return why
		}
	}
	return ""
}

func matchRules(rules []neverRule, name string) string {
	name, _, _ = strings.Cut(name, "@") // a symbol's version
	name = strings.TrimSuffix(name, ".abi0")
	for _, r := range rules {
		if prefix, ok := strings.CutSuffix(r.pattern, "*"); ok && strings.HasPrefix(name, prefix) || name == r.pattern {
			return r.why
		}
	}
	return ""
}
