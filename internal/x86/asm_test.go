package x86

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/asm.txt from what the encoder and objdump say")

const (
	rowAddr = 0x401000
	rowLead = 200 // bytes before each row, out of reach of a short branch
)

// asmRow is one line of testdata/asm.txt.
type asmRow struct{ call, hex, text string }

func readRows(t *testing.T) (rows []asmRow) {
	t.Helper()
	b, err := os.ReadFile("testdata/asm.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := append(strings.Split(strings.TrimSpace(line), " | "), "", "")
		rows = append(rows, asmRow{f[0], f[1], f[2]})
	}
	return rows
}

// assembleRow runs the call of a row on an Asm whose labels FarBefore, Before
// and After stand around it.
func assembleRow(call string) ([]byte, error) {
	a := NewAsm(rowAddr - rowLead)
	env := map[string]Label{"FarBefore": a.Here()}
	a.Nop(rowLead)
	env["Before"] = a.Here()
	env["After"] = a.Label()
	if err := runCall(a, call, env); err != nil {
		return nil, err
	}
	end := a.Len()
	a.Nop(3)
	a.Bind(env["After"])
	b, err := a.Bytes()
	if err != nil {
		return nil, err
	}
	return b[rowLead:end], nil
}

func TestAsmTable(t *testing.T) {
	rows := readRows(t)
	codes := make([][]byte, len(rows))
	for i, r := range rows {
		b, err := assembleRow(r.call)
		if err != nil {
			t.Fatalf("%s: %v", r.call, err)
		}
		codes[i] = b
	}
	texts := objdumpEach(t, codes, rowAddr)
	for i, r := range rows {
		got := asmRow{r.call, fmt.Sprintf("% x", codes[i]), texts[i]}
		if got != r && !*update {
			t.Errorf("%s\n got %s | %s\nwant %s | %s", r.call, got.hex, got.text, r.hex, r.text)
		}
		rows[i] = got
	}
	if *update {
		rewriteRows(t, rows)
	}
}

// Every instruction method has a row.
func TestAsmTableIsComplete(t *testing.T) {
	helpers := map[string]bool{"PC": true, "Len": true, "Bytes": true, "Label": true, "Bind": true, "Here": true, "Addr": true}
	seen := map[string]bool{}
	for _, r := range readRows(t) {
		seen[r.call[:strings.Index(r.call, "(")]] = true
	}
	typ := reflect.TypeFor[*Asm]()
	for i := range typ.NumMethod() {
		if n := typ.Method(i).Name; !helpers[n] && !seen[n] {
			t.Errorf("no row for %s", n)
		}
	}
}

// Our own decoder finds exactly the instructions the encoder wrote.
func TestAsmTableDecodes(t *testing.T) {
	for _, r := range readRows(t) {
		b, err := hex.DecodeString(strings.ReplaceAll(r.hex, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		for want := strings.Count(r.text, "; ") + 1; want > 0; want-- {
			in, err := Decode(b)
			if err != nil {
				t.Fatalf("%s: % x: %v", r.call, b, err)
			}
			b = b[in.Len:]
		}
		if len(b) != 0 {
			t.Errorf("%s: % x left over", r.call, b)
		}
	}
}

func rewriteRows(t *testing.T, rows []asmRow) {
	old, err := os.ReadFile("testdata/asm.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(old)) {
		if !strings.HasPrefix(line, "#") {
			line = rows[0].call + " | " + rows[0].hex + " | " + rows[0].text + "\n"
			rows = rows[1:]
		}
		out.WriteString(line)
	}
	if err := os.WriteFile("testdata/asm.txt", []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

var (
	objdumpFile = regexp.MustCompile(`(?m)^.*file format binary$`)
	objdumpLine = regexp.MustCompile(`(?m)^ *([0-9a-f]+):\t[^\t\n]*\t(.*)$`)
	spaces      = regexp.MustCompile(` +`)
)

// objdumpEach disassembles each code, all placed at addr; instructions of one
// code are joined by "; ".
func objdumpEach(t testing.TB, codes [][]byte, addr uint64) []string {
	t.Helper()
	dir := t.TempDir()
	args := []string{"-D", "-b", "binary", "-m", "i386:x86-64", "--insn-width=16", fmt.Sprintf("--adjust-vma=%#x", addr)}
	for i, c := range codes {
		name := filepath.Join(dir, fmt.Sprintf("%04d", i))
		if err := os.WriteFile(name, c, 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	out, err := exec.Command("objdump", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("objdump (Debian package binutils): %v\n%s", err, out)
	}
	files := objdumpFile.Split(string(out), -1)[1:]
	if len(files) != len(codes) {
		t.Fatalf("objdump listed %d files, want %d", len(files), len(codes))
	}
	texts := make([]string, len(codes))
	for i, f := range files {
		texts[i] = listing(f)
	}
	return texts
}

func listing(out string) string {
	var insts []string
	for _, m := range objdumpLine.FindAllStringSubmatch(out, -1) {
		insts = append(insts, spaces.ReplaceAllString(strings.TrimSpace(m[2]), " "))
	}
	return strings.Join(insts, "; ")
}

func TestAsmErrors(t *testing.T) {
	for _, c := range []struct {
		call string
		want error
	}{
		{"Jmp(0x80401006)", ErrRelocRange},
		{"Jmp(0x100000000000)", ErrRelocRange},
		{"Jcc(CondE, 0x8000000000)", ErrRelocRange},
		{"MovRegMem(RAX, RIPTo(0x80401007))", ErrRelocRange},
		{"JmpLabelShort(FarBefore)", ErrRelocRange},
		{"JccLabelShort(CondE, FarBefore)", ErrRelocRange},
		{"MovRegMem(RAX, Mem{Base: RAX, Index: RSP})", ErrOperand},
		{"MovRegMem(RAX, Mem{Base: RAX, Index: RCX, Scale: 3})", ErrOperand},
		{"MovRegMem(RAX, Mem{Base: RAX, RIP: true})", ErrOperand},
		{"MovRegMem(None, At(RAX, 0))", ErrOperand},
		{"MovMemReg(At(RAX, 0), None)", ErrOperand},
		{"MovRegReg(RAX, None)", ErrOperand},
		{"MovRegReg(None, RAX)", ErrOperand},
		{"MovRegImm64(None, 0)", ErrOperand},
		{"PushReg(None)", ErrOperand},
		{"Bind(Before)", ErrOperand},
		{"JmpLabel(Unbound)", ErrUnbound},
	} {
		if _, err := assembleRow(c.call); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.call, err, c.want)
		}
	}
}

// The first error stays, whatever follows.
func TestAsmErrorSticks(t *testing.T) {
	a := NewAsm(0)
	a.PushReg(None)
	a.Jmp(1 << 40)
	a.Ret()
	for range 2 {
		if _, err := a.Bytes(); !errors.Is(err, ErrOperand) {
			t.Errorf("got %v, want %v", err, ErrOperand)
		}
	}
}

func TestAsmLabels(t *testing.T) {
	a := NewAsm(0x1000)
	top, out := a.Here(), a.Label()
	if a.Addr(out) != 0 {
		t.Error("an unbound label has an address")
	}
	a.DecMem(At(RDI, 0))
	a.JccLabel(CondE, out)
	a.JmpLabel(top)
	a.Bind(out)
	a.Ret()
	got, err := a.Bytes()
	want := []byte{0x48, 0xff, 0x0f, 0x0f, 0x84, 2, 0, 0, 0, 0xeb, 0xf5, 0xc3}
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got % x, %v, want % x", got, err, want)
	}
	if a.Addr(top) != 0x1000 || a.Addr(out) != 0x100b || a.PC() != 0x100c || a.Len() != 12 {
		t.Errorf("top %#x, out %#x, pc %#x, len %d", a.Addr(top), a.Addr(out), a.PC(), a.Len())
	}
}
