package ring

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/functap/functap/internal/arena"
)

// writer does what generated code does, in two steps, so that another record can be
// written between them as a signal handler does.
type writer struct {
	mem  []byte
	mask uint64
}

func (w writer) reserve() (n uint64, ok bool) {
	head := arena.LoadWord(w.mem, Head)
	if head >= arena.LoadWord(w.mem, Limit) {
		arena.StoreWord(w.mem, LostCount, arena.LoadWord(w.mem, LostCount)+1)
		return 0, false
	}
	arena.StoreWord(w.mem, Head, head+1)
	return head, true
}

func (w writer) finish(n uint64, r Record) {
	at := Records + n&w.mask*RecordSize
	b := w.mem[at:]
	binary.LittleEndian.PutUint32(b[What:], uint32(r.Kind)<<KindShift|r.Site)
	binary.LittleEndian.PutUint64(b[Time:], r.Time)
	binary.LittleEndian.PutUint64(b[Slot:], r.Slot)
	binary.LittleEndian.PutUint64(b[Start:], r.Start)
	arena.StoreWord32(w.mem, at, uint32(n)+1)
}

func (w writer) write(r Record) bool {
	n, ok := w.reserve()
	if ok {
		w.finish(n, r)
	}
	return ok
}

func newRing(t *testing.T, records uint64) (*Ring, writer) {
	t.Helper()
	mem := make([]byte, Size(records))
	r, err := New(mem)
	if err != nil {
		t.Fatal(err)
	}
	return r, writer{mem, records - 1}
}

func at(time uint64) Record { return Record{Kind: Entry, Site: 7, Time: time, Slot: 8 * time} }

// TestConcurrent: what a thread writes is read in its order, unchanged, or counted as
// lost, in a ring that is full most of the time.
func TestConcurrent(t *testing.T) {
	const records = 200_000
	r, w := newRing(t, 64)
	done := make(chan uint64)
	go func() {
		dropped := uint64(0)
		for i := range uint64(records) {
			if !w.write(Record{Exit, uint32(i) & MaxSite, i + 1, i * 3, i * 5}) {
				dropped++
			}
		}
		done <- dropped
	}()
	var buf []Record
	got, last, dropped, told, ended := uint64(0), uint64(0), uint64(0), uint64(0), false
	for !ended || len(buf) > 0 {
		select {
		case dropped = <-done:
			ended = true
		default:
		}
		buf = r.Read(buf[:0], 40)
		for _, x := range buf {
			if x.Kind == Lost {
				told += x.Start
				continue
			}
			i := x.Time - 1
			if x.Time <= last || x != (Record{Exit, uint32(i) & MaxSite, i + 1, i * 3, i * 5}) {
				t.Fatalf("%+v after time %d", x, last)
			}
			last = x.Time
			got++
		}
	}
	if r.Lost() != dropped || told != dropped || got+dropped != records || got < 64 {
		t.Errorf("%d read, %d lost of which the thread knows %d and %d were told; want %d in all", got, r.Lost(), dropped, told, records)
	}
}

// TestInterrupted: a record that is not finished holds up those behind it, which a
// handler has written, until it is finished or skipped.
func TestInterrupted(t *testing.T) {
	r, w := newRing(t, 8)
	for round := range uint64(20) { // so that all places are used, and used again
		outer, _ := w.reserve()
		w.write(at(100*round + 2))
		if got := r.Read(nil, 8); len(got) != 0 || !r.Stuck() {
			t.Fatalf("round %d: %v are finished, stuck %v", round, got, r.Stuck())
		}
		want := []Record{at(100*round + 1), at(100*round + 2)}
		if round%3 == 0 {
			r.Skip()
			want = want[1:]
		} else {
			w.finish(outer, want[0])
		}
		r.Skip() // nothing: the next one is finished
		got := slices.DeleteFunc(r.Read(nil, 8), func(r Record) bool { return r.Kind == Lost })
		if !slices.Equal(got, want) || r.Stuck() {
			t.Fatalf("round %d: %v, want %v; stuck %v", round, got, want, r.Stuck())
		}
	}
	if r.Lost() != 7 {
		t.Errorf("%d lost, want the 7 that were skipped", r.Lost())
	}
}

// TestNextReader goes on where the one before has stopped, and is not told what was lost
// before it came.
func TestNextReader(t *testing.T) {
	r, w := newRing(t, 8)
	for i := range uint64(10) {
		w.write(at(i))
	}
	if got := r.Read(nil, 20); len(got) != 9 || got[8].Kind != Lost || got[8].Start != 2 {
		t.Fatalf("%v", got)
	}
	for i := range uint64(100) {
		if !w.write(at(2*i)) || !w.write(at(2*i+1)) {
			t.Fatal("full")
		}
		if got := r.Read(nil, 1); len(got) != 1 || got[0].Time != 2*i {
			t.Fatalf("%v", got)
		}
		var err error
		if r, err = New(r.mem); err != nil {
			t.Fatal(err)
		}
		if got := r.Read(nil, 8); len(got) != 1 || got[0].Time != 2*i+1 {
			t.Fatalf("the next reader has %v", got)
		}
	}
	for i := range uint64(20) {
		w.write(at(i))
		if got := r.Read(nil, 8); len(got) != 1 || got[0] != at(i) {
			t.Fatalf("the last reader has %v", got)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, n := range []int{0, 1, Records, Records + 1, Records + RecordSize*3, Records + RecordSize + 8} {
		if _, err := New(make([]byte, n)); err == nil {
			t.Errorf("%d bytes are taken for a ring", n)
		}
	}
}

// TestMerge: records of threads that write at random times come out in the order of
// time, all of them, although each round sees what there is by chance.
func TestMerge(t *testing.T) {
	const threads, each = 5, 20_000
	var clock struct {
		sync.Mutex
		now uint64
	}
	tick := func(do func(now uint64)) {
		clock.Lock()
		defer clock.Unlock()
		clock.now++
		do(clock.now)
	}
	var m Merger
	var running sync.WaitGroup
	for id := range threads {
		r, w := newRing(t, 1<<15)
		m.Add(&Source{Ring: r, ID: id})
		running.Go(func() {
			for range each {
				tick(func(now uint64) { w.write(at(now)) })
				if rand.IntN(1000) == 0 {
					tick(func(uint64) {})
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() { running.Wait(); close(ended) }()
	var got, last uint64
	emit := func(x Merged) {
		if x.Time <= last {
			t.Fatalf("%d after %d", x.Time, last)
		}
		last = x.Time
		got++
	}
	for until, over := uint64(0), false; !over; {
		select {
		case <-ended:
			over, until = true, ^uint64(0)
		default:
		}
		m.Round(until, emit)
		tick(func(now uint64) { until = now })
	}
	if got != threads*each {
		t.Errorf("%d records, want %d", got, threads*each)
	}
}

// TestMergeKeepsOrder: a clock that jumps back does not change one thread's order.
func TestMergeKeepsOrder(t *testing.T) {
	r, w := newRing(t, 8)
	for _, time := range []uint64{5, 3, 9, 4} {
		w.write(at(time))
	}
	var m Merger
	m.Add(&Source{Ring: r})
	var got []uint64
	emit := func(x Merged) { got = append(got, x.Time) }
	for _, until := range []uint64{4, 5, 8, 20} {
		m.Round(until, emit)
	}
	if want := []uint64{5, 3, 9, 4}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestLost tells where records are missing: behind those that filled the ring.
func TestLost(t *testing.T) {
	r, w := newRing(t, 4)
	for time := range uint64(7) {
		w.write(at(time))
	}
	got := r.Read(nil, 4)
	w.write(at(9))
	got = append(got, r.Read(nil, 4)...)
	want := []Record{at(0), at(1), at(2), at(3), {Kind: Lost, Time: 3, Start: 3}, at(9)}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestLostPlace: what is lost is told behind what was written before it and before what was
// written after it, also where the reader has not come so far yet.
func TestLostPlace(t *testing.T) {
	lost := func(time, n uint64) Record { return Record{Kind: Lost, Time: time, Start: n} }
	for _, c := range []struct {
		name string
		play func(r *Ring, w writer) []Record
		want []Record
	}{
		{"the reader is behind", func(r *Ring, w writer) []Record {
			for time := range uint64(6) { // 4 and 5 are lost
				w.write(at(time))
			}
			got := r.Read(nil, 2)
			w.write(at(6))
			return append(got, r.Read(nil, 9)...)
		}, []Record{at(0), at(1), at(2), at(3), lost(3, 2), at(6)}},
		{"counted after the limit was moved", func(r *Ring, w writer) []Record {
			for time := range uint64(4) {
				w.write(at(time))
			}
			got := r.Read(nil, 9)
			arena.StoreWord(w.mem, LostCount, 1) // of a record between 3 and 6
			w.write(at(6))
			return append(got, r.Read(nil, 9)...)
		}, []Record{at(0), at(1), at(2), at(3), lost(3, 1), at(6)}},
		{"full twice", func(r *Ring, w writer) []Record {
			for time := range uint64(5) {
				w.write(at(time))
			}
			got := r.Read(nil, 9)
			for time := uint64(5); time < 11; time++ {
				w.write(at(time))
			}
			return append(got, r.Read(nil, 9)...)
		}, []Record{at(0), at(1), at(2), at(3), lost(3, 1), lost(3, 0), at(5), at(6), at(7), at(8), lost(8, 2)}},
		{"skipped", func(r *Ring, w writer) []Record {
			for time := range uint64(2) {
				w.write(at(time))
			}
			w.reserve()
			w.write(at(3))
			w.write(at(4)) // lost
			got := r.Read(nil, 9)
			r.Skip()
			return append(got, r.Read(nil, 9)...)
		}, []Record{at(0), at(1), lost(1, 1), at(3), lost(3, 1)}},
	} {
		r, w := newRing(t, 4)
		if got := c.play(r, w); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
