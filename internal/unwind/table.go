package unwind

import (
	"encoding/binary"
	"fmt"
)

// A Table is a .eh_frame_hdr and the .eh_frame it points to, in memory that the
// target's unwinders read without a lock while units come and go:
//
//	at+0    pad      4 bytes, so that rows are 8-aligned
//	at+4    header   01 1b 03 3b | i32 .eh_frame, from here | u32 rows
//	at+16   rows     8 bytes for each granule of code, from the first to the highest ever used:
//	                 i32 start of the unit that the granule belongs to, from the header
//	                 i32 the unit's FDE, from the header
//	        .eh_frame
//	        CIE "zR"     code that wraps no call: CFA = rsp+8, return address in the word below
//	        CIE "zRBS"   programs: return address by search among the frames
//	        FDE          no addresses at all, for granules without a unit
//	        FDE, FDE ... one for each unit; 0 at the end (fresh memory is zero)
//
// Readers search the rows by halves for the last start that is not above their
// address. A row for each granule, which all rows of one unit repeat, keeps
// rows sorted wherever a unit comes to lie, and a unit's rows are all that its
// coming changes. Every row is one 8-byte store, those of a unit are written
// from low to high when it comes and from high to low when it goes, and all
// values that they take lie between those of their neighbours. So a reader that
// looks for another address finds its way at any moment; and for an address in
// this unit nobody looks, because nothing leads to it yet, or not any more.
type Table struct {
	mem    []byte
	at     uint64
	cfg    Config
	ehAt   int // offsets in mem
	plain  int
	framed int
	nobody int
	end    int           // behind the last FDE
	rows   int           // as the header says
	units  map[int]unit  // by first granule
	free   map[int][]int // FDEs that are free, by size
}

type unit struct {
	granules, fde, size int
}

// Config says for what a table is.
type Config struct {
	Code     uint64 // where generated code begins, 16-aligned
	CodeSize uint64
	Frames   Frames
	Rule     Rule
}

// Granule is the size and alignment of the pieces in which code memory is given
// out.
const Granule = 16

// Offsets in a table.
const (
	headerAt = 4
	countAt  = headerAt + 8
	rowsAt   = headerAt + 12
	rowSize  = 8
)

// fdeHead is the size of an FDE up to its instructions: length, CIE, start, size,
// and the length of nothing.
const fdeHead = 4 + 4 + 4 + 4 + 1

// headerOff is where the header lies from the start of the memory. HeaderSize
// is up to which byte it and its rows may ever reach.
func (c Config) headerSize() int { return rowsAt - headerAt + int(c.CodeSize/Granule)*rowSize }

// Size is how much memory a table for so much code takes, with room for fdes
// bytes of FDEs. An FDE takes 20 bytes for a plain unit, 5 more for each
// register that displaced instructions push, and 50 to 150 for a program. Where the mix
// is not known, half as many again as there is code is enough.
func (c Config) Size(fdes int) int {
	return align8(headerAt+c.headerSize()) + cieRoom + fdes
}

// Known are the parts of a table at addr that unwinders keep addresses of for longer than a
// search takes: where header and rows begin, and all records in use. read reads the table.
func (c Config) Known(addr uint64, read func(b []byte, addr uint64) error) (head, records [2]uint64, err error) {
	at := addr + uint64(align8(headerAt+c.headerSize()))
	head = [2]uint64{addr, addr + rowsAt + rowSize}
	b := make([]byte, 4)
	for end := at; ; {
		if err := read(b, end); err != nil {
			return head, records, fmt.Errorf("reading an unwind table: %w", err)
		}
		n := uint64(binary.LittleEndian.Uint32(b))
		if records = [2]uint64{at, end}; n == 0 || n > 1<<20 {
			return head, records, nil
		}
		end += 4 + n
	}
}

// cieRoom is enough for both CIEs and the FDE of nobody.
const cieRoom = 240

// NewTable starts a table in fresh, zeroed memory that the target has at
// address at.
func NewTable(mem []byte, at uint64, c Config) (*Table, error) {
	t := &Table{mem: mem, at: at, cfg: c, units: map[int]unit{}, free: map[int][]int{}}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("making an unwind table at %#x: %w", at, err)
	}
	t.ehAt = align8(headerAt + c.headerSize())
	t.end = t.ehAt
	t.plain = t.record(cie(c.Rule, c.Frames, false))
	t.framed = t.record(cie(c.Rule, c.Frames, true))
	t.nobody = t.record(t.fde(t.plain, t.end, c.Code, 0, nil))
	t.header()
	return t, nil
}

func (t *Table) check() error {
	c := t.cfg
	switch {
	case t.at%8 != 0 || c.Code%Granule != 0 || c.CodeSize%Granule != 0 || c.CodeSize == 0:
		return fmt.Errorf("%w: alignment", ErrRange)
	case len(t.mem) < c.Size(0):
		return fmt.Errorf("%w: %d bytes of memory", ErrFull, len(t.mem))
	}
	top := t.at + uint64(len(t.mem))
	for _, a := range []uint64{c.Code, c.Code + c.CodeSize} {
		for _, b := range []uint64{t.at, top} {
			if d := int64(a - b); d != int64(int32(d)) {
				return fmt.Errorf("%w: table at %#x, code at %#x", ErrRange, t.at, a)
			}
		}
	}
	return nil
}

// Header is the address of the .eh_frame_hdr, and how many bytes it may grow to.
func (t *Table) Header() (addr uint64, size uint64) {
	return t.at + headerAt, uint64(t.cfg.headerSize())
}

func (t *Table) header() {
	copy(t.mem[headerAt:], []byte{1, pcRel4, udata4, dataRel4})
	store32(t.mem, headerAt+4, uint32(t.ehAt-(headerAt+4)))
}

// Set registers the unit of size bytes at addr with its rows. Nothing may lead
// there before Set returns; what was registered in its place must be gone by
// Clear.
func (t *Table) Set(addr uint64, size int, rows []Row) error {
	if err := t.set(addr, size, rows); err != nil {
		return fmt.Errorf("unwind rows of the code at %#x: %w", addr, err)
	}
	return nil
}

func (t *Table) set(addr uint64, size int, rows []Row) error {
	first, n, err := t.granules(addr, size, rows)
	if err != nil {
		return err
	}
	framed := framesIn(rows) > 0
	from := t.plain
	if framed {
		from = t.framed
	}
	body := instructions(rows, t.cfg.Rule, framed)
	fde, ok := t.room(recordSize(fdeHead - 4 + len(body)))
	if !ok {
		return fmt.Errorf("%w: %d units", ErrFull, len(t.units))
	}
	got := t.recordAt(fde, t.fde(from, fde, addr, uint32(size), body))
	t.units[first] = unit{n, fde, got}
	t.grow(first + n)
	for i := first; i < first+n; i++ { // from low to high
		t.storeRow(i, addr, fde)
	}
	return nil
}

// granules checks a unit and says which granules it takes.
func (t *Table) granules(addr uint64, size int, rows []Row) (first, n int, err error) {
	off := addr - t.cfg.Code
	n = (size + Granule - 1) / Granule
	switch {
	case addr < t.cfg.Code || size <= 0 || off%Granule != 0 ||
		off >= t.cfg.CodeSize || uint64(n)*Granule > t.cfg.CodeSize-off:
		return 0, 0, ErrRange
	case len(rows) == 0 || rows[0].Off != 0 || rows[0].RA == InFrame:
		return 0, 0, fmt.Errorf("%w: rows do not begin at the unit's entry", ErrRange)
	}
	for i := 1; i < len(rows); i++ {
		if rows[i].Off < rows[i-1].Off || rows[i].Off > size {
			return 0, 0, fmt.Errorf("%w: row %d is out of order", ErrRange, i)
		}
	}
	return int(off / Granule), n, t.overlap(int(off/Granule), n)
}

// overlap says whether a unit is registered in these granules.
func (t *Table) overlap(first, n int) error {
	for i := first; i < min(first+n, t.rows); i++ {
		if t.rowFDE(i) != t.nobody {
			return fmt.Errorf("%w: something is registered there", ErrRange)
		}
	}
	return nil
}

// Clear forgets the unit at addr: nobody is in it any more, nothing leads to it,
// and no stack has an address of it.
func (t *Table) Clear(addr uint64) {
	first := int((addr - t.cfg.Code) / Granule)
	u, ok := t.units[first]
	if addr < t.cfg.Code || addr%Granule != 0 || !ok {
		return
	}
	for i := first + u.granules - 1; i >= first; i-- { // from high to low
		t.clearRow(i)
	}
	t.free[u.size] = append(t.free[u.size], u.fde)
	delete(t.units, first)
}

// Units is how many are registered.
func (t *Table) Units() int { return len(t.units) }

// grow makes the header's count at least n. Rows are there before they count.
func (t *Table) grow(n int) {
	if n <= t.rows {
		return
	}
	for i := t.rows; i < n; i++ {
		t.clearRow(i)
	}
	t.rows = n
	store32(t.mem, countAt, uint32(n))
}

func (t *Table) clearRow(i int) {
	t.storeRow(i, t.cfg.Code+uint64(i)*Granule, t.nobody)
}

func (t *Table) storeRow(i int, start uint64, fde int) {
	rel := uint32(start - (t.at + headerAt))
	store64(t.mem, rowsAt+i*rowSize, uint64(rel)|uint64(uint32(fde-headerAt))<<32)
}

func (t *Table) rowFDE(i int) int {
	return headerAt + int(int32(binary.LittleEndian.Uint32(t.mem[rowsAt+i*rowSize+4:])))
}

// room finds a place for a record: one that is free, or behind the last.
func (t *Table) room(size int) (int, bool) {
	if f := t.free[size]; len(f) > 0 {
		t.free[size] = f[:len(f)-1]
		return f[len(f)-1], true
	}
	if t.end+size+4 > len(t.mem) { // 4 for the zero behind it
		return 0, false
	}
	return t.end, true
}

// record appends a record whose body is given, and returns its place.
func (t *Table) record(body []byte) int {
	at := t.end
	t.recordAt(at, body)
	return at
}

// recordAt writes a record, its length last: until then a walk over .eh_frame
// ends before it. It returns the record's size.
func (t *Table) recordAt(at int, body []byte) int {
	size := recordSize(len(body))
	clear(t.mem[at+4 : at+size])
	copy(t.mem[at+4:], body)
	store32(t.mem, at, uint32(size-4))
	t.end = max(t.end, at+size)
	return size
}

// recordSize is the size of a record with its length and padding.
func recordSize(body int) int { return (4 + body + 3) &^ 3 }

// fde makes an FDE for the place `at`, without its length.
func (t *Table) fde(cie, at int, start uint64, size uint32, instructions []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(at+4-cie))
	b = binary.LittleEndian.AppendUint32(b, uint32(start-(t.at+uint64(at)+8)))
	b = binary.LittleEndian.AppendUint32(b, size)
	return append(append(b, 0), instructions...)
}

func align8(n int) int { return (n + 7) &^ 7 }
