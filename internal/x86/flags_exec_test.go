package x86

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFlagsExecuted runs instructions on this processor and compares what they
// do to the flags with FlagsRead and FlagsWritten. A flag written but not read
// must not depend on its old value, one neither written nor read must keep it,
// and one not read must have no influence on registers and other flags.
//
// A failure about a flag that the manuals call undefined means that a
// processor was found that treats it otherwise than the tables suppose.
func TestFlagsExecuted(t *testing.T) {
	rows := flagRows(t)
	exe, code := buildFlagRunner(t, rows)
	out, err := exec.Command(exe).Output()
	if err != nil {
		t.Fatalf("running the snippets: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(rows) {
		t.Fatalf("%d lines about %d instructions", len(lines), len(rows))
	}
	for i, line := range lines {
		var n int
		var changed, kept, influence Flags
		if _, err := fmt.Sscan(line, &n, &changed, &kept, &influence); err != nil || n != i {
			t.Fatalf("line %q: %v", line, err)
		}
		in, err := Decode(code[i])
		if err != nil {
			t.Errorf("%s: % x: %v", rows[i].asm, code[i], err)
			continue
		}
		r, w := in.FlagsRead, in.FlagsWritten
		for _, c := range []struct {
			what  string
			wrong Flags
		}{
			{"written, yet depend on their old value", kept & w &^ r},
			{"neither written nor read, yet change", changed &^ (w | r)},
			{"not read, yet have an influence", influence &^ r},
			{"always keep their value, yet count as written", w & AllArith &^ (changed | r)},
		} {
			if c.wrong != 0 {
				t.Errorf("%s (read %s, written %s): flags %s are %s",
					rows[i].asm, flagNames(r), flagNames(w), flagNames(c.wrong), c.what)
			}
		}
	}
}

// flagRow is a row of testdata/flags.txt.
type flagRow struct{ kind, asm string }

// flagRows returns the rows that this processor can run.
func flagRows(t *testing.T) (rows []flagRow) {
	text, err := os.ReadFile("testdata/flags.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 3)
		switch {
		case strings.HasPrefix(line, "#"):
		case f[0] != "-" && !cpuHas(f[0]):
			t.Logf("not run, for want of %s: %s", f[0], f[2])
		default:
			rows = append(rows, flagRow{f[1], f[2]})
		}
	}
	if len(rows) < 100 {
		t.Fatalf("only %d instructions to run", len(rows))
	}
	return rows
}

// snippet is a function void f(struct state *): it takes flags and registers
// from the state, runs one instruction, and puts them back.
const snippet = `
f%[1]d:	push %%rbx
	push %%r15
	mov %%rdi,%%r15
	pushq 72(%%r15)
	mov 0(%%r15),%%rax
	mov 8(%%r15),%%rbx
	movq %%rax,%%xmm0
	movq %%rbx,%%xmm1
	mov 16(%%r15),%%rcx
	mov 24(%%r15),%%rdx
	mov 32(%%r15),%%rsi
	mov 40(%%r15),%%rdi
	popfq
	.globl i%[1]d
i%[1]d:	%[2]s
	pushfq
	mov %%rax,0(%%r15)
	mov %%rbx,8(%%r15)
	mov %%rcx,16(%%r15)
	mov %%rdx,24(%%r15)
	mov %%rsi,32(%%r15)
	mov %%rdi,40(%%r15)
	popq 72(%%r15)
	pop %%r15
	pop %%rbx
	ret
`

// buildFlagRunner links the snippets with runner.c and returns the program and
// the bytes that begin with each instruction.
func buildFlagRunner(t *testing.T, rows []flagRow) (string, [][]byte) {
	dir := t.TempDir()
	source, exe := filepath.Join(dir, "snippets.s"), filepath.Join(dir, "runner")
	if err := os.WriteFile(source, []byte(snippets(rows)), 0o600); err != nil {
		t.Fatal(err)
	}
	cc := exec.Command("cc", "-O2", "-no-pie", "-o", exe, "testdata/flags/runner.c", source)
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("cc (Debian's gcc): %v\n%s", err, out)
	}
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return exe, instructionBytes(t, f, len(rows))
}

func snippets(rows []flagRow) string {
	var b strings.Builder
	kinds, table := "", ""
	b.WriteString("\t.text\n")
	for i, r := range rows {
		fmt.Fprintf(&b, snippet, i, r.asm)
		kinds += r.kind
		table += fmt.Sprintf("\t.quad f%d\n", i)
	}
	fmt.Fprintf(&b, "\t.section .rodata\n\t.globl snippets, kinds\n\t.balign 8\nsnippets:\n%s\t.quad 0\nkinds:\t.asciz %q\n", table, kinds)
	b.WriteString("\t.section .note.GNU-stack,\"\",@progbits\n")
	return b.String()
}

func instructionBytes(t *testing.T, f *elf.File, n int) [][]byte {
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	text := f.Section(".text")
	data, err := text.Data()
	if err != nil {
		t.Fatal(err)
	}
	code := make([][]byte, n)
	for _, s := range syms {
		var i int
		if k, _ := fmt.Sscanf(s.Name, "i%d", &i); k == 1 && fmt.Sprintf("i%d", i) == s.Name {
			code[i] = data[s.Value-text.Addr:]
		}
	}
	return code
}
