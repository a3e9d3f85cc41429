package hook

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/functap/functap/internal/ptrace"
)

// StartOptions are the choices for Start. The zero value is good.
type StartOptions struct {
	AttachOptions
	// FromExec stops the program before anything of it has run, its loader
	// included: libraries are not mapped yet, and cannot be hooked.
	FromExec bool
}

// Start starts a program and attaches to it before its own code runs: at its
// entry point, when libraries are loaded and their constructors have run. It
// stands still until [Process.Continue]. The caller waits for cmd as if it had
// called cmd.Start, after Continue.
//
// Where the machine has no hardware breakpoints Start does as with FromExec,
// and says so to the logger. A program with set-user-id bits runs without the
// rights these give. Should the tracer be killed before Continue, the program
// stays stopped as by SIGSTOP.
func Start(ctx context.Context, cmd *exec.Cmd, opts *StartOptions) (*Process, error) {
	var o StartOptions
	if opts != nil {
		o = *opts
	}
	t, err := ptrace.NewTracer()
	if err != nil {
		return nil, err
	}
	reached, err := t.Start(cmd, !o.FromExec)
	if err = errors.Join(err, t.Close()); err != nil {
		return nil, fmt.Errorf("starting a program to hook: %w", err)
	}
	p, err := Attach(ctx, cmd.Process.Pid, &o.AttachOptions)
	if err != nil {
		err = errors.Join(err, cmd.Process.Kill())
		cmd.Wait() //nolint:errcheck // killed
		return nil, err
	}
	if !reached && !o.FromExec {
		p.log.Warn("no hardware breakpoint: the program stands before its loader has run, and its libraries cannot be hooked")
	}
	return p, nil
}

// Continue lets a process go on that Start has left standing. It may be called
// once the first functions are hooked, and has to be: nothing else does it.
func (p *Process) Continue() error {
	if err := ptrace.Continue(p.pid); err != nil {
		return wrapExit(fmt.Errorf("continuing process %d: %w", p.pid, err))
	}
	return nil
}
