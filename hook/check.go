package hook

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/x86"
)

// sortOut looks at the code in memory, with the target running, and lists the
// sites that are still to be patched. What differs from the file is refused by
// name; the stop checks once more.
func (p *Process) sortOut(sites []Site, pt *Patch) ([]Site, error) {
	mem, err := openMem(p.pid)
	if err != nil {
		return nil, wrapExit(err)
	}
	defer mem.Close()
	maps, err := mapsOf(p.pid)
	if err != nil {
		return nil, wrapGone(err)
	}
	loaded := map[*Image]bool{}
	for im := range p.Images() {
		loaded[im] = im.loaded(maps)
	}
	var fresh []Site
	for _, st := range sites {
		if s := p.sites[st.Addr()]; s != nil && s.isOf(st) {
			continue
		}
		if !loaded[st.Function.im] {
			pt.Refused = append(pt.Refused, st.refused(RefusedUnloaded, "%s is no longer mapped", st.Function.im.Name))
			continue
		}
		fresh = append(fresh, st)
	}
	text := readText(mem, fresh)
	taken := p.taken(fresh)
	shadow := shadowStacks(p.pid)
	var good []Site
	for i, st := range fresh {
		if e := check(text, st, taken[i], shadow); e != nil {
			pt.Refused = append(pt.Refused, e)
			continue
		}
		good = append(good, st)
	}
	return good, nil
}

func (s *Slot) isOf(st Site) bool { return s.site.Function.sym.Addr == st.Function.sym.Addr }

// readText reads the code around the sites in large pieces. Where that fails,
// since a library was unloaded, each site is read by itself.
func readText(mem io.ReaderAt, sites []Site) io.ReaderAt {
	w := &textWriter{}
	for _, st := range sites {
		for _, part := range st.parts() {
			w.edits = append(w.edits, edit{addr: part.addr, old: part.bytes})
		}
	}
	w.sort()
	if w.read(mem) != nil {
		return mem
	}
	return w
}

// ReadAt returns text that was read before.
func (w *textWriter) ReadAt(p []byte, addr int64) (int, error) {
	return copy(p, w.at(uint64(addr), len(p))), nil
}

// check compares a site's bytes with the file. by is who has the bytes already.
func check(text io.ReaderAt, st Site, by string, shadow bool) *UnpatchableError {
	if by != "" {
		return st.refused(RefusedWindowTaken, "its bytes are part of the patch of %s", by)
	}
	if shadow && hasCall(st.window()) {
		return st.refused(RefusedShadowStack, "its first instructions call, and the copy's call would not be on the shadow stack")
	}
	for _, part := range st.parts() {
		got := make([]byte, len(part.bytes))
		if _, err := text.ReadAt(got, int64(part.addr)); err != nil {
			return st.refused(RefusedUnloaded, "its bytes cannot be read: %v", err)
		}
		switch {
		case bytes.Equal(got, part.bytes):
		case got[0] == 0xcc || got[0] == 0xe9:
			return st.refused(RefusedForeignPatch, "a breakpoint or jump is there: % x instead of % x", got, part.bytes)
		default:
			return st.refused(RefusedBytesDiffer, "% x in memory, % x in the file", got, part.bytes)
		}
	}
	return nil
}

func (s Site) refused(r Refusal, format string, args ...any) *UnpatchableError {
	return &UnpatchableError{s.Function.DisplayName(), s.Function.Addr(), r, fmt.Sprintf(format, args...)}
}

// shadowStacks reports whether the target has hardware shadow stacks on.
func shadowStacks(pid int) bool {
	st, err := procfs.ReadStatus(liveTask(pid))
	return err == nil && slices.Contains(st.ThreadFeatures, "shstk")
}

// hasCall reports whether code, which is whole instructions, has a call.
func hasCall(code []byte) bool {
	for len(code) > 0 {
		in, err := x86.Decode(code)
		if err != nil || in.Flow == x86.FlowCall || in.Flow == x86.FlowCallInd {
			return true
		}
		code = code[in.Len:]
	}
	return false
}

// part is a stretch of bytes that a site depends on.
type part struct {
	addr  uint64
	bytes []byte
}

// parts are the displaced and overwritten bytes, and a short jump's hole.
func (s Site) parts() []part {
	n := int(max(s.plan.Window, s.plan.Patch))
	m := s.Function.im.module
	out := []part{{s.Addr(), m.Bytes(s.plan.Site, n)}}
	if s.plan.Hole != 0 {
		out = append(out, part{s.holeAddr(), m.Bytes(s.plan.Hole, 5)})
	}
	return out
}

// bytesOf is what one site's patch overwrites, in one place.
type bytesOf struct {
	start, end uint64
	site       int // index of a new site, -1 for one that is patched
	name       string
}

// taken tells for each new site whose patch has some of its bytes already. The
// planner gives no byte to two functions of a module, so this finds nothing
// unless it is wrong.
func (p *Process) taken(fresh []Site) []string {
	var all []bytesOf
	for _, s := range p.sites {
		all = append(all, s.site.overwrites(-1)...)
	}
	for i, st := range fresh {
		all = append(all, st.overwrites(i)...)
	}
	slices.SortStableFunc(all, func(a, b bytesOf) int { return cmp.Compare(a.start, b.start) })
	by := make([]string, len(fresh))
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		if b.start >= a.end {
			continue
		}
		if b.site < 0 {
			a, b = b, a
		}
		if b.site >= 0 {
			by[b.site] = a.name
		}
	}
	return by
}

func (s Site) overwrites(i int) []bytesOf {
	name := s.Function.Name()
	out := []bytesOf{{s.Addr(), s.Addr() + uint64(s.plan.Patch), i, name}}
	if s.plan.Hole != 0 {
		out = append(out, bytesOf{s.holeAddr(), s.holeAddr() + 5, i, name})
	}
	return out
}
