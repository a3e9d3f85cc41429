package hook

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/codegen"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/unwind"
)

// session is everything of ours that is mapped into one target.
type session struct {
	owner  arena.Owner
	lock   *arena.Lock
	arenas []*neighbourhood
	// noGS: areas cannot be used, since the processor or kernel lacks
	// FSGSBASE or the target uses GS itself.
	noGS bool
	// tlsWord and goM: owners may be checked by fs:0, and by the goroutine's m
	// (see ownership.go).
	tlsWord, goM bool
	rings        *Rings // nil until somebody wants events
	// threads are the threads by FS base, as the stops have seen them.
	threads map[uint64]int
	tid     int32 // where a thread's id is behind its FS base, 0 if that is not known
	// wraps: a program that wraps its function was made.
	wraps atomic.Bool
	// answers is nil until a function is going to be wrapped.
	answers *answers
	// tallied: a detach that could not take everything out has counted what was running.
	tallied bool
}

// neighbourhood is an arena with the shared routines that its programs use.
type neighbourhood struct {
	*arena.Arena
	reach   arena.Range  // modules it was placed for
	claim   [3]uint64    // address of the claim routine of each codegen.ClaimKind, 0 if none
	slow    codegen.Slow // addresses in the frame routine
	slots   []*Slot      // by site index
	claims  *arena.Arena // has the areas and the claim table
	rows    rows
	unseen  bool // unwinders do not see it: there are too many arenas
	session *session
}

// claims is the arena that holds the areas and the claim table.
func (s *session) claims() *arena.Arena { return s.arenas[0].Arena }

// findCode returns the neighbourhood whose code addr is in.
func (s *session) findCode(addr uint64) *neighbourhood {
	for _, n := range s.arenas {
		if n.ContainsCode(addr) {
			return n
		}
	}
	return nil
}

// contains reports whether addr is in any of our mappings.
func (s *session) contains(addr uint64) bool {
	for _, n := range s.arenas {
		if n.Contains(addr) {
			return true
		}
	}
	return s.rings != nil && addr-s.rings.addr < s.rings.size()
}

// addRoutines writes an arena's shared routines.
func (s *session) addRoutines(n *neighbourhood) error {
	_, _, err := n.place(arena.NoSite, arena.UnitFrame, nil, func(at uint64) (c codegen.Code, err error) {
		env := codegen.Env{Consts: n.Consts(), Frames: n.claims.Frames, Areas: !s.noGS}
		c, n.slow, err = codegen.FrameRoutine(at, env)
		return c, err
	})
	if err != nil {
		return fmt.Errorf("writing the frame routine: %w", err)
	}
	if s.noGS || !n.HasAreaCells() {
		return nil
	}
	for kind := range n.claim {
		gen := func(at uint64) (codegen.Code, error) {
			return codegen.Claim(at, n.Consts(), n.AreaCount, codegen.ClaimKind(kind), s.tid)
		}
		at, _, err := n.place(arena.NoSite, arena.UnitClaim, nil, gen)
		if err != nil {
			return fmt.Errorf("writing the claim routine: %w", err)
		}
		n.claim[kind] = at
	}
	return nil
}

// place assembles a unit where there is room for it, and registers it for unwinders. window
// is what the unit displaces.
func (n *neighbourhood) place(site uint32, kind arena.UnitKind, window []byte, gen assembler) (at uint64, unit int, err error) {
	return n.placeRows(site, kind, gen, func(c codegen.Code) []unwind.Row { return rowsOf(kind, window, c) })
}

type assembler = func(at uint64) (codegen.Code, error)

// placeRows does that with the rows that are given. The first assembly, for any address
// nearby, only tells the length, which does not depend on it.
func (n *neighbourhood) placeRows(site uint32, kind arena.UnitKind, gen assembler, rows func(codegen.Code) []unwind.Row) (at uint64, unit int, err error) {
	c, err := gen(n.Code)
	if err != nil {
		return 0, 0, err
	}
	size := len(c.Bytes)
	if at, err = n.Reserve(size); err != nil {
		return 0, 0, err
	}
	if c, err = gen(at); err == nil && len(c.Bytes) != size {
		panic("BUG: code's length depends on its address")
	}
	if err == nil {
		unit, err = n.AddUnit(at, c.Bytes, site, kind, c.Exits)
	}
	if err != nil {
		n.Unreserve(at, size)
		return 0, 0, err
	}
	if n.unseen && wraps(c.Exits) {
		err = fmt.Errorf("%w: too many places with code that unwinders must know", ErrFull)
	} else {
		err = n.rows.set(at, size, rows(c))
	}
	if err != nil {
		n.FreeUnit(unit)
		return 0, 0, err
	}
	return at, unit, nil
}

// ensureSession starts the session before the first patch.
func (p *Process) ensureSession() (*session, error) {
	if p.session != nil {
		return p.session, nil
	}
	s := &session{owner: newOwner(p.tracer.TID()), threads: map[uint64]int{}}
	auxv, err := procfs.Auxv(liveTask(p.pid))
	if err != nil {
		return nil, err
	}
	s.noGS = auxv[atHWCap2]&hwcapFSGSBase == 0 || p.setsGS()
	s.tlsWord, s.goM = p.ownership()
	p.session = s
	return s, nil
}

const (
	atHWCap2      = 26
	hwcapFSGSBase = 2 // AT_HWCAP2 bit 1: user mode may use rdfsbase and friends
)

// neighbourhoods sorts sites into arenas that reach them and have room, making
// new ones where there are none.
func (p *Process) neighbourhoods(ctx context.Context, s *session, sites []Site) (map[*neighbourhood][]Site, error) {
	out := map[*neighbourhood][]Site{}
	for _, c := range p.clusters(sites) {
		n := s.roomFor(c)
		if n == nil {
			var err error
			if n, err = p.newNeighbourhood(ctx, s, c); err != nil {
				return nil, err
			}
		}
		out[n] = append(out[n], c.sites...)
	}
	return out, nil
}

// cluster is a group of modules that one arena can serve, with the wanted
// sites in them.
type cluster struct {
	near  arena.Range
	sites []Site
}

// clusterSpan bounds a cluster so that an arena beside it reaches all of it.
const clusterSpan = 1 << 30

// clusters groups sites by modules that lie together. All modules are looked
// at, so that later sites in other modules find an arena that reaches them.
func (p *Process) clusters(sites []Site) []cluster {
	all := slices.SortedFunc(slices.Values(p.images), func(a, b *Image) int { return cmp.Compare(a.start, b.start) })
	var out []cluster
	index := map[*Image]int{}
	for _, im := range all {
		k := len(out) - 1
		if k < 0 || im.end-out[k].near.Start > clusterSpan {
			out = append(out, cluster{near: arena.Range{Start: im.start, End: im.end}})
			k++
		}
		out[k].near.End = max(out[k].near.End, im.end)
		index[im] = k
	}
	for _, st := range sites {
		c := &out[index[st.Function.im]]
		c.sites = append(c.sites, st)
	}
	return slices.DeleteFunc(out, func(c cluster) bool { return len(c.sites) == 0 })
}

// roomFor finds an arena that reaches these modules and has room.
func (s *session) roomFor(c cluster) *neighbourhood {
	for _, n := range s.arenas {
		if n.reach.Start <= c.near.Start && c.near.End <= n.reach.End && n.Room() >= len(c.sites)+unwind.MaxOriginals {
			return n
		}
	}
	return nil
}
