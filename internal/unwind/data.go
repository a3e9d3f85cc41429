package unwind

import (
	"encoding/binary"
	"fmt"
)

// Data is what the generated answers read: the code ranges that we answer for,
// and the functions they stand in for. It lies in memory that the target reads
// and the tracer writes:
//
//	  0  ranges in use, u64
//	  8  "[functap]", 0
//	 64  8 originals: addresses of what the answers hand on to
//	128  8 ranges:  code, its size, its .eh_frame_hdr, 0 (8 bytes each)
//	384  8 objects: PT_LOAD and PT_GNU_EH_FRAME, 56 bytes each
//
// Ranges are only added, each written before the count.
type Data struct {
	mem []byte
	at  uint64
	n   int
}

// Offsets in a Data.
const (
	dataCount    = 0
	dataName     = 8
	dataOriginal = 64
	dataRanges   = dataOriginal + 8*MaxOriginals
	rangeSize    = 32
	dataObjects  = dataRanges + MaxRanges*rangeSize
	objectSize   = 2 * phdrSize
	phdrSize     = 56
	rangeCode    = 0
	rangeLen     = 8
	rangeHeader  = 16
	objectPhdrs  = 2
)

// MaxRanges is how many ranges a Data can hold: one for each arena.
const MaxRanges = 8

// MaxOriginals is how many functions can be replaced in a process.
const MaxOriginals = 8

// DataSize is how much memory a Data takes; it must be 8-aligned.
const DataSize = dataObjects + MaxRanges*objectSize

// objectName is what the object is called to those who iterate: not empty, which
// would mean the program itself, and like the vdso's no file's name.
const objectName = "[functap]"

// NewData starts a Data in fresh, zeroed memory that the target has at address at.
func NewData(mem []byte, at uint64) (*Data, error) {
	if len(mem) < DataSize || at%8 != 0 {
		return nil, fmt.Errorf("unwind data at %#x, %d bytes: %w", at, len(mem), ErrRange)
	}
	copy(mem[dataName:], objectName)
	return &Data{mem: mem, at: at}, nil
}

// Addr is where the target has it.
func (d *Data) Addr() uint64 { return d.at }

// SetOriginal says where answer i hands on to, before anything leads to that
// answer: an address that goes on as the function would have without us.
func (d *Data) SetOriginal(i int, addr uint64) { store64(d.mem, dataOriginal+8*i, addr) }

// OriginalAt is where the target has that address.
func (d *Data) OriginalAt(i int) uint64 { return d.at + dataOriginal + 8*uint64(i) }

// AddRange begins to answer for a table's code.
func (d *Data) AddRange(t *Table) error {
	if d.n == MaxRanges {
		return fmt.Errorf("adding a range of code: %w: %d ranges", ErrFull, d.n)
	}
	header, size := t.Header()
	r := dataRanges + d.n*rangeSize
	store64(d.mem, r+rangeCode, t.cfg.Code)
	store64(d.mem, r+rangeLen, t.cfg.CodeSize)
	store64(d.mem, r+rangeHeader, header)
	d.object(t, header, size)
	d.n++
	store64(d.mem, dataCount, uint64(d.n))
	return nil
}

// Program header types and flags (System V gABI, chapter 5; LSB for the frame one).
const (
	ptLoad       = 1
	ptGNUEhFrame = 0x6474e550
	pfX, pfR     = 1, 4
)

// object writes the program headers. Nothing is writable in them: garbage
// collectors and leak checkers take writable segments for roots.
func (d *Data) object(t *Table, header, size uint64) {
	b := d.mem[dataObjects+d.n*objectSize:][:objectSize]
	phdr(b, ptLoad, pfR|pfX, 0, t.cfg.CodeSize, 0x1000)
	phdr(b[phdrSize:], ptGNUEhFrame, pfR, header-t.cfg.Code, size, 4)
}

func phdr(b []byte, typ, flags uint32, vaddr, size, align uint64) {
	le := binary.LittleEndian
	le.PutUint32(b, typ)
	le.PutUint32(b[4:], flags)
	for i, v := range []uint64{0, vaddr, vaddr, size, size, align} {
		le.PutUint64(b[8+8*i:], v)
	}
}
