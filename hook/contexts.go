package hook

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/sigframe"
	"github.com/functap/functap/internal/symbols"
)

// Programs with preemptive threads of their own making switch stacks in a
// signal handler. The kernel's frame then waits on a stack that no thread's
// registers lead to, and what it will return to may be inside bytes to overwrite, or
// in generated code that is to go. In such programs all memory is searched.

// ErrUnsearched: a target that switches stacks itself has more memory than is
// searched for interrupted code while it stands still. Patch has then changed
// nothing; Close has put the original bytes back, and is ErrDraining.
var ErrUnsearched = errors.New("too much memory to search for code that was interrupted on stacks of the target's own making (UNSEARCHED)")

// UnsearchedError is an ErrUnsearched: how much was left.
type UnsearchedError struct {
	Bytes uint64
}

func (e *UnsearchedError) Error() string {
	return fmt.Sprintf("%v: %d MiB were left after %d MiB", ErrUnsearched, (e.Bytes+1<<20-1)>>20, searchLimit>>20)
}

// Is makes the error ErrUnsearched.
func (e *UnsearchedError) Is(target error) bool { return target == ErrUnsearched }

// searchLimit is how many bytes are read in a stop: some 0.2 s.
const searchLimit = 512 << 20

// stackSwitches are the functions that leave one stack for another: those of libc
// (getcontext and makecontext only prepare it) and of Boost.Context.
var stackSwitches = []string{"swapcontext", "setcontext", "jump_fcontext", "ontop_fcontext"}

// switchesStacks is for stops: prepareContexts has found it out.
func (p *Process) switchesStacks() bool { return p.switches != nil && *p.switches }

// prepareContexts finds out, once and with the target running, whether the target
// switches stacks itself. Where that cannot be told it is taken to.
func (p *Process) prepareContexts(maps []procfs.Mapping) {
	if p.switches != nil {
		return
	}
	is, err := p.findSwitches(maps)
	if err != nil {
		p.log.Warn("cannot tell whether the target switches stacks itself", "err", err)
		is = true
	}
	p.switches = &is
}

// findSwitches looks through the images; whoever recovers has none yet.
func (p *Process) findSwitches(maps []procfs.Mapping) (bool, error) {
	if p.images != nil {
		return anySwitches(p.images)
	}
	ims, err := images(p.pid, maps)
	if err != nil {
		return false, err
	}
	defer closeImages(ims)
	return anySwitches(ims)
}

func closeImages(ims []*Image) {
	for _, im := range ims {
		im.module.Close()
	}
}

func anySwitches(ims []*Image) (bool, error) {
	for _, im := range ims {
		if len(ims) > 1 && offersSwitches(im.Name) {
			continue
		}
		is, err := switches(im.module)
		if err != nil {
			return false, fmt.Errorf("looking for context switches in %s: %w", im.Path, err)
		}
		if is {
			return true, nil
		}
	}
	return false, nil
}

// offersSwitches: libraries that have such functions in every program. libc
// defines them. OpenSSL calls setcontext to start its ASYNC jobs, which give way
// in calls of its own and never in a signal handler.
func offersSwitches(name string) bool {
	return isLibc(name) || strings.HasPrefix(name, "libcrypto.")
}

// switches reports whether a module imports one of the functions or has one itself.
// The Go runtime switches goroutines, but never in the middle of a handler; what
// C code a Go program is linked with is not looked for by name.
func switches(m *symbols.Module) (bool, error) {
	for _, name := range stackSwitches {
		slots, err := m.GOTSlots(name)
		if err != nil || len(slots) > 0 {
			return err == nil, err
		}
		if m.IsGo() {
			continue
		}
		funcs, err := m.Lookup(name)
		if err != nil || len(funcs) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// eachSuspended calls f for every signal frame anywhere in the target's private
// memory, but those in seen. Those that only a guess of ownStack's has it look for may be
// incomplete. Most are left over from handlers that have
// returned. To change such a one does no harm, whatever it was:
//
//   - Its bytes belong to nobody until something else is written there.
//   - If it will be returned to after all (a program may put a saved copy of a
//     stack back), the change is the right one: the copy of an instruction does what the
//     instruction does, and after a detach the original does what the copy did.
//   - Other data is not taken for one: 10 fields would have to be as the kernel makes
//     them, and the instruction pointer one of a few hundred addresses.
//
// A frame whose stack pointer leads nowhere cannot be returned to, nor can what
// it has saved there be read; it is left out.
func (p *Process) eachSuspended(finder *sigframe.Finder, seen map[uint64]bool, f func(sigframe.Frame) error) error {
	pagemap, err := os.Open(procPath(p.pid, "pagemap"))
	if err != nil {
		return fmt.Errorf("opening the page map: %w", wrapVanished(err))
	}
	defer pagemap.Close()
	frames, unread, err := finder.Everywhere(pagemap, searchLimit)
	if err != nil {
		return fmt.Errorf("looking for suspended signal frames: %w", err)
	}
	for _, fr := range frames {
		if seen[fr.Addr] {
			continue
		}
		sp, err := fr.Get(sigframe.RSP)
		if err != nil {
			return err
		}
		if !writableAt(finder.Maps, sp) {
			continue
		}
		if err := f(fr); err != nil {
			return err
		}
	}
	return p.unsearched(unread)
}

// ownStack guesses, where no known function tells, that a program which runs on
// other stacks switches them: those that libc makes, and most others make for it,
// hold the thread's TLS, and the first thread's has a name. Handlers on an alternate stack
// have interrupted something on the thread's own.
func ownStack(maps []procfs.Mapping, sp, fsBase uint64) bool {
	m, ok := mappingOf(maps, sp)
	return !ok || fsBase == 0 || m.Contains(fsBase) || m.Path == "[stack]"
}

func mappingOf(maps []procfs.Mapping, addr uint64) (procfs.Mapping, bool) {
	i, ok := slices.BinarySearchFunc(maps, addr, func(m procfs.Mapping, addr uint64) int {
		switch {
		case m.Contains(addr):
			return 0
		case m.Start > addr:
			return 1
		}
		return -1
	})
	if !ok {
		return procfs.Mapping{}, false
	}
	return maps[i], true
}

// unsearched comes after all that was found has been dealt with. In a detach it
// makes the rest wait: what was generated stays, and so do the GS bases. A mere
// guess is no reason to refuse: nearly all such programs switch only in calls.
func (p *Process) unsearched(bytes uint64) error {
	err := &UnsearchedError{bytes}
	switch {
	case bytes == 0:
		return nil
	case !p.switchesStacks():
		p.log.Warn("a thread is on a stack that is not its own", "err", err)
		return nil
	case p.detaching:
		return fmt.Errorf("%w: %w", ErrDraining, err)
	}
	return err
}

// writableAt: a stack pointer there, and the words below it, can be used.
func writableAt(maps []procfs.Mapping, sp uint64) bool {
	m, ok := mappingOf(maps, sp-1)
	return ok && m.Read && m.Write
}
