// Package gort knows what the Go runtime of another process looks like from
// outside: where its list of goroutines is, and what of a goroutine that does
// not run can be read there.
//
// Nothing is written. All addresses are those of the process's memory.
package gort

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/functap/functap/internal/symbols"
)

// ErrUnknown: the module holds no Go runtime of a version known here, or what
// is in memory does not look like one. The message says what was missed.
var ErrUnknown = errors.New("unknown Go runtime")

// The Go versions, 1.N, whose runtime was read for this package.
const (
	oldest = 18
	newest = 26
)

// Runtime is the Go runtime inside one module of a process. It is immutable.
type Runtime struct {
	// allgptr and allglen are the runtime's variables of these names: the
	// address of an array of pointers to all g structures ever made, and its
	// length. The runtime sets the array before the length, so that the pair is
	// right at every instant.
	allgptr, allglen uint64
	goid             uint64 // offset in g
	suspended        []code // where suspended goroutines have their sched.pc
	preempt          []code // asyncPreempt
}

// code is a function's range.
type code struct{ start, end uint64 }

func in(pc uint64, codes []code) bool {
	return slices.ContainsFunc(codes, func(c code) bool { return c.start <= pc && pc < c.end })
}

// New finds the runtime in a module that is loaded at its own addresses plus
// bias. The error is ErrUnknown when there is none that is understood.
func New(m *symbols.Module, bias uint64) (*Runtime, error) {
	minor, err := minorVersion(m.GoVersion())
	if err != nil {
		return nil, err
	}
	r := &Runtime{goid: goidOffset(minor)}
	if err := r.findAllgs(m, bias); err != nil {
		return nil, err
	}
	// An asynchronously preempted goroutine has been made to call asyncPreempt,
	// which calls asyncPreempt2, which leaves the thread by mcall; what mcall
	// saves is its return address. Before asyncPreempt2 returns it may call
	// systemstack, which saves an address in systemstack_switch.
	r.suspended, err = codeOf(m, bias, "runtime.asyncPreempt2", "runtime.systemstack_switch")
	if err == nil {
		r.preempt, err = codeOf(m, bias, "runtime.asyncPreempt")
	}
	return r, err
}

// codeOf finds functions by names, of which the module must have all.
func codeOf(m *symbols.Module, bias uint64, names ...string) ([]code, error) {
	var out []code
	for _, name := range names {
		fs, err := m.Lookup(name)
		if err != nil {
			return nil, fmt.Errorf("looking up %s: %w", name, err)
		}
		if len(fs) == 0 {
			return nil, fmt.Errorf("%w: it has no %s", ErrUnknown, name)
		}
		for _, f := range fs {
			out = append(out, code{bias + f.Addr, bias + f.End()})
		}
	}
	return out, nil
}

// minorVersion takes "go1.26.8", "go1.26rc1" or "go1.26.8 X:experiment" apart.
func minorVersion(version string) (int, error) {
	rest, ok := strings.CutPrefix(version, "go1.")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	n, err := strconv.Atoi(rest[:digits])
	if !ok || err != nil || n < oldest || n > newest {
		return 0, fmt.Errorf("%w: version %q is not one of 1.%d to 1.%d", ErrUnknown, version, oldest, newest)
	}
	return n, nil
}

// goidOffset is where struct g has the goroutine's number (runtime2.go): 1.23
// added the word syscallbp before it, 1.25 took the word ret out of gobuf.
func goidOffset(minor int) uint64 {
	if minor == 23 || minor == 24 {
		return 160
	}
	return 152
}
