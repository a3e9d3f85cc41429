package hook

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/functap/functap/internal/arena"
)

const pageSize = arena.PageSize

// edit is one change of a few bytes of text; it never crosses a page.
type edit struct {
	addr     uint64
	old, new []byte
	last     bool // of its page's edits, those that are last are written last
	slot     *Slot
	active   bool // when restoring: the text was seen to have old
}

// textWriter changes text for many sites at once. It reads in runs and writes
// once per page, since a write costs the same for one byte as for a page.
type textWriter struct {
	slots []*Slot
	edits []edit // by address
	reads []run
}

// run is a stretch of text that is read in one piece.
type run struct {
	start uint64
	data  []byte
}

// newTextWriter plans the bytes of slots, in the direction to patch.
func newTextWriter(slots []*Slot) *textWriter {
	w := &textWriter{slots: slots}
	for _, s := range slots {
		r := s.n.ReadSite(s.index)
		if r.Hole != 0 {
			w.edits = append(w.edits, edit{addr: r.HoleAddr, old: r.HoleOriginal[:r.Hole], new: r.HoleWritten[:r.Hole], slot: s})
		}
		w.edits = append(w.edits, edit{addr: r.Addr, old: r.Original[:r.Patch], new: r.Written[:r.Patch], last: r.Hole != 0, slot: s})
	}
	w.sort()
	return w
}

func (w *textWriter) sort() {
	slices.SortFunc(w.edits, func(a, b edit) int { return cmp.Compare(a.addr, b.addr) })
}

// keep drops the edits for which ok is false.
func (w *textWriter) keep(ok func(edit) bool) {
	w.edits = slices.DeleteFunc(w.edits, func(e edit) bool { return !ok(e) })
}

// sites is the number of functions among the edits.
func (w *textWriter) sites() int {
	holes := 0
	for _, e := range w.edits {
		if e.last {
			holes++ // a short jump and its hole are one function's
		}
	}
	return len(w.edits) - holes
}

// active is how many edits are of text that was seen to have the old bytes.
func (w *textWriter) active() (n int) {
	for _, e := range w.edits {
		if e.active {
			n++
		}
	}
	return n
}

const (
	runGap = 1 << 16 // pages between edits that are read along
	runMax = 1 << 22
)

// pages is the range of whole pages that an edit's bytes are in.
func (e edit) pages() (start, end uint64) {
	last := e.addr + uint64(max(len(e.old), 1)) - 1
	return e.addr &^ (pageSize - 1), last&^(pageSize-1) + pageSize
}

// read fetches all pages that have edits.
func (w *textWriter) read(mem io.ReaderAt) error {
	w.reads = nil
	for i := 0; i < len(w.edits); {
		first := i
		start, end := w.edits[i].pages()
		for i < len(w.edits) && w.edits[i].addr < end+runGap && w.edits[i].addr < start+runMax {
			_, last := w.edits[i].pages()
			end = max(end, last)
			i++
		}
		r := run{start, make([]byte, end-start)}
		if _, err := mem.ReadAt(r.data, int64(start)); err != nil {
			// Perhaps only a hole between two mappings: page by page, then.
			if err := w.readPages(mem, w.edits[first:i]); err != nil {
				return err
			}
			continue
		}
		w.reads = append(w.reads, r)
	}
	return nil
}

// readPages reads the pages of some edits and nothing between them.
func (w *textWriter) readPages(mem io.ReaderAt, edits []edit) error {
	for _, e := range edits {
		start, end := e.pages()
		if k := len(w.reads) - 1; k >= 0 && start < w.reads[k].end() {
			if end <= w.reads[k].end() {
				continue
			}
			start, w.reads = w.reads[k].start, w.reads[:k] // read together
		}
		r := run{start, make([]byte, end-start)}
		if _, err := mem.ReadAt(r.data, int64(start)); err != nil {
			return fmt.Errorf("reading text at %#x: %w", start, err)
		}
		w.reads = append(w.reads, r)
	}
	return nil
}

func (r run) end() uint64 { return r.start + uint64(len(r.data)) }

// readMapped is read, but drops edits in text that is no longer mapped: the
// target has unloaded the library.
func (w *textWriter) readMapped(mem io.ReaderAt) error {
	if w.read(mem) == nil {
		return nil
	}
	page, ok := ^uint64(0), false
	w.keep(func(e edit) bool {
		if p := e.addr &^ (pageSize - 1); p != page {
			page = p
			_, err := mem.ReadAt(make([]byte, 1), int64(e.addr))
			ok = err == nil
		}
		return ok
	})
	return w.read(mem)
}

// at returns n bytes as read.
func (w *textWriter) at(addr uint64, n int) []byte {
	i, _ := slices.BinarySearchFunc(w.reads, addr, func(r run, a uint64) int {
		if r.start+uint64(len(r.data)) <= a {
			return -1
		}
		if r.start > a {
			return 1
		}
		return 0
	})
	off := addr - w.reads[i].start
	return w.reads[i].data[off : off+uint64(n)]
}

// verify reads the text and compares it with what the edits expect.
func (w *textWriter) verify(mem io.ReaderAt) error {
	if err := w.read(mem); err != nil {
		return err
	}
	for _, e := range w.edits {
		if got := w.at(e.addr, len(e.old)); !bytes.Equal(got, e.old) {
			return fmt.Errorf("%w: %s has % x at %#x instead of % x",
				ErrBytesDiffer, e.slot.site.Function.Name(), got, e.addr, e.old)
		}
	}
	return nil
}

// memory is what text is written through.
type memory interface {
	io.ReaderAt
	io.WriterAt
}

// write applies the edits, after verify: first those that nothing leads to
// yet (holes), then the others. After an error what was written is taken back.
func (w *textWriter) write(mem memory) error {
	for _, last := range []bool{false, true} {
		if err := w.writePass(mem, last); err != nil {
			w.swap()
			if back := w.writeAll(mem); back != nil {
				return fmt.Errorf("%w; and putting back: %w", err, back)
			}
			return err
		}
	}
	return nil
}

func (w *textWriter) writeAll(mem memory) error {
	if err := w.writePass(mem, true); err != nil {
		return err
	}
	return w.writePass(mem, false)
}

// swap turns the direction around.
func (w *textWriter) swap() {
	for i := range w.edits {
		w.edits[i].old, w.edits[i].new = w.edits[i].new, w.edits[i].old
	}
}

// writePass writes one kind of edits, each page's in one piece. Bytes between
// the edits are written as they were read; all threads stand still.
func (w *textWriter) writePass(mem memory, last bool) error {
	for i := 0; i < len(w.edits); {
		page := w.edits[i].addr &^ (pageSize - 1)
		lo, hi := ^uint64(0), uint64(0)
		for ; i < len(w.edits) && w.edits[i].addr < page+pageSize; i++ {
			e := w.edits[i]
			if e.last != last {
				continue
			}
			copy(w.at(e.addr, len(e.new)), e.new)
			lo, hi = min(lo, e.addr), max(hi, e.addr+uint64(len(e.new)))
		}
		if hi == 0 {
			continue
		}
		if _, err := mem.WriteAt(w.at(lo, int(hi-lo)), int64(lo)); err != nil {
			return fmt.Errorf("writing text at %#x: %w", lo, err)
		}
	}
	return nil
}
