package hook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/remote"
)

// A remote call is tried again because a signal was being delivered to the thread.
// In between the thread must have run, or it is found in the same state.
const (
	signalRetries   = 20
	signalFirstWait = 100 * time.Microsecond
	signalLastWait  = 10 * time.Millisecond
)

// onAllThreads stops all threads and lets fn make system calls in one of them.
func (p *Process) onAllThreads(ctx context.Context, why string, fn func(*ptrace.Stop, *remote.Caller) error) error {
	return p.call(ctx, why, fn, func(run onStopped) error { return p.chosenThread(ctx, why, run) })
}

type onStopped func(*ptrace.Stop, *ptrace.Thread) error

// call prepares what remote calls need, with the target running, and makes the
// stop, again if a signal came in the way.
func (p *Process) call(ctx context.Context, why string, fn func(*ptrace.Stop, *remote.Caller) error, stop func(onStopped) error) error {
	if err := p.checkSeccomp(); err != nil {
		return err
	}
	maps, gadgets, err := p.gadgets()
	if err != nil {
		return err
	}
	own := !p.runsGo()
	run := func(s *ptrace.Stop, th *ptrace.Thread) error {
		region, err := remote.ScratchRegion(s, th, maps, own)
		if err != nil {
			return err
		}
		c, err := remote.New(s, th, gadgets, region)
		if err != nil {
			return err
		}
		return errors.Join(fn(s, c), c.Close())
	}
	wait := signalFirstWait
	for try := 0; ; try++ {
		err := stop(run)
		// No thread: all that there are, one maybe, are just taking a fault of their own.
		passes := errors.Is(err, remote.ErrSignal) || errors.Is(err, remote.ErrNoThread)
		if !passes || try == signalRetries || !pause(ctx, wait) {
			return wrapExit(err)
		}
		wait = min(2*wait, signalLastWait)
	}
}

func (p *Process) chosenThread(ctx context.Context, why string, run onStopped) error {
	return p.stopAll(ctx, why, func(s *ptrace.Stop) error {
		th, err := remote.ChooseThread(s)
		if err != nil {
			return err
		}
		return run(s, th)
	})
}

// gadgets looks, with the target running, for the instructions that remote
// calls are made with.
func (p *Process) gadgets() ([]procfs.Mapping, remote.Gadgets, error) {
	maps, err := mapsOf(p.pid)
	if err != nil {
		return nil, remote.Gadgets{}, wrapGone(err)
	}
	mem, err := openMem(p.pid)
	if err != nil {
		return nil, remote.Gadgets{}, wrapExit(err)
	}
	defer mem.Close()
	g, err := remote.FindGadgets(maps, mem)
	if err != nil {
		return nil, g, fmt.Errorf("looking for a system call instruction: %w", err)
	}
	return maps, g, nil
}
