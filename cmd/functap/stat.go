package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"

	"github.com/functap/functap/hook"
)

var statVerb = verb{
	name:    "stat",
	args:    "-p PID PATTERN... | PATTERN... -- COMMAND [ARG...]",
	short:   "count and time the calls of functions, in the target, until ^C",
	command: true,
	help: `
  functap stat -p 4711 processCommand         one function
  functap stat -p 4711 -d 10s '*'             every function, for ten seconds
  functap stat -p 4711 --top 'str*' 'mem*'    a table that refreshes itself
  functap stat -p 4711 --exit=none '*'        counts only, which costs the least
  functap stat -n 1000 main.fib -- ./server   start a program, stop at 1000 calls

Where returns can be hooked (C, C++, Rust) it also keeps how long calls take: TOTAL is
the time in all of them, with what they call, SELF without what they call of the other
functions that are shown (? where that is not known of some calls: what they call was
left by a longjmp, say, or their thread is older than its thread pointer). Quantiles are
upper bounds, steps by a factor of two. The time of a recursive function is in TOTAL once
for each of its calls that is open. Calls of other functions, such as all of Go's, are
only counted: a note says which and why, and functap list shows it beforehand.

Functions are hooked at once, but begin to count one after another, within milliseconds.

A program that is started keeps standard output for itself: results go to
standard error, or to -o FILE. At the end of -d or -n functap detaches and
prints; the program runs on, and functap waits until it ends.

If it has none of the functions, as env and sh have none of another program's, it
runs until it executes (exec) the one that has. So it does before its first call of
one that it has. Later ones are not followed, nor are children: the summary says so,
and the surest is to name the program itself.

Libraries that are loaded later (dlopen) are not hooked. With --from=entry no
library is loaded yet: only the program itself and its loader are hooked.
`,
	flags: statFlags,
	run:   (*app).stat,
}

func statFlags(o *options, fs *flag.FlagSet) {
	pidFlag(o, fs)
	chooseFlags(o, fs)
	outputFlags(o, fs)
	runFlags(o, fs)
	fs.StringVar(&o.exit, "exit", "auto", "`HOW` exits are caught: auto, where that is possible, and other functions are only counted; wrap, which fails where none can be; or none, which only counts")
	fs.BoolVar(&o.top, "top", false, "refresh the table while counting, on a terminal")
}

func (a *app) stat(o *options) error {
	if err := o.checkExit(); err != nil {
		return err
	}
	if err := o.checkTargets("'*' is every function"); err != nil {
		return err
	}
	return a.onTargets(o, func(targets []*target) error { return a.countAll(o, targets) })
}

// checkTargets looks for what every verb needs that hooks functions.
func (o *options) checkTargets(patterns string) error {
	switch {
	case len(o.args) == 0:
		return usagef("%s wants a PATTERN; %s", o.verb, patterns)
	case len(o.pids) == 0 && len(o.command) == 0:
		return usagef("%s wants -p PID or -- COMMAND", o.verb)
	case o.from != "main" && o.from != "entry":
		return usagef("--from=%s: it is main or entry", o.from)
	}
	return nil
}

// onTargets opens them and does what there is to do, unless it was ended before, or they
// were only to be looked at.
func (a *app) onTargets(o *options, do func([]*target) error) error {
	targets, err := a.openAll(o)
	switch {
	case a.interrupted(o, err):
		return nil
	case err != nil:
		return err
	case o.dryRun:
		return a.dryRun(o, targets)
	}
	return do(targets)
}

func (o *options) checkExit() error {
	switch o.exit {
	case "auto", "wrap", "none":
		return nil
	case "ret":
		return usagef("--exit=ret is not in this version; it is auto, wrap or none")
	}
	return usagef("--exit=%s: it is auto, wrap or none", o.exit)
}

// openAll opens every -p.
func (a *app) openAll(o *options) ([]*target, error) {
	var targets []*target
	if len(o.command) > 0 {
		t, err := a.startCommand(o)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	for _, pid := range o.pids {
		t, err := a.open(o, pid)
		if err != nil {
			return nil, errors.Join(err, closeAll(targets))
		}
		targets = append(targets, t)
	}
	return targets, nil
}

func closeAll(targets []*target) error {
	var errs []error
	for _, t := range targets {
		errs = append(errs, t.close())
	}
	return errors.Join(errs...)
}

// dryRun prints the plan.
func (a *app) dryRun(o *options, targets []*target) error {
	var refused error
	for _, t := range targets {
		if err := o.printPlan(t); err != nil {
			return err
		}
		refused = errors.Join(refused, t.busy())
		o.note(a, "process %d: %s would be hooked, %d KiB of memory mapped; nothing was touched",
			t.pid, number(len(t.sites), "function"), t.p.MemoryNeeded(t.sites)>>10)
	}
	err := closeAll(targets)
	for _, t := range targets {
		err = errors.Join(err, t.wait(o))
	}
	return errors.Join(refused, err)
}

// busy is the error that a real run would fail with while somebody else works on the
// target. The plan is good all the same; the status is the run's, as it is where a
// pattern matches nothing.
func (t *target) busy() error {
	st, err := hook.Inspect(t.pid)
	if err != nil {
		return nil // it has just been looked at: it is gone, and nobody is attached
	}
	for _, s := range st.Sessions {
		if s.Alive {
			return fmt.Errorf("process %d: a real run would be refused: %w", t.pid, &hook.BusyError{PID: t.pid, Owner: s.Owner})
		}
	}
	return nil
}

// planLine ends the JSON of a dry run.
type planLine struct {
	Type      string `json:"type"`
	PID       int    `json:"pid"`
	Functions int    `json:"functions"`
	Memory    uint64 `json:"memory"` // bytes
}

func (o *options) printPlan(t *target) error {
	enc := json.NewEncoder(o.out)
	funcs := make([]*hook.Function, len(t.sites))
	for i, s := range t.sites {
		funcs[i] = s.Function
	}
	names := labels(context.Background(), funcs)
	for i, s := range t.sites {
		f := s.Function
		if !o.json() {
			fmt.Fprintf(o.out, "%#12x  %-8s %-20s %s\n", f.Addr(), s.Tactic(), f.Image().Name, names[i])
			continue
		}
		v, err := judge(f, nil)
		if err != nil {
			return err
		}
		l := describeFunction(f, v)
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	if o.json() {
		return enc.Encode(planLine{"plan", t.pid, len(t.sites), t.p.MemoryNeeded(t.sites)})
	}
	return nil
}

// countAll hooks all targets, waits, unhooks them and prints.
func (a *app) countAll(o *options, targets []*target) error {
	err := a.hookAll(o, targets)
	if a.interrupted(o, err) {
		err = nil
	} else if err == nil {
		tick, end := a.live(o, targets)
		err = a.watch(o, targets, tick)
		end()
	}
	if err = errors.Join(err, a.finish(o, targets)); err == nil && early(o, targets) {
		return exitCode(statusGone)
	}
	return err
}

// interrupted reports whether the user wants to stop before anything was hooked, which is
// no failure.
func (a *app) interrupted(o *options, err error) bool {
	if a.ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return false
	}
	o.note(a, "interrupted before it was hooked; nothing is changed")
	return true
}

// finish unhooks and prints.
func (a *app) finish(o *options, targets []*target) error {
	var sums []*summary
	err := closeAll(targets)
	if o.events != nil {
		o.events.end()
	}
	for _, t := range targets {
		if t.hooked() {
			o.table(o.out, t)
			s := t.summarize()
			sums = append(sums, s)
			err = errors.Join(err, s.print(a, o))
		}
	}
	err = errors.Join(err, a.flush(o, sums)) // before waiting for a program
	for _, t := range targets {
		err = errors.Join(err, t.wait(o))
	}
	return err
}

// flush sends the results out. Where that fails, the summaries are told that were
// among them.
func (a *app) flush(o *options, sums []*summary) error {
	err := o.out.Flush()
	if errors.Is(err, errNotWritten) && o.json() {
		for _, s := range sums {
			o.note(a, "%s", s)
		}
	}
	return err
}

func (a *app) hookAll(o *options, targets []*target) error {
	for _, t := range targets {
		if err := t.hook(a, o); err != nil {
			return err
		}
		o.note(a, "process %d: %s %s%s", t.pid, doing(o), number(len(t.sites), "function"), until(o))
		if err := t.release(a, o); err != nil {
			return err
		}
	}
	return nil
}

func doing(o *options) string {
	if o.events != nil {
		return "recording"
	}
	return "counting"
}

func until(o *options) string {
	if o.duration == 0 && o.count == 0 && o.command == nil {
		return "; ^C ends"
	}
	return ""
}

// early reports whether a target went away before its time.
func early(o *options, targets []*target) bool {
	for _, t := range targets {
		if t.execed || t.gone && (o.duration > 0 || o.count > 0) {
			return len(o.command) == 0
		}
	}
	return false
}
