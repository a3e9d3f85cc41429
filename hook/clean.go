package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/remote"
)

// Cleaned says what a detach or a recovery put right.
type Cleaned struct {
	Sites       int // functions whose bytes were restored
	Threads     int // threads and signal frames moved out of generated code
	Frames      int // running functions that return to their callers again
	Mappings    int // unmapped
	Descriptors int // closed
	// Removed is how many functions of a session were no longer hooked when it
	// was closed: somebody else had taken them out (Recover with Force). What was
	// counted there ends at that moment.
	Removed int
	// Unloaded is how many were no longer hooked since the target has unloaded their
	// library. It may have loaded it anew, and may have called them there.
	Unloaded int
	Left     []string // what had to stay, and why; empty is the rule
}

// cleaner takes remains out of a process.
type cleaner struct {
	p       *Process
	r       *remains
	out     Cleaned
	evictor evictor
	text    *textWriter
	// What unwinders ask is put back later, when nobody is being led by our answers.
	asked   textWriter
	serve   bool          // there are answers
	waits   []string      // why that must wait
	known   []arena.Range // addresses by which an unwinder is known
	canKnow bool          // there may be somebody who knows them
	handOn  []arena.Site  // answers to functions that are hooked at their entries
}

// clean makes one stop in which the text becomes the original and every
// thread leaves generated code, and then another one to unmap: holding the main thread
// alone would let signals that the process ignores end others' system calls. The
// records must not change any more; all that can be computed from them is,
// before the stop.
func (p *Process) clean(ctx context.Context, r *remains) (Cleaned, error) {
	p.detaching = true
	defer func() { p.detaching = false }()
	c := &cleaner{p: p, r: r, text: &textWriter{}}
	if err := c.prepare(); err != nil {
		return c.out, wrapExit(err)
	}
	if err := p.prepareFrames(); err != nil {
		return c.out, err
	}
	if len(r.tables) > 0 {
		if err := p.stopAll(ctx, "detach", c.restore); err != nil {
			return c.out, fmt.Errorf("restoring: %w", err)
		}
		if err := c.awaitUnwinders(ctx); err != nil {
			return c.out, fmt.Errorf("restoring what unwinders ask: %w", err)
		}
	}
	if len(c.out.Left) > 0 {
		return c.out, fmt.Errorf("%w: %s", ErrDraining, c.out.left())
	}
	if err := p.onAllThreads(ctx, "unmap", c.unmap); err != nil {
		return c.out, fmt.Errorf("unmapping: %w", err)
	}
	return c.out, nil
}

// left names the first things that had to stay.
func (c Cleaned) left() string {
	const most = 3
	if more := len(c.Left) - most; more > 0 {
		return fmt.Sprintf("%s; and %d more", strings.Join(c.Left[:most], "; "), more)
	}
	return strings.Join(c.Left, "; ")
}

// prepare computes from the records all that the stop will need.
func (c *cleaner) prepare() error {
	c.evictor.tables = c.r.tables
	c.canKnow = true
	c.evictor.asked = c.askedSites()
	for _, t := range c.r.tables {
		t.Index()
		t.EachSite(func(_ int, s arena.Site) {
			if s.Kind == arena.SiteAnswer || c.evictor.asked[s.Addr] {
				c.addEdits(&c.asked, s)
			} else {
				c.addEdits(c.text, s)
			}
		})
	}
	c.text.sort()
	c.asked.sort()
	if !c.serve {
		return nil
	}
	return c.findKnown()
}

// restore is the mirror image of a patch: bytes, then threads. After the bytes
// are back every thread may still run through a copy and come out in original
// code, so the tracer may die between any two steps.
func (c *cleaner) restore(st *ptrace.Stop) (err error) {
	c.evictor.mem = st.Mem()
	if err := c.restoreText(st, c.text); err != nil {
		return err
	}
	if len(c.out.Left) > 0 {
		// Its stub may be called again, when somebody takes his own bytes back.
		// So everything stays mapped, and threads and GS bases as they are.
		return nil
	}
	// Return addresses before anything that goes by them: signal frames are known by
	// theirs, and threads in a program's end by the one in their slot. A function that
	// returns to its caller although a program still has a frame for it does no harm.
	if c.evictor.shadow, err = readShadow(c.p.pid, st.Mem(), c.r.tables); err != nil {
		return err
	}
	if err := errors.Join(c.endPrograms(st), c.evictor.shadow.putBack()); err != nil {
		return err
	}
	c.p.searched = c.evictor.shadow.resume
	defer func() { c.p.searched = nil }()
	if err := c.holdSlots(st); err != nil {
		return err
	}
	// Frames first: those in the claim routine need the thread's GS base.
	if err := c.evictFrames(st); err != nil {
		return err
	}
	if err := errors.Join(c.evictThreads(st), c.evictor.shadow.failed, c.tally(st)); err != nil {
		return err
	}
	return c.restoreAsked(st)
}

// tally counts what was running and what had been left.
func (c *cleaner) tally(st *ptrace.Stop) error {
	maps, err := c.p.mapsInStop()
	if err != nil {
		return err
	}
	for _, th := range st.Threads() {
		r, err := th.Regs()
		if err != nil {
			return err
		}
		c.evictor.shadow.left(maps, r.Rsp, r.Fs_base)
	}
	inflight, unwound := c.evictor.shadow.tally()
	for _, n := range inflight {
		c.out.Frames += int(n)
	}
	if s := c.p.session; s != nil && !s.tallied {
		s.addUp(inflight, unwound)
		s.tallied = true
	}
	return nil
}

// restoreText writes the original bytes wherever ours are found. A site's
// state is only a hint: a fork child shares the records with its parent, but
// has its own text.
func (c *cleaner) restoreText(st *ptrace.Stop, w *textWriter) error {
	c.out.Unloaded += w.active()
	if err := w.readMapped(st.Mem()); err != nil {
		return err
	}
	c.out.Unloaded -= w.active()
	files := mappedFiles{pid: c.p.pid}
	defer files.close()
	w.keep(func(e edit) bool {
		got := w.at(e.addr, len(e.old))
		switch {
		case bytes.Equal(got, e.old):
			return true
		case bytes.Equal(got, e.new) && e.active && c.p.wasWritten(e.addr):
			c.out.Removed++
		case bytes.Equal(got, e.new) || files.pristine(e.addr, got):
			if e.active {
				c.out.Unloaded++
			}
		default:
			c.left("%d bytes at %#x were changed by somebody else (CLOBBERED: % x)", len(got), e.addr, got)
		}
		return false
	})
	if w == c.text {
		c.out.Sites = w.sites()
	}
	// Jumps to holes are taken back before the holes.
	return w.writeAll(st.Mem())
}

// wasWritten reports whether somebody has written to a page of text since it was
// mapped.
func (p *Process) wasWritten(addr uint64) bool {
	page := addr &^ (pageSize - 1)
	pages, err := writtenPages(p.pid, arena.Range{Start: page, End: page + pageSize})
	return err != nil || len(pages) > 0
}

func (c *cleaner) addEdits(w *textWriter, s arena.Site) {
	if s.Patch == 0 || s.Patch > 8 || s.Hole > 8 {
		return
	}
	if s.Hole != 0 {
		w.edits = append(w.edits, edit{addr: s.HoleAddr, old: s.HoleWritten[:s.Hole], new: s.HoleOriginal[:s.Hole]})
	}
	// A fork child's, or a dead tracer's, may have been put right by others.
	own := c.p.session != nil && c.p.cleaned.Sites == 0
	w.edits = append(w.edits, edit{addr: s.Addr, old: s.Written[:s.Patch], new: s.Original[:s.Patch],
		last: s.Hole != 0, active: own && s.State == arena.SiteActive})
}

func (c *cleaner) left(format string, args ...any) {
	c.out.Left = append(c.out.Left, fmt.Sprintf(format, args...))
}

// unmap removes mappings and descriptors by remote calls.
func (c *cleaner) unmap(_ *ptrace.Stop, rc *remote.Caller) error {
	for _, r := range c.r.ranges {
		done, err := unmapOurs(rc, c.p.pid, r)
		if err != nil {
			return err
		}
		if done {
			c.out.Mappings++
		}
	}
	for _, fd := range c.r.fds {
		if link, _ := os.Readlink(procPath(c.p.pid, fmt.Sprintf("fd/%d", fd))); !strings.HasPrefix(link, "/memfd:"+memfdName) {
			continue
		}
		if _, err := rc.Syscall(sysClose, fd); err != nil {
			return fmt.Errorf("closing a memfd: %w", err)
		}
		c.out.Descriptors++
	}
	return nil
}

// unmapOurs unmaps a range if it still is what we mapped there.
func unmapOurs(rc *remote.Caller, pid int, r arena.Range) (bool, error) {
	maps, err := mapsOf(pid)
	if err != nil {
		return false, err
	}
	for _, m := range maps {
		if m.Start != r.Start || m.End != r.End {
			continue
		}
		if !isOurs(m.Path) && !(m.Path == "" && m.Inode == 0 && wipedOnFork(pid, m)) {
			return false, nil
		}
		if _, err := rc.Syscall(sysMunmap, r.Start, r.End-r.Start); err != nil {
			return false, fmt.Errorf("munmap of %#x-%#x: %w", r.Start, r.End, err)
		}
		return true, nil
	}
	return false, nil
}

// wipedOnFork reports whether a mapping has the flag that madvise gave it.
func wipedOnFork(pid int, m procfs.Mapping) bool {
	b, err := os.ReadFile(procPath(pid, "smaps"))
	if err != nil {
		return false
	}
	_, rest, ok := strings.Cut("\n"+string(b), fmt.Sprintf("\n%08x-%08x ", m.Start, m.End))
	if !ok {
		return false
	}
	_, flags, ok := strings.Cut(rest, "\nVmFlags:")
	if !ok {
		return false
	}
	flags, _, _ = strings.Cut(flags, "\n")
	return strings.Contains(flags+" ", " wf ")
}
