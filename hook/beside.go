package hook

import "encoding/binary"

// A stack word that was the slot of a call may be an unwinder's by now.

// What libgcc keeps has a word of flags behind, of which one is always set.
const (
	walkFlags   = 40
	walkExtends = 1 << 62
	walkSignal  = 1 << 63
)

// beside is a word with those around it by which it is known for an unwinder's.
type beside struct {
	word, flags uint64
	next        uint64    // behind the flags
	sps         [2]uint64 // at the distances besideIP
}

// around reads them. What lies beyond the stack is 0.
func (s *shadow) around(addr uint64) (n beside, err error) {
	const before = 9 * 8
	var b [before + walkFlags + 16]byte
	if _, err := s.mem.ReadAt(b[:], int64(addr-before)); err != nil {
		n.word, err = s.word(addr)
		return n, err
	}
	at := func(off int) uint64 { return binary.LittleEndian.Uint64(b[before+off:]) }
	n.word, n.flags, n.next = at(0), at(walkFlags), at(walkFlags+8)
	for i, d := range besideIP {
		n.sps[i] = at(-d)
	}
	return n, nil
}

// hasFlags reports whether the word may be libgcc's instruction pointer. It must not be
// changed: rules are being read for it.
func (n beside) hasFlags() bool { return n.flags&^uint64(walkSignal) == walkExtends }

// hasBounds reports whether the word may be LLVM's, which has a function's bounds there.
func (n beside) hasBounds() bool {
	const lowest, largest = 1 << 16, 1 << 28
	return n.flags >= lowest && n.next > n.flags && n.next-n.flags < largest
}

// isWalkers reports whether a word, where the slot of a call was, is what an unwinder keeps
// there now: of another call of the same function, to which the stack pointer beside it
// belongs.
func (s *shadow) isWalkers(addr uint64, n beside) bool {
	for i, sp := range n.sps {
		f := s.newest[sp-8]
		if f != nil && sp != addr+8 && f.Back == n.word && (i == 0 && n.hasFlags() || i > 0 && n.hasBounds()) {
			return true
		}
	}
	return false
}

func (s *shadow) isLibgccs(addr uint64) bool {
	n, err := s.around(addr)
	return err == nil && n.hasFlags()
}
