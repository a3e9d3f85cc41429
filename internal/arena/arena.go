package arena

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
)

// ErrFull: a table or the code area of an arena has no room left. Nothing was
// written.
var ErrFull = errors.New("no room left in the memory mapped into the target (FULL)")

var le = binary.LittleEndian

// Addresses are where the target has the parts of an arena mapped.
type Addresses struct {
	Priv, Near, Code, Far uint64
	Frames                uint64 // the frame table; 0 in all arenas but a session's first
	AreasAddr             uint64 // base of the areas, of this or an earlier arena
	AreaCount             int
}

// Arena is the tracer's view of one arena.
type Arena struct {
	Layout
	Addresses
	Index int

	mu    sync.Mutex
	mem   []byte // the memfd, all of it
	code  space
	exits space
	units []int // free entries of the unit table
	cells []int // counters that were given back
	nSite int
	nCell int           // cells below are in use, or were given back
	runs  int           // and from here on
	freed map[int][]int // runs that were given back, by length
}

// New starts an empty arena over mem, the tracer's mapping of the whole
// memfd, which must be zero. The arena owns mem until Close.
func New(mem []byte, l Layout, a Addresses, index int) (*Arena, error) {
	if uint64(len(mem)) != l.FileSize() {
		return nil, fmt.Errorf("arena: mapping of %d bytes for a layout of %d", len(mem), l.FileSize())
	}
	ar := &Arena{Layout: l, Addresses: a, Index: index, mem: mem}
	ar.runs, ar.freed = l.Cells, map[int][]int{}
	ar.code = newSpace(l.CodeSize, codeAlign)
	ar.exits = newSpace(uint64(l.Exits), 1)
	for i := l.Units - 1; i >= 0; i-- {
		ar.units = append(ar.units, i)
	}
	ar.put(constAreasBase, a.AreasAddr)
	ar.put(constAreasSize, uint64(a.AreaCount)*AreaSize)
	ar.put(constNobody, a.Near+nobodyArea)
	ar.put(nobodyArea+AreaOwner, NobodyOwner)
	return ar, nil
}

func (a *Arena) put(off, v uint64) { le.PutUint64(a.mem[off:], v) }

// Consts are the addresses that generated code refers to.
type Consts struct {
	ThisProcess uint64 // the this-process word: 0 in a fork child
	AreasBase   uint64 // word: address of the first area
	AreasSize   uint64 // word: size of all areas, bytes
	Nobody      uint64 // word: address of the nobody area
}

// Consts returns the addresses of this arena's constants in the target.
func (a *Arena) Consts() Consts {
	return Consts{a.Priv, a.Near + constAreasBase, a.Near + constAreasSize, a.Near + constNobody}
}

// NobodyAddr is the address of the nobody area in the target.
func (a *Arena) NobodyAddr() uint64 { return a.Near + nobodyArea }

// SlotAddr is the address of slot i in the target.
func (a *Arena) SlotAddr(i int) uint64 { return a.Near + a.SlotOff + uint64(i)*SlotSize }

// SharedCellAddr is the address of the shared form of a cell in the target.
func (a *Arena) SharedCellAddr(cell int) uint64 {
	return a.Near + a.SharedOff + uint64(cell)*CellSize
}

// HasAreaCells reports whether areas have a pointer for this arena's cells.
func (a *Arena) HasAreaCells() bool { return a.Index < MaxArenas && a.AreaCount > 0 }

// AreaCellsAddr is where the target has the cells of one area.
func (a *Arena) AreaCellsAddr(area int) uint64 { return a.Far + uint64(area)*a.Stride }

// ClaimAddr is the address in the target of an area's claim word.
func (a *Arena) ClaimAddr(area int) uint64 { return a.Near + a.ClaimOff + uint64(area)*8 }

// Mapped lists the target's mappings of the arena.
func (a *Arena) Mapped() []Range { return a.Layout.Mapped(a.Addresses) }

// Contains reports whether addr is in any mapping of the arena, and
// ContainsCode whether it is in its code.
func (a *Arena) Contains(addr uint64) bool {
	return in(addr, a.Near, a.NearSize) || in(addr, a.Code, a.TextSize()) ||
		in(addr, a.Priv, a.PrivSize) || in(addr, a.Far, a.FarSize) || in(addr, a.Frames, a.FrameSize)
}

// ContainsCode reports whether addr is in the arena's code.
func (a *Arena) ContainsCode(addr uint64) bool { return in(addr, a.Code, a.CodeSize) }

func in(addr, base, size uint64) bool { return addr-base < size }

// AddCell takes a counter that reads 0. claims is the claim table's owner: the
// first arena of the session.
func (a *Arena) AddCell(claims *Arena) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.cells); n > 0 {
		i := a.cells[n-1]
		a.cells = a.cells[:n-1]
		a.clear(i, claims)
		return i, nil
	}
	if a.nCell == a.runs {
		return 0, fmt.Errorf("%w: %d counters", ErrFull, a.Cells)
	}
	a.nCell++
	return a.nCell - 1, nil
}

// AddRun takes n neighbouring cells that read 0, on lines of their own. They come from
// the other end than single ones, so that these share pages.
func (a *Arena) AddRun(n int, claims *Arena) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if free := a.freed[n]; len(free) > 0 {
		i := free[len(free)-1]
		a.freed[n] = free[:len(free)-1]
		for k := range n {
			a.clear(i+k, claims)
		}
		return i, nil
	}
	i := (a.runs - n) &^ (lineCells - 1)
	if i < a.nCell {
		return 0, fmt.Errorf("%w: statistics of %d counters", ErrFull, n)
	}
	a.runs = i
	return i, nil
}

const lineCells = 64 / CellSize

// FreeRun gives it back. The precondition is FreeCell's, and that no frame names it.
func (a *Arena) FreeRun(i, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.freed[n] = append(a.freed[n], i)
}

// ReadShared reads the shared form of a cell, and AddShared adds to it.
func (a *Arena) ReadShared(cell int) uint64 {
	return loadWord(a.mem, a.SharedOff+uint64(cell)*CellSize)
}

// AddShared adds to the shared form of the cell at an address in the target. It reports
// false if there is none of this arena's. No thread may be running that counts in it.
func (a *Arena) AddShared(addr, n uint64) bool {
	off := addr - a.Near
	if off < a.SharedOff || off >= a.SharedOff+uint64(a.Cells)*CellSize {
		return false
	}
	storeWord(a.mem, off, loadWord(a.mem, off)+n)
	return true
}

// FreeCell gives a counter back. Precondition: the caller has seen, in a stop,
// that no program that counts in it is left.
func (a *Arena) FreeCell(i int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cells = append(a.cells, i)
}

// clear makes a cell read 0. An area that was never claimed has never counted.
func (a *Arena) clear(cell int, claims *Arena) {
	storeWord(a.mem, a.SharedOff+uint64(cell)*CellSize, 0)
	a.eachAreaCell(cell, claims, func(off uint64) { storeWord(a.mem, off, 0) })
}

// eachAreaCell calls f with the place of a cell in each area that was ever claimed.
func (a *Arena) eachAreaCell(cell int, claims *Arena, f func(off uint64)) {
	if !a.HasAreaCells() {
		return
	}
	base := a.FarOff() + uint64(cell)*CellSize
	for i := range claims.AreaCount {
		if claims.Claimed(i) {
			f(base + uint64(i)*a.Stride)
		}
	}
}

// Read adds up one cell over the areas that were ever claimed and the shared
// form. claims is as for AddCell.
func (a *Arena) Read(cell int, claims *Arena) uint64 {
	sum := loadWord(a.mem, a.SharedOff+uint64(cell)*CellSize)
	a.eachAreaCell(cell, claims, func(off uint64) { sum += loadWord(a.mem, off) })
	return sum
}

// Claimed reports whether an area was ever given to a thread.
func (a *Arena) Claimed(area int) bool {
	return loadWord(a.mem, a.ClaimOff+uint64(area)*8) != 0
}

// SetClaimed marks an area as given to a thread: its cells count from now on.
func (a *Arena) SetClaimed(area int) { storeWord(a.mem, a.ClaimOff+uint64(area)*8, 1) }

// Answers is the tracer's view of the words of the answers to unwinders, and their address
// in the target.
func (a *Arena) Answers() (mem []byte, addr uint64) {
	return a.mem[answersOff : answersOff+AnswersSize], a.Near + answersOff
}

// AnswersAt is where an arena that was found has them.
func (t *Tables) AnswersAt() Range {
	return Range{t.Near + answersOff, t.Near + answersOff + AnswersSize}
}

// Unwind is the tracer's view of the unwind table, and its address in the target.
func (a *Arena) Unwind() (mem []byte, addr uint64) {
	off := a.UnwindOff()
	return a.mem[off : off+a.UnwindSize], a.Code + a.CodeSize
}

// StoreSlot points slot i at a unit: one aligned 8-byte store, after which
// each call of the site runs that unit. The unit's bytes must be written.
func (a *Arena) StoreSlot(i int, unit uint64) {
	storeWord(a.mem, a.SlotOff+uint64(i)*SlotSize, unit)
}

// Slot reads slot i.
func (a *Arena) Slot(i int) uint64 { return loadWord(a.mem, a.SlotOff+uint64(i)*SlotSize) }
