package hook

import (
	"context"
	"fmt"
)

// RecoverOptions are the choices for Recover. The zero value is good.
type RecoverOptions struct {
	AttachOptions
	// Force also takes out what a functap that is alive has put in. That one
	// will find its target changed.
	Force bool
}

// Recover removes what functap left in a process because its tracer died, or
// because the process is a fork child of a hooked one. It is not an error if
// there is nothing. A live functap's work is left alone (ErrBusy) unless
// forced.
func Recover(ctx context.Context, pid int, opts *RecoverOptions) (Cleaned, error) {
	var o RecoverOptions
	if opts != nil {
		o = *opts
	}
	p, err := newProcess(pid, &o.AttachOptions)
	if err != nil {
		return Cleaned{}, fmt.Errorf("recovering process %d: %w", pid, err)
	}
	defer p.tracer.Close()
	c, err := p.sweepRemains(ctx, o.Force)
	if err != nil {
		return c, fmt.Errorf("recovering process %d: %w", pid, err)
	}
	return c, nil
}

// sweepRemains cleans up after the dead and leaves the living alone.
func (p *Process) sweepRemains(ctx context.Context, force bool) (Cleaned, error) {
	r, err := p.look()
	if err != nil || r.empty() {
		return Cleaned{}, err
	}
	if o, alive := r.live(); alive && !force {
		return Cleaned{}, &BusyError{p.pid, int(o.PID)}
	}
	c, err := p.clean(ctx, r)
	if err == nil {
		p.log.Info("cleaned up after a functap that died", "functions", c.Sites, "mappings", c.Mappings)
	}
	return c, err
}
