package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/functap/functap/internal/demo"
)

var demoVerb = verb{
	name:  "demo",
	short: "show the function graph of a small workload, live",
	help: `
  functap demo          five seconds
  functap demo -d 1m    a minute, or until ^C

It compiles a small C program in a temporary directory, starts it as a second process,
attaches to it by its PID as to any other, and prints its function graph. Where there is
no C compiler (cc) it starts a second process of this very program instead, and counts the
calls of a workload in Go.
`,
	flags: func(o *options, fs *flag.FlagSet) {
		outputFlags(o, fs)
		changeFlags(o, fs)
		o.duration = 5 * time.Second
		fs.Var(duration{&o.duration}, "d", "stop after `DURATION`")
	},
	run: (*app).demo,
}

func (a *app) demo(o *options) error {
	if len(o.args) > 0 {
		return usagef("demo takes no arguments")
	}
	w, err := a.startC()
	if a.interrupted(o, err) {
		return nil
	}
	if err != nil {
		o.note(a, "no C program to show: %v; a workload in Go is counted instead", err)
		return a.demoGo(o)
	}
	o.note(a, "started a C program as process %d; the same by hand: functap graph -p %d '%s*'", w.pid(), w.pid(), demo.Prefix)
	err = a.demoOf(o, w, demo.Prefix+"*", func(targets []*target) error { return a.eventsOf(o, targets, &graphView{}) })
	return errors.Join(err, w.stop())
}

func (a *app) demoGo(o *options) error {
	w, err := startGo()
	if err != nil {
		return fmt.Errorf("starting the workload: %w", err)
	}
	pattern := demo.Package + ".*"
	o.note(a, "started a workload as process %d; the same by hand: functap stat -p %d '%s'", w.pid(), w.pid(), pattern)
	err = a.demoOf(o, w, pattern, func(targets []*target) error {
		err := a.hookAll(o, targets)
		if err == nil {
			err = a.watch(o, targets, a.demoTick(o, targets))
		}
		return errors.Join(err, a.finish(o, targets))
	})
	return errors.Join(err, w.stop())
}

// demoOf attaches to the workload and shows its functions.
func (a *app) demoOf(o *options, w *workload, pattern string, show func([]*target) error) error {
	o.pids, o.args = intList{w.pid()}, []string{pattern}
	return a.onTargets(o, show)
}

// demoTick prints the calls of each second while counting.
func (a *app) demoTick(o *options, targets []*target) func() {
	last, before := time.Now(), uint64(0)
	return func() {
		if took := time.Since(last); took >= time.Second {
			now := sumCalls(targets)
			o.note(a, "%12.0f calls per second", float64(now-before)/took.Seconds())
			last, before = time.Now(), now
		}
	}
}
