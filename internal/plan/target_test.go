package plan

import (
	"strings"
	"testing"
)

const threeBytes = "mov %rdi, %rax\n" // an instruction of three bytes

func TestBranchesIntoWindow(t *testing.T) {
	jumpers := map[string]string{
		"jmp": "jmp inside", "jcc": "jne inside", "loop": "loop inside", "jrcxz": "jrcxz inside",
		"xbegin": "xbegin inside", "call": "call inside", "lea": "lea inside(%rip), %rax",
		"data": ".data\n.quad inside\n.text",
	}
	for name, insn := range jumpers {
		own := "function f\n" + threeBytes + "inside: mov (%rax), %ecx\n" + insn + "\nret\ndone f\nfar\n"
		wantRefusal(t, assemble(t, own), "f", JumpIntoWindow)
		other := "function g\n" + threeBytes + "cltd\ncltd\n" + insn + "\nret\ndone g\n" +
			"function f\n" + threeBytes + "inside: mov (%rax), %ecx\nret\ndone f\nfar\n"
		a := assemble(t, other)
		p := wantRefusal(t, a, "f", JumpIntoWindow)
		if !strings.Contains(p.Detail, "+3") || strings.Contains(insn, "inside:") {
			t.Errorf("%s: detail %q", name, p.Detail)
		}
		wantTactic(t, a, "g", Window)
	}
}

func TestBranchDetail(t *testing.T) {
	a := assemble(t, "function f\n"+threeBytes+"1: mov (%rax), %ecx\ncltd\njne 1b\nret\ndone f\nfar\n")
	if d := planOf(t, a, "f").Detail; d != "a branch at f+0x6 goes to +3" {
		t.Errorf("detail %q", d)
	}
}

// A target behind the overwritten bytes is harmless although it is in the window.
func TestTargetBehindPatch(t *testing.T) {
	a := assemble(t, `
		function f
		mov %edi, %eax
		lea 1f(%rip), %rcx
		done f
		function g
		jmp *%rcx
		jmp inner
		done g
		function h
		.byte 0x48, 0xc7, 0xc0
		cltd
		cltd
		inner: cltd
		cltd
		1: ret
		done h
		far`)
	if p := wantTactic(t, a, "h", Window); p.Window != 7 {
		t.Errorf("window %d", p.Window)
	}
}

// The second entry skips a lock prefix: it is inside an instruction.
func TestTargetInsideInstruction(t *testing.T) {
	a := assemble(t, `
		function f
		.byte 0xf0
		unlocked: cmpxchg %ecx, (%rdi)
		ret
		done f
		function g
		cmpb $0, 0x18(%rsi)
		je unlocked
		jmp f
		done g
		far`)
	wantRefusal(t, a, "f", JumpIntoWindow)
}

// Two functions share bytes and cut them differently: only the first one's
// instructions have the jump, behind the start of the second.
func TestOverlappingCode(t *testing.T) {
	a := assemble(t, `
		function outer
		.byte 0xb8, 0x90
		function inner
		.byte 0x90, 0x90, 0xb8
		.byte 0xeb, inside - (. + 1)
		.byte 0x90, 0x90, 0x90
		ret
		done outer
		done inner
		function f
		mov %rdi, %rax
		inside: mov (%rax), %rcx
		ret
		done f
		far`)
	wantRefusal(t, a, "f", JumpIntoWindow)
}

func TestReturnIntoWindow(t *testing.T) {
	a := assemble(t, `
		function early
		push %rbx
		call *%rax
		pop %rbx
		ret
		done early
		function late
		sub $8, %rsp
		call early
		add $8, %rsp
		ret
		done late
		far`)
	p := wantRefusal(t, a, "early", JumpIntoWindow)
	if !strings.Contains(p.Detail, "returns to +3") {
		t.Errorf("detail %q", p.Detail)
	}
	if p := wantTactic(t, a, "late", Window); p.Window != 9 {
		t.Errorf("late: window %d", p.Window)
	}
}

func TestSeveralEntries(t *testing.T) {
	a := assemble(t, `
		function e0
		mov %rdi, %rax
		function e3
		mov %rsi, %rcx
		cltd
		function e7
		mov %rdx, %rcx
		cltd
		cltd
		ret
		done e0
		done e3
		done e7
		far`)
	wantRefusal(t, a, "e0", WindowTaken)
	wantRefusal(t, a, "e3", WindowTaken)
	wantTactic(t, a, "e7", Window)
}

// The entry behind an endbr64 is another function's: a patch there would count both.
func TestEntryBehindEndbr(t *testing.T) {
	a := assemble(t, "function f\nendbr64\nfunction g\nmov %rdi, %rax\ncltd\ncltd\nret\ndone f\ndone g\nfar\n")
	wantRefusal(t, a, "f", WindowTaken)
	wantTactic(t, a, "g", Window)
}

func relativeTable(entries string) string {
	return `
		function f
		mov %edi, %eax
		cltd
		head: mov (%rsi), %ecx
		lea table(%rip), %rdx
		movslq (%rdx,%rcx,4), %rax
		add %rdx, %rax
		jmp *%rax
		case: cltd
		ret
		done f
		function g
		mov %rdi, %rax
		mid: mov (%rax), %rcx
		ret
		done g
		far` + `
		.section .rodata
		.p2align 2
		table: ` + entries
}

func TestJumpTable(t *testing.T) {
	a := assemble(t, relativeTable(".long case - table, head - table, case - table"))
	p := wantRefusal(t, a, "f", JumpIntoWindow)
	if !strings.Contains(p.Detail, "jump table") {
		t.Errorf("detail %q", p.Detail)
	}
	wantTactic(t, assemble(t, relativeTable(".long case - table, case - table")), "f", Window)
}

// What follows a table is not part of it: entries of another function, and what a
// lea names.
func TestJumpTableEnds(t *testing.T) {
	a := assemble(t, relativeTable(".long case - table, mid - table"))
	wantTactic(t, a, "g", Window)
	a = assemble(t, relativeTable(`.long case - table
		other: .long head - table
		.text
		lea other(%rip), %rax
		ret`))
	wantTactic(t, a, "f", Window)
}

func TestAbsoluteJumpTable(t *testing.T) {
	code := `
		function _start
		mov %edi, %eax
		cltd
		head: mov (%rsi), %ecx
		jmp *table(,%rcx,8)
		case: cltd
		ret
		done _start
		function f
		mov %edi, %eax
		cltd
		1: mov (%rsi), %ecx
		jmp *table2(,%rcx,8)
		2: ret
		done f
		far` + `
		.section .rodata
		.p2align 3
		table: .quad case, head
		table2: .quad 1b, 2b`
	code = strings.NewReplacer("1b", "one", "2b", "two", "\t1:", "\tone:", "\t2:", "\ttwo:").Replace(code)
	a := analyze(t, build(t, "victim.s", macros+code, "-static", "-no-pie", "-nostdlib"))
	wantRefusal(t, a, "f", JumpIntoWindow)
}

// The entry is at +3 and the landing pad is in the window; the table is written by
// hand: no type table, call sites as uleb128.
func TestLandingPad(t *testing.T) {
	code := `
		function f
		.cfi_startproc
		.cfi_lsda 0x1b, lsda
		push %rbx
		cltd
		1: call g
		pad: cltd
		pop %rbx
		ret
		.cfi_endproc
		done f
		function g
		.cfi_startproc
		cltd
		cltd
		cltd
		cltd
		ret
		.cfi_endproc
		done g
		far` + `
		.section .gcc_except_table,"a"
		.p2align 2
		lsda: .byte 0xff, 0xff, 1
		.uleb128 3f - 2f
		2: .uleb128 1b - f, 5, PAD - f, 0
		3:`
	code = strings.ReplaceAll(code, "1b - f, 5, PAD - f, 0", "site - f\n.uleb128 5\n.uleb128 PAD - f\n.uleb128 0")
	code = strings.ReplaceAll(code, "1: call g", "site: call g")
	p := wantRefusal(t, assemble(t, strings.ReplaceAll(code, "PAD", "site")), "f", JumpIntoWindow)
	if !strings.Contains(p.Detail, "exception handler begins at +2") {
		t.Errorf("detail %q", p.Detail)
	}
	wantTactic(t, assemble(t, strings.ReplaceAll(code, "PAD", "pad")), "f", Window)
}

func TestSelfLoop(t *testing.T) {
	a := assemble(t, `
		function own
		mov %edi, -8(%rsp)
		dec %edi
		jne own
		ret
		done own
		.p2align 4
		function behind
		endbr64
		1: mov %edi, -8(%rsp)
		dec %edi
		jne 1b
		ret
		done behind
		.p2align 4
		function recursive
		sub $8, %rsp
		call recursive
		add $8, %rsp
		ret
		done recursive
		.p2align 4
		function tail
		mov %edi, %eax
		cltd
		cltd
		jmp recursive
		done tail
		function before
		mov %edi, -8(%rsp)
		cltd
		cltd
		done before
		function fallen
		mov -8(%rsp), %eax
		cltd
		cltd
		ret
		done fallen`)
	for name, want := range map[string]bool{"own": true, "behind": true, "recursive": false, "tail": false,
		"before": false, "fallen": true} {
		if p := wantTactic(t, a, name, Window); p.SelfLoop != want {
			t.Errorf("%s: SelfLoop %v", name, p.SelfLoop)
		}
	}
}

func TestDataInWindow(t *testing.T) {
	a := assemble(t, "function f\nmov %rdi, %rax\ncltd\ncltd\nret\ndone f\nfunction g\nmov f+1(%rip), %eax\nret\ndone g\nfar\n")
	wantRefusal(t, a, "f", DataInWindow)
}

func TestRestartableSequence(t *testing.T) {
	a := assemble(t, `
		function counter
		mov %rdi, %rax
		cltd
		incl (%rax)
		again: ret
		done counter
		.byte 0x0f, 0xb9, 0x3d
		.long 0x53053053
		jmp again
		function user
		sub $8, %rsp
		call counter
		add $8, %rsp
		ret
		done user`)
	wantRefusal(t, a, "counter", RSEQ)
	wantTactic(t, a, "user", Window)
}
