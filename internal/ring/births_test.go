package ring

import (
	"slices"
	"testing"

	"github.com/functap/functap/internal/arena"
)

// kinds are the records' times, and minus the thread's id where another one begins.
func kinds(records []Record) (out []int) {
	for _, r := range records {
		if r.Kind == Thread {
			out = append(out, -int(r.Start))
		} else {
			out = append(out, int(r.Time))
		}
	}
	return out
}

func requireKinds(t *testing.T, r *Ring, want ...int) {
	t.Helper()
	if got := kinds(r.Read(nil, 1<<20)); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestBirths: records are told to be a thread's from its first one on.
func TestBirths(t *testing.T) {
	r, w := newRing(t, 256)
	w.write(at(1))
	Give(w.mem, 70)
	w.write(at(2))
	w.write(at(3))
	Give(w.mem, 80)
	requireKinds(t, r, 1, -70, 2, 3, -80)
	w.write(at(4))
	Give(w.mem, 90)
	Give(w.mem, 91)
	w.write(at(5))
	requireKinds(t, r, 4, -90, -91, 5)
	requireKinds(t, r)

	// Whoever reads next is not told of those.
	later, err := New(w.mem)
	if err != nil {
		t.Fatal(err)
	}
	w.write(at(6))
	requireKinds(t, later, 6)
}

// TestBirthsUnread: one that is in what was not taken yet is told when it is reached.
func TestBirthsUnread(t *testing.T) {
	r, w := newRing(t, 256)
	for i := range 10 {
		w.write(at(uint64(i)))
	}
	Give(w.mem, 70)
	w.write(at(10))
	if got := kinds(r.Read(nil, 8)); !slices.Equal(got, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("%v", got)
	}
	requireKinds(t, r, 8, 9, -70, 10)
}

// TestBirthsTooMany: whose the records are is not known where the log was overwritten.
func TestBirthsTooMany(t *testing.T) {
	r, w := newRing(t, 2*BirthsKept)
	Give(w.mem, 7)
	w.write(at(1))
	requireKinds(t, r, -7, 1)
	var want []int
	for i := range BirthsKept + 5 {
		Give(w.mem, 100+i)
		w.write(at(uint64(10 + i)))
		switch {
		case i == 0:
			want = append(want, 0, 10)
		case i < 5:
			want = append(want, 10+i)
		default:
			want = append(want, -100-i, 10+i)
		}
	}
	requireKinds(t, r, want...)
}

// TestBirthUnfinished: a thread is interrupted while it notes itself, by a handler that does
// so too.
func TestBirthUnfinished(t *testing.T) {
	r, w := newRing(t, 256)
	Give(w.mem, 7)
	w.write(at(1))
	arena.StoreWord(w.mem, Births, 2)
	requireKinds(t, r, -7, 1)
	Give(w.mem, 8)
	w.write(at(2))
	requireKinds(t, r, -8, 2)
	Give(w.mem, 9)
	w.write(at(3))
	requireKinds(t, r, -9, 3)
}
