package sigframe

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/functap/functap/internal/ptrace"
)

// TestEverywhere finds without any register what Find finds by them, and tells what
// it has not read.
func TestEverywhere(t *testing.T) {
	p := start(t, build(t, "gcc", "gcc", "-O1"))
	pagemap, err := os.Open(fmt.Sprintf("/proc/%d/pagemap", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	defer pagemap.Close()
	stopped(t, p.PID(), func(s *ptrace.Stop, f *Finder) error {
		for _, th := range s.Threads() {
			r, err := th.Regs()
			if err != nil {
				return err
			}
			frames, err := f.Find(r.Rip, r.Rsp)
			if err != nil {
				return err
			}
			for _, fr := range frames {
				p.frames[fr.Addr] = true
			}
		}
		all, unread, err := f.Everywhere(pagemap, 1<<30)
		if err != nil || unread != 0 {
			return fmt.Errorf("%d bytes unread: %w", unread, err)
		}
		for i, fr := range all {
			if i > 0 && all[i-1].Addr >= fr.Addr {
				t.Error("not in the order of their addresses, or twice")
			}
			delete(p.frames, fr.Addr)
		}
		if len(p.frames) > 0 || len(all) < 4 {
			t.Errorf("of %d frames %d are missing", len(all), len(p.frames))
		}
		few, unread, err := f.Everywhere(pagemap, pageSize)
		if err != nil || unread == 0 || len(few) >= len(all) {
			t.Errorf("of one page: %d frames, %d unread, %v", len(few), unread, err)
		}
		return nil
	})
}

// TestScanEveryPosition puts a frame at each place of a buffer that is read in parts.
func TestScanEveryPosition(t *testing.T) {
	const base, restorer = 0x10000, 0x7000
	for _, at := range []int{8, 24, pageSize - 8, window - Size, window - Size + 8, window - Size + 24, window - 8, window + 8, 2*window - Size} {
		if (base+at)%frameAlign != wordSize {
			at += wordSize
		}
		mem := image(make([]byte, base+2*window))
		frame := mem[base+at:]
		for off, v := range map[int]byte{1: restorer >> 8, OffCS: UserCS, OffEflags: 2, OffGPR + 8*int(RIP): 1, OffGPR + 8*int(RSP): 1} {
			if off < len(frame) {
				frame[off] = v
			}
		}
		f := Finder{Mem: mem, Restorers: []uint64{restorer, restorer + 0x900}}
		hits := map[uint64]int{}
		if err := f.scanRange(base, base+2*window, func(addr, _ uint64) { hits[addr]++ }); err != nil {
			t.Fatal(err)
		}
		whole := at+Size <= 2*window
		if n := hits[uint64(base+at)]; n > 1 || (n == 1) != whole || len(hits) > 1 {
			t.Errorf("frame at %#x: found %v", at, hits)
		}
	}
}

// image is memory from address 0 on.
type image []byte

func (m image) ReadAt(p []byte, off int64) (int, error) { return bytes.NewReader(m).ReadAt(p, off) }
func (m image) WriteAt([]byte, int64) (int, error)      { return 0, io.ErrShortWrite }

// guarded cannot be read in its second page.
type guarded struct{ image }

func (m guarded) ReadAt(p []byte, off int64) (int, error) {
	for i := range p {
		if at := off + int64(i); at/pageSize == 1 {
			return i, io.ErrUnexpectedEOF
		}
		p[i] = m.image[off+int64(i)]
	}
	return len(p), nil
}

func TestGapless(t *testing.T) {
	mem := image(bytes.Repeat([]byte{7}, 4*pageSize))
	got := bytes.Repeat([]byte{9}, 3*pageSize)
	if n, err := (gapless{guarded{mem}}).ReadAt(got, 100); n != len(got) || err != nil {
		t.Fatal(n, err)
	}
	want := bytes.Repeat([]byte{7}, 3*pageSize)
	clear(want[pageSize-100 : 2*pageSize-100])
	if !bytes.Equal(got, want) {
		t.Error("read something else than a gap of zeros")
	}
}
