package plan

import (
	"math/bits"
	"sync/atomic"
)

// addrSet is a set of addresses in [base, base+n), one bit each. Adding is safe
// from several goroutines; reading is once adding is over.
type addrSet struct {
	base, n uint64
	words   []uint64
}

func newAddrSet(base, n uint64) addrSet {
	return addrSet{base: base, n: n, words: make([]uint64, (n+63)/64)}
}

// add ignores addresses outside the set's range.
func (s *addrSet) add(addr uint64) {
	i := addr - s.base
	if i >= s.n {
		return
	}
	w, bit := &s.words[i/64], uint64(1)<<(i%64)
	if atomic.LoadUint64(w)&bit == 0 {
		atomic.OrUint64(w, bit)
	}
}

func (s *addrSet) has(addr uint64) bool {
	i := addr - s.base
	return i < s.n && s.words[i/64]>>(i%64)&1 != 0
}

// next is the first member in [lo, hi).
func (s *addrSet) next(lo, hi uint64) (uint64, bool) {
	lo, hi = max(lo, s.base), min(hi, s.base+s.n)
	for lo < hi {
		i := lo - s.base
		if w := s.words[i/64] >> (i % 64); w != 0 {
			a := lo + uint64(bits.TrailingZeros64(w))
			return a, a < hi
		}
		lo += 64 - i%64
	}
	return 0, false
}

func (s *addrSet) any(lo, hi uint64) bool {
	_, ok := s.next(lo, hi)
	return ok
}
