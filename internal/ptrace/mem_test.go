package ptrace

import (
	"bytes"
	"os"
	"testing"

	"github.com/functap/functap/internal/procfs"
)

// text returns the first mapping with code of the program itself.
func text(t *testing.T, pid int) procfs.Mapping {
	t.Helper()
	maps, err := procfs.Maps(pid)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range maps {
		if m.Exec && m.Inode != 0 {
			return m
		}
	}
	t.Fatal("no text")
	return procfs.Mapping{}
}

// TestWriteText writes into code in both ways and reads it back in both ways.
func TestWriteText(t *testing.T) {
	tr := newTracer(t)
	v := victim(t, "count.c")
	m := text(t, v.PID())
	var kept *Mem
	mustStop(t, tr, v.PID(), func(s *Stop) error {
		kept = s.Mem()
		before := make([]byte, m.Len())
		if _, err := s.Mem().ReadAt(before, int64(m.Start)); err != nil {
			return err
		}
		for name, write := range map[string]func(p []byte, addr uint64) error{
			"mem file": func(p []byte, addr uint64) error { _, err := s.Mem().WriteAt(p, int64(addr)); return err },
			"poke":     s.Mem().pokeAll,
		} {
			for _, size := range []int{1, 5, 8, 13, 64} {
				at := uint64(4096 - 3 - size/2) // across a page's end, not aligned
				want := bytes.Clone(before)
				copy(want[at:], bytes.Repeat([]byte{0xcc}, size))
				if err := write(want[at:at+uint64(size)], m.Start+at); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				after := make([]byte, m.Len())
				if _, err := s.Mem().ReadAt(after, int64(m.Start)); err != nil {
					return err
				}
				if !bytes.Equal(after, want) {
					t.Errorf("%s: wrong after writing %d bytes", name, size)
				}
				if err := write(before[at:at+uint64(size)], m.Start+at); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if _, err := kept.ReadAt(make([]byte, 1), int64(m.Start)); err != os.ErrClosed {
		t.Errorf("reading after the stop: %v", err)
	}
	v.Run(10)
	v.Quit()
}

func TestUnmapped(t *testing.T) {
	tr := newTracer(t)
	v := victim(t, "count.c")
	mustStop(t, tr, v.PID(), func(s *Stop) error {
		if _, err := s.Mem().ReadAt(make([]byte, 8), 8); err == nil {
			t.Error("page 0 was read")
		}
		if _, err := s.Mem().WriteAt(make([]byte, 8), 8); err == nil {
			t.Error("page 0 was written")
		}
		maps, err := procfs.Maps(s.PID())
		if err != nil {
			return err
		}
		last := maps[0]
		for _, m := range maps[1:] {
			if m.Start != last.End && last.Read {
				break
			}
			last = m
		}
		n, err := s.Mem().ReadAt(make([]byte, 3*bulk), int64(last.End-bulk))
		if n != bulk || err == nil {
			t.Errorf("reading over a mapping's end: %d, %v", n, err)
		}
		return nil
	})
}

// TestRegistersAndMask changes registers and mask and finds them changed.
func TestRegistersAndMask(t *testing.T) {
	tr := newTracer(t)
	p := start(t, "threads.c", "spin", "1")
	mustStop(t, tr, p.PID(), func(s *Stop) error {
		for _, th := range s.Threads() {
			r, err := th.Regs()
			if err != nil {
				return err
			}
			orig, changed := *r, *r
			changed.Gs_base, changed.R15 = 0x7000, 0x1234
			if err := th.SetRegs(&changed); err != nil {
				return err
			}
			if err := th.Flush(); err != nil {
				return err
			}
			th.have = false
			if got, err := th.Regs(); err != nil || *got != changed {
				t.Errorf("registers %+v (%v), not %+v", got, err, changed)
			}
			if err := th.SetRegs(&orig); err != nil {
				return err
			}
			mask, err := th.SigMask()
			if err != nil {
				return err
			}
			if err := th.SetSigMask(mask | 1<<9); err != nil {
				return err
			}
			if got, err := th.SigMask(); err != nil || got != mask|1<<9 {
				t.Errorf("mask %#x (%v)", got, err)
			}
			if err := th.SetSigMask(mask); err != nil {
				return err
			}
			if img, err := th.XState(); err != nil || len(img) < 576 || img[512]&2 == 0 && img[512]&1 == 0 && len(img)%8 != 0 {
				t.Errorf("extended state of %d bytes (%v)", len(img), err)
			}
		}
		return nil
	})
	requireProgress(t, p)
}
