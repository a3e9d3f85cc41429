package hook

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/codegen"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
)

// privateBytes is the private mapping's first content: the this-process word,
// and in each area the address of its claim word.
func (b *builder) privateBytes() []byte {
	out := make([]byte, b.layout.PrivSize)
	binary.LittleEndian.PutUint64(out, 1)
	for i := range b.layout.Areas {
		binary.LittleEndian.PutUint64(out[arena.AreasOff+i*arena.AreaSize+arena.AreaClaims:], b.arena.ClaimAddr(i))
	}
	return out
}

// setAreaCells writes into every area where its cells in a new arena are. No
// program of that arena exists yet, so nobody reads these words.
func (p *Process) setAreaCells(mem *ptrace.Mem, s *session, a *arena.Arena) error {
	if !a.HasAreaCells() || s.noGS {
		return nil
	}
	all := make([]byte, a.AreaCount*arena.AreaSize)
	if a.Index == 0 {
		return p.writeFirstCells(mem, a)
	}
	if _, err := mem.ReadAt(all, int64(a.AreasAddr)); err != nil {
		return fmt.Errorf("reading the areas: %w", err)
	}
	for i := range a.AreaCount {
		off := i*arena.AreaSize + arena.AreaCells + 8*a.Index
		binary.LittleEndian.PutUint64(all[off:], a.AreaCellsAddr(i))
		// Word by word: threads claim areas meanwhile, in other words.
		if _, err := mem.WriteAt(all[off:off+8], int64(a.AreasAddr)+int64(off)); err != nil {
			return fmt.Errorf("writing the areas: %w", err)
		}
	}
	return nil
}

// writeFirstCells does the same in one write while no thread has an area.
func (p *Process) writeFirstCells(mem *ptrace.Mem, a *arena.Arena) error {
	all := make([]byte, a.AreaCount*arena.AreaSize)
	for i := range a.AreaCount {
		at := all[i*arena.AreaSize:]
		binary.LittleEndian.PutUint64(at[arena.AreaClaims:], a.ClaimAddr(i))
		binary.LittleEndian.PutUint64(at[arena.AreaCells:], a.AreaCellsAddr(i))
	}
	if _, err := mem.WriteAt(all, int64(a.AreasAddr)); err != nil {
		return fmt.Errorf("writing the areas: %w", err)
	}
	return nil
}

// errForeignGS: a thread uses GS itself, so programs that read through it
// would fault or read the wrong thing.
type errForeignGS struct{ tid int }

func (e errForeignGS) Error() string {
	return fmt.Sprintf("thread %d uses the GS base itself", e.tid)
}

// giveAreas points the GS base of every stopped thread at an area: its own if
// it has or gets one, nobody's otherwise. After it no thread can fault at
// gs:0, and threads born later inherit their parent's.
func (p *Process) giveAreas(st *ptrace.Stop, s *session) error {
	if s.noGS {
		return nil
	}
	first := s.claims()
	maps, err := p.mapsInStop()
	if err != nil {
		return err
	}
	g := &giver{p: p, s: s, mem: st.Mem(), first: first, nobody: first.NobodyAddr(), maps: maps}
	if err := g.load(st.Threads()); err != nil {
		return err
	}
	for _, th := range st.Threads() {
		if err := g.give(th); err != nil {
			return err
		}
	}
	return nil
}

// notice keeps the threads' ids, by which events are told apart.
func (s *session) notice(st *ptrace.Stop) error {
	for _, th := range st.Threads() {
		r, err := th.Regs()
		if err != nil {
			return err
		}
		s.threads[r.Fs_base] = th.TID()
	}
	return nil
}

// checkGS fails with errForeignGS before anything has been changed.
func checkGS(st *ptrace.Stop, s *session) error {
	if s.noGS {
		return nil
	}
	for _, th := range st.Threads() {
		r, err := th.Regs()
		if err != nil {
			return err
		}
		if r.Gs_base != 0 && !s.contains(r.Gs_base) {
			return errForeignGS{th.TID()}
		}
	}
	return nil
}

type giver struct {
	p      *Process
	s      *session
	mem    *ptrace.Mem
	first  *arena.Arena
	nobody uint64
	areas  []byte // copy of the areas
	maps   []procfs.Mapping
	shared map[uint64]int
}

// load reads the areas and counts how many threads have each FS base: threads
// that share one cannot be told apart and share no area.
func (g *giver) load(threads []*ptrace.Thread) error {
	g.areas = make([]byte, g.first.AreaCount*arena.AreaSize)
	if _, err := g.mem.ReadAt(g.areas, int64(g.first.AreasAddr)); err != nil {
		return fmt.Errorf("reading the areas: %w", err)
	}
	g.shared = map[uint64]int{}
	for _, th := range threads {
		r, err := th.Regs()
		if err != nil {
			return err
		}
		g.shared[r.Fs_base]++
	}
	return nil
}

func (g *giver) give(th *ptrace.Thread) error {
	r, err := th.Regs()
	if err != nil {
		return err
	}
	if g.inAreas(r.Gs_base) && !g.atDoor(r.Gs_base, r.Rip) || g.s.findCode(r.Gs_base) != nil {
		return nil // has one, or is claiming one
	}
	base := g.nobody
	if r.Fs_base == 0 {
		if base, err = g.door(); err != nil {
			return err
		}
	}
	if i, ok := g.find(r.Fs_base); ok {
		if g.s.rings != nil {
			g.s.rings.give(i, g.p.inside(th.TID()))
		}
		if err := g.claim(i, r.Fs_base, g.stackOf(r.Rsp, r.Fs_base)); err != nil {
			return err
		}
		base = g.first.AreasAddr + uint64(i)*arena.AreaSize
	}
	if r.Gs_base == base {
		return nil
	}
	changed := *r
	changed.Gs_base = base
	return th.SetRegs(&changed)
}

// door is an area that is never anybody's, for a thread that has no FS base yet, as a static
// program's main thread has none at its entry. Whoever has its GS there claims an area once
// it can, so the threads that this one makes do. The address is nobody's, with which they
// would never try, if there is no area to spare.
func (g *giver) door() (uint64, error) {
	i := g.first.AreaCount - 1
	switch {
	case g.owner(i) == arena.NobodyOwner:
	case g.owner(i) != 0 || g.areas[i*arena.AreaSize+arena.AreaClaimed] != 0:
		return g.nobody, nil
	default:
		if err := g.claim(i, arena.NobodyOwner, arena.Range{}); err != nil {
			return 0, err
		}
	}
	return g.first.AreasAddr + uint64(i)*arena.AreaSize, nil
}

// atDoor reports whether a thread that is not claiming an area could have got one meanwhile.
func (g *giver) atDoor(gs, rip uint64) bool {
	i := int(gs-g.first.AreasAddr) / arena.AreaSize
	return g.owner(i) == arena.NobodyOwner && g.s.findCode(rip) == nil
}

func (g *giver) inAreas(addr uint64) bool {
	return addr-g.first.AreasAddr < uint64(len(g.areas))
}

// find looks through the bucket as the claim routine does.
func (g *giver) find(fs uint64) (int, bool) {
	if fs == 0 || fs == arena.NobodyOwner || g.shared[fs] > 1 {
		return 0, false
	}
	first := codegen.Bucket(fs, g.first.AreaCount)
	for i := first; i < first+4; i++ {
		if o := g.owner(i); o == fs {
			return i, true
		}
	}
	for i := first; i < first+4; i++ {
		if g.owner(i) == 0 && g.areas[i*arena.AreaSize+arena.AreaClaimed] == 0 {
			return i, true
		}
	}
	return 0, false
}

func (g *giver) owner(i int) uint64 {
	return binary.LittleEndian.Uint64(g.areas[i*arena.AreaSize+arena.AreaOwner:])
}

// claim makes area i the thread's.
func (g *giver) claim(i int, fsBase uint64, window arena.Range) error {
	at := g.areas[i*arena.AreaSize:][:arena.AreaSize]
	binary.LittleEndian.PutUint64(at[arena.AreaOwner:], fsBase)
	binary.LittleEndian.PutUint64(at[arena.AreaClaimed:], 1)
	binary.LittleEndian.PutUint64(at[arena.AreaWindow:], window.Start)
	binary.LittleEndian.PutUint64(at[arena.AreaSpan:], window.End-window.Start)
	if _, err := g.mem.WriteAt(at, int64(g.first.AreasAddr)+int64(i*arena.AreaSize)); err != nil {
		return fmt.Errorf("writing an area: %w", err)
	}
	g.first.SetClaimed(i)
	return nil
}

// Sizes of stacks: the main thread's may grow down this far; of one whose
// bounds are not known, this much around the stack pointer is taken.
const (
	mainStack    = 8 << 20
	unknownBelow = 48 << 10
	unknownSpan  = 64 << 10
)

// stackOf is the stack on which a thread's calls count in its own area. A
// thread's stack is a mapping of its own that also holds its TLS, or the main
// thread's.
func (g *giver) stackOf(rsp, fsBase uint64) arena.Range {
	i, ok := slices.BinarySearchFunc(g.maps, rsp, func(m procfs.Mapping, sp uint64) int {
		switch {
		case m.End <= sp:
			return -1
		case m.Start > sp:
			return 1
		}
		return 0
	})
	if ok && g.maps[i].Path == "[stack]" {
		return arena.Range{Start: g.maps[i].End - mainStack, End: g.maps[i].End}
	}
	if ok && g.maps[i].Contains(fsBase) {
		return arena.Range{Start: g.maps[i].Start, End: g.maps[i].End}
	}
	return arena.Range{Start: rsp - unknownBelow, End: rsp - unknownBelow + unknownSpan}
}
