package symbols

import (
	"bytes"
	"encoding/binary"
)

// cursor reads a byte slice forward. Reading past the end yields zeros and sets
// bad, which is checked once after a group of reads.
type cursor struct {
	b    []byte
	pos  uint64
	addr uint64 // virtual address of b[0]
	bad  bool
}

func (c *cursor) left() uint64 { return uint64(len(c.b)) - c.pos }

func (c *cursor) here() uint64 { return c.addr + c.pos }

// bytes returns the next n bytes, or nil and bad.
func (c *cursor) bytes(n uint64) []byte {
	if n > c.left() {
		c.bad, c.pos = true, uint64(len(c.b))
		return nil
	}
	b := c.b[c.pos : c.pos+n]
	c.pos += n
	return b
}

func (c *cursor) skip(n uint64) { c.bytes(n) }

func (c *cursor) u8() uint8 {
	if b := c.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) u16() uint16 {
	if b := c.bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// uleb reads an unsigned LEB128 number; bits past 64 are lost.
func (c *cursor) uleb() uint64 {
	v, _ := c.leb()
	return v
}

// sleb reads a signed LEB128 number.
func (c *cursor) sleb() uint64 {
	v, shift := c.leb()
	if shift < 64 && shift > 0 && v&(1<<(shift-1)) != 0 {
		v |= ^uint64(0) << shift
	}
	return v
}

func (c *cursor) leb() (v uint64, shift uint) {
	for {
		b := c.u8()
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		shift += 7
		if b&0x80 == 0 || c.bad {
			return v, shift
		}
	}
}

// cstr reads up to and over the next NUL.
func (c *cursor) cstr() string {
	i := bytes.IndexByte(c.b[c.pos:], 0)
	if i < 0 {
		c.skip(c.left() + 1)
		return ""
	}
	s := string(c.b[c.pos : c.pos+uint64(i)])
	c.pos += uint64(i) + 1
	return s
}

// Pointer encodings of .eh_frame, the LSB core specification, chapter 10.5.
const (
	encOmit     = 0xff
	encFormat   = 0x0f
	encApply    = 0x70
	encPCRel    = 0x10
	encDataRel  = 0x30
	encIndirect = 0x80
)

// encoded reads a pointer with encoding enc; dataBase is what data-relative ones
// are relative to. A stored zero means "none" and stays zero. Indirect pointers
// are refused: none of the fields read here is written so.
func (c *cursor) encoded(enc uint8, dataBase uint64) uint64 {
	if enc == encOmit {
		return 0
	}
	at := c.here()
	v := c.value(enc)
	if v == 0 || c.bad {
		return 0
	}
	switch enc & (encApply | encIndirect) {
	case 0:
	case encPCRel:
		v += at
	case encDataRel:
		v += dataBase
	default:
		c.bad = true
	}
	return v
}

// value reads the number of an encoded pointer, without its base.
func (c *cursor) value(enc uint8) uint64 {
	switch enc & encFormat {
	case 0x0, 0x4, 0xc:
		return c.u64()
	case 0x1:
		return c.uleb()
	case 0x2:
		return uint64(c.u16())
	case 0x3:
		return uint64(c.u32())
	case 0x9:
		return c.sleb()
	case 0xa:
		return uint64(int64(int16(c.u16())))
	case 0xb:
		return uint64(int64(int32(c.u32())))
	}
	c.bad = true
	return 0
}
