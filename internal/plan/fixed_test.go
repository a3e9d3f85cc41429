package plan

import (
	"os/exec"
	"testing"
)

// program assembles a static program at fixed addresses, with an unwind range and
// no name for each function if strip is set. The functions get their addresses
// before that from the named file.
func program(t *testing.T, code string) (named, stripped *Analysis) {
	t.Helper()
	path := build(t, "victim.s", macros+code, "-static", "-no-pie", "-nostdlib")
	named = analyze(t, path)
	if out, err := exec.Command("strip", path).CombinedOutput(); err != nil {
		t.Fatalf("strip (Debian package binutils): %v\n%s", err, out)
	}
	return named, analyze(t, path)
}

// routine is a function with an unwind range.
func routine(name, code string) string {
	return "function " + name + "\n.cfi_startproc\n" + code + "\n.cfi_endproc\ndone " + name + "\n.p2align 4\n"
}

const plain = "mov %rdi, %rax\ncltd\ncltd\nret"

func TestDataWordsAtFixedAddresses(t *testing.T) {
	a, _ := program(t, ".globl _start\n"+routine("_start", plain)+
		"far\nfunction f\n"+threeBytes+"inside: mov (%rax), %rcx\nret\ndone f\nfar\n.data\n.p2align 3\n.quad inside\n")
	wantRefusal(t, a, "f", JumpIntoWindow)
}

// Without names, what is called, or has its address taken in any of the ways that
// code at fixed addresses does that, is a function; what is only jumped to is not.
func TestNamelessFunctions(t *testing.T) {
	named, stripped := program(t, ".globl _start\n"+
		routine("_start", "call called\nmov $immediate, %edi\njmp jumped\nmov stored_at, %rax\njmp *table(,%rcx,8)\nback: ret")+
		routine("called", plain)+
		routine("immediate", plain)+
		routine("stored", plain)+
		routine("jumped", plain)+
		routine("listed", plain)+
		routine("unused", plain)+`
		.section .rodata
		.p2align 3
		table: .quad back, listed, back
		.data
		.p2align 3
		stored_at: .quad stored`)
	for name, want := range map[string]bool{"_start": true, "called": true, "immediate": true, "stored": true,
		"jumped": false, "listed": false, "unused": false} {
		addr := planOf(t, named, name).Func.Addr
		if hasPlan(t, stripped, addr) != want {
			t.Errorf("%s at %#x is in All: %v", name, addr, !want)
		}
	}
	if stripped.Cold != 3 {
		t.Errorf("%d cold parts", stripped.Cold)
	}
}

// A size one byte short, as trimming int3 gives where a displacement ends in 0xcc,
// must not make that byte filler.
func TestSizeTooShort(t *testing.T) {
	a := assemble(t, looper("f")+`
		function g
		mov %rdi, %rax
		cltd
		mov $0xcc000000, %ecx
		ret
		mov $0xcc000000, %ecx
		.size g, . - g - 1
		.fill 9, 1, 0xcc
		function h
		mov %rdi, %rax
		cltd
		.byte 0xeb, 0xcc
		.size h, . - h - 1
		.fill 5, 1, 0xcc
		far`)
	h := planOf(t, a, "h").Func
	if p := wantTactic(t, a, "f", Short); p.Hole != h.Addr+h.Size+1 {
		t.Errorf("hole at %#x, h ends at %#x", p.Hole, h.Addr+h.Size+1)
	}
}
