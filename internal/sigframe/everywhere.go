package sigframe

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/functap/functap/internal/procfs"
)

// Everywhere finds the frames in all private writable memory of the process, for
// programs that switch stacks themselves: of theirs no register may tell where a
// suspended handler's stack is. pagemap is /proc/PID/pagemap, by which memory that
// was never written is left out. At most limit bytes are read; unread is how many
// would have been left then.
//
// The frames come in the order of their addresses. Many may be left over from handlers that
// returned long ago.
func (f *Finder) Everywhere(pagemap io.ReaderAt, limit uint64) (frames []Frame, unread uint64, err error) {
	w := writtenPages{pagemap: pagemap, left: limit}
	for _, m := range f.Maps {
		if holdsStacks(m) {
			if err := w.add(m); err != nil {
				return nil, 0, err
			}
		}
	}
	whole := Finder{Mem: gapless{f.Mem}, Maps: f.Maps, Restorers: f.Restorers, Bytes: f.Bytes, buf: f.buf}
	hit := func(addr, _ uint64) { frames = append(frames, Frame{addr, f.Mem}) }
	for _, r := range w.runs {
		n := min(r.to-r.from, w.left)
		if err := whole.scanRange(r.from, r.from+n, hit); err != nil {
			return nil, 0, err
		}
		w.left -= n
		w.unread += r.to - r.from - n
	}
	return frames, w.unread, nil
}

// holdsStacks: a stack may be in it. Devices are not read: that may do something.
func holdsStacks(m procfs.Mapping) bool {
	device := strings.HasPrefix(m.Path, "/dev/") && m.Path != "/dev/zero"
	return m.Read && m.Write && !m.Shared && !device
}

const pageSize = 4096

// run is a range of written pages.
type run struct{ from, to uint64 }

// writtenPages gathers those of several mappings. Runs go on from one mapping to the
// next: a stack may be split by a change of a page's protection or advice.
type writtenPages struct {
	pagemap      io.ReaderAt
	runs         []run
	left, unread uint64
	buf          [32 << 10]byte
}

// Bits of an entry (Documentation/admin-guide/mm/pagemap.rst). Pages of files
// are not written ones: a private mapping has a copy of those, which is anonymous.
const (
	pagePresent = 1 << 63
	pageSwapped = 1 << 62
	pageOfFile  = 1 << 61
	entrySize   = 8
)

// add looks through a mapping's entries; reading these counts too, since a mapping may
// be much larger than what is used of it.
func (w *writtenPages) add(m procfs.Mapping) error {
	for from := m.Start; from < m.End; {
		n := min(uint64(len(w.buf)), (m.End-from)/pageSize*entrySize)
		if n > w.left {
			w.unread += m.End - from
			return nil
		}
		w.left -= n
		b := w.buf[:n]
		if _, err := w.pagemap.ReadAt(b, int64(from/pageSize*entrySize)); err != nil {
			return fmt.Errorf("reading the page map at %#x: %w", from, err)
		}
		for ; len(b) > 0; b = b[entrySize:] {
			if e := binary.LittleEndian.Uint64(b); e&(pagePresent|pageSwapped) != 0 && e&pageOfFile == 0 {
				w.page(from)
			}
			from += pageSize
		}
	}
	return nil
}

func (w *writtenPages) page(at uint64) {
	if k := len(w.runs) - 1; k >= 0 && w.runs[k].to == at {
		w.runs[k].to += pageSize
		return
	}
	w.runs = append(w.runs, run{at, at + pageSize})
}

// gapless reads pages that cannot be read as zeros. Guard pages inside a mapping
// (MADV_GUARD_INSTALL) look like swapped ones; where nothing can be read no handler has its
// stack.
type gapless struct{ Memory }

func (m gapless) ReadAt(p []byte, addr int64) (int, error) {
	for done := 0; done < len(p); {
		n, err := m.Memory.ReadAt(p[done:], addr+int64(done))
		done += n
		if err == nil {
			break
		}
		gap := min(len(p)-done, pageSize-int(uint64(addr+int64(done))%pageSize))
		clear(p[done : done+gap])
		done += gap
	}
	return len(p), nil
}
