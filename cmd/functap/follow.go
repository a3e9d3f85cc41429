package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/procfs"
)

// execsMost bounds the programs that a command may run one after another until
// the one that is meant.
const execsMost = 16

// follow lets a command that has none of the functions, such as env, run until it
// executes the program that does. cause is why the first one is not it.
func (t *target) follow(a *app, o *options, cause error) error {
	ctx, cancel := o.limit(a.ctx)
	defer cancel()
	var seen []string
	for len(seen) < execsMost && errors.Is(cause, hook.ErrNoMatch) {
		if err := t.meant(o, cause); err != nil {
			return err
		}
		o.note(a, "process %d: %v%s; it runs until it executes another program, which may have it", t.pid, cause, t.notLoadedHint(o))
		seen = append(seen, t.p.Executable().Path)
		t.ran = true
		p, err := t.p.FollowExec(ctx, o.from == "entry")
		if t.released = err != nil && ctx.Err() != nil; t.released && o.over() {
			return err
		}
		if t.released || errors.Is(err, hook.ErrExited) {
			return fmt.Errorf("%w%s; %s", cause, t.notLoadedHint(o), t.whatRan(seen))
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

// meant is why a command need not be run: it is the program that is meant itself.
func (t *target) meant(o *options, cause error) error {
	switch {
	case excluded(cause):
		return cause
	case t.hasNone(o):
		return nil
	}
	return fmt.Errorf("%w%s; other patterns match, so this is taken for the program that is meant, and was not run", cause, t.notLoadedHint(o))
}

// hasNone tells a program that only executes the one that is meant from one that is
// meant itself, where a name is mistyped: of that, another pattern matches something. In
// env and the like a match in a library, which all have, does not tell.
func (t *target) hasNone(o *options) bool {
	program := t.p.Executable()
	launches := isShell(program.Path) || slices.Contains(launchers, path.Base(program.Path))
	return !slices.ContainsFunc(o.args, func(pattern string) bool {
		found, err := t.p.Functions(hook.Match{Include: []string{pattern}})
		if err != nil {
			return !errors.Is(err, hook.ErrNoMatch)
		}
		return !launches || slices.ContainsFunc(found, func(f *hook.Function) bool { return f.Image() == program })
	})
}

// excluded: there are such functions, and none of them is wanted.
func excluded(cause error) bool {
	var no *hook.NoMatchError
	return errors.As(cause, &no) && no.Excluded > 0
}

// whatRan says which programs a command ran without any of the functions, and what may
// be done about it.
func (t *target) whatRan(seen []string) string {
	ran := "it ran " + strings.Join(seen, ", ")
	switch {
	case slices.ContainsFunc(seen, isShell):
		return ran + "; what a shell runs as a child is not followed: use exec, or name the program itself"
	case t.hadChildren():
		return ran + "; its children are not followed: name the program itself"
	case t.released:
		return ran + ", which has no such function and runs on"
	case len(seen) > 1:
		return ran + ", none of which has such a function"
	}
	return "the program was run to its end and has no such function"
}

// launchers are there to execute another program.
var launchers = []string{"chroot", "chrt", "env", "ionice", "nice", "nohup", "numactl", "prlimit", "setarch", "setpriv", "setsid",
	"stdbuf", "taskset", "time", "timeout", "unshare"}

func isShell(program string) bool {
	return slices.Contains([]string{"sh", "ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "mksh", "tcsh", "zsh"}, path.Base(program))
}

// hadChildren looks at a program that has ended and was not waited for yet.
func (t *target) hadChildren() bool {
	st, err := procfs.ReadStat(t.pid)
	return err == nil && st.ChildFaults > 0
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
	calls := t.calls()
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
	next.cmd, next.ran, t.following = t.cmd, true, nil
	next.children = t.forked()
	err := next.choose(a, o)
	if err == nil {
		err = next.hook(a, o)
	}
	if err != nil {
		t.wentTo(next.p.Executable().Path)
		t.released = next.released
		if err = errors.Join(err, next.close()); t.released && (o.over() || a.ctx.Err() != nil) {
			return nil // it was time to stop, which is no failure
		}
		return err
	}
	*t = *next
	return t.release(a, o)
}

// forked are the children of this program and of those that it has replaced.
func (t *target) forked() []int {
	children, _ := t.p.ForkChildren() // they only serve to be named
	for _, pid := range t.children {
		if !slices.Contains(children, pid) {
			children = append(children, pid)
		}
	}
	return children
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
