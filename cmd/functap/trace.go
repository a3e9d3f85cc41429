package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
)

var traceVerb = verb{
	name:    "trace",
	args:    "-p PID PATTERN... | PATTERN... -- COMMAND [ARG...]",
	short:   "print a line for each call and each return of functions, live, until ^C",
	command: true,
	help: `
  functap trace -p 4711 processCommand 'lookupKey*'   some functions
  functap trace -p 4711 --min 1ms 'redis:*'           only calls of 1 ms and more
  functap trace -p 4711 --format json -o FILE '*Command'
  functap trace -n 1000 'work_*' -- ./server          start a program

A line has the time, the thread's name and id, and the function: -> at its entry, <- at
its exit, with its duration. An exit marked "unwound" was no return (longjmp, an
exception, the thread's end), and is told when that was seen. Arguments are not captured
by this version.
`,
	flags: eventFlags,
	run:   func(a *app, o *options) error { return a.printEvents(o, traceView{}) },
}

// traceView has a line for each event.
type traceView struct{}

const traceTime = "15:04:05.000000"

func (traceView) head() string {
	return fmt.Sprintf("# %-*s %-22s    %s\n", len(traceTime)-2, "TIME", "THREAD", "FUNCTION")
}

func (traceView) event(w io.Writer, o *options, t *thread, e fgraph.Event) {
	if e.Type == fgraph.Lost { // nobody's call
		fmt.Fprint(w, lostLine(e))
		return
	}
	text := "-> " + e.Function.ShortName()
	switch {
	case e.Unwound:
		text = "<- " + e.Function.ShortName() + "  unwound"
	case e.Type == fgraph.Exit:
		text = "<- " + e.Function.ShortName() + "  " + microseconds(e.Duration) + " us"
	}
	fmt.Fprintf(w, "%s %-22s %s%s\n", e.Time.Format(traceTime), fmt.Sprintf("%s-%d", t.name(), t.tid), text, yes(e.Unsure, " ?", ""))
}

func (traceView) quiet(io.Writer, *options, *thread) {}

// noArguments is the error for a pattern that nothing matches, where it names arguments.
// What matches is the name of a function: C++'s have parameters.
func (o *options) noArguments(err error) error {
	var no *hook.NoMatchError
	if o.verb != "trace" || !errors.As(err, &no) || no.Excluded > 0 {
		return err
	}
	if name, group := lastGroup(no.Pattern); group != "" {
		return usagef("%s: arguments, as %s, cannot be captured by this version; '%s' alone shows the calls", no.Pattern, group, name)
	}
	return err
}

// lastGroup cuts a balanced group in parentheses off the end, which is "" if there is none
// or nothing is in it.
func lastGroup(pattern string) (name, group string) {
	depth := 0
	for i := len(pattern) - 1; i > 0; i-- {
		switch pattern[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth == 0 {
			if i < len(pattern)-2 {
				return pattern[:i], pattern[i:]
			}
			break
		}
	}
	return pattern, ""
}
