package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/remote"
	"github.com/functap/functap/internal/unwind"
)

// memfdName is the name by which a successor finds what a killed tracer left,
// in maps and among the descriptors, from its first instant on.
const memfdName = "functap"

// System calls and flags for the target (asm/unistd_64.h, linux/mman.h,
// linux/memfd.h).
const (
	sysMmap        = 9
	sysMunmap      = 11
	sysMadvise     = 28
	sysClose       = 3
	sysMemfdCreate = 319

	protRead, protWrite, protExec = 1, 2, 4
	mapShared, mapPrivate         = 1, 2
	mapAnonymous                  = 0x20
	mapFixedNoReplace             = 0x100000
	madvWipeOnFork                = 18
	mfdCloexec                    = 1
	mfdNoexecSeal                 = 8
)

// ErrNoExecMapping: a policy of the target's system forbids executable
// mappings of memory that is no file.
var ErrNoExecMapping = errors.New("mapping generated code executable is forbidden (NO_EXEC_MAPPING)")

// newNeighbourhood maps an arena for a cluster into the target.
func (p *Process) newNeighbourhood(ctx context.Context, s *session, c cluster) (*neighbourhood, error) {
	l := p.layoutFor(s, len(c.sites))
	if err := checkFileSize(l.FileSize()); err != nil {
		return nil, err
	}
	b, err := p.buildArena(ctx, s, l, c.near)
	if err != nil {
		return nil, err
	}
	n := &neighbourhood{Arena: b.arena, reach: c.near, session: s}
	s.arenas = append(s.arenas, n)
	n.claims = s.claims()
	if len(s.arenas) == 1 {
		s.tid = int32(p.threads(s).Offset())
		if err := p.yieldToRival(ctx, s); err != nil {
			return nil, err
		}
	}
	if s.answers != nil {
		if err := s.answers.add(n); err != nil {
			return nil, err
		}
	}
	return n, s.addRoutines(n)
}

// placesMost bounds how often another place is looked for.
const placesMost = 5

// buildArena finds a place for an arena and maps it there, or somewhere else if the
// place is taken meanwhile.
func (p *Process) buildArena(ctx context.Context, s *session, l arena.Layout, near arena.Range) (*builder, error) {
	for try := 1; ; try++ {
		b := &builder{p: p, s: s, layout: l, near: near, fd: -1}
		if err := b.place(); err != nil {
			return nil, err
		}
		err := p.onAllThreads(ctx, "map", b.build)
		if err == nil {
			return b, nil
		}
		// A build that was cut off by a signal could not undo itself.
		if b.begun() {
			err = errors.Join(err, p.onAllThreads(ctx, "undo", b.undo))
		}
		if errors.Is(err, syscall.EEXIST) && try < placesMost {
			if err = p.placeTaken(s); err == nil {
				continue
			}
		}
		return nil, fmt.Errorf("mapping memory into the target: %w", err)
	}
}

// layoutFor sizes an arena for so many sites now and some later.
func (p *Process) layoutFor(s *session, sites int) arena.Layout {
	n := sites + sites/8 + 32 + unwind.MaxOriginals
	areas, shared := 0, 0
	if len(s.arenas) == 0 {
		areas = areaCount(p.pid)
	} else {
		shared = s.arenas[0].AreaCount
	}
	// As if all sites were wrapped; what is not used is never touched.
	wraps := n + min(sites, spareMost)
	l := arena.NewLayout(n, 2*n+arena.StatCells*wraps, areas, shared, uint64(wraps)*codePerSite+64<<10)
	return l.WithUnwind(unwindSize(l.CodeSize))
}

// spareMost is how many functions can be measured by others than before until a stop has
// to make room.
const spareMost = 4096

// codePerSite has room for a stub and a program that wraps, records, and keeps self times.
const codePerSite = 2688

// areaCount is four areas a thread, a power of two, so that buckets of four
// rarely overflow and threads that are born later find one.
func areaCount(pid int) int {
	tids, _ := procfs.Tasks(pid) // a target that is gone shows in the stop
	n := 64
	for n < 4*len(tids) && n < 8192 {
		n *= 2
	}
	return n
}

// builder makes the mappings of one arena, in an order in which a successor
// can undo any part: the header, with all addresses, is written before the mapping
// that it lives in is made, and the memfd's name finds that.
type builder struct {
	p      *Process
	s      *session
	near   arena.Range
	layout arena.Layout
	addrs  arena.Addresses
	fd     int64         // the memfd in the target, -1 when it is closed
	mapped []arena.Range // what this builder has mapped, and nobody else
	arena  *arena.Arena
}

// place chooses addresses: the private mapping, the near data and the code in
// one hole within reach, the per-area cells anywhere.
func (b *builder) place() error {
	space, err := addressSpace(b.p.pid)
	if err != nil {
		return err
	}
	at, err := space.Place(b.near, b.layout.NearSpan())
	if err != nil {
		return err
	}
	b.addrs = arena.Addresses{
		Priv: at,
		Near: at + b.layout.PrivSize,
		Code: at + b.layout.PrivSize + b.layout.NearSize,
	}
	if len(b.s.arenas) == 0 {
		b.addrs.AreasAddr, b.addrs.AreaCount = at+arena.AreasOff, b.layout.Areas
	} else {
		first := b.s.arenas[0]
		b.addrs.AreasAddr, b.addrs.AreaCount = first.AreasAddr, first.AreaCount
	}
	return nil
}

func addressSpace(pid int) (arena.Space, error) {
	maps, err := mapsOf(pid)
	if err != nil {
		return arena.Space{}, err
	}
	st, err := procfs.ReadStat(pid)
	if err != nil {
		return arena.Space{}, wrapGone(err)
	}
	var s arena.Space
	for _, m := range maps {
		r := arena.Range{Start: m.Start, End: m.End}
		s.Used = append(s.Used, r)
		switch m.Path {
		case "[heap]":
			s.Heap = r
		case "[stack]":
			s.Stack = r
		}
	}
	// One that is not used yet is kept free as if its first page were there.
	start := (st.StartBrk + pageSize - 1) &^ (pageSize - 1)
	if _, taken := mappingAt(maps, start); s.Heap.End == 0 && start != 0 && !taken {
		s.Heap = arena.Range{Start: start, End: start + pageSize}
		s.Used = append(s.Used, s.Heap)
		slices.SortFunc(s.Used, func(a, b arena.Range) int { return cmp.Compare(a.Start, b.Start) })
	}
	return s, nil
}

// build runs with all threads stopped: another one must neither see the
// descriptor (open gives the lowest free number) nor replace it.
func (b *builder) build(st *ptrace.Stop, c *remote.Caller) (err error) {
	if b.begun() { // a signal has cut an earlier try off
		if err := b.undo(st, c); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.undo(st, c))
		}
	}()
	for _, step := range []func(*ptrace.Stop, *remote.Caller) error{
		b.memfd, b.open, b.mapNear, b.mapCode, b.mapPrivate,
		// Behind the others, since the kernel may choose the very hole that was
		// found for them.
		b.mapFar, b.mapFrames,
		b.closeFD, b.fillPrivate, b.notice,
	} {
		if err := step(st, c); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) notice(st *ptrace.Stop, _ *remote.Caller) error { return b.s.notice(st) }

func (b *builder) begun() bool { return b.fd >= 0 || len(b.mapped) > 0 }

// memfd creates the file; open sizes it. MFD_NOEXEC_SEAL satisfies every setting of
// vm.memfd_noexec and still allows executable mappings; kernels before 6.3 do
// not know it.
func (b *builder) memfd(_ *ptrace.Stop, c *remote.Caller) error {
	name, err := c.Data(append([]byte(memfdName), 0))
	if err != nil {
		return err
	}
	fd, err := c.Syscall(sysMemfdCreate, name, mfdCloexec|mfdNoexecSeal)
	if errors.Is(err, syscall.EINVAL) {
		fd, err = c.Syscall(sysMemfdCreate, name, mfdCloexec)
	}
	if err != nil {
		return fmt.Errorf("memfd_create: %w", err)
	}
	b.fd = int64(fd)
	return nil
}

func (b *builder) closeFD(_ *ptrace.Stop, c *remote.Caller) error {
	if _, err := c.Syscall(sysClose, uint64(b.fd)); err != nil {
		return fmt.Errorf("closing the memfd: %w", err)
	}
	b.fd = -1
	return nil
}

func (b *builder) mapNear(_ *ptrace.Stop, c *remote.Caller) error {
	return b.mapAt(c, b.addrs.Near, b.layout.NearSize, protRead|protWrite, mapShared, uint64(b.fd), 0)
}

func (b *builder) mapCode(_ *ptrace.Stop, c *remote.Caller) error {
	err := b.mapAt(c, b.addrs.Code, b.layout.TextSize(), protRead|protExec, mapShared, uint64(b.fd), b.layout.NearSize)
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) {
		return fmt.Errorf("%w: %w", ErrNoExecMapping, err)
	}
	return err
}

// mapAt maps at one address and remembers that for undo.
func (b *builder) mapAt(c *remote.Caller, addr, size, prot, flags, fd, off uint64) error {
	if _, err := mmapAt(c, addr, size, prot, flags, fd, off); err != nil {
		return err
	}
	b.mapped = append(b.mapped, arena.Range{Start: addr, End: addr + size})
	return nil
}

// mmapAt maps at exactly addr, or fails: MAP_FIXED_NOREPLACE is only a hint to
// kernels before 4.17.
func mmapAt(c *remote.Caller, addr, size, prot, flags, fd, off uint64) (uint64, error) {
	got, err := c.Syscall(sysMmap, addr, size, prot, flags|mapFixedNoReplace, fd, off)
	if err == nil && got != addr {
		c.Syscall(sysMunmap, got, size) //nolint:errcheck // the error below says what matters
		return 0, fmt.Errorf("mmap of %d bytes: got %#x instead of %#x", size, got, addr)
	}
	if err != nil {
		return 0, fmt.Errorf("mmap of %d bytes at %#x: %w", size, addr, err)
	}
	return got, nil
}

// open sizes the memfd, which the target's own limits do not allow or forbid that
// way, maps it here too, and starts the arena.
func (b *builder) open(*ptrace.Stop, *remote.Caller) error {
	f, err := os.OpenFile(procPath(b.p.pid, fmt.Sprintf("fd/%d", b.fd)), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("opening the target's memfd: %w", err)
	}
	defer f.Close()
	if err := f.Truncate(int64(b.layout.FileSize())); err != nil {
		return fmt.Errorf("sizing the target's memfd: %w", err)
	}
	mem, err := arena.Map(f, b.layout.FileSize())
	if err != nil {
		return err
	}
	if b.arena, err = arena.New(mem, b.layout, b.addrs, len(b.s.arenas)); err != nil {
		return err
	}
	if len(b.s.arenas) == 0 {
		if b.s.lock, err = arena.TakeLock(b.arena.Mem(), b.p.tracer.TID()); err != nil {
			return err
		}
	}
	b.arena.WriteHeader(b.s.owner)
	return nil
}

// mapFar maps the per-area cells where the kernel likes; the memfd's name
// finds them.
func (b *builder) mapFar(_ *ptrace.Stop, c *remote.Caller) error {
	if b.layout.FarSize == 0 {
		return nil
	}
	at, err := c.Syscall(sysMmap, 0, b.layout.FarSize, protRead|protWrite, mapShared, uint64(b.fd), b.layout.FarOff())
	if err != nil {
		return fmt.Errorf("mmap of %d bytes: %w", b.layout.FarSize, err)
	}
	b.mapped = append(b.mapped, arena.Range{Start: at, End: at + b.layout.FarSize})
	b.arena.Far = at
	b.arena.WriteHeader(b.s.owner)
	return nil
}

// mapFrames maps the frame table: private, so that a fork child has its own frames,
// and of the memfd all the same, so that a successor finds it by the name and the kernel
// does not join it with a mapping of the target's.
func (b *builder) mapFrames(_ *ptrace.Stop, c *remote.Caller) error {
	if b.layout.FrameSize == 0 {
		return nil
	}
	at, err := c.Syscall(sysMmap, 0, b.layout.FrameSize, protRead|protWrite, mapPrivate, uint64(b.fd), b.layout.FrameOff())
	if err != nil {
		return fmt.Errorf("mmap of %d bytes: %w", b.layout.FrameSize, err)
	}
	b.mapped = append(b.mapped, arena.Range{Start: at, End: at + b.layout.FrameSize})
	b.arena.Frames = at
	b.arena.WriteHeader(b.s.owner)
	return nil
}

// mapPrivate maps the this-process word and the areas.
func (b *builder) mapPrivate(_ *ptrace.Stop, c *remote.Caller) error {
	if err := b.mapAt(c, b.addrs.Priv, b.layout.PrivSize, protRead|protWrite, mapPrivate|mapAnonymous, ^uint64(0), 0); err != nil {
		return err
	}
	if _, err := c.Syscall(sysMadvise, b.addrs.Priv, b.layout.PrivSize, madvWipeOnFork); err != nil {
		return fmt.Errorf("madvise: %w", err)
	}
	return nil
}

// fillPrivate writes their first content, while no thread's GS points there.
func (b *builder) fillPrivate(st *ptrace.Stop, _ *remote.Caller) error {
	if _, err := st.Mem().WriteAt(b.privateBytes(), int64(b.addrs.Priv)); err != nil {
		return fmt.Errorf("writing the areas: %w", err)
	}
	return b.p.setAreaCells(st.Mem(), b.s, b.arena)
}

// undo unmaps and closes what this builder has mapped and opened, after an
// error. Another functap may have built at the same addresses meanwhile: only
// what is in the list is touched.
func (b *builder) undo(_ *ptrace.Stop, c *remote.Caller) error {
	for len(b.mapped) > 0 {
		r := b.mapped[len(b.mapped)-1]
		if _, err := c.Syscall(sysMunmap, r.Start, r.End-r.Start); err != nil {
			return fmt.Errorf("undoing a mapping: %w", err)
		}
		b.mapped = b.mapped[:len(b.mapped)-1]
	}
	if b.fd >= 0 {
		if err := b.closeFD(nil, c); err != nil {
			return err
		}
	}
	if b.arena == nil {
		return nil
	}
	if b.s.lock != nil && len(b.s.arenas) == 0 {
		b.s.lock.Release()
		b.s.lock = nil
	}
	err := b.arena.Unmap()
	b.arena = nil
	return err
}
