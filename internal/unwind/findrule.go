package unwind

import (
	"github.com/functap/functap/internal/x86"
)

// libgcc reads a CIE's augmentation letter by letter. Version 9 brought the
// letter B (it is about pointer authentication elsewhere, and skipped); older
// ones stop there, and would not see the S behind it.

// unwinderMark is a function that every libgcc with an unwinder has.
const unwinderMark = "_Unwind_Find_FDE"

// nearby is how far apart the comparisons with the letters may be.
const nearby = 32

// readsOldAugmentations reports whether the module is, or contains, a libgcc that
// does not know B. Where the loop is not recognised, or symbols are missing, the
// answer is no: such a libgcc is older than 2018.
func readsOldAugmentations(m Module) bool {
	found, err := m.Lookup(unwinderMark)
	if err != nil || len(found) == 0 {
		return false
	}
	s, err := newSearch(m)
	if err != nil {
		return false
	}
	loops, known := 0, 0
	for _, f := range s.fdes {
		if l, k := s.letters(s.insts(f)); l {
			loops++
			if k {
				known++
			}
		}
	}
	return loops > 0 && known == 0
}

// letters looks for comparisons of one byte with R, L, P close to each other, and
// with B among them.
func (s *search) letters(ins []inst) (loop, b bool) {
	for i := range ins {
		if letter(&ins[i]) == 0 {
			continue
		}
		seen := map[byte]bool{}
		for j := i; j < min(i+nearby, len(ins)); j++ {
			seen[letter(&ins[j])] = true
		}
		if seen['R'] && seen['L'] && seen['P'] {
			loop, b = true, b || seen['B']
		}
	}
	return loop, b
}

// letter is what an instruction compares a byte register with, or 0.
func letter(in *inst) byte {
	if in.Map != x86.Map1 || in.ImmLen != 1 {
		return 0
	}
	if in.Opcode == 0x3c || in.Opcode == 0x80 && in.Mod() == 3 && in.Reg()&7 == 7 {
		return in.b[in.ImmOff]
	}
	return 0
}
