package hook

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/ptrace"
)

// Status is what of functap's is in a process, seen from outside.
type Status struct {
	PID      int
	Sessions []SessionStatus
	// Mappings and Descriptors are all of ours. They can be there without a
	// session when a functap died before its first patch.
	Mappings, Descriptors int
}

// SessionStatus is one functap's work in a process.
type SessionStatus struct {
	Owner int  // pid of the tracer, as its own pid namespace numbers it
	Alive bool // false: the tracer has ended, and Recover cleans up
	// Forked: the process has inherited this from its parent, whose tracer Owner is. It
	// counts nothing, and no hits are told.
	Forked bool
	Sites  []SiteStatus
}

// SiteStatus is one patched function.
type SiteStatus struct {
	Addr     uint64    // of the bytes that the patch overwrites
	Function *Function // nil if its file is no longer mapped
	State    SiteState
	// Original is what was overwritten, Now what is there.
	Original, Now []byte
	// Hole is where a short jump leads, 0 if there is none.
	Hole    uint64
	Stub    Code
	Program Code // what the slot names; empty while the site is idle
	// Users is how many are attached, and Hits how many calls the one that has
	// been there longest has seen.
	Users int
	Hits  uint64
	// Measuring is how many of the users keep durations, and Recording how many of
	// these write events. The others count.
	Measuring, Recording int
	// Answers: nobody may be attached, but what unwinders of the target ask here is
	// answered, so that they get through functions whose returns are hooked. Users of
	// the function itself are not seen then.
	Answers bool
}

// SiteState is a site's bytes, compared with what was written there.
type SiteState string

// The states of a site.
const (
	SiteHooked    SiteState = "hooked"
	SiteOriginal  SiteState = "original"  // not hooked yet, or no more
	SiteClobbered SiteState = "CLOBBERED" // changed by somebody else
	SiteUnmapped  SiteState = "unmapped"
)

// Code is generated code in the target's memory.
type Code struct {
	Addr  uint64
	Bytes []byte
}

// Inspect looks for what functap has in a process. It stops nothing.
func Inspect(pid int) (*Status, error) {
	s, err := inspect(pid)
	if err != nil {
		// A process that may be traced, or is, may be looked at: otherwise the check
		// knows the cause.
		if cause := ptrace.Check(pid); cause != nil && !errors.Is(cause, ptrace.ErrAlreadyTraced) {
			err = wrapExit(cause)
		}
		return nil, fmt.Errorf("inspecting process %d: %w", pid, err)
	}
	return s, nil
}

func inspect(pid int) (*Status, error) {
	mem, err := openMem(pid)
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	r, err := findRemains(pid, mem)
	if err != nil {
		return nil, wrapGone(err)
	}
	st := &Status{PID: pid, Descriptors: len(r.fds), Mappings: len(r.ranges)}
	if len(r.tables) == 0 {
		return st, nil
	}
	maps, err := mapsOf(pid)
	if err != nil {
		return nil, err
	}
	in := &inspector{mem: mem, remains: r}
	if in.images, err = images(pid, maps); err != nil {
		return nil, err
	}
	defer in.close()
	cells, err := newTouched(pid, mem)
	if err != nil {
		return nil, err
	}
	defer cells.close()
	for _, t := range r.tables {
		c, err := cells.counters(t, claimsOf(r.tables, t))
		if err != nil {
			return nil, err
		}
		if err := in.arena(st, t, c); err != nil {
			return nil, err
		}
	}
	return st, nil
}

type inspector struct {
	mem    io.ReaderAt
	images []*Image
	*remains
}

// arena adds an arena's sites to its session.
func (in *inspector) arena(st *Status, t *arena.Tables, c *counters) error {
	alive := t.Lock != 0 && t.Lock&arena.LockOwnerDied == 0
	i := slices.IndexFunc(st.Sessions, func(s SessionStatus) bool { return s.Owner == int(t.Owner.PID) })
	if i < 0 {
		i = len(st.Sessions)
		st.Sessions = append(st.Sessions, SessionStatus{Owner: int(t.Owner.PID)})
	}
	s := &st.Sessions[i]
	s.Alive = s.Alive || alive // only the first arena has the lock
	var this [8]byte           // of the process that was hooked: wiped in a fork child
	_, err := in.mem.ReadAt(this[:], int64(t.Priv))
	s.Forked = s.Forked || err == nil && allZero(this[:])
	var errs []error
	t.EachSite(func(i int, rec arena.Site) {
		if rec.Patch == 0 || rec.Patch > 8 || rec.Kind != arena.SiteText {
			return
		}
		site, err := in.site(t, i, rec)
		errs = append(errs, err, site.setHits(c, in.rings))
		if s.Forked {
			site.Hits = 0 // they are the parent's
		}
		s.Sites = append(s.Sites, site)
	})
	return errors.Join(errs...)
}

func (in *inspector) site(t *arena.Tables, i int, rec arena.Site) (SiteStatus, error) {
	s := SiteStatus{Addr: rec.Addr, Original: rec.Original[:rec.Patch], Hole: rec.HoleAddr}
	s.Now = make([]byte, rec.Patch)
	_, err := in.mem.ReadAt(s.Now, int64(rec.Addr))
	switch {
	case err != nil:
		s.State, s.Now = SiteUnmapped, nil
	case slices.Equal(s.Now, rec.Written[:rec.Patch]):
		s.State = SiteHooked
	case slices.Equal(s.Now, s.Original):
		s.State = SiteOriginal
	default:
		s.State = SiteClobbered
	}
	if s.Function, err = in.function(rec.Addr); err != nil {
		return s, err
	}
	if s.Stub, err = in.stub(t, rec); err != nil {
		return s, err
	}
	var slot [8]byte
	if _, err := in.mem.ReadAt(slot[:], int64(t.Near+t.SlotOff+uint64(i)*arena.SlotSize)); err != nil {
		return s, fmt.Errorf("reading the slot of %#x: %w", rec.Addr, err)
	}
	to := binary.LittleEndian.Uint64(slot[:])
	program, err := in.unit(t, to)
	if err == nil && program.Addr == 0 {
		program, err = in.answer(to)
		s.Answers = program.Addr != 0
	}
	if program.Addr != s.Stub.Addr {
		s.Program = program
	}
	return s, err
}

// answer reads the answer to unwinders at an address, in whichever arena it is.
func (in *inspector) answer(addr uint64) (Code, error) {
	for _, t := range in.tables {
		if u, _, ok := t.Find(addr); ok && u.Kind == arena.UnitAnswer {
			return in.unit(t, addr)
		}
	}
	return Code{}, nil
}

func (in *inspector) function(addr uint64) (*Function, error) {
	for _, im := range in.images {
		if addr >= im.start && addr < im.end {
			return im.functionAt(addr)
		}
	}
	return nil, nil
}

// stub finds the code that the slot's site began with: the first unit of it.
func (in *inspector) stub(t *arena.Tables, rec arena.Site) (Code, error) {
	return in.unit(t, jumpTarget(rec))
}

// jumpTarget is where a site's jump leads in the end.
func jumpTarget(rec arena.Site) uint64 {
	at, jump := rec.Addr, rec.Written[:]
	if rec.Hole != 0 {
		at, jump = rec.HoleAddr, rec.HoleWritten[:]
	}
	return at + 5 + uint64(int64(int32(binary.LittleEndian.Uint32(jump[1:]))))
}

// unit reads the generated code around an address.
func (in *inspector) unit(t *arena.Tables, addr uint64) (Code, error) {
	u, _, ok := t.Find(addr)
	if !ok {
		return Code{}, nil
	}
	c := Code{Addr: t.Code + uint64(u.Off), Bytes: make([]byte, u.Len)}
	if _, err := in.mem.ReadAt(c.Bytes, int64(c.Addr)); err != nil {
		return Code{}, fmt.Errorf("reading generated code: %w", err)
	}
	return c, nil
}

// close lets go of the files. Functions keep their names.
func (in *inspector) close() {
	for _, im := range in.images {
		im.module.Close()
	}
}

// Execed reports whether the target runs another program by now. Nothing of
// ours is in that one, and Close has nothing to do.
func (p *Process) Execed() bool { return errors.Is(p.ident.check(p.pid), ErrExeced) }

// ForkChildren lists the processes that have inherited patched code from the
// target by a fork and have not exec'ed since. They run on undisturbed and
// count nothing. It may be asked until Close, also after the target has ended.
func (p *Process) ForkChildren() ([]int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == nil {
		return p.former, nil
	}
	if !ended(p.pid) && !p.Execed() {
		return p.sharers()
	}
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	ours, err := mapsOf(os.Getpid())
	if err != nil {
		return nil, err
	}
	mine := byInode(ours)
	var out []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n.Name()); err == nil && pid != p.pid && p.session.isIn(pid, mine) {
			out = append(out, pid)
		}
	}
	return out, nil
}

// isIn reports whether a process has the session's memory mapped, with the
// session's owner in it. One that may not be looked at is no child. Only processes
// that share one of our own memfds are looked at closely: others may be many.
func (s *session) isIn(pid int, ours []*found) bool {
	maps, err := mapsOf(pid)
	if err != nil || !slices.ContainsFunc(byInode(maps), func(f *found) bool {
		return slices.ContainsFunc(ours, func(o *found) bool { return o.inode == f.inode })
	}) {
		return false
	}
	mem, err := openMem(pid)
	if err != nil {
		return false
	}
	defer mem.Close()
	r, err := findRemains(pid, mem)
	return err == nil && slices.ContainsFunc(r.tables, func(t *arena.Tables) bool { return t.Owner == s.owner })
}

// MemoryNeeded is how many bytes would be mapped into the target to patch
// these sites.
func (p *Process) MemoryNeeded(sites []Site) uint64 {
	var sum uint64
	s := &session{}
	for _, c := range p.clusters(sites) {
		l := p.layoutFor(s, len(c.sites))
		sum += l.PrivSize + l.FileSize()
		a := &arena.Arena{}
		a.Addresses.AreaCount = l.Areas
		s.arenas = append(s.arenas, &neighbourhood{Arena: a})
	}
	return sum
}
