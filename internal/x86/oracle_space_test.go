package x86

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpcodeSpace holds Decode against objdump over every opcode of every map
// with every prefix that can select an instruction and a spread of operands.
//
// For the legacy maps both must agree byte for byte on what is an instruction,
// except where deliberate names a reason. For VEX, EVEX and XOP they must agree
// about each opcode and prefix; Decode leaves L, W and vvvv unchecked, since
// they change no length.
func TestOpcodeSpace(t *testing.T) {
	var legacy []candidate
	for _, escape := range []string{"", "\x0f", "\x0f\x38", "\x0f\x3a"} {
		legacy = append(legacy, legacyCandidates(escape)...)
	}
	t.Run("legacy", func(t *testing.T) {
		t.Parallel()
		compareLegacy(t, legacy)
	})
	for _, enc := range []struct {
		name string
		list []candidate
	}{
		{"VEX", vexCandidates(0xc4, 1, 2, 3)},
		{"XOP", vexCandidates(0x8f, 8, 9, 10)},
		{"EVEX", evexCandidates()},
	} {
		t.Run(enc.name, func(t *testing.T) {
			t.Parallel()
			compareVector(t, enc.list)
		})
	}
}

// candidate is bytes that may start an instruction. Those of one class differ
// only in operands and in bits that select no other instruction.
type candidate struct {
	code  []byte
	class string
}

var mandatoryPrefixes = []string{"", "\x66", "\xf3", "\xf2"}

func legacyCandidates(escape string) (list []candidate) {
	for op := range 256 {
		if escape == "" && skipOpcode(byte(op)) || escape == "\x0f" && (op == 0x38 || op == 0x3a) {
			continue
		}
		for _, p := range mandatoryPrefixes {
			for _, rex := range []string{"", "\x48"} {
				for _, m := range modrms(len(escape) < 2) {
					if escape == "" && op == 0x8f && m&0x1f >= 8 {
						continue // XOP
					}
					code := append([]byte(p+rex+escape), byte(op), m, 0x24, 0x9e)
					list = append(list, candidate{code, ""})
				}
			}
		}
	}
	return list
}

// skipOpcode leaves out the prefixes and what starts other encodings. fwait is
// for objdump a part of the instruction behind it.
func skipOpcode(b byte) bool {
	switch b {
	case 0x0f, 0x62, 0xc4, 0xc5, 0x9b:
		return true
	}
	return prefixes[b] != 0
}

// modrms is all register forms, or some, and memory forms of all kinds.
func modrms(all bool) (list []byte) {
	for m := range 256 {
		if m >= 0xc0 && (all || m&7 < 3) || m&7 == 0 || m&0xc7 == 5 || m == 0x44 || m == 0x84 || m == 0x0c {
			list = append(list, byte(m))
		}
	}
	return list
}

func vexCandidates(first byte, maps ...byte) (list []candidate) {
	for _, m := range maps {
		for op := range 256 {
			for bits := range 32 { // W, L, pp and a bit of vvvv
				wpp := byte(bits&1)<<7 | byte(bits&2)<<1 | byte(bits>>2&3) | 0x38 | byte(bits>>4)<<6
				class := fmt.Sprintf("%x map %x opcode %02x pp %d", first, m, op, wpp&3)
				for _, mod := range []byte{0x00, 0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x0c, 0x5c, 0xc0, 0xc9, 0xd0, 0xd9, 0xe0, 0xf0, 0xf8} {
					list = append(list, candidate{[]byte{first, 0xe0 | m, wpp, byte(op), mod, 0x48, 0x05}, class})
				}
			}
		}
	}
	return list
}

func evexCandidates() (list []candidate) {
	for _, m := range []byte{1, 2, 3, 5, 6} {
		for op := range 256 {
			for bits := range 96 { // W, pp, broadcast, mask, L'L
				p1 := byte(bits&1)<<7 | byte(bits>>1&3) | 0x7c
				p2 := byte(bits>>5)<<5 | byte(bits>>3&1)<<4 | byte(bits>>4&1) | 8
				class := fmt.Sprintf("EVEX map %x opcode %02x pp %d", m, op, p1&3)
				for _, mod := range []byte{0x08, 0x10, 0x20, 0x30, 0x38, 0x0c, 0x1c, 0xc9, 0xe0} {
					list = append(list, candidate{[]byte{0x62, 0xf0 | m, p1, p2, byte(op), mod, 0x48, 0x05}, class})
				}
			}
		}
	}
	return list
}

// verdict is what objdump says of a candidate: its length, 0 when bad.
type verdict struct {
	len  int
	text string
}

// slot is the bytes between candidates. objdump skips zeros in fours, so a
// one-byte instruction in front of each candidate is what brings it back in
// step.
const slot = 32

func judge(t *testing.T, list []candidate) []verdict {
	t.Helper()
	image := make([]byte, slot*(len(list)+1))
	for i, c := range list {
		image[slot*i+slot-1] = 0xc3
		copy(image[slot*(i+1):], c.code)
	}
	file := filepath.Join(t.TempDir(), "space")
	if err := os.WriteFile(file, image, 0o600); err != nil {
		t.Fatal(err)
	}
	out := make([]verdict, len(list))
	eachLine(t, func(addr uint64, n int, text []byte) {
		if addr%slot != 0 || addr == 0 {
			return
		}
		v := verdict{n, string(text)}
		if isData(text) || bytes.Contains(text, []byte("%?")) {
			v.len = 0
		}
		out[addr/slot-1] = v
	}, "-D", "-w", "-b", "binary", "-m", "i386:x86-64", file)
	return out
}

func decodePadded(c candidate) (Inst, error) {
	var b [slot]byte
	copy(b[:], c.code)
	return Decode(b[:])
}

func compareLegacy(t *testing.T, list []candidate) {
	reasons := map[string]int{}
	wrong := 0
	for i, v := range judge(t, list) {
		if v.text == "" {
			t.Fatalf("no verdict about % x", list[i].code)
		}
		in, err := decodePadded(list[i])
		if (err == nil) == (v.len != 0) && (err != nil || int(in.Len) == v.len) {
			continue
		}
		if why := deliberate(list[i].code, err == nil, v.text); why != "" {
			reasons[why]++
			continue
		}
		if wrong++; wrong <= 40 {
			t.Errorf("% x: objdump: %d bytes, %s; Decode: %d bytes, %v", list[i].code, v.len, v.text, in.Len, err)
		}
	}
	t.Logf("%d candidates, %d differ; on purpose: %v", len(list), wrong, reasons)
}

// deliberate gives the reason why Decode may differ from objdump.
func deliberate(code []byte, decoded bool, text string) string {
	var opcode []byte // from the escape on
	opSize := false
	for i, b := range code {
		if p := prefixes[b]; p == 0 {
			opcode = code[i:]
			break
		}
		opSize = opSize || b == 0x66
	}
	word, _, _ := strings.Cut(text, " ")
	switch {
	case !decoded && opSize && isRelativeBranch(opcode):
		return "16-bit branches are refused"
	case !decoded && opcode[0] == 0x8e && opcode[1]&0x38 == 8:
		return "objdump knows no segment register that cannot be moved to"
	case !decoded && opcode[0] == 0x0f && opcode[1]&^3 == 0x20:
		return "mov to and from control registers is refused with an odd ModRM"
	case !decoded && opcode[0] == 0x0f && (word == "data16" || word == "repz" || word == "repnz"):
		return "objdump prints a prefix that has no meaning there and may fault"
	case decoded && opcode[0] == 0x0f && opcode[1]&^1 == 0x1a:
		return "bound registers are not checked"
	case decoded && bytes.HasPrefix(opcode, []byte{0x0f, 0xa6, 0xe0}):
		return "objdump does not know xsha512"
	}
	return ""
}

func isRelativeBranch(opcode []byte) bool {
	b := opcode[0]
	switch {
	case b == 0x0f:
		return opcode[1]&0xf0 == 0x80
	case b == 0xc7:
		return opcode[1] == 0xf8
	}
	return b&0xf0 == 0x70 || b&^3 == 0xe0 || b == 0xe8 || b == 0xe9 || b == 0xeb
}

// incomparable lists opcodes and prefixes about which objdump cannot be asked:
// those where it takes prefixes that the manuals do not allow, and those newer
// than it (2.40), which testdata/decode.txt has from another assembler.
var incomparable = func() map[string]bool {
	m := map[string]bool{}
	for _, c := range []struct{ class, pps string }{
		{"c4 map 1 opcode 77", "123"},  // vzeroupper
		{"c4 map 1 opcode ae", "123"},  // vldmxcsr
		{"c4 map 2 opcode 6c", "01"},   // tcmmimfp16ps, tcmmrlfp16ps
		{"c4 map 2 opcode cb", "3"},    // vsha512rnds2
		{"c4 map 2 opcode cc", "3"},    // vsha512msg1
		{"c4 map 2 opcode cd", "3"},    // vsha512msg2
		{"c4 map 2 opcode d2", "012"},  // vpdpwsud ..
		{"c4 map 2 opcode d3", "012"},  // vpdpwsuds ..
		{"c4 map 2 opcode da", "0123"}, // vsm3msg1, vsm3msg2, vsm4key4, vsm4rnds4
		{"c4 map 3 opcode de", "1"},    // vsm3rnds2
	} {
		for _, pp := range c.pps {
			m[c.class+" pp "+string(pp)] = true
		}
	}
	return m
}()

func compareVector(t *testing.T, list []candidate) {
	type count struct{ ours, theirs int }
	classes := map[string]count{}
	wrong := 0
	for i, v := range judge(t, list) {
		if v.text == "" {
			t.Fatalf("no verdict about % x", list[i].code)
		}
		if incomparable[list[i].class] {
			continue
		}
		in, err := decodePadded(list[i])
		n := classes[list[i].class]
		if v.len != 0 {
			n.theirs++
		}
		if err == nil {
			n.ours++
		}
		classes[list[i].class] = n
		if v.len != 0 && (err != nil || int(in.Len) != v.len) {
			if wrong++; wrong <= 40 {
				t.Errorf("% x: objdump: %d bytes, %s; Decode: %d bytes, %v", list[i].code, v.len, v.text, in.Len, err)
			}
		}
	}
	for class, n := range classes {
		if n.theirs == 0 && n.ours != 0 {
			wrong++
			t.Errorf("%s: objdump knows no such instruction", class)
		}
	}
	t.Logf("%d candidates of %d opcodes and prefixes, %d wrong", len(list), len(classes), wrong)
}
