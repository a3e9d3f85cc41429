package arena

import (
	"fmt"
	"slices"
)

// Tables reads an arena's records from a copy of its near data (or from the
// tracer's mapping of it). It is what detach and recover go by.
type Tables struct {
	Header
	near  []byte
	units []unitAt
}

type unitAt struct {
	Unit
	index int
}

// NewTables decodes near, all NearSize bytes of an arena's near data.
func NewTables(near []byte) (*Tables, error) {
	h, err := DecodeHeader(near)
	if err != nil {
		return nil, err
	}
	if uint64(len(near)) != h.NearSize {
		return nil, fmt.Errorf("%w: %d bytes of %d", ErrNoHeader, len(near), h.NearSize)
	}
	return &Tables{Header: h, near: near}, nil
}

// EachSite calls f for every record that was ever planned.
func (t *Tables) EachSite(f func(i int, s Site)) {
	for i := range t.Sites {
		s := decodeSite(t.near[t.SiteOff+uint64(i)*SiteSize:])
		if s.State != SiteFree {
			f(i, s)
		}
	}
}

// Find returns the unit that covers a code address, and its index.
func (t *Tables) Find(addr uint64) (Unit, int, bool) {
	t.Index()
	off := uint32(addr - t.Code)
	i, exact := slices.BinarySearchFunc(t.units, off, func(u unitAt, o uint32) int {
		return int(int64(u.Off) - int64(o))
	})
	if !exact {
		i--
	}
	if i < 0 || off-t.units[i].Off >= t.units[i].Len {
		return Unit{}, 0, false
	}
	return t.units[i].Unit, t.units[i].index, true
}

// Index sorts the units, once; Find does it when it must.
func (t *Tables) Index() {
	if t.units != nil {
		return
	}
	t.units = []unitAt{}
	for i := range t.Units {
		u := decodeUnit(t.near[t.UnitOff+uint64(i)*UnitSize:])
		if u.Kind != UnitFree && uint64(u.Off)+uint64(u.Len) <= t.CodeSize {
			t.units = append(t.units, unitAt{u, i})
		}
	}
	slices.SortFunc(t.units, func(a, b unitAt) int { return int(int64(a.Off) - int64(b.Off)) })
}

// EachUnit calls f for every unit.
func (t *Tables) EachUnit(f func(i int, u Unit)) {
	t.Index()
	for _, u := range t.units {
		f(u.index, u.Unit)
	}
}

// ExitAt returns the exit of a unit's boundary at addr: the last one that does not come
// after it.
func (t *Tables) ExitAt(u Unit, addr uint64) (Exit, bool) {
	off := addr - t.Code - uint64(u.Off)
	var best Exit
	found := false
	for k := uint64(0); k < uint64(u.N); k++ {
		at := t.ExitOff + (uint64(u.Exit)+k)*ExitSize
		if at+ExitSize > uint64(len(t.near)) {
			break
		}
		if e := decodeExit(t.near[at:]); uint64(e.Off) <= off && (!found || e.Off >= best.Off) {
			best, found = e, true
		}
	}
	return best, found
}

// Shared is the shared form of a cell.
func (t *Tables) Shared(cell int) uint64 {
	return le.Uint64(t.near[t.SharedOff+uint64(cell)*CellSize:])
}

// SiteOf returns the site record of a unit.
func (t *Tables) SiteOf(u Unit) (Site, bool) {
	if uint64(u.Site) >= uint64(t.Sites) {
		return Site{}, false
	}
	return decodeSite(t.near[t.SiteOff+uint64(u.Site)*SiteSize:]), true
}
