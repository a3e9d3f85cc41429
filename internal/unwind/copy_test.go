package unwind

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/go-delve/delve/pkg/dwarf/frame"

	"github.com/functap/functap/internal/x86"
)

func TestDisplacedRows(t *testing.T) {
	for _, c := range []struct {
		name   string
		window []byte
		want   string
	}{
		{"frame pointer", []byte{0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10},
			"0:8 1:16,6-16 8:32,6-16"},
		{"callee-saved", []byte{0x41, 0x57, 0x41, 0x56, 0x53},
			"0:8 2:16,15-16 4:24,15-16,14-24 5:32,15-16,14-24,3-32"},
		{"stored", []byte{0x48, 0x89, 0x5c, 0x24, 0xf0, 0x48, 0x83, 0xec, 0x18}, // mov %rbx,-16(%rsp); sub $24,%rsp
			"0:8 5:8,3-24 9:32,3-24"},
		{"not callee-saved", []byte{0x50, 0x51, 0x52, 0x56, 0x57}, "0:8 1:16 2:24 3:32 4:40 5:48"},
		{"aligned", []byte{0x4c, 0x8d, 0x54, 0x24, 0x08, 0x48, 0x83, 0xe4, 0xe0, 0x90}, // lea 8(%rsp),%r10; and $-32,%rsp
			"0:8 9:lost"},
		{"lea", []byte{0x48, 0x8d, 0x64, 0x24, 0xd8}, "0:8 5:48"},
		{"compared", []byte{0x48, 0x39, 0xe0, 0x48, 0x85, 0xe4}, "0:8"}, // cmp %rsp,%rax; test %rsp,%rsp
		{"copied", []byte{0x48, 0x89, 0xe0, 0x48, 0x8b, 0xcc}, "0:8"},
		{"exchanged", []byte{0x48, 0x94, 0x90, 0x90, 0x90}, "0:8 2:lost"},
		{"raised too far", []byte{0x48, 0x83, 0xc4, 0x08, 0xc3}, "0:8 4:lost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := x86.Relocate(c.window, 0x401000, 0x500000, x86.RelocateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := rowsText(Displaced(c.window, boundariesOf(r))); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func boundariesOf(r x86.Relocated) (bs []Boundary) {
	for _, m := range r.Moved {
		bs = append(bs, Boundary{int(m.Copy - 0x500000), int(m.Orig - 0x401000), int(m.Pop)})
	}
	return bs
}

func rowsText(rows []Row) (s string) {
	for i, r := range rows {
		if i > 0 {
			s += " "
		}
		if r.RA == Lost {
			s += fmt.Sprintf("%d:lost", r.Off)
			continue
		}
		s += fmt.Sprintf("%d:%d", r.Off, r.CFA)
		for _, k := range r.Kept {
			s += fmt.Sprintf(",%d-%d", k.Reg, k.Off)
		}
	}
	return s
}

// TestDisplacedCall: a displaced call pushes what it returns to; a thread between that
// push and the jump has the stack eight bytes lower.
func TestDisplacedCall(t *testing.T) {
	window := []byte{0x53, 0xe8, 0, 1, 0, 0} // push %rbx; call
	r, err := x86.Relocate(window, 0x401000, 0x500000, x86.RelocateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows := Displaced(window, boundariesOf(r))
	i := slices.IndexFunc(rows, func(r Row) bool { return r.CFA == 24 })
	if i < 0 {
		t.Errorf("no row behind the push: %s", rowsText(rows))
	}
}

// TestDisplacedAgreesWithCompilers compares, for every function of libc and of libstdc++,
// the rules that follow from the instructions of a window with those that the compiler has
// written.
func TestDisplacedAgreesWithCompilers(t *testing.T) {
	for _, path := range []string{libcPath, libstdcxxPath} {
		m := open(t, path)
		n, lost := 0, 0
		for _, fde := range realFDEs(t, m) {
			window := windowAt(m, fde)
			if window == nil {
				continue
			}
			for _, s := range walk(window) {
				n++
				if s.lost {
					lost++
				} else if err := agrees(s, fde); err != nil {
					t.Errorf("%s: %#x+%d, % x: %v", path, fde.Begin(), s.off, window, err)
				}
			}
		}
		if n < 5000 || lost > n/100 {
			t.Errorf("%s: %d boundaries, %d of them lost", path, n, lost)
		}
	}
}

// windowAt are the instructions that a patch of five bytes displaces; nil for code that is
// shorter, or is assembly of whose stack nothing is said.
func windowAt(m Module, fde *frame.FrameDescriptionEntry) []byte {
	if len(bytes.Trim(fde.Instructions, "\x00")) == 0 {
		return nil
	}
	code := m.Bytes(fde.Begin(), int(min(fde.End()-fde.Begin(), 32)))
	if code == nil || code[0] == 0x90 { // landing pads whose entry begins a byte early
		return nil
	}
	size := 0
	for size < 5 {
		in, err := x86.Decode(code[size:])
		if err != nil || !in.FallsThrough() {
			return nil
		}
		size += int(in.Len)
	}
	if uint64(size) >= fde.End()-fde.Begin() {
		return nil
	}
	return code[:size]
}

// agrees compares a state with the compiler's row for the same address.
func agrees(s stackState, fde *frame.FrameDescriptionEntry) error {
	c, err := fde.EstablishFrame(fde.Begin() + uint64(s.off))
	if err != nil {
		return err
	}
	if c.CFA.Rule == frame.RuleCFA && c.CFA.Reg == uint64(RSP) && c.CFA.Offset != int64(s.depth+entryCFA) {
		return fmt.Errorf("CFA rsp+%d, not rsp+%d", c.CFA.Offset, s.depth+entryCFA)
	}
	for reg, rule := range c.Regs {
		want := Kept{Reg(reg), int(-rule.Offset)}
		callers := reg == uint64(RBX) || reg == uint64(RBP) || reg >= uint64(R12) && reg < raColumn
		if callers && rule.Rule == frame.RuleOffset && !slices.Contains(s.kept, want) {
			return fmt.Errorf("register %d lies at CFA%+d, not among %v", reg, rule.Offset, s.kept)
		}
	}
	return nil
}

// realFDEs reads a module's .eh_frame with delve, without what is not called.
func realFDEs(t *testing.T, m Module) frame.FrameDescriptionEntries {
	t.Helper()
	fdes, err := m.FDEs()
	if err != nil || len(fdes) == 0 {
		t.Fatal(err)
	}
	at, b := ehFrame(t, m)
	out, err := frame.Parse(b, binary.LittleEndian, 0, 8, at)
	if err != nil {
		t.Fatal(err)
	}
	fragments := map[uint64]bool{}
	for _, f := range fdes {
		fragments[f.Start] = f.Fragment
	}
	return slices.DeleteFunc(out, func(f *frame.FrameDescriptionEntry) bool { return fragments[f.Begin()] })
}
