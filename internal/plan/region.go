package plan

import (
	"cmp"
	"slices"

	"github.com/functap/functap/internal/symbols"
)

// nearBytes is how many bytes of each function are covered by segment.near: an
// endbr64 and a jump.
const nearBytes = 4 + longJump

// region is a stretch of code that is decoded linearly from its first byte: from
// one known start (or end of a function) to the next.
type region struct {
	start, end uint64
	cluster    int32 // index into layout.clusters; -1 for a gap

	// code is the end of the last instruction that is not filler; start if there
	// is none. closed: that instruction does not fall through. falls: it does, and
	// is not a call (which may be one that never returns).
	code   uint64
	closed bool
	falls  bool
	over   uint8 // bytes of that instruction behind end

	traits traits
}

// cluster is a maximal run of overlapping functions: usually one; several where
// assembly has more than one entry to the same code.
type cluster struct {
	start, end uint64
	// entry: at least one of its functions has a name that is not a cold part's.
	entry bool
	// rseq: a restartable sequence is in it or aborts to it.
	rseq bool
	// compiledGo: a function of Go's compiler is in it. They keep nothing below rsp,
	// but may compute an address there to check their stack.
	compiledGo bool
	// traits are those of its regions, once they are settled.
	traits traits
}

func (c *cluster) join(t traits) {
	c.traits.redZone = c.traits.redZone || t.redZone && !c.compiledGo
	c.traits.indirect = c.traits.indirect || t.indirect
	c.traits.loads |= t.loads
}

// layout is the module's code cut into regions, both lists by ascending address.
type layout struct {
	regions  []region
	clusters []cluster
}

// extent is one function or unwind range, clipped to a segment.
type extent struct {
	start, end uint64
	entry      bool
	compiledGo bool
}

// newLayout cuts each executable segment at every start and end of a function and
// notes the starts in the segments.
func newLayout(im *image, funcs []symbols.Func, fdes []symbols.FDE) *layout {
	l := &layout{}
	exts := extents(im, funcs, fdes)
	for i := range im.segs {
		s := &im.segs[i]
		if !s.exec {
			continue
		}
		n, _ := slices.BinarySearchFunc(exts, s.end(), func(e extent, end uint64) int { return cmp.Compare(e.start, end) })
		l.cut(s, exts[:n])
		exts = exts[n:]
	}
	return l
}

func extents(im *image, funcs []symbols.Func, fdes []symbols.FDE) []extent {
	exts := make([]extent, 0, len(funcs)+len(fdes))
	add := func(e extent) {
		if s := im.code(e.start); s != nil {
			e.end = min(max(e.start, e.end), s.end())
			exts = append(exts, e)
		}
	}
	for i := range funcs {
		f := &funcs[i]
		size := uint64(0)
		if sized(f) {
			size = f.Size
		}
		add(extent{f.Addr, f.Addr + size, f.Source != symbols.EhFrame && !f.Cold, f.Go && !f.Assembly})
	}
	for _, d := range fdes {
		add(extent{start: d.Start, end: d.End})
	}
	slices.SortFunc(exts, func(a, b extent) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	return exts
}

// sized reports whether f's size is where its code ends, and not just a distance to
// something else. Go's table has no ends, and what its linker puts between
// functions can only be told from code by decoding.
func sized(f *symbols.Func) bool { return f.SizeKnown && f.Size > 0 && !f.Go }

// cut appends the regions and clusters of one segment. A function without a known
// end reaches to the next start.
func (l *layout) cut(s *segment, exts []extent) {
	pos, covered := s.base, s.base // pos: all before is cut; covered: end of the open cluster
	flush := func(to uint64) {
		if covered > pos {
			l.add(pos, min(covered, to), int32(len(l.clusters)-1))
			pos = min(covered, to)
		}
		if to > pos {
			l.add(pos, to, -1)
			pos = to
		}
	}
	for i, e := range exts {
		if i == 0 || e.start != exts[i-1].start {
			flush(e.start)
			s.starts.add(e.start)
			for j := range uint64(nearBytes) {
				s.near.add(e.start + j)
			}
		}
		end := e.end
		if end == e.start {
			end = nextStart(exts[i:], s.end())
		}
		if e.start >= covered || len(l.clusters) == 0 {
			l.clusters = append(l.clusters, cluster{start: e.start})
		}
		covered = max(covered, end)
		c := &l.clusters[len(l.clusters)-1]
		c.end, c.entry, c.compiledGo = covered, c.entry || e.entry, c.compiledGo || e.compiledGo
	}
	flush(s.end())
}

func nextStart(exts []extent, end uint64) uint64 {
	for _, e := range exts {
		if e.start != exts[0].start {
			return e.start
		}
	}
	return end
}

func (l *layout) add(start, end uint64, cluster int32) {
	if start < end {
		l.regions = append(l.regions, region{start: start, end: end, cluster: cluster})
	}
}

// settle moves the ends of functions that the sweep saw to be too early (symbols
// may lie), and carries over regions of filler only whether the code before them
// runs on into them. Clusters get their regions' traits.
func (l *layout) settle() {
	for i := range l.regions {
		if r := &l.regions[i]; r.cluster >= 0 {
			l.clusters[r.cluster].join(r.traits)
		}
	}
	for i := 1; i < len(l.regions); i++ {
		r, next := &l.regions[i-1], &l.regions[i]
		if next.start != r.end {
			continue
		}
		if end := r.end + uint64(r.over); r.over > 0 && next.cluster < 0 && end < next.end {
			r.end, next.start, next.code = end, end, max(next.code, end)
		}
		if next.code == next.start {
			next.closed, next.falls = r.closed, r.falls
		}
	}
}

// at is the index of the region that holds addr, or -1.
func (l *layout) at(addr uint64) int {
	i, ok := slices.BinarySearchFunc(l.regions, addr, func(r region, a uint64) int { return cmp.Compare(r.start, a) })
	if !ok {
		i--
	}
	if i < 0 || addr >= l.regions[i].end {
		return -1
	}
	return i
}

// clusterAt is the cluster that holds addr, or nil for a gap.
func (l *layout) clusterAt(addr uint64) *cluster {
	i := l.at(addr)
	if i < 0 || l.regions[i].cluster < 0 {
		return nil
	}
	return &l.clusters[l.regions[i].cluster]
}

// traitsAt are the traits of the cluster that holds addr, or of the gap.
func (l *layout) traitsAt(addr uint64) traits {
	if c := l.clusterAt(addr); c != nil {
		return c.traits
	}
	if i := l.at(addr); i >= 0 {
		return l.regions[i].traits
	}
	return traits{}
}
