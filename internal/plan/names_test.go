package plan

import (
	"testing"

	"github.com/functap/functap/internal/symbols"
)

func TestNeverHook(t *testing.T) {
	for _, tc := range []struct {
		f    symbols.Func
		want string
	}{
		{symbols.Func{Name: "_start"}, whyBeforeMain},
		{symbols.Func{Name: "_started"}, ""},
		{symbols.Func{Name: "x", Aliases: []string{"__tls_get_addr@@GLIBC_2.3"}}, whyTLS},
		{symbols.Func{Name: "_dl_runtime_resolve_xsavec"}, whyBinder},
		{symbols.Func{Name: "clone"}, whyNewStack},
		{symbols.Func{Name: "clone_everything"}, ""},
		{symbols.Func{Name: "clone", Go: true}, ""},
		{symbols.Func{Name: "runtime.mcall", Go: true}, whyGoSwitch},
		{symbols.Func{Name: "runtime.mcall.abi0", Go: true}, whyGoSwitch},
		{symbols.Func{Name: "runtime.mcaller", Go: true}, ""},
		{symbols.Func{Name: "runtime.systemstack_switch", Go: true}, whyGoSwitch},
		{symbols.Func{Name: "runtime.mallocgc", Go: true}, ""},
	} {
		if got := neverHookReason(&tc.f); got != tc.want {
			t.Errorf("%s %v: %q, want %q", tc.f.Name, tc.f.Aliases, got, tc.want)
		}
	}
}

func TestForbidden(t *testing.T) {
	a := assemble(t, `
		function clone
		mov %rdi, %rax
		cltd
		cltd
		ret
		done clone
		.type choose, @gnu_indirect_function
		.globl choose
		choose:
		lea clone(%rip), %rax
		ret
		done choose
		.data
		function table
		.quad 1, 2
		done table
		.text
		far`)
	wantRefusal(t, a, "clone", NeverHook)
	wantRefusal(t, a, "choose", IFuncResolver)
	p := a.Function(symbols.Func{Name: "data", Addr: a.im.segs[len(a.im.segs)-1].base, Size: 8, SizeKnown: true})
	if p.Reason != NotAnEntry {
		t.Errorf("data: %q", p.Reason)
	}
}

func TestEveryRefusalIsExplained(t *testing.T) {
	for r, text := range explanations {
		if text == "" || r.Explain() != text {
			t.Errorf("%s: %q", r, r.Explain())
		}
	}
	if len(explanations) != 26 || Refusal("").Explain() != "" {
		t.Errorf("%d explanations", len(explanations))
	}
}
