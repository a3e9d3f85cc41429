package main

import (
	"errors"
	"fmt"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/trampoline"
)

// measure hooks the functions' entries and, where they can be, their returns, and keeps
// statistics of durations. The others' calls are counted.
func (t *target) measure(a *app, o *options) error {
	e, err := exitsOf(t.sites)
	if err == nil && len(e.wrapped) == 0 && o.exit == "wrap" {
		err = e.refused[0]
	}
	if err != nil {
		return fmt.Errorf("process %d: %w", t.pid, err)
	}
	e.tell(a, o, t)
	if len(e.wrapped) == 0 {
		return t.count(a, o)
	}
	d, err := fgraph.Measure(a.ctx, t.p, e.wrapped, &fgraph.Options{Self: true})
	if o.exit == "auto" && refusedWhole(err) {
		o.note(a, "process %d: calls are only counted, not timed: %s", t.pid, describe(err))
		return t.count(a, o)
	}
	if err != nil {
		return fmt.Errorf("process %d: %w", t.pid, err)
	}
	refused := d.Refused()
	if len(e.counted) > 0 {
		c, err := trampoline.Count(a.ctx, t.p, e.counted)
		if err != nil { // a part alone would be taken for all
			return fmt.Errorf("process %d: %w", t.pid, errors.Join(err, d.Close()))
		}
		t.counter = c
		refused = append(refused, c.Refused()...)
	}
	t.durations = d
	return t.leaveOut(a, o, refused)
}

// exits are sites by whether their returns can be hooked.
type exits struct {
	wrapped, counted []hook.Site
	refused          []*hook.NoExitError // of the counted
}

func exitsOf(sites []hook.Site) (e exits, err error) {
	for _, s := range sites {
		no, err := judgeExit(s)
		switch {
		case err != nil:
			return e, err
		case no == nil:
			e.wrapped = append(e.wrapped, s)
		default:
			e.counted, e.refused = append(e.counted, s), append(e.refused, no)
		}
	}
	return e, nil
}

// judgeExit tells refusals from other errors.
func judgeExit(s hook.Site) (*hook.NoExitError, error) {
	err := s.Exit()
	var no *hook.NoExitError
	if errors.As(err, &no) {
		return no, nil
	}
	return nil, err
}

// tell says which functions are only counted, and why.
func (e *exits) tell(a *app, o *options, t *target) {
	if len(e.refused) == 0 {
		return
	}
	which := "calls are"
	if len(e.wrapped) > 0 {
		which = number(len(e.refused), "function is", "functions are")
	}
	same := make([]*hook.UnpatchableError, len(e.refused))
	explain := ": " + e.refused[0].Reason.Explain()
	for i, no := range e.refused {
		same[i] = asRefusal(no)
		if no.Reason != e.refused[0].Reason {
			explain = ""
		}
	}
	o.note(a, "process %d: %s only counted, not timed, since returns cannot be hooked: %s%s", t.pid, which, tellRefused(same, o.verbose), explain)
}

// asRefusal is for where a function is left out because of its return.
func asRefusal(no *hook.NoExitError) *hook.UnpatchableError {
	return &hook.UnpatchableError{Function: no.Function, Addr: no.Addr, Reason: no.Reason, Detail: no.Detail}
}

// refusedWhole reports whether it is the target that cannot have wrapped functions.
func refusedWhole(err error) bool {
	return errors.Is(err, fgraph.ErrUnwinds) || errors.Is(err, fgraph.ErrCopiesStacks) || errors.Is(err, hook.ErrNoTime)
}
