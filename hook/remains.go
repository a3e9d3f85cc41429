package hook

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ring"
)

// remains is everything of functap's that a process has: of a live session, of
// one whose tracer died, or of an ancestor's, inherited by fork.
type remains struct {
	tables []*arena.Tables // arenas that have a header
	// ranges are all mappings. The private ones have no name: they are where
	// the header says, and looked at once more before they are unmapped.
	ranges []arena.Range
	rings  []arena.Range // of these, those of event rings
	fds    []uint64      // memfds that were never closed
}

// found is one memfd's mappings.
type found struct {
	inode    uint64
	mappings []procfs.Mapping
	tables   *arena.Tables // nil: the tracer died before it wrote the header
	// tracers: the process maps the whole file, as only a tracer does. It is
	// functap itself, or embeds it, and this is another process's arena.
	tracers bool
}

// BusyError is an ErrBusy: who is attached.
type BusyError struct {
	PID   int // the target
	Owner int // pid of the tracer, as its own pid namespace numbers it
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%v: functap with pid %d holds process %d; end it first (its ^C detaches)", ErrBusy, e.Owner, e.PID)
}

// Is makes the error ErrBusy.
func (e *BusyError) Is(target error) bool { return target == ErrBusy }

func isOurs(path string) bool { return path == "/memfd:"+memfdName }

// findRemains looks through maps and descriptors.
func findRemains(pid int, mem io.ReaderAt) (*remains, error) {
	maps, err := mapsOf(pid)
	if err != nil {
		return nil, err
	}
	r := &remains{}
	for _, f := range byInode(maps) {
		if err := f.read(mem); err != nil {
			return nil, err
		}
		r.add(f)
	}
	r.fds, err = memfds(pid)
	return r, err
}

// byInode groups the mappings of our memfds.
func byInode(maps []procfs.Mapping) []*found {
	var out []*found
	for _, m := range maps {
		if !isOurs(m.Path) {
			continue
		}
		i := slices.IndexFunc(out, func(f *found) bool { return f.inode == m.Inode })
		if i < 0 {
			i = len(out)
			out = append(out, &found{inode: m.Inode})
		}
		out[i].mappings = append(out[i].mappings, m)
	}
	return out
}

func (r *remains) add(f *found) {
	if f.tracers {
		return
	}
	if t := f.tables; t != nil {
		r.tables = append(r.tables, t)
		r.ranges = append(r.ranges, arena.Range{Start: t.Priv, End: t.Priv + t.PrivSize})
	}
	for _, m := range f.mappings {
		at := arena.Range{Start: m.Start, End: m.End}
		r.ranges = append(r.ranges, at)
		if f.tables == nil && m.Offset == pageSize {
			r.rings = append(r.rings, at)
		}
	}
}

// remains of the process's own session are known without looking.
func (s *session) remains() *remains {
	r := &remains{}
	for _, n := range s.arenas {
		r.tables = append(r.tables, n.Tables())
		r.ranges = append(r.ranges, n.Mapped()...)
	}
	if s.rings != nil {
		r.ranges = append(r.ranges, arena.Range{Start: s.rings.addr, End: s.rings.addr + s.rings.size()})
	}
	return r
}

// read decodes the near data, which is mapped from offset 0 on.
func (f *found) read(mem io.ReaderAt) error {
	for _, m := range f.mappings {
		if m.Offset != 0 {
			continue
		}
		if f.tracers = hasRings(mem, m); f.tracers {
			return nil
		}
		b := make([]byte, m.Len())
		if _, err := mem.ReadAt(b, int64(m.Start)); err != nil {
			return fmt.Errorf("reading what functap left at %#x: %w", m.Start, err)
		}
		if h, err := arena.DecodeHeader(b); err == nil && m.Len() == h.FileSize() {
			f.tracers = true
			return nil
		}
		t, err := arena.NewTables(b)
		if errors.Is(err, arena.ErrNoHeader) && allZero(b[:8]) {
			return nil // died before the header: nothing was patched
		}
		if err != nil {
			return err
		}
		if t.Near != m.Start {
			return fmt.Errorf("%w: written for %#x, found at %#x", arena.ErrNoHeader, t.Near, m.Start)
		}
		f.tables = t
	}
	return nil
}

// hasRings reports whether a mapping is all of a memfd of rings, the first page included.
func hasRings(mem io.ReaderAt, m procfs.Mapping) bool {
	b := make([]byte, len(ring.Magic))
	_, err := mem.ReadAt(b, int64(m.Start))
	return err == nil && string(b) == ring.Magic
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// memfds lists open descriptors of our memfds in a process.
func memfds(pid int) ([]uint64, error) {
	dir := procPath(pid, "fd")
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("listing descriptors: %w", wrapGone(err))
	}
	var out []uint64
	for _, n := range names {
		link, err := os.Readlink(filepath.Join(dir, n.Name()))
		if err != nil {
			continue // closed meanwhile
		}
		if path, _ := strings.CutSuffix(link, " (deleted)"); isOurs(path) {
			fd, err := strconv.ParseUint(n.Name(), 10, 32)
			if err == nil {
				out = append(out, fd)
			}
		}
	}
	return out, nil
}

// empty: there is nothing.
func (r *remains) empty() bool { return len(r.ranges) == 0 && len(r.fds) == 0 }

// live returns the owner of a session whose tracer is alive.
func (r *remains) live() (arena.Owner, bool) {
	for _, t := range r.tables {
		if alive(t) {
			return t.Owner, true
		}
	}
	return arena.Owner{}, false
}

// alive reports whether an arena's tracer lives.
func alive(t *arena.Tables) bool { return t.Lock != 0 && t.Lock&arena.LockOwnerDied == 0 }
