package fgraph

import (
	"errors"
	"fmt"
	"strings"

	"github.com/functap/functap/hook"
)

// ErrUnwinds: the target can walk its own stack, by which exceptions find their handlers,
// and would lose its way in a wrapped function; *UnwindsError says with what.
var ErrUnwinds = errors.New("the target can unwind its stack, which is not possible through wrapped functions yet (UNWINDS)")

// UnwindsError is an ErrUnwinds.
type UnwindsError struct {
	Image  string // the file that can
	Symbol string // by what, if not by its name
}

func (e *UnwindsError) Error() string {
	if e.Symbol == "" {
		return fmt.Sprintf("%v: it has loaded %s", ErrUnwinds, e.Image)
	}
	return fmt.Sprintf("%v: %s has %s", ErrUnwinds, e.Image, e.Symbol)
}

// Is makes the error ErrUnwinds.
func (e *UnwindsError) Is(target error) bool { return target == ErrUnwinds }

// ErrCopiesStacks: the target saves parts of its stack elsewhere and puts them back, so that
// one stack word is the return slot of several calls at a time.
var ErrCopiesStacks = errors.New("the target copies its stacks, so that a return address cannot be told by its place (COPIES_STACKS)")

// copiers are modules that do, by the beginnings of their names.
var copiers = []string{"_greenlet.", "greenlet."}

// checkCopies looks for them.
func checkCopies(p *hook.Process) error {
	for im := range p.Images() {
		for _, c := range copiers {
			if strings.HasPrefix(im.Name, c) {
				return fmt.Errorf("%w: it has loaded %s", ErrCopiesStacks, im.Name)
			}
		}
	}
	return nil
}

// unwinders are libraries that walk stacks, by the beginnings of their names.
var unwinders = []string{"libgcc_s", "libunwind", "libstdc++", "libc++abi", "libc++."}

// walkers are functions that do, in programs that are linked with such a library.
var walkers = []string{"_Unwind_RaiseException", "_Unwind_ForcedUnwind", "_Unwind_Backtrace", "unw_step"}

// checkUnwinds looks for anything that walks stacks. glibc itself loads libgcc_s when it
// first needs it, for the end of a thread, say; what a program loads later is not seen.
func checkUnwinds(p *hook.Process) error {
	for im := range p.Images() {
		if im != p.Executable() && strings.HasPrefix(im.Name, "libc.so") {
			continue
		}
		for _, lib := range unwinders {
			if strings.HasPrefix(im.Name, lib) {
				return &UnwindsError{Image: im.Name}
			}
		}
		for _, name := range walkers {
			has, err := im.Defines(name)
			if err != nil {
				return fmt.Errorf("looking for unwinders: %w", err)
			}
			if has {
				return &UnwindsError{im.Name, name}
			}
		}
	}
	return nil
}
