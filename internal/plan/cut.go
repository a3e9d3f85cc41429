package plan

import (
	"fmt"

	"github.com/functap/functap/internal/symbols"
	"github.com/functap/functap/internal/x86"
)

// cut is what a patch displaces.
type cut struct {
	window   uint64 // length of the displaced instructions
	interior []uint8
	check    goCheck
}

// cutAt finds the instructions that n bytes at site displace. If the function ends
// before that, the rest must be filler.
func (a *Analysis) cutAt(s *segment, f *symbols.Func, site, n uint64) (cut, Refusal, string) {
	var c cut
	if f.Go {
		c.check = findGoCheck(s, site, a.endOf(s, f))
	}
	end, falls := a.endOf(s, f), true
	for c.window < max(n, c.check.len) && site+c.window < end {
		at := site + c.window
		in, err := x86.Decode(s.b[at-s.base:])
		if err != nil {
			return c, DecodeUnknown, unknownBytes(s, at, f.Addr)
		}
		if at+uint64(in.Len) > end {
			return c, DecodeUnknown, fmt.Sprintf("the instruction at +%d reaches past the function's end", at-f.Addr)
		}
		if c.window > 0 && c.window < n {
			c.interior = append(c.interior, uint8(c.window))
		}
		c.window += uint64(in.Len)
		if falls = in.FallsThrough(); !falls && !sized(f) {
			break // what follows may be anything
		}
	}
	if c.window >= n {
		return c, "", ""
	}
	return c, a.tail(s, site+c.window, site+n, falls), ""
}

// tail says why the bytes from the end of a function to the end of a patch may not
// be overwritten.
func (a *Analysis) tail(s *segment, end, patchEnd uint64, falls bool) Refusal {
	if falls || a.filler(s, end) < patchEnd {
		return TooShort
	}
	return ""
}

func unknownBytes(s *segment, at, entry uint64) string {
	b := s.b[at-s.base:]
	return fmt.Sprintf("at +%d: % x", at-entry, b[:min(len(b), x86.MaxLen)])
}

// filler is the end of the filler that begins at from, or from if there is none.
// All bytes up to the next start must be filler, found by decoding forward, and
// nothing may name, reach or read any of them: constants between functions can
// look like nops. Zeros are never filler.
func (a *Analysis) filler(s *segment, from uint64) uint64 {
	i := a.layout.at(from)
	if i < 0 {
		return from
	}
	end := a.layout.regions[i].end
	for pc := from; pc < end; {
		in, err := x86.Decode(s.b[pc-s.base : end-s.base])
		if err != nil || !isFiller(&in) {
			return from
		}
		pc += uint64(in.Len)
	}
	if s.jumped.any(from, end) || s.named.any(from, end) || s.refs.any(from, end) {
		return from
	}
	return end
}
