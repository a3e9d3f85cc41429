package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/functap/functap/hook"
)

// execsMost bounds the programs that a command may run one after another until
// the one that is meant.
const execsMost = 16

// follow lets a command that has none of the functions, such as env, run until it
// executes the program that does. cause is why the first one is not it.
func (t *target) follow(a *app, o *options, cause error) error {
	var seen []string
	for len(seen) < execsMost && errors.Is(cause, hook.ErrNoMatch) {
		o.note(a, "process %d: %v; it runs until it executes another program", t.pid, cause)
		seen = append(seen, t.p.Executable().Path)
		p, err := t.p.FollowExec(a.ctx, o.from == "entry")
		if t.released = err != nil && a.ctx.Err() != nil; t.released || errors.Is(err, hook.ErrExited) {
			return fmt.Errorf("%w; it ran %s; what a shell runs as a child is not followed: use exec, or name the program itself",
				cause, strings.Join(seen, ", "))
		}
		if err != nil {
			return err
		}
		t.p, t.name = p, newTarget(t.pid, p).name
		t.sites, t.refused, cause = p.Sites(o.match())
	}
	if cause != nil {
		return fmt.Errorf("%w; it executed %d other programs before: %s", cause, len(seen), strings.Join(seen, ", "))
	}
	return nil
}

// follower lets a command run with its hooks in until it executes another program.
type follower struct {
	cancel context.CancelFunc
	done   chan struct{}
	next   *hook.Process // what it has executed, standing at its beginning; or
	err    error         // why there is none
}

func (t *target) followed(a *app, o *options) *follower {
	ctx, cancel := context.WithCancel(a.ctx)
	f := &follower{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		f.next, f.err = t.p.FollowExec(ctx, o.from == "entry")
	}()
	return f
}

// takeOver hooks the program that a command has executed before any function was
// called that is hooked. From the first such call on the command is not followed.
func (t *target) takeOver(a *app, o *options) error {
	if t.following == nil {
		return nil
	}
	_, calls := t.calls()
	if calls > 0 {
		t.following.cancel()
	}
	select {
	case <-t.following.done:
	default:
		return nil
	}
	if t.following.next == nil || calls > 0 {
		return t.unfollow()
	}
	o.note(a, "process %d has executed another program before its first call", t.pid)
	next := newTarget(t.pid, t.following.next)
	next.cmd, t.following = t.cmd, nil
	err := next.choose(a, o)
	if err == nil {
		err = next.hook(a, o)
	}
	if err != nil {
		t.wentTo(t.program())
		t.released = next.released
		return errors.Join(err, next.close())
	}
	*t = *next
	return t.release(a, o)
}

// unfollow ends the following. A command that has executed another program just
// now goes on in it.
func (t *target) unfollow() error {
	f := t.following
	if f == nil {
		return nil
	}
	t.following = nil
	f.cancel()
	<-f.done
	switch {
	case f.next != nil:
		t.wentTo(f.next.Executable().Path)
		return errors.Join(f.next.Continue(), f.next.Close())
	case errors.Is(f.err, hook.ErrExited), errors.Is(f.err, context.Canceled):
		return nil
	}
	return errors.Join(f.err, t.p.Continue()) // it may stand still yet
}
