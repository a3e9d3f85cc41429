package hook

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"

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
	reached, err := startStopped(cmd, !o.FromExec)
	var p *Process
	if err == nil {
		p, err = attachStarted(ctx, cmd.Process.Pid, &o, reached)
	}
	if err != nil {
		if cmd.Process != nil {
			cmd.Process.Kill() //nolint:errcheck // it may have ended
			cmd.Wait()         //nolint:errcheck // killed
		}
		return nil, fmt.Errorf("starting a program to hook: %w", err)
	}
	return p, nil
}

func attachStarted(ctx context.Context, pid int, o *StartOptions, reached bool) (*Process, error) {
	p, err := Attach(ctx, pid, &o.AttachOptions)
	if err == nil && !reached && !o.FromExec {
		p.log.Warn("no hardware breakpoint: the program stands before its loader has run, and its libraries cannot be hooked")
	}
	return p, err
}

// FollowExec lets a program run that Start has left standing, and in which
// nothing is hooked, until it executes another one, as env and nice do. That one
// is then attached to and stands as after Start; p is closed. fromExec is as in
// StartOptions.
//
// Until then the program is traced for that exec alone, which its main thread has
// to make; its fork children are not. ErrExited: it has ended without one. If ctx
// ends first, or the tracer is killed, the program runs on. The caller must not
// wait for it meanwhile.
func (p *Process) FollowExec(ctx context.Context, fromExec bool) (*Process, error) {
	o := StartOptions{p.opts, fromExec}
	if err := p.Close(); err != nil {
		return nil, err
	}
	t, err := ptrace.NewTracer()
	if err != nil {
		return nil, err
	}
	reached, err := t.Follow(ctx, p.pid, !fromExec)
	if err = errors.Join(err, t.Close()); err != nil {
		return nil, wrapExit(fmt.Errorf("following process %d to another program: %w", p.pid, err))
	}
	return attachStarted(ctx, p.pid, &o, reached)
}

// startStopped starts cmd as a child that the kernel lets us trace from its
// first instruction on.
func startStopped(cmd *exec.Cmd, toEntry bool) (reached bool, err error) {
	attr := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	attr.Ptrace = true
	cmd.SysProcAttr = &attr
	t, err := ptrace.NewTracer()
	if err != nil {
		return false, err
	}
	reached, err = t.Start(func() (int, error) {
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		return cmd.Process.Pid, nil
	}, toEntry)
	// If it failed, the end of the thread lets go of the process.
	return reached, errors.Join(err, t.Close())
}

// Continue lets a process go on that Start has left standing. It may be called
// once the first functions are hooked, and has to be: nothing else does it.
func (p *Process) Continue() error {
	if err := ptrace.Continue(p.pid); err != nil {
		return wrapExit(fmt.Errorf("continuing process %d: %w", p.pid, err))
	}
	return nil
}
