package fgraph

import "github.com/functap/functap/hook"

// Check tells, without touching the target, why returns of its functions cannot be hooked
// at all: ErrUnwinds or ErrCopiesStacks. Measure and Record ask the same, and one thing more,
// for which they stop it: whether it may read the time (hook.ErrNoTime).
func Check(p *hook.Process) error { return checkTarget(p, &Options{}) }
