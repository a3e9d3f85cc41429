package hook

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/ptrace"
)

// rivalPatience is how long one of several functaps that attached at the
// same instant waits for the others to go.
const rivalPatience = 5 * time.Second

// yieldToRival finds out, before anything is patched, whether another functap
// has mapped its memory at the same instant: both had seen nobody. Each sees the
// other now, since a header is written before the search for others. The one with the
// smaller session number stays, the other goes; but one that had settled before stays.
func (p *Process) yieldToRival(ctx context.Context, s *session) error {
	for until := time.Now().Add(rivalPatience); ; time.Sleep(time.Millisecond) {
		rival, there, err := p.rival(s)
		if err == nil && !there {
			s.claims().Settle()
			return nil
		}
		if err == nil && !rival.settled && rival.Session > s.owner.Session && time.Now().Before(until) {
			continue
		}
		if err == nil {
			err = &BusyError{p.pid, int(rival.PID)}
		}
		if _, cerr := p.clean(ctx, s.remains()); cerr != nil {
			return fmt.Errorf("%w; and taking the memory back: %w", err, cerr)
		}
		p.endSession()
		return err
	}
}

// rival is the owner of another session.
type rival struct {
	arena.Owner
	settled bool
}

// rival finds a live session in the target that is not ours.
func (p *Process) rival(s *session) (rival, bool, error) {
	r, err := p.look()
	if err != nil {
		return rival{}, false, err
	}
	var found rival
	there := false
	for _, t := range r.tables {
		if t.Owner.Session == s.owner.Session || !alive(t) {
			continue
		}
		found, there = rival{t.Owner, t.Settled()}, true
		if found.settled || found.Session < s.owner.Session {
			break // to whom this one yields
		}
	}
	return found, there, nil
}

// placeTaken says why memory was not to be had at an address that was free a moment ago:
// another functap was faster. If it was the target itself, there is no error, and
// another place can be tried.
func (p *Process) placeTaken(s *session) error {
	r, there, err := p.rival(s)
	if err != nil || !there {
		return err
	}
	return &BusyError{p.pid, int(r.PID)}
}

// How long another tracer is waited for. Those that attach at the same moment hold the
// target for milliseconds only, but there may be many; a debugger stays.
const (
	tracedPatience = 300 * time.Millisecond
	familyPatience = 5 * time.Second
)

// afterOthers does what needs to trace the target, again if somebody else does. The
// pauses are random, so that those who hinder each other do not go on doing so.
func afterOthers(ctx context.Context, do func() error) error {
	begin := time.Now()
	for most := time.Millisecond; ; most = min(2*most, 50*time.Millisecond) {
		err := do()
		var traced *ptrace.TracedError
		if !errors.As(err, &traced) {
			return err
		}
		patience := tracedPatience
		if sameProgram(traced.TracerPID) {
			patience = familyPatience
		}
		if time.Since(begin) > patience || !pause(ctx, rand.N(most)) {
			return err
		}
	}
}

// sameProgram reports whether a process runs the program that this one does.
func sameProgram(pid int) bool {
	theirs, err := os.Stat(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return false
	}
	ours, err := os.Stat("/proc/self/exe")
	return err == nil && os.SameFile(theirs, ours)
}

// foreign names the owner of what was found instead of the functions' own code, if it
// is a functap's that is alive.
func (p *Process) foreign(refused []*UnpatchableError) error {
	isForeign := func(e *UnpatchableError) bool { return e.Reason == RefusedForeignPatch }
	if p.session != nil || !slices.ContainsFunc(refused, isForeign) {
		return nil
	}
	r, err := p.look()
	if err != nil {
		return err
	}
	if o, live := r.live(); live {
		return &BusyError{p.pid, int(o.PID)}
	}
	return nil
}
