package unwind

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/symbols"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/internal/x86"
)

// target is a victim with an arena, made as the product does it, except that the
// victim maps the memory itself and nobody is stopped.
type target struct {
	t     *testing.T
	v     *testutils.Victim
	at    uint64
	mem   []byte // of all
	cfg   Config
	data  *Data
	parts [2]part // the code is two ranges, which take turns
	turn  int
	body  []uint64
	file  *os.File // its memory
	undo  []func() // what serve has written
}

// part is one range of code with its table.
type part struct {
	table     *Table
	next, end uint64 // free code
}

// The arena of a target: code, then what is written.
const (
	codeSize  = 1 << 20
	dataAt    = codeSize
	slotsAt   = codeSize + 8<<10
	bodiesAt  = codeSize + 12<<10
	tablesAt  = codeSize + 16<<10
	tableSize = 1 << 20
	arenaSize = 4 << 20
	framesAt  = 0x100000000000 // far above what 32 bits reach
	frameMask = 0xffff
	homeAt    = framesAt + arena.HomeOff
)

// start starts the victim and gives it an arena in reach of the modules that bring
// what unwinders ask.
func start(t *testing.T, rule Rule, binary string, args ...string) *target {
	t.Helper()
	return startAt(t, false, rule, binary, args...)
}

// startNear has the arena in reach of the program, and not of libc.
func startNear(t *testing.T, rule Rule, binary string, args ...string) *target {
	t.Helper()
	return startAt(t, true, rule, binary, args...)
}

func startAt(t *testing.T, near bool, rule Rule, binary string, args ...string) *target {
	t.Helper()
	g := &target{t: t, v: testutils.Start(t, binary, args...)}
	g.body = make([]uint64, 5)
	info := g.v.Report().Info
	for i := range g.body {
		g.body[i] = info[fmt.Sprintf("body%d", i)]
	}
	g.at = g.place(near)
	g.cfg = Config{Code: g.at, CodeSize: codeSize, Frames: Frames{framesAt, frameMask, homeAt, arena.HomeMask}, Rule: rule}
	g.share()
	var err error
	if g.data, err = NewData(g.mem[dataAt:], g.at+dataAt); err != nil {
		t.Fatal(err)
	}
	for i := range g.parts {
		g.parts[i] = g.part(uint64(i))
	}
	return g
}

func (g *target) part(i uint64) part {
	g.t.Helper()
	c := g.cfg
	c.CodeSize /= 2
	c.Code += i * c.CodeSize
	at := tablesAt + i*tableSize
	table, err := NewTable(g.mem[at:at+tableSize], g.at+at, c)
	if err != nil {
		g.t.Fatal(err)
	}
	if err := g.data.AddRange(table); err != nil {
		g.t.Fatal(err)
	}
	return part{table, c.Code, c.Code + c.CodeSize}
}

// share makes the file that both map.
func (g *target) share() {
	name := filepath.Join(g.t.TempDir(), "arena")
	f, err := os.Create(name)
	if err != nil {
		g.t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(arenaSize); err != nil {
		g.t.Fatal(err)
	}
	g.mem, err = syscall.Mmap(int(f.Fd()), 0, arenaSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() {
		if err := syscall.Munmap(g.mem); err != nil {
			g.t.Error(err)
		}
	})
	frames := homeAt - framesAt + (arena.HomeMask+1)*FrameSize
	g.v.Do(fmt.Sprintf("arena %s %x %x %x %x %x", name, g.at, codeSize, arenaSize, uint64(framesAt), frames), "mapped")
}

func (g *target) maps() []procfs.Mapping {
	g.t.Helper()
	maps, err := procfs.Maps(g.v.PID())
	if err != nil {
		g.t.Fatal(err)
	}
	return maps
}

// place is a hole below libc, or above a static program.
func (g *target) place(near bool) uint64 {
	maps := g.maps()
	at := uint64(0)
	for _, m := range maps {
		if !near && strings.Contains(m.Path, "libc.so") || !near && strings.Contains(m.Path, "ld-musl") {
			at = m.Start&^0xfffff - 0x8000000
			break
		}
		if at == 0 && strings.HasPrefix(m.Path, "/") {
			at = m.Start&^0xfffff + 0x48000000
		}
	}
	for ; ; at -= arenaSize {
		if !slices.ContainsFunc(maps, func(m procfs.Mapping) bool { return at < m.End && m.Start < at+arenaSize }) {
			return at
		}
	}
}

// add puts code into the arena.
func (g *target) add(gen func(at uint64) ([]byte, []Row)) uint64 {
	g.t.Helper()
	p := &g.parts[g.turn]
	g.turn = 1 - g.turn
	at := p.next
	code, rows := gen(at)
	p.next += (uint64(len(code)) + Granule - 1) &^ (Granule - 1)
	if p.next > p.end {
		g.t.Fatal("the arena is full")
	}
	copy(g.mem[at-g.at:], code)
	if err := p.table.Set(at, len(code), rows); err != nil {
		g.t.Fatal(err)
	}
	return at
}

// wrap lets calls through the slots run through new programs.
func (g *target) wrap() {
	g.t.Helper()
	for i, body := range g.body {
		store64(g.mem, bodiesAt+8*i, body)
		at := g.add(func(at uint64) ([]byte, []Row) {
			code, rows, err := wrapper(at, g.cfg, g.at+uint64(bodiesAt+8*i))
			if err != nil {
				g.t.Fatal(err)
			}
			return code, rows
		})
		store64(g.mem, slotsAt+8*i, at)
	}
}

func (g *target) useSlots() {
	g.t.Helper()
	g.v.Do(fmt.Sprintf("slots %x", g.at+slotsAt), "set")
}

// loaded is a module of the target.
type loaded struct {
	*symbols.Module
	bias uint64
}

// modules opens all files with code that are mapped.
func (g *target) modules() (mods []Module) {
	g.t.Helper()
	bases := map[string]uint64{}
	for _, m := range g.maps() {
		if m.Offset == 0 && strings.HasPrefix(m.Path, "/") && bases[m.Path] == 0 {
			bases[m.Path] = m.Start
		}
	}
	for path, base := range bases {
		m, err := symbols.Open(path)
		if err != nil {
			continue
		}
		g.t.Cleanup(func() { m.Close() })
		mods = append(mods, loaded{m, base - m.Segments()[0].Vaddr&^0xfff})
	}
	return mods
}

func (g *target) memory() *os.File {
	g.t.Helper()
	if g.file == nil {
		f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", g.v.PID()), os.O_RDWR, 0)
		if err != nil {
			g.t.Fatal(err)
		}
		g.t.Cleanup(func() { f.Close() })
		g.file = f
	}
	return g.file
}

func (g *target) peek(addr uint64, n int) []byte {
	g.t.Helper()
	b := make([]byte, n)
	if _, err := g.memory().ReadAt(b, int64(addr)); err != nil {
		g.t.Fatalf("reading %#x: %v", addr, err)
	}
	return b
}

func (g *target) word(addr uint64) uint64 { return binary.LittleEndian.Uint64(g.peek(addr, 8)) }

func (g *target) poke(addr uint64, b []byte) {
	g.t.Helper()
	if _, err := g.memory().WriteAt(b, int64(addr)); err != nil {
		g.t.Fatalf("writing %#x: %v", addr, err)
	}
}

// serve replaces what Find says is to be replaced, or only some of it.
func (g *target) serve(wanted ...Function) Services {
	g.t.Helper()
	mods := g.modules()
	s, err := Find(mods)
	if err != nil {
		g.t.Fatal(err)
	}
	want := func(f Function) bool { return len(wanted) == 0 || wanted[0] == f }
	n := 0
	if p := s.Pointer; p != nil && want(AsksFindObject) {
		word := g.word(mods[p.Module].(loaded).bias+p.GOT) + uint64(int64(p.Offset))
		original := g.word(word)
		g.data.SetOriginal(n, original)
		g.undo = append(g.undo, func() { g.poke(word, binary.LittleEndian.AppendUint64(nil, original)) })
		g.poke(word, binary.LittleEndian.AppendUint64(nil, g.answer(AsksFindObject, n)))
		n++
	}
	for _, e := range s.Entries {
		if want(e.Function) {
			g.hookEntry(mods[e.Module].(loaded).bias+e.Addr, e.Function, n)
			n++
		}
	}
	if n == 0 {
		g.t.Fatalf("nothing was served: %+v", s)
	}
	return s
}

// answer adds a stand-in and returns its entry.
func (g *target) answer(f Function, original int) uint64 {
	g.t.Helper()
	generate := FindObject
	if f == AsksIteratePhdr {
		generate = IteratePhdr
	}
	var entry int
	at := g.add(func(at uint64) ([]byte, []Row) {
		c, err := generate(at, g.data.Addr(), original)
		if err != nil {
			g.t.Fatal(err)
		}
		entry = c.Entry
		return c.Bytes, c.Rows
	})
	return at + uint64(entry)
}

// hookEntry diverts a function by a jump at its entry.
func (g *target) hookEntry(addr uint64, f Function, original int) {
	g.t.Helper()
	code, size := g.peek(addr, 32), 0
	for size < 5 {
		in, err := x86.Decode(code[size:])
		if err != nil {
			g.t.Fatal(err)
		}
		size += int(in.Len)
	}
	window := code[:size]
	copyAt := g.add(func(at uint64) ([]byte, []Row) {
		r, err := x86.Relocate(window, addr, at, x86.RelocateOptions{})
		if err != nil {
			g.t.Fatal(err)
		}
		var bs []Boundary
		for _, m := range r.Moved {
			bs = append(bs, Boundary{Off: int(m.Copy - at), Delta: int(m.Orig - addr), Pop: int(m.Pop)})
		}
		return r.Bytes, Displaced(window, bs)
	})
	g.data.SetOriginal(original, copyAt)
	a := x86.NewAsm(addr)
	a.Jmp(g.answer(f, original))
	jump, err := a.Bytes()
	if err != nil {
		g.t.Fatal(err)
	}
	g.undo = append(g.undo, func() { g.poke(addr, window) })
	g.poke(addr, jump)
}

// detach puts everything back: what serve has written, and the original return address
// into each slot that still holds one of ours.
func (g *target) detach() (slots int) {
	g.t.Helper()
	for _, undo := range g.undo {
		undo()
	}
	frames := g.peek(framesAt, homeAt-framesAt+(arena.HomeMask+1)*FrameSize)
	le := binary.LittleEndian
	for ; len(frames) > 0; frames = frames[FrameSize:] {
		slot := le.Uint64(frames)
		if slot != 0 && slot>>57 == 0 && g.word(slot)-g.at < codeSize {
			g.poke(slot, frames[frameRA:frameRA+8])
			slots++
		}
	}
	return slots
}
