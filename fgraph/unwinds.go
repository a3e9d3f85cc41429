package fgraph

import (
	"errors"
	"fmt"
	"strings"

	"github.com/functap/functap/hook"
)

// ErrUnwinds: something in the target walks stacks, or may come to, and cannot be shown the
// way through wrapped functions; *UnwindsError says why.
var ErrUnwinds = hook.ErrUnwinds

// UnwindsError is an ErrUnwinds.
type UnwindsError = hook.UnwindsError

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
