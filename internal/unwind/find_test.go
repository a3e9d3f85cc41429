package unwind

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/functap/functap/internal/symbols"
	"github.com/functap/functap/internal/testutils"
)

func TestFindInLibc(t *testing.T) {
	libc := open(t, libcPath)
	s, err := Find([]Module{open(t, libgccPath), libc, open(t, libstdcxxPath)})
	if err != nil {
		t.Fatal(err)
	}
	slots, err := libc.GOTSlots(roGlobals)
	if err != nil {
		t.Fatal(err)
	}
	if s.Pointer == nil || s.Pointer.Module != 1 || !slices.Contains(slots, s.Pointer.GOT) || s.Pointer.Offset <= 0 {
		t.Errorf("pointer %+v, want a word of %#x", s.Pointer, slots)
	}
	iterate, err := libc.Lookup(iteratePhdr)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Entry{1, iterate[0].Addr, AsksIteratePhdr}); len(s.Entries) != 1 || s.Entries[0] != want {
		t.Errorf("entries %v, want %v", s.Entries, want)
	}
	if !s.Unwinds || s.Rule != RuleSignal {
		t.Errorf("services %+v", s)
	}
}

// TestFindWithoutSymbols: in a stripped program the same is found as before.
func TestFindWithoutSymbols(t *testing.T) {
	for _, c := range []struct {
		source string
		v      testutils.Variant
		asks   Function
	}{
		{"unwind.cc", testutils.CXXStatic, AsksFindObject},
		{"unwind.cc", testutils.CXXStaticPIE, AsksFindObject},
		{"unwind_step.c", testutils.CLLVMMusl, AsksIteratePhdr},
	} {
		t.Run(c.v.Name, func(t *testing.T) {
			full := testutils.Build(t, c.source, c.v)
			named, err := open(t, full).Lookup(c.asks.String())
			if err != nil || len(named) != 1 {
				t.Fatalf("%v: %v", named, err)
			}
			s, err := Find([]Module{open(t, strip(t, full))})
			if err != nil {
				t.Fatal(err)
			}
			if want := (Entry{0, named[0].Addr, c.asks}); len(s.Entries) != 1 || s.Entries[0] != want {
				t.Errorf("found %+v, want %+v", s.Entries, want)
			}
		})
	}
}

func strip(t *testing.T, file string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "stripped")
	testutils.RunProgram(t, nil, testutils.Command{
		Path: testutils.Program(t, "strip", "binutils"), Args: []string{"-s", "-o", out, file}})
	return out
}

// TestNothingUnwinds: a Go program without C.
func TestNothingUnwinds(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Find([]Module{open(t, self)})
	if err != nil || s.Unwinds || len(s.Entries) > 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestTwoNamespaces(t *testing.T) {
	_, err := Find([]Module{open(t, libcPath), open(t, libcPath)})
	var why *NotServedError
	if !errors.Is(err, ErrNotServed) || !errors.As(err, &why) || why.Module != libcPath {
		t.Errorf("two libcs: %v", err)
	}
}

// fake is a module of one segment.
type fake struct {
	at     uint64
	code   []byte
	fdes   []symbols.FDE
	names  map[string]uint64
	gots   []uint64
	broken error
}

func (f *fake) Name() string { return "fake" }
func (f *fake) Segments() []symbols.Segment {
	n := uint64(len(f.code))
	return []symbols.Segment{{Vaddr: f.at, Memsz: n, Filesz: n, Flags: elf.PF_R | elf.PF_X}}
}
func (f *fake) Bytes(at uint64, n int) []byte {
	off := at - f.at
	if n < 0 || at < f.at || off > uint64(len(f.code)) || uint64(n) > uint64(len(f.code))-off {
		return nil
	}
	return f.code[off : off+uint64(n)]
}
func (f *fake) Lookup(name string) ([]symbols.Func, error) {
	if at, ok := f.names[name]; ok {
		return []symbols.Func{{Name: name, Addr: at}}, f.broken
	}
	return nil, f.broken
}
func (f *fake) IsGo() bool                        { return false }
func (f *fake) GOTSlots(string) ([]uint64, error) { return f.gots, f.broken }
func (f *fake) FDEs() ([]symbols.FDE, error)      { return f.fdes, f.broken }
func (f *fake) whole() *fake {
	f.fdes = []symbols.FDE{{Start: f.at, End: f.at + uint64(len(f.code))}}
	return f
}

const fakeAt = 0x10000

func TestPointerForms(t *testing.T) {
	const load = "\x48\x8b\x05\x00\x10\x00\x00" // mov 0x1000(%rip), %rax
	pad := strings.Repeat("\x90", 18)
	for _, c := range []struct {
		name, code string
		got        uint64
		want       int32 // 0: not of that form
	}{
		{"glibc", load + "\xff\xa0\x60\x03\x00\x00" + pad, fakeAt + 0x1007, 0x360},
		{"short offset", load + "\xff\x60\x78" + pad, fakeAt + 0x1007, 0x78},
		{"endbr64", "\xf3\x0f\x1e\xfa" + load + "\xff\xa0\x60\x03\x00\x00" + pad, fakeAt + 0x100b, 0x360},
		{"notrack", load + "\x3e\xff\xa0\x60\x03\x00\x00" + pad, fakeAt + 0x1007, 0x360},
		{"r11", "\x4c\x8b\x1d\x00\x10\x00\x00\x41\xff\xa3\x60\x03\x00\x00" + pad, fakeAt + 0x1007, 0x360},
		{"another register", load + "\xff\xa1\x60\x03\x00\x00" + pad, fakeAt + 0x1007, 0},
		{"a call", load + "\xff\x90\x60\x03\x00\x00" + pad, fakeAt + 0x1007, 0},
		{"no offset", load + "\xff\x20" + pad, fakeAt + 0x1007, 0},
		{"odd offset", load + "\xff\xa0\x61\x03\x00\x00" + pad, fakeAt + 0x1007, 0},
		{"negative offset", load + "\xff\x60\xf8" + pad, fakeAt + 0x1007, 0},
		{"lea", "\x48\x8d\x05\x00\x10\x00\x00\xff\xa0\x60\x03\x00\x00" + pad, fakeAt + 0x1007, 0},
		{"32 bits", "\x8b\x05\x00\x10\x00\x00\xff\xa0\x60\x03\x00\x00" + pad, fakeAt + 0x1006, 0},
		{"not of the loader", load + "\xff\xa0\x60\x03\x00\x00" + pad, fakeAt + 0x2000, 0},
		{"cut", load, fakeAt + 0x1007, 0},
		{"nothing", "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fake{at: fakeAt, code: []byte(c.code), names: map[string]uint64{findObject: fakeAt}, gots: []uint64{c.got}}
			s, err := Find([]Module{f.whole()})
			if err != nil {
				t.Fatal(err)
			}
			if c.want == 0 {
				if s.Pointer != nil || len(s.Entries) != 1 || s.Entries[0].Addr != fakeAt {
					t.Errorf("%+v, want the entry", s)
				}
			} else if s.Pointer == nil || s.Pointer.GOT != c.got || s.Pointer.Offset != c.want {
				t.Errorf("pointer %+v, want offset %#x", s.Pointer, c.want)
			}
		})
	}
}

// TestUnwinderNotUnderstood: what shows that somebody unwinds, but not how.
func TestUnwinderNotUnderstood(t *testing.T) {
	compares := []byte(strings.Repeat("\x90", 128) + "\x80\x38\x01\x80\x78\x03\x3b\x75\x02\x90\x90\xc3") // cmpb $1, (%rax); cmpb $0x3b, 3(%rax)
	for name, f := range map[string]*fake{
		"nobody is asked": (&fake{at: fakeAt, code: compares}).whole(),
		"no bounds":       {at: fakeAt, code: compares},
	} {
		if _, err := Find([]Module{f}); !errors.Is(err, ErrNotServed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := &fake{at: fakeAt, code: compares, broken: symbols.ErrMalformed}
	if _, err := Find([]Module{broken}); !errors.Is(err, symbols.ErrMalformed) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// older shows a module without the letter B in any comparison.
type older struct{ *symbols.Module }

func (o older) Bytes(at uint64, n int) []byte {
	b := slices.Clone(o.Module.Bytes(at, n))
	for i := 2; i < len(b); i++ {
		if b[i] == 'B' && b[i-2] == 0x80 && b[i-1]&0xf8 == 0xf8 || b[i] == 'B' && b[i-1] == 0x3c {
			b[i] = 'Z'
		}
	}
	return b
}

func TestRuleByLibgcc(t *testing.T) {
	m := open(t, libgccPath)
	if readsOldAugmentations(m) {
		t.Error("libgcc 12 is taken for an old one")
	}
	if !readsOldAugmentations(older{m}) {
		t.Error("a libgcc without B is taken for a new one")
	}
	s, err := Find([]Module{open(t, libcPath), older{m}})
	if err != nil || s.Rule != RuleOffset {
		t.Errorf("rule %d, %v", s.Rule, err)
	}
}

// FuzzFind: whatever code and bounds say, nothing is found outside of the module, and
// nothing panics.
func FuzzFind(f *testing.F) {
	f.Add([]byte("\x48\x8d\x74\x24\x10\xe8\x10\x00\x00\x00\x85\xc0\x80\x38\x01\x80\x78\x03\x3b\xc3"), []byte{0, 21, 21, 25}, uint8(0))
	f.Add([]byte("\x81\x38\x50\xe5\x74\x64\xc3\x48\x8d\x3d\xf2\xff\xff\xff\xe8\x00\x00\x00\x00\xc3"), []byte{0, 7, 7, 20}, uint8(1))
	f.Add([]byte("\x48\x8b\x05\x00\x00\x00\x00\xff\xa0\x60\x03\x00\x00"), []byte{0, 13}, uint8(2))
	f.Fuzz(func(t *testing.T, code, bounds []byte, kind uint8) {
		m := &fake{at: fakeAt, code: code, gots: []uint64{fakeAt + 7}}
		for ; len(bounds) >= 2; bounds = bounds[2:] {
			m.fdes = append(m.fdes, symbols.FDE{Start: fakeAt + uint64(bounds[0]), End: fakeAt + uint64(bounds[1])})
		}
		slices.SortFunc(m.fdes, func(a, b symbols.FDE) int { return int(a.Start) - int(b.Start) })
		if kind > 1 {
			m.names = map[string]uint64{[]string{findObject, iteratePhdr, unwinderMark}[kind%3]: fakeAt + uint64(kind)}
		}
		s, err := Find([]Module{m})
		if err != nil && !errors.Is(err, ErrNotServed) {
			t.Fatal(err)
		}
		for _, e := range s.Entries {
			if kind <= 1 && m.Bytes(e.Addr, 1) == nil && e.Addr >= fakeAt+256 {
				t.Errorf("found %#x", e.Addr)
			}
		}
	})
}

// FuzzDisplaced: any bytes may be a window.
func FuzzDisplaced(f *testing.F) {
	f.Add([]byte{0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10}, uint16(3))
	f.Fuzz(func(t *testing.T, window []byte, at uint16) {
		b := binary.LittleEndian.AppendUint16(nil, at)
		rows := Displaced(window, []Boundary{{}, {Off: 3, Delta: int(b[0])}, {Off: 9, Delta: int(b[1]), Pop: 8}})
		tab, err := NewTable(make([]byte, testConfig(0).Size(4096)), testTable, testConfig(0))
		if err != nil {
			t.Fatal(err)
		}
		if err := tab.Set(testCode, 64, rows); err != nil {
			t.Errorf("%s: %v", rowsText(rows), err)
		}
	})
}
