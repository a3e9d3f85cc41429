package plan

import "testing"

// A function that is jumped to from another one which keeps data below rsp, and
// what is no such thing. TAIL is the function asked about.
func TestRedZoneOfAnotherFunction(t *testing.T) {
	for code, want := range map[string]bool{
		"mov %rdi, -8(%rsp)\njmp tail":                            true,
		"jmp tail\n1: mov %rdi, -8(%rsp)\nret":                    true,
		"mov %rdi, -128(%rsp)\ntest %edi, %edi\njns tail\nret":    true,
		"mov %rdi, -8(%rsp)\njrcxz tail\nret":                     true,
		"movb $1, -24(%rsp,%rdi)\njmp tail":                       true,
		"vmovups %zmm1, -64(%rsp)\njmp tail":                      true,
		"lea -24(%rsp), %rax\nmov %rdi, (%rax)\njmp tail":         true,
		"mov %rdi, -8(%rsp)\njmp tail+4":                          true,
		"mov %rdi, -8(%rsp)\nlea tail(%rip), %rax\njmp *%rax":     true,
		"mov %rdi, -8(%rsp)\nlea tail+4(%rip), %rax\njmp *%rax":   true,
		"lea tail(%rip), %rax\nmov %rax, -8(%rsp)\njmp *-8(%rsp)": true,
		"jmp *-8(%rsp)\nlea tail(%rip), %rax\nret":                true,

		"mov %rdi, 8(%rsp)\njmp tail":                          false,
		"mov %rdi, (%rsp)\njmp tail":                           false,
		"mov %rdi, -8(%r12)\njmp tail":                         false,
		"lea -8(%rsp), %rsp\nlea 8(%rsp), %rsp\njmp tail":      false,
		"mov %rdi, -8(%rsp)\ncall tail\nret":                   false,
		"mov %rdi, -8(%rsp)\nlea tail(%rip), %rax\nret":        false,
		"mov %rdi, -8(%rsp)\nlea tail(%rip), %rax\ncall *%rax": false,
		"lea tail(%rip), %rax\njmp *%rax":                      false,
	} {
		a := assemble(t, "function head\n"+code+"\ndone head\n.p2align 4\n"+
			"function tail\nendbr64\nmov -8(%rsp), %rax\nret\ndone tail\nfar\n")
		p := planOf(t, a, "tail")
		if refused := p.Reason == JumpIntoWindow; refused || p.SelfLoop != want {
			t.Errorf("after %q: %s, SelfLoop %v", code, p.Reason, p.SelfLoop)
		}
	}
}

// The functions share bytes, so that the jump, the store and the lea are in
// different regions of the same code.
func TestRedZoneOfOverlappingFunctions(t *testing.T) {
	a := assemble(t, `
		function outer
		mov %rdi, -8(%rsp)
		cltd
		function middle
		lea tail(%rip), %rax
		cltd
		function inner
		cltd
		cltd
		jmp *%rax
		done outer
		done middle
		done inner
		.p2align 4
		`+body("tail", 9))
	if !wantTactic(t, a, "tail", Window).SelfLoop {
		t.Error("tail: not SelfLoop")
	}
}

func TestRedZoneAtFixedAddresses(t *testing.T) {
	a, _ := program(t, ".globl _start\n"+routine("_start", "mov %rdi, -8(%rsp)\nmov $tail, %eax\njmp *%rax")+
		routine("tail", plain)+"far\n")
	if !wantTactic(t, a, "tail", Window).SelfLoop {
		t.Error("tail: not SelfLoop")
	}
}

// A table whose first entry is in another function is followed if the code both
// loads offsets from it and jumps.
func TestTableOfAnotherFunction(t *testing.T) {
	for code, want := range map[string]bool{
		"lea table(%rip), %rax\nmovslq (%rax), %rcx\nadd %rcx, %rax\njmp *%rax":            true,
		"lea table(%rip), %r10\nmovslq (%r10), %rcx\nadd %rcx, %r10\njmp *%r10":            true,
		"lea table(%rip), %r12\nmovslq (%r12), %rcx\nadd %rcx, %r12\njmp *%r12":            true,
		"lea table(%rip), %rdx\nmovslq (%rdx,%rdi,4), %rax\nadd %rdx, %rax\njmp *%rax":     true,
		"lea table(%rip), %r13\nmovslq (%rdi,%r13), %rax\nadd %r13, %rax\njmp *%rax":       true,
		"1: movslq (%rax), %rcx\nadd %rcx, %rax\njmp *%rax\nlea table(%rip), %rax\njmp 1b": true,

		"lea table(%rip), %rax\nmovslq (%rax), %rcx\nadd %rcx, %rax\ncall *%rax\nret": false,
		"lea table(%rip), %rax\nmovslq (%rdx), %rcx\nadd %rcx, %rax\njmp *%rax":       false,
		"lea table(%rip), %rax\nmovslq %eax, %rcx\nadd %rcx, %rax\njmp *%rax":         false,
		"lea table(%rip), %rax\nmov (%rax), %ecx\nadd %rcx, %rax\njmp *%rax":          false,
	} {
		for entries, good := range map[string]bool{
			".long inside - table":            true,
			".long f - table, inside - table": true,
			".long inside - table - 1":        false, // no instruction
		} {
			a := assemble(t, "function dispatch\n"+code+"\ndone dispatch\n"+
				"function f\nxor %edi, %edi\ninside: lea 7(%rdi), %eax\nret\ndone f\nfar\n"+
				".section .rodata\n.p2align 2\ntable: "+entries+"\n")
			if want && good {
				wantRefusal(t, a, "f", JumpIntoWindow)
			} else {
				wantTactic(t, a, "f", Window)
			}
			if t.Failed() {
				t.Fatalf("%s after %q", entries, code)
			}
		}
	}
}

// Through a table the entry itself is reached as by a jump.
func TestTableToEntryWithRedZone(t *testing.T) {
	for store, want := range map[string]bool{"mov %rdi, -8(%rsp)": true, "mov %rdi, 8(%rsp)": false} {
		a := assemble(t, "function dispatch\n"+store+"\nlea table(%rip), %rax\nmovslq (%rax), %rcx\n"+
			"add %rcx, %rax\njmp *%rax\ndone dispatch\n.p2align 4\n"+body("f", 9)+
			".section .rodata\n.p2align 2\ntable: .long f - table\n")
		if p := wantTactic(t, a, "f", Window); p.SelfLoop != want {
			t.Errorf("after %q: SelfLoop %v", store, p.SelfLoop)
		}
	}
}
