package unwind

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-delve/delve/pkg/dwarf/frame"
)

const (
	testCode  = 0x7f1200000000
	testTable = 0x7f1200100000
)

var testFrames = Frames{Addr: 0x7e9911220000, Mask: 0xffff, Home: 0x7e9911621000, HomeMask: 0x3ffff}

func testConfig(r Rule) Config {
	return Config{Code: testCode, CodeSize: 1 << 20, Frames: testFrames, Rule: r}
}

func newTestTable(t *testing.T, c Config, fdes int) *Table {
	t.Helper()
	tab, err := NewTable(make([]byte, c.Size(fdes)), testTable, c)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// parse reads the .eh_frame with delve. It refuses the letter B, which other
// readers skip, so it gets to see an S in its place.
func (t *Table) parse(test *testing.T) frame.FrameDescriptionEntries {
	test.Helper()
	b := bytes.Replace(t.mem[t.ehAt:t.end+4], []byte("zRBS\x00"), []byte("zRSS\x00"), 1)
	fdes, err := frame.Parse(b, binary.LittleEndian, 0, 8, t.at+uint64(t.ehAt))
	if err != nil {
		test.Fatal(err)
	}
	return fdes
}

// search looks pc up as readers of .eh_frame_hdr do, and returns the unit's
// bounds as the row and the FDE have them.
func (t *Table) search(pc uint64) (start, size uint64, ok bool) {
	le := binary.LittleEndian
	hdr := t.at + headerAt
	row := func(i int) uint64 { return hdr + uint64(int64(int32(le.Uint32(t.mem[rowsAt+8*i:])))) }
	lo, hi := 0, int(le.Uint32(t.mem[countAt:]))
	for lo < hi {
		mid := (lo + hi) / 2
		if pc < row(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if hi == 0 {
		return 0, 0, false
	}
	fde := t.rowFDE(hi - 1)
	size = uint64(le.Uint32(t.mem[fde+12:]))
	return row(hi - 1), size, pc < row(hi-1)+size
}

// testProgram has a part of the way out behind its end.
var testProgram = Wrapped([]Point{
	{0, Before, 0}, {0x90, Dropped, 0}, {0x95, Calling, 0}, {0x9a, Returned, 0}, {0x123, Restored, 0},
	{0x170, Leaving, 0}, {0x171, Before, 0}, {0x180, Returned, 0}, {0x190, Restored, 0}, {0x1a0, Before, 0},
})

func TestRowsAtEachStage(t *testing.T) {
	for _, rule := range []Rule{RuleSignal, RuleOffset} {
		tab := newTestTable(t, testConfig(rule), 4096)
		if err := tab.Set(testCode+0x40, 0x200, testProgram); err != nil {
			t.Fatal(err)
		}
		at := func(off uint64) *frame.FrameContext { return rowAt(t, tab, testCode+0x40+off) }
		for _, off := range []uint64{0, 0x8f, 0x170, 0x17f, 0x1a0, 0x1ff} {
			requireSlot(t, at(off), 8, rule)
		}
		for _, off := range []uint64{0x90, 0x95, 0x123, 0x16f, 0x190, 0x19f} {
			requireSlot(t, at(off), 0, rule)
		}
		for _, off := range []uint64{0x96, 0x99, 0x122, 0x180, 0x18f} {
			requireFrame(t, at(off), tab.searchRule(), rule)
		}
	}
}

// searchRule is the expression in the CIE of programs: behind the CFA, register and length.
func (t *Table) searchRule() []byte {
	b := t.mem[t.framed:t.end]
	i := bytes.Index(b, []byte{cfaDefCFA, 7, 8, cfaValExpression, raColumn}) + 6
	return b[i : i+int(b[i-1])]
}

func rowAt(t *testing.T, tab *Table, pc uint64) *frame.FrameContext {
	t.Helper()
	fde, err := tab.parse(t).FDEForPC(pc)
	if err != nil {
		t.Fatal(err)
	}
	c, err := fde.EstablishFrame(pc)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// requireSlot: the return address is in the word below the CFA.
func requireSlot(t *testing.T, c *frame.FrameContext, cfa int64, rule Rule) {
	t.Helper()
	if c.CFA.Reg != uint64(RSP) || c.CFA.Offset != cfa {
		t.Errorf("CFA is register %d%+d, not rsp%+d", c.CFA.Reg, c.CFA.Offset, cfa)
	}
	ra := c.Regs[raColumn]
	if rule == RuleOffset {
		if ra.Rule != frame.RuleOffset || ra.Offset != -8 {
			t.Errorf("return address: %+v", ra)
		}
		return
	}
	got, err := evaluate(ra.Expression, 0x1000, func(a uint64) uint64 { return a * 2 })
	if want := uint64(2*0xff8 - 1); got != want || err != nil {
		t.Errorf("return address %#x, want %#x: %v", got, want, err)
	}
}

// requireFrame: the return address is in a frame; the CFA is the stack pointer.
// search is the CIE's expression as it lies in the table: delve has gone over its own
// copy by now.
func requireFrame(t *testing.T, c *frame.FrameContext, search []byte, rule Rule) {
	t.Helper()
	cfaOff, less := int64(0), uint64(1)
	if rule == RuleOffset {
		cfaOff, less = 1, 0
		sp := c.Regs[uint64(RSP)]
		if got, err := evaluate(sp.Expression, 0x1001, nil); got != 0x1000 || err != nil {
			t.Errorf("stack pointer %#x from CFA 0x1001: %v", got, err)
		}
	}
	if c.CFA.Reg != uint64(RSP) || c.CFA.Offset != cfaOff {
		t.Errorf("CFA is register %d%+d, not rsp%+d", c.CFA.Reg, c.CFA.Offset, cfaOff)
	}
	if ra := c.Regs[raColumn]; ra.Rule != frame.RuleValExpression || len(ra.Expression) != len(search) {
		t.Errorf("return address: %+v", ra)
	}
	const slot, ra = 0x7ffc12345678, 0x401234
	home := testFrames.Home + FrameSize*((slot>>homeShift*homeFactor+slot>>wordShift)&uint64(testFrames.HomeMask))
	mem := map[uint64]uint64{home: slot, home + frameRA: ra}
	if got, err := evaluate(search, slot+8+uint64(cfaOff), func(a uint64) uint64 { return mem[a] }); got != ra-less || err != nil {
		t.Errorf("frame at home: return address %#x, want %#x: %v", got, ra-less, err)
	}
	for at := range Window + 1 {
		entry := testFrames.Addr + FrameSize*uint64(int(Hash(slot, testFrames.Mask))+at)
		mem := map[uint64]uint64{entry: slot, entry + frameRA: ra}
		got, err := evaluate(search, slot+8+uint64(cfaOff), func(a uint64) uint64 { return mem[a] })
		want := ra - less
		if at == Window {
			want = 0 // nobody looks that far
		}
		if got != want || err != nil {
			t.Errorf("frame %d behind its hash: return address %#x, want %#x: %v", at, got, want, err)
		}
	}
}

// TestRowsComeAndGo registers and forgets units at random places, and after each
// change every address is found or not found as it should be.
func TestRowsComeAndGo(t *testing.T) {
	c := testConfig(RuleSignal)
	c.CodeSize = 64 * Granule
	tab := newTestTable(t, c, 64*64)
	rng := rand.New(rand.NewPCG(1, 2))
	live := map[uint64]uint64{}
	for range 3000 {
		at, size := testCode+Granule*rng.Uint64N(64), 1+rng.Uint64N(100)
		if _, ok := live[at]; ok {
			tab.Clear(at)
			delete(live, at)
		} else if err := tab.Set(at, int(size), Wrapped([]Point{{0, Calling, 0}})); err == nil {
			live[at] = size
		} else if !errors.Is(err, ErrRange) || fits(live, at, size) {
			t.Fatalf("%d bytes at %#x: %v", size, at, err)
		}
		requireFound(t, tab, live)
	}
	if n := len(tab.parse(t)); n > 64+3 {
		t.Errorf("%d FDEs: none were used again", n)
	}
}

func fits(live map[uint64]uint64, at, size uint64) bool {
	up := func(n uint64) uint64 { return (n + Granule - 1) / Granule * Granule }
	for a, n := range live {
		if at < a+up(n) && a < at+up(size) {
			return false
		}
	}
	return at+up(size) <= testCode+64*Granule
}

func requireFound(t *testing.T, tab *Table, live map[uint64]uint64) {
	t.Helper()
	for pc := uint64(testCode); pc < testCode+64*Granule; pc += 4 {
		start, size, ok := tab.search(pc)
		want, wantOK := uint64(0), false
		for a, n := range live {
			if pc >= a && pc < a+n {
				want, wantOK = a, true
			}
		}
		if ok != wantOK || ok && (start != want || size != live[want]) {
			t.Fatalf("%#x is in %#x+%#x (%v), want %#x (%v)", pc, start, size, ok, want, wantOK)
		}
	}
}

// TestSearchDuringChanges: a reader that runs in the middle of any change finds
// what is not concerned by it.
func TestSearchDuringChanges(t *testing.T) {
	c := testConfig(RuleSignal)
	c.CodeSize = 32 * Granule
	tab := newTestTable(t, c, 4096)
	for _, at := range []uint64{0, 31} {
		if err := tab.Set(testCode+at*Granule, Granule, Plain()); err != nil {
			t.Fatal(err)
		}
	}
	before := slices.Clone(tab.mem)
	if err := tab.Set(testCode+5*Granule, 9*Granule, Plain()); err != nil {
		t.Fatal(err)
	}
	after := slices.Clone(tab.mem)
	copy(tab.mem, before)
	for row := 5; row < 14; row++ { // the order in which Set stores
		off := rowsAt + row*rowSize
		copy(tab.mem[off:off+8], after[off:])
		requireOthers(t, tab, row)
	}
	for row := 13; row >= 5; row-- { // and Clear
		off := rowsAt + row*rowSize
		copy(tab.mem[off:off+8], before[off:])
		requireOthers(t, tab, row)
	}
}

func requireOthers(t *testing.T, tab *Table, row int) {
	t.Helper()
	for _, i := range []uint64{0, 31} {
		if start, _, ok := tab.search(testCode + i*Granule + 3); !ok || start != testCode+i*Granule {
			t.Errorf("while row %d changes, unit %d is found at %#x (%v)", row, i, start, ok)
		}
	}
	last := uint32(0)
	for i := range 32 {
		at := binary.LittleEndian.Uint32(tab.mem[rowsAt+8*i:])
		if int32(at-last) < 0 && i > 0 {
			t.Errorf("while row %d changes, row %d is out of order", row, i)
		}
		last = at
	}
}

func TestTableIsFull(t *testing.T) {
	c := testConfig(RuleSignal)
	tab := newTestTable(t, c, 100)
	n, at := 0, uint64(testCode)
	for ; n < 1000; n++ {
		err := tab.Set(at, Granule, Plain())
		if errors.Is(err, ErrFull) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		at += Granule
	}
	if n < 3 || n > 10 {
		t.Fatalf("%d units in 100 bytes", n)
	}
	for i := range uint64(n) {
		if _, _, ok := tab.search(testCode + i*Granule); !ok {
			t.Errorf("unit %d is not found", i)
		}
	}
	tab.Clear(testCode)
	if err := tab.Set(testCode, Granule, Plain()); err != nil {
		t.Errorf("after one was cleared: %v", err)
	}
}

func TestTableRefuses(t *testing.T) {
	tab := newTestTable(t, testConfig(RuleSignal), 4096)
	if err := tab.Set(testCode, 64, Plain()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		at   uint64
		size int
		rows []Row
	}{
		{"no rows", testCode + 64, 16, nil},
		{"rows that begin late", testCode + 64, 16, []Row{{Off: 1}}},
		{"rows that begin in a frame", testCode + 64, 16, []Row{{RA: InFrame}}},
		{"rows out of order", testCode + 64, 16, []Row{{}, {Off: 9}, {Off: 3}}},
		{"rows behind the end", testCode + 64, 16, []Row{{}, {Off: 17}}},
		{"below the code", testCode - 16, 16, Plain()},
		{"behind the code", testCode + 1<<20, 16, Plain()},
		{"over the end", testCode + 1<<20 - 16, 17, Plain()},
		{"not aligned", testCode + 72, 8, Plain()},
		{"nothing", testCode + 64, 0, Plain()},
		{"taken", testCode + 48, 32, Plain()},
	} {
		if err := tab.Set(c.at, c.size, c.rows); !errors.Is(err, ErrRange) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	far := testConfig(RuleSignal)
	far.Code += 1 << 32
	if _, err := NewTable(make([]byte, far.Size(0)), testTable, far); !errors.Is(err, ErrRange) {
		t.Errorf("code 4 GiB away: %v", err)
	}
	if _, err := NewTable(make([]byte, 100), testTable, testConfig(RuleSignal)); !errors.Is(err, ErrFull) {
		t.Errorf("100 bytes: %v", err)
	}
}

func TestHeader(t *testing.T) {
	tab := newTestTable(t, testConfig(RuleSignal), 4096)
	le := binary.LittleEndian
	b := tab.mem[headerAt:]
	if !bytes.Equal(b[:4], []byte{1, 0x1b, 3, 0x3b}) {
		t.Errorf("header % x", b[:4])
	}
	if got := headerAt + 4 + int(le.Uint32(b[4:])); got != tab.ehAt {
		t.Errorf(".eh_frame at %#x, want %#x", got, tab.ehAt)
	}
	addr, size := tab.Header()
	if addr != testTable+headerAt || addr%4 != 0 || headerAt+int(size) > tab.ehAt {
		t.Errorf("header at %#x, %#x bytes", addr, size)
	}
}
