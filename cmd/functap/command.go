package main

import (
	"errors"
	"os/exec"
	"syscall"
	"time"

	"github.com/functap/functap/hook"
)

// startCommand starts the program that follows --, held before its main.
func (a *app) startCommand(o *options) (*target, error) {
	begin := time.Now()
	cmd := exec.Command(o.command[0], o.command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
	p, err := hook.Start(a.ctx, cmd, &hook.StartOptions{AttachOptions: *o.attachOptions(a), FromExec: o.from == "entry"})
	if err != nil {
		return nil, err
	}
	t := newTarget(p.PID(), p)
	t.cmd = cmd
	if err := t.choose(a, o); err != nil {
		return nil, errors.Join(err, t.close(), t.wait(o))
	}
	t.attach = time.Since(begin)
	return t, nil
}

// release lets a program run that was started held.
func (t *target) release(a *app, o *options) error {
	if t.cmd == nil {
		return nil
	}
	t.ran, t.released, t.counted = true, true, time.Now()
	t.following = t.followed(a, o)
	return nil
}

// wait waits for the program's end, after it was let go. One that was never let
// run is ended; no other is.
func (t *target) wait(o *options) error {
	if t.cmd == nil {
		return nil
	}
	switch {
	case t.released:
	case t.ran: // it stands at the beginning of what it has executed
		_ = t.p.Continue()
	default:
		_ = t.cmd.Process.Kill()
	}
	err := t.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
		if o.exitCode && t.released {
			err = exitCode(status(exit))
		}
	}
	return err
}

// status is the exit status as shells have it: 128 and the signal's number for
// a program that was killed.
func status(e *exec.ExitError) int {
	if ws, ok := e.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return e.ExitCode()
}
