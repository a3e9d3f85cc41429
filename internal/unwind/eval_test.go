package unwind

import (
	"encoding/binary"
	"fmt"
)

// evaluate runs a DWARF expression as an unwinder does: with the CFA on the
// stack, over memory that read gives. Independent of how expr.go builds one, it
// knows the operations by their numbers in the standard.
func evaluate(x []byte, cfa uint64, read func(uint64) uint64) (uint64, error) {
	s := []uint64{cfa}
	pop := func() uint64 {
		v := s[len(s)-1]
		s = s[:len(s)-1]
		return v
	}
	le := binary.LittleEndian
	for i, steps := 0, 0; i < len(x); steps++ {
		if steps > 10000 {
			return 0, fmt.Errorf("does not end")
		}
		op := x[i]
		i++
		switch {
		case op == 0x06:
			v := read(pop())
			s = append(s, v)
		case op == 0x08:
			s = append(s, uint64(x[i]))
			i++
		case op == 0x0a:
			s = append(s, uint64(le.Uint16(x[i:])))
			i += 2
		case op == 0x0c:
			s = append(s, uint64(le.Uint32(x[i:])))
			i += 4
		case op == 0x0e:
			s = append(s, le.Uint64(x[i:]))
			i += 8
		case op == 0x12:
			s = append(s, s[len(s)-1])
		case op == 0x13:
			pop()
		case op == 0x14:
			s = append(s, s[len(s)-2])
		case op == 0x15:
			n := int(x[i])
			i++
			if n >= len(s)-1 { // libgcc asserts that
				return 0, fmt.Errorf("picks %d of %d", n, len(s))
			}
			s = append(s, s[len(s)-1-n])
		case op == 0x16:
			s[len(s)-1], s[len(s)-2] = s[len(s)-2], s[len(s)-1]
		case op == 0x23:
			v := pop() + uint64(x[i])
			s = append(s, v)
			i++
		case op == 0x28, op == 0x2f:
			d := int(int16(le.Uint16(x[i:])))
			i += 2
			if op == 0x2f || pop() != 0 {
				i += d
			}
		case op >= 0x30 && op < 0x50:
			s = append(s, uint64(op-0x30))
		default:
			b, a := pop(), pop()
			v, ok := binary2(op, a, b)
			if !ok {
				return 0, fmt.Errorf("operation %#x", op)
			}
			s = append(s, v)
		}
	}
	return pop(), nil
}

func binary2(op byte, a, b uint64) (uint64, bool) {
	switch op {
	case 0x1a:
		return a & b, true
	case 0x1c:
		return a - b, true
	case 0x1e:
		return a * b, true
	case 0x22:
		return a + b, true
	case 0x24:
		return a << b, true
	case 0x25:
		return a >> b, true
	case 0x29:
		if a == b {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}
