package hook

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
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
// entry point, when libraries are loaded and their constructors have run, or, if it
// is a static program with IFUNCs, when its start code has chosen their bodies. It
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
	if err != nil || o.FromExec {
		return p, err
	}
	if !reached {
		p.log.Warn("no hardware breakpoint: the program stands before its loader has run, and its libraries cannot be hooked")
		return p, nil
	}
	if err := p.runToChoices(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("letting it choose its IFUNCs: %w", wrapExit(err)), p.Close())
	}
	return p, nil
}

// runToChoices lets a static program run from its entry until its start code has
// stored what its IFUNC resolvers choose: which memcpy is in use is known then, and
// no constructor has run. In others the loader has done that before the entry.
func (p *Process) runToChoices(ctx context.Context) error {
	for last := -1; ; {
		left, err := p.unchosen()
		if err != nil || len(left) == 0 || len(left) == last {
			return err // none, or it does not store them after all
		}
		last = len(left)
		main, err := p.mainAddr()
		if err != nil {
			return err
		}
		if err := p.runToWrite(ctx, p.images[0].bias+left[last-1], main); err != nil {
			return err
		}
	}
}

func (p *Process) unchosen() ([]uint64, error) {
	im := p.images[0]
	m, err := im.symbols()
	if err != nil {
		return nil, err
	}
	mem, err := openMem(p.pid)
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	return m.UnchosenIFuncs(func(vaddr uint64) (uint64, error) { return word(mem, im.bias+vaddr) })
}

// mainAddr is where the program's main is, by which its start code is over; 0 if it
// has no such symbol.
func (p *Process) mainAddr() (uint64, error) {
	funcs, err := p.images[0].Functions()
	if err != nil {
		return 0, err
	}
	i := slices.IndexFunc(funcs, func(f *Function) bool { return f.sym.Name == "main" })
	if i < 0 {
		return 0, nil
	}
	return funcs[i].Addr(), nil
}

func (p *Process) runToWrite(ctx context.Context, addr, end uint64) error {
	t, err := ptrace.NewTracer()
	if err != nil {
		return err
	}
	return errors.Join(t.RunToWrite(ctx, p.pid, addr, end), t.Close())
}

// FollowExec lets a program run that Start has left standing until it executes
// another one, as env and nice do. That one is then attached to and stands as after
// Start, and p is closed. What p has hooked works meanwhile, and its counters keep
// their counts. fromExec is as in StartOptions.
//
// Until then the program is traced for that exec alone, which its main thread has
// to make; its fork children are not. Whatever needs a stop of the target (Patch,
// Collect, Close) fails while it is. ErrExited: it has ended without an exec. If ctx
// ends first, the program runs on, untraced and with p's hooks, and so it does if the
// tracer is killed. The caller must not wait for the program meanwhile.
func (p *Process) FollowExec(ctx context.Context, fromExec bool) (*Process, error) {
	t, err := ptrace.NewTracer()
	if err != nil {
		return nil, err
	}
	reached, err := t.Follow(ctx, p.pid, !fromExec)
	if err = errors.Join(err, t.Close()); err != nil {
		return nil, wrapExit(fmt.Errorf("following process %d to another program: %w", p.pid, err))
	}
	if err := p.Close(); err != nil {
		return nil, err
	}
	o := StartOptions{p.opts, fromExec}
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
