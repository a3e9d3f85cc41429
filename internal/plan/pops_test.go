package plan

import "testing"

// TestCalleePops: a function that takes more off the stack than its return address is not
// wrapped, nor is one that jumps to such a one.
func TestCalleePops(t *testing.T) {
	for code, want := range map[string]Refusal{
		"mov 8(%rsp), %rax\nadd %rdi, %rax\nret $16":           CalleePops,
		"test %rdi, %rdi\nje 1f\nret $8\n1: mov $1, %eax\nret": CalleePops,
		"mov %rsi, %rdi\nxor %eax, %eax\njmp other":            CalleePops,
		"mov %rsi, %rdi\nxor %eax, %eax\nret $0":               "",
		"mov $0x10c2, %eax\nret":                               "",
		"push %rbx\ncall other\npop %rbx\nret":                 "",
	} {
		a := assemble(t, "function f\n"+code+"\ndone f\nfunction other\ncltd\ncltd\ncltd\nret $24\ndone other\nfar\n")
		p := planOf(t, a, "f")
		if got, detail := a.Exit(&p); got != want {
			t.Errorf("%q: %q %q, want %q", code, got, detail, want)
		}
	}
}
