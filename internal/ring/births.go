package ring

import "github.com/functap/functap/internal/arena"

// A thread that ends leaves its ring to a later one with the same FS base, since glibc keeps
// stacks. Whoever gets a ring notes how many records there are, and who it is, in a log of
// the last few; the reader finds there whose the records are.

// births reads that log.
type births struct {
	mem  []byte
	seen uint64
	next []birth // not told yet
}

// birth says that records from a number on are a thread's.
type birth struct{ head, tid uint64 }

// look takes what has come since. tail is the next record: whose those from there on are is
// not known if too many threads have had the ring meanwhile.
func (b *births) look(tail uint64) {
	n := arena.LoadWord(b.mem, Births)
	if n == b.seen {
		return
	}
	var found []birth
	from, to := b.seen, b.seen
	if n-from > BirthsKept {
		from = n - BirthsKept
		found = append(found, birth{tail, 0})
	}
	for k := from; k < n; k++ {
		if x, ok := b.entry(k + 1); ok {
			found, to = append(found, x), k+1
		}
	}
	if arena.LoadWord(b.mem, Births)-from > BirthsKept {
		found, to = []birth{{tail, 0}}, n // overwritten while they were read
	}
	b.next, b.seen = append(b.next, found...), to
}

// entry is the n-th. It is missing if its thread has not finished it yet, or never will: a
// signal handler that came between has noted the same, in the next one.
func (b *births) entry(n uint64) (birth, bool) {
	at := BirthLog + n%BirthsKept*BirthSize
	if uint32(n) != arena.LoadWord32(b.mem, at+BirthStamp) {
		return birth{}, false
	}
	return birth{arena.LoadWord(b.mem, at+BirthHead), uint64(arena.LoadWord32(b.mem, at+BirthTID))}, true
}

// tell tells whose the next record is, if it is another thread's than before.
func (b *births) tell(dst []Record, tail, now uint64) []Record {
	for len(b.next) > 0 && b.next[0].head <= tail {
		dst = append(dst, Record{Kind: Thread, Time: now, Start: b.next[0].tid})
		b.next = b.next[1:]
	}
	return dst
}

// Give notes a thread as the ring's, as threads do that get one. Nobody may be writing.
func Give(mem []byte, tid int) {
	n := arena.LoadWord(mem, Births) + 1
	at := BirthLog + n%BirthsKept*BirthSize
	arena.StoreWord(mem, at+BirthHead, arena.LoadWord(mem, Head))
	arena.StoreWord(mem, at+BirthStamp, n&(1<<32-1)|uint64(tid)<<32)
	arena.StoreWord(mem, Births, n)
}
