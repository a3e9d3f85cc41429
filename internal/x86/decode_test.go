package x86

import (
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

func hexBytes(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// flagNames writes flags in the order of their bits.
func flagNames(f Flags) string {
	s := ""
	for i, c := range "cpazsod" {
		if f>>i&1 != 0 {
			s += string(c)
		}
	}
	if s == "" {
		return "-"
	}
	return s
}

var (
	flowNames   = []string{"-", "jmp", "jcc", "loop", "call", "jmpind", "callind", "ret", "trap", "syscall", "xbegin"}
	mapNames    = []string{"1", "0f", "0f38", "0f3a", "evex4", "evex5", "evex6", "xop8", "xop9", "xopa", "3dnow"}
	prefixNames = []string{"66", "67", "f0", "f2", "f3", "fs", "gs", "seg", "rex", "vex", "evex", "xop"}
)

// properties writes what the right side of a row of testdata/decode.txt says.
func properties(in Inst) string {
	var px []string
	for i, n := range prefixNames {
		if in.Prefix>>i&1 != 0 {
			px = append(px, n)
		}
	}
	p := strings.Join(px, ",")
	if p == "" {
		p = "-"
	}
	if in.REX != 0 {
		p += ":"
		for i, c := range "wrxb" {
			if in.REX>>(3-i)&1 != 0 {
				p += string(c)
			}
		}
	}
	s := fmt.Sprintf("%s %s %s r=%s w=%s", mapNames[in.Map], p, flowNames[in.Flow],
		flagNames(in.FlagsRead), flagNames(in.FlagsWritten))
	for _, x := range []struct {
		on   bool
		name string
	}{{in.RIPRel, " rip"}, {in.IsNop, " nop"}, {in.IsEndbr64, " endbr64"}} {
		if x.on {
			s += x.name
		}
	}
	return s
}

type decodeRow struct {
	line  int
	code  []byte
	parts Inst // the fields that the marks among the bytes tell
	want  string
}

func decodeRows(t testing.TB) (rows []decodeRow) {
	t.Helper()
	text, err := os.ReadFile("testdata/decode.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		left, right, found := strings.Cut(line, "|")
		if !found {
			continue
		}
		r := decodeRow{line: i + 1, want: strings.TrimSpace(right)}
		for _, tok := range strings.Fields(left) {
			r.token(t, tok)
		}
		r.parts.Len = uint8(len(r.code))
		if strings.HasPrefix(r.want, "3dnow") {
			r.parts.Opcode = r.code[len(r.code)-1]
		}
		rows = append(rows, r)
	}
	return rows
}

// token takes one word of the left side of a row.
func (r *decodeRow) token(t testing.TB, tok string) {
	off, mark := uint8(len(r.code)), tok[0]
	// d starts hexadecimal bytes too, but only marked words have an odd length.
	if len(tok)%2 == 0 {
		mark = 0
	} else {
		tok = tok[1:]
	}
	b := hexBytes(t, tok)
	n, p := uint8(len(b)), &r.parts
	switch mark {
	case 0:
		if p.HasSIB() && off == p.ModRMOff+1 {
			p.SIB = b[0]
		}
	case 'o':
		p.Opcode = b[0]
	case 'm':
		p.HasModRM, p.ModRM, p.ModRMOff = true, b[0], off
	case 'd':
		p.DispOff, p.DispLen, p.Disp = off, n, signed(b)
	case 'i':
		p.ImmOff, p.ImmLen = off, n
	case 'r':
		p.RelOff, p.RelLen, p.Rel = off, n, signed(b)
	default:
		t.Fatalf("line %d: mark %q", r.line, mark)
	}
	r.code = append(r.code, b...)
}

func signed(b []byte) int32 {
	if len(b) == 1 {
		return int32(int8(b[0]))
	}
	return int32(binary.LittleEndian.Uint32(b))
}

func TestDecode(t *testing.T) {
	rows := decodeRows(t)
	if len(rows) < 400 {
		t.Fatalf("only %d rows read", len(rows))
	}
	for _, r := range rows {
		in, err := Decode(append(r.code[:len(r.code):len(r.code)], 0x0f, 0x0b, 0x0f, 0x0b))
		if r.want == "unknown" {
			if !errors.Is(err, ErrUnknown) {
				t.Errorf("line %d: % x: got %v, length %d; want ErrUnknown", r.line, r.code, err, in.Len)
			}
			continue
		}
		if err != nil {
			t.Errorf("line %d: % x: %v", r.line, r.code, err)
			continue
		}
		if got := properties(in); got != r.want {
			t.Errorf("line %d: % x: got %s, want %s", r.line, r.code, got, r.want)
		}
		if got := in.parts(); got != r.parts.parts() {
			t.Errorf("line %d: % x:\n got %+v\nwant %+v", r.line, r.code, got, r.parts.parts())
		}
	}
}

// parts blanks the fields that properties shows.
func (i Inst) parts() Inst {
	i.Map, i.Prefix, i.REX, i.Flow, i.FlagsRead, i.FlagsWritten = 0, 0, 0, 0, 0, 0
	i.RIPRel, i.IsNop, i.IsEndbr64 = false, false, false
	return i
}

func TestDecodeTruncated(t *testing.T) {
	for _, r := range decodeRows(t) {
		if r.want == "unknown" {
			continue
		}
		for n := range r.code {
			if _, err := Decode(r.code[:n]); !errors.Is(err, ErrTruncated) {
				t.Errorf("line %d: % x cut to %d bytes: %v", r.line, r.code, n, err)
			}
		}
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	code := hexBytes(t, "62f3f54825057856341210")
	if n := testing.AllocsPerRun(100, func() { _, _ = Decode(code) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTarget(t *testing.T) {
	for _, c := range []struct {
		code string
		want uint64
	}{
		{"e8fbffffff", 0x401000},
		{"eb10", 0x401012},
		{"488d0500000080", 0xffffffff80401007},
		{"c705100000000000000000", 0x40101a},
	} {
		in, err := Decode(hexBytes(t, c.code[:len(c.code)&^1]))
		if err != nil {
			t.Fatal(err)
		}
		if got := in.Target(0x401000); got != c.want {
			t.Errorf("%s: target %#x, want %#x", c.code, got, c.want)
		}
	}
}

// BenchmarkDecode walks over all of libc's code, the way a module is scanned.
func BenchmarkDecode(b *testing.B) {
	f, err := elf.Open(library(b, "libc.so.6", "libc6"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	text, err := f.Section(".text").Data()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for off := 0; off < len(text); n++ {
			in, err := Decode(text[off:])
			off += max(1, int(in.Len))
			if err != nil && off < len(text) && !errors.Is(err, ErrUnknown) {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/inst")
}
