package arena

import "testing"

// TestFrameWindows: a window lies in the table, wherever the slot is.
func TestFrameWindows(t *testing.T) {
	if FrameEntries*FrameSize > frameTable || FrameMask+FrameWindow > FrameEntries {
		t.Errorf("%d entries, of which a window may need %d", FrameEntries, FrameMask+FrameWindow)
	}
	for slot := uint64(8); slot < 1<<47; slot = slot*5 + 8 {
		if i := FrameIndex(slot); i < 0 || i > FrameMask {
			t.Fatalf("index %d for %#x", i, slot)
		}
	}
}

// TestFrameIndexTellsStacksApart: threads' stacks are powers of two apart, and so would be
// their frames.
func TestFrameIndexTellsStacksApart(t *testing.T) {
	for _, size := range []uint64{1 << 20, 8 << 20, 256 << 10, 8<<20 + 4096} {
		seen := map[int]int{}
		for i := range uint64(60) {
			seen[FrameIndex(0x7f0000001f38+i*size)/FrameWindow]++
		}
		for _, n := range seen {
			if n > FrameWindow/2 {
				t.Errorf("stacks %d KiB apart: %d of 60 share a window", size>>10, n)
			}
		}
	}
}

// TestHomeIndexTellsStacksApart: what threads use of their stacks has entries of its own.
func TestHomeIndexTellsStacksApart(t *testing.T) {
	for _, size := range []uint64{1 << 20, 8 << 20, 256 << 10, 8<<20 + 4096, 132 << 10} {
		seen, shared := map[int]bool{}, 0
		for i := range uint64(60) {
			for slot := uint64(0); slot < 8192; slot += 8 {
				n := HomeIndex(0x7f0000001f38 + i*size - slot)
				if n < 0 || n > HomeMask {
					t.Fatalf("index %d", n)
				}
				if seen[n] {
					shared++
				}
				seen[n] = true
			}
		}
		if shared > 60*1024/20 {
			t.Errorf("stacks %d KiB apart: %d of %d slots find their entry taken", size>>10, shared, 60*1024)
		}
	}
}

func TestJoinKeys(t *testing.T) {
	for _, slot := range []uint64{0x7ffffffff008, 1<<56 - 8} {
		for n := uint64(0); n <= MaxJoined; n++ {
			f := Frame{Slot: JoinKey(slot, n)}
			if s, k := f.JoinedTo(); s != slot || k != n {
				t.Errorf("%#x, %d: %#x, %d", slot, n, s, k)
			}
		}
	}
}

// TestHeaderOfVersion1: what an older functap has left can be cleaned up.
func TestHeaderOfVersion1(t *testing.T) {
	a := newTest(t, NewLayout(4, 4, 8, 0, 4096))
	a.Frames = 0x7f0000000000
	a.WriteHeader(Owner{PID: 7})
	if h, err := DecodeHeader(a.Mem()); err != nil || h.Frames != a.Frames || h.FrameSize != framesBytes {
		t.Errorf("%+v, %v", h, err)
	}
	le.PutUint32(a.Mem()[8:], 1)
	h, err := DecodeHeader(a.Mem())
	if err != nil || h.Frames != 0 || h.FrameSize != 0 || h.Owner.PID != 7 {
		t.Errorf("%+v, %v", h, err)
	}
	le.PutUint32(a.Mem()[8:], Version+1)
	if _, err := DecodeHeader(a.Mem()); err == nil {
		t.Error("a later version is understood")
	}
}

func TestRuns(t *testing.T) {
	a := newTest(t, NewLayout(4, 3*StatCells, 8, 0, 4096))
	one, err1 := a.AddRun(StatCells, a)
	two, err2 := a.AddRun(StatCells, a)
	if err1 != nil || err2 != nil || one == two || one%lineCells != 0 || two%lineCells != 0 {
		t.Fatalf("%d %v, %d %v", one, err1, two, err2)
	}
	a.AddShared(a.SharedCellAddr(one+StatUnwound), 3)
	if n := a.Read(one+StatUnwound, a); n != 3 {
		t.Errorf("read %d", n)
	}
	a.FreeRun(one, StatCells)
	again, err := a.AddRun(StatCells, a)
	if err != nil || again != one || a.Read(again+StatUnwound, a) != 0 {
		t.Errorf("%d, not %d: %v", again, one, err)
	}
	for err == nil {
		_, err = a.AddCell(a)
	}
	if _, err := a.AddRun(StatCells, a); err == nil {
		t.Error("a run where cells are")
	}
}
