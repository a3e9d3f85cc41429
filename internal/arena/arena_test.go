package arena

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func newTest(t testing.TB, l Layout) *Arena {
	t.Helper()
	a, err := New(make([]byte, l.FileSize()), l, Addresses{
		Priv: 0x10000, Near: 0x20000, Code: 0x20000 + l.NearSize, Far: 0x900000,
		AreasAddr: 0x10000 + AreasOff, AreaCount: l.Areas,
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestSuccessorReadsWhatWasWritten(t *testing.T) {
	a := newTest(t, NewLayout(10, 20, 8, 0, 1<<16))
	a.WriteHeader(Owner{PID: 7, TID: 8, StartTime: 9, Session: 10})
	want := Site{Addr: 0x400123, Patch: 5, Original: [8]byte{1, 2, 3}, Written: [8]byte{0xe9}, Unit: 3}
	i, err := a.AddSite(want)
	if err != nil {
		t.Fatal(err)
	}
	at, _ := a.Reserve(40)
	exits := []Exit{{}, {6, -2, 8, SavedFirst | SavedFlags, TokenGSBase, CallBack}}
	if _, err := a.AddUnit(at, make([]byte, 40), uint32(i), UnitStub, exits); err != nil {
		t.Fatal(err)
	}
	tb, err := NewTables(append([]byte{}, a.Mem()[:a.NearSize]...))
	if err != nil {
		t.Fatal(err)
	}
	if tb.Owner.Session != 10 || tb.Layout != a.Layout || tb.Addresses != a.Addresses {
		t.Errorf("header: %+v", tb.Header)
	}
	u, _, ok := tb.Find(at + 6)
	if !ok || u.Kind != UnitStub {
		t.Fatalf("unit at %#x: %+v %v", at+6, u, ok)
	}
	if e, ok := tb.ExitAt(u, at+6); !ok || e != exits[1] {
		t.Errorf("exit: %+v %v", e, ok)
	}
	if e, ok := tb.ExitAt(u, at+5); !ok || e != exits[0] {
		t.Errorf("the exit before the second: %+v %v", e, ok)
	}
	if _, _, ok := tb.Find(at + 40); ok {
		t.Error("a unit behind the last one")
	}
	got, _ := tb.SiteOf(u)
	want.State = SitePlanned
	if got != want {
		t.Errorf("site %+v, want %+v", got, want)
	}
}

func TestReadAddsClaimedAreasAndShared(t *testing.T) {
	a := newTest(t, NewLayout(4, 4, 8, 0, 4096))
	a.AddCell(a)
	c, _ := a.AddCell(a)
	storeWord(a.mem, a.SharedOff+uint64(c)*8, 5)
	far := a.NearSize + a.CodeSize
	storeWord(a.mem, far+3*a.Stride+uint64(c)*8, 100)
	if n := a.Read(c, a); n != 5 {
		t.Errorf("unclaimed area counted: %d", n)
	}
	a.SetClaimed(3)
	if n := a.Read(c, a); n != 105 {
		t.Errorf("got %d, want 105", n)
	}
}

func TestCellsAreReusedFromZero(t *testing.T) {
	a := newTest(t, NewLayout(4, 2, 8, 0, 4096))
	a.AddCell(a)
	c, _ := a.AddCell(a)
	a.SetClaimed(3)
	storeWord(a.mem, a.SharedOff+uint64(c)*8, 5)
	storeWord(a.mem, a.NearSize+a.CodeSize+3*a.Stride+uint64(c)*8, 100)
	a.FreeCell(c)
	again, err := a.AddCell(a)
	if err != nil || again != c || a.Read(c, a) != 0 {
		t.Errorf("got cell %d, %v, reading %d, want %d again, reading 0", again, err, a.Read(c, a), c)
	}
	if _, err := a.AddCell(a); !errors.Is(err, ErrFull) {
		t.Errorf("third cell of two: %v", err)
	}
}

func TestFullIsAnError(t *testing.T) {
	a := newTest(t, NewLayout(1, 1, 4, 0, 4096))
	a.AddSite(Site{})
	if _, err := a.AddSite(Site{}); !errors.Is(err, ErrFull) {
		t.Errorf("second site of one: %v", err)
	}
	a.AddCell(a)
	if _, err := a.AddCell(a); !errors.Is(err, ErrFull) {
		t.Errorf("second cell of one: %v", err)
	}
	if _, err := a.Reserve(5000); !errors.Is(err, ErrFull) {
		t.Errorf("more code than there is: %v", err)
	}
}

// TestSpaceNeverOverlaps takes and gives at random: what is out never
// overlaps, and in the end everything is one extent again.
func TestSpaceNeverOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSpace(1<<16, 16)
		out := map[uint64]uint64{}
		for range rapid.IntRange(1, 200).Draw(t, "ops") {
			if len(out) > 0 && rapid.Bool().Draw(t, "give") {
				for off, n := range out {
					s.give(off, n)
					delete(out, off)
					break
				}
				continue
			}
			n := rapid.Uint64Range(1, 4000).Draw(t, "n")
			off, ok := s.take(n)
			if !ok {
				continue
			}
			for o, m := range out {
				if off < o+m && o < off+n {
					t.Fatalf("%d+%d overlaps %d+%d", off, n, o, m)
				}
			}
			out[off] = n
		}
		for off, n := range out {
			s.give(off, n)
		}
		if len(s.free) != 1 || s.left() != 1<<16 {
			t.Fatalf("left %v", s.free)
		}
	})
}

func FuzzDecodeHeader(f *testing.F) {
	l := NewLayout(4, 4, 8, 0, 4096)
	a, err := New(make([]byte, l.FileSize()), l, Addresses{}, 0)
	if err != nil {
		f.Fatal(err)
	}
	a.WriteHeader(Owner{PID: 1})
	f.Add(a.Mem()[:a.NearSize])
	f.Fuzz(func(t *testing.T, b []byte) {
		tb, err := NewTables(b)
		if err != nil {
			return
		}
		tb.EachSite(func(int, Site) {})
		if u, _, ok := tb.Find(tb.Code + 1); ok {
			tb.ExitAt(u, tb.Code+1)
			tb.SiteOf(u)
		}
	})
}
