package hook

import (
	"context"
	"fmt"
	"time"

	"github.com/functap/functap/internal/arena"
)

// rivalPatience is how long one of two functaps that attached at the
// same instant waits for the other to go.
const rivalPatience = 500 * time.Millisecond

// yieldToRival finds out, before anything is patched, whether another functap
// has mapped its memory at the same instant: both had seen nobody. Each sees the
// other now, since a header is written before the search for others. The one with the
// smaller session number stays, the other goes.
func (p *Process) yieldToRival(ctx context.Context, s *session) error {
	for until := time.Now().Add(rivalPatience); ; time.Sleep(time.Millisecond) {
		rival, there, err := p.rival(s)
		if err == nil && !there {
			return nil
		}
		if err == nil && rival.Session > s.owner.Session && time.Now().Before(until) {
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

// rival is a live session in the target that is not ours.
func (p *Process) rival(s *session) (arena.Owner, bool, error) {
	r, err := p.look()
	if err != nil {
		return arena.Owner{}, false, err
	}
	for _, t := range r.tables {
		if t.Owner.Session != s.owner.Session && alive(t) {
			return t.Owner, true, nil
		}
	}
	return arena.Owner{}, false, nil
}
