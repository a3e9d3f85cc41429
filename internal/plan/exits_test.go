package plan

import (
	"os"
	"testing"

	"github.com/functap/functap/internal/symbols"
)

func TestNoExitNames(t *testing.T) {
	a := assemble(t, "function f\nmov %rdi, %rax\ncltd\ncltd\nret\ndone f\nfar\n")
	for name, want := range map[string]Refusal{
		"f": "", "setjmp": ReturnsTwice, "__sigsetjmp": ReturnsTwice, "vfork": ReturnsTwice, "getcontext@@GLIBC_2.2.5": ReturnsTwice,
		"longjmp": SwitchesStack, "swapcontext": SwitchesStack, "jump_fcontext": SwitchesStack,
		"dlsym": ReadsRA, "_Unwind_Resume": Unwinder, "__cxa_throw": Unwinder, "dl_iterate_phdr": Unwinder,
		"execve": NoReturn, "exit": NoReturn, "exited": "", "fork": "", "execution": "",
	} {
		p := planOf(t, a, "f")
		p.Func.Name = name
		if got, _ := a.Exit(&p); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		p.Func.Name, p.Func.Aliases = "other", []string{name}
		if got, _ := a.Exit(&p); got != want {
			t.Errorf("an alias %s: %q, want %q", name, got, want)
		}
		p.Func.Go = true
		if got, _ := a.Exit(&p); got != GoStack {
			t.Errorf("%s in Go: %q", name, got)
		}
	}
}

// TestReadsReturnAddress: the stack word is found over pushes, frames and branches, and
// arguments and locals are not taken for it.
func TestReadsReturnAddress(t *testing.T) {
	for code, want := range map[string]bool{
		"mov (%rsp), %rdi\nret":                                                                    true,
		"push %rbx\nmov 8(%rsp), %rdi\npop %rbx\nret":                                              true,
		"push %r12\npush $5\nsub $24, %rsp\nmov 40(%rsp), %rdi\nadd $40, %rsp\nret":                true,
		"push %rbp\nmov %rsp, %rbp\nsub $200, %rsp\nand $-32, %rsp\nmov 8(%rbp), %rdi\nleave\nret": true,
		"lea (%rsp), %rdi\nret":                                                                    true,
		"pushq (%rsp)\nret":                                                                        true,
		"test %rdi, %rdi\nje 1f\npush %rax\npop %rcx\nret\n1: push %rax\nmov 8(%rsp), %rdi\npop %rcx\nret": true,
		"sub $8, %rsp\ncall other\nmov 8(%rsp), %rdi\nadd $8, %rsp\nret":                                   true,

		"pop %rdi\nmov %rdi, %rax\npush %rdi\nret":        true,
		"xor %esi, %esi\njmp reader":                      true,
		"test %rdi, %rdi\nje 1f\nret\n1: cltd\njmp jumps": true,
		"push %rbx\nmov %rdi, %rbx\njmp reader":           false,
		"push %rbx\nmov %rdi, %rbx\npop %rbx\njmp other":  false,

		"mov 8(%rsp), %rdi\nret": false,
		"push %rbx\nmov (%rsp), %rdi\nmov 16(%rsp), %rsi\npop %rbx\nret":                   false,
		"push %rbp\nmov %rsp, %rbp\nmov 16(%rbp), %rdi\nmov -8(%rbp), %rsi\npop %rbp\nret": false,
		"mov 8(%rbp), %rdi\nret":                         false,
		"mov %fs:0x28, %rax\nmov (%rsp,%rax), %rdi\nret": false,
		"lea 8(%rsp), %r10\nand $-16, %rsp\npushq -8(%r10)\npush %rbp\nmov %rsp, %rbp\nmov 8(%rbp), %rax\nleave\nlea -8(%r10), %rsp\nret": false,
		"jmp 1f\n2: mov (%rsp), %rdi\nret\n1: push %rax\njmp 2b":                                                                          false,
	} {
		a := assemble(t, "function f\n"+code+"\ndone f\nfunction other\ncltd\ncltd\ncltd\ncltd\ncltd\nret\ndone other\nfunction reader\nmov (%rsp), %rax\nret\ndone reader\nfunction jumps\ncltd\njmp reader\ndone jumps\nfar\n")
		p := planOf(t, a, "f")
		if got, detail := a.Exit(&p); (got == ReadsRA) != want {
			t.Errorf("%q: %q %q, want %v", code, got, detail, want)
		}
	}
}

// TestLoopsToEntry: a function that jumps to its own first byte is wrapped if the return
// address is certainly on top of the stack then, and nothing below it.
func TestLoopsToEntry(t *testing.T) {
	for code, want := range map[string]Refusal{
		"mov %rdi, %rax\nsub $1, %rdi\njg f\nret":                              "",
		"push %rbx\nmov %rdi, %rbx\nsub $1, %rdi\npop %rbx\njg f\nret":         "",
		"test %rdi, %rdi\npush %rbx\nje 1f\npop %rbx\njmp f\n1: pop %rbx\nret": "",
		"mov %rdi, %rax\npush %rax\nsub $1, %rdi\njg f\nret":                   LoopsToEntry,
		"mov %rdi, -8(%rsp)\nsub $1, %rdi\njg f\nret":                          LoopsToEntry,
		"mov %rdi, %rax\njmp 1f\n2: push %rax\njmp f\n1: cltd\njne 2b\nret":    LoopsToEntry,
		"mov %rdi, %rax\nand $-16, %rsp\nsub $1, %rdi\njg f\nret":              LoopsToEntry,
	} {
		a := assemble(t, "function f\n"+code+"\ndone f\nfar\n")
		p := planOf(t, a, "f")
		if !p.Hookable() || !p.SelfLoop {
			t.Fatalf("%q: %s, SelfLoop %v", code, p.Reason, p.SelfLoop)
		}
		if got, detail := a.Exit(&p); got != want {
			t.Errorf("%q: %q %q, want %q", code, got, detail, want)
		}
	}
}

// TestExitCoverage: of the functions of real programs that can be hooked, nearly all can
// be at their returns too.
func TestExitCoverage(t *testing.T) {
	checked := 0
	for _, file := range []string{
		"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/bin/redis-server",
		"/usr/lib/postgresql/15/bin/postgres", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus",
	} {
		if _, err := os.Stat(file); err != nil {
			t.Logf("%s is not here", file)
			continue
		}
		m, err := symbols.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Analyze(m)
		if err != nil {
			t.Fatal(err)
		}
		entries, exits, why := 0, 0, map[Refusal]int{}
		for _, p := range a.all() {
			if !p.Hookable() {
				continue
			}
			entries++
			if reason, _ := a.Exit(&p); reason == "" {
				exits++
			} else {
				why[reason]++
			}
		}
		m.Close()
		checked++
		t.Logf("%s: %d of %d, not %v", file, exits, entries, why)
		if exits*100 < 98*entries {
			t.Errorf("%s: only %d of %d", file, exits, entries)
		}
	}
	if checked < 3 {
		t.Errorf("only %d files checked", checked)
	}
}
