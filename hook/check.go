package hook

import (
	"bytes"
	"fmt"
	"io"
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
	var fresh []Site
	taken := p.takenBytes()
	for _, st := range sites {
		if s := p.sites[st.Addr()]; s != nil && s.site.Function.sym.Addr == st.Function.sym.Addr {
			continue
		}
		if e, err := p.check(mem, st, taken); err != nil {
			return nil, err
		} else if e != nil {
			pt.Refused = append(pt.Refused, e)
			continue
		}
		taken.add(st)
		fresh = append(fresh, st)
	}
	return fresh, nil
}

// check compares a site's bytes with the file.
func (p *Process) check(mem io.ReaderAt, st Site, taken byteSet) (*UnpatchableError, error) {
	refuse := func(r Refusal, format string, args ...any) (*UnpatchableError, error) {
		return &UnpatchableError{st.Function.DisplayName(), st.Function.Addr(), r, fmt.Sprintf(format, args...)}, nil
	}
	if by := taken.overlap(st); by != "" {
		return refuse(RefusedWindowTaken, "its bytes are part of the patch of %s", by)
	}
	for _, part := range st.parts() {
		got := make([]byte, len(part.bytes))
		if _, err := mem.ReadAt(got, int64(part.addr)); err != nil {
			return nil, fmt.Errorf("reading %s at %#x: %w", st.Function.Name(), part.addr, err)
		}
		switch {
		case bytes.Equal(got, part.bytes):
		case got[0] == 0xcc || got[0] == 0xe9:
			return refuse(RefusedForeignPatch, "a breakpoint or jump is there: % x instead of % x", got, part.bytes)
		default:
			return refuse(RefusedBytesDiffer, "% x in memory, % x in the file", got, part.bytes)
		}
	}
	return nil, nil
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

// byteSet knows which bytes patches have.
type byteSet map[uint64]string

func (p *Process) takenBytes() byteSet {
	b := byteSet{}
	for _, s := range p.sites {
		b.add(s.site)
	}
	return b
}

func (b byteSet) add(st Site) {
	st.eachByte(func(a uint64) { b[a] = st.Function.Name() })
}

func (b byteSet) overlap(st Site) (by string) {
	st.eachByte(func(a uint64) {
		if n, ok := b[a]; ok {
			by = n
		}
	})
	return by
}

// eachByte visits the bytes that the site's patch overwrites.
func (s Site) eachByte(f func(addr uint64)) {
	for i := range uint64(s.plan.Patch) {
		f(s.Addr() + i)
	}
	if s.plan.Hole != 0 {
		for i := range uint64(5) {
			f(s.holeAddr() + i)
		}
	}
}
