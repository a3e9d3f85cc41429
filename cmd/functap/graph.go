package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/functap/functap/fgraph"
)

var graphVerb = verb{
	name:    "graph",
	args:    "-p PID PATTERN... | PATTERN... -- COMMAND [ARG...]",
	short:   "show calls and returns of functions as a graph, live, until ^C",
	command: true,
	help: `
  functap graph -p 4711 processCommand call lookupKey    some functions
  functap graph -p 4711 --min 1ms 'redis:*'              only calls of 1 ms and more
  functap graph -p 4711 --inside processCommand 'redis:*'
  functap graph -n 1000 --depth 3 'work_*' -- ./server   start a program

Lines are as the kernel's function_graph has them: a call that calls nothing is one
line, others have a line at each end, with the duration at the second. Marks are for
slow calls: + over 10 us, ! 100 us, # 1 ms, * 10 ms, @ 100 ms, $ 1 s. In front is the
thread's id. A ? is where events were lost, so that a line may be less deep. Functions
begin to be recorded one after another, within milliseconds: what is at the top there may
have been called by one that was not yet.
`,
	flags: eventFlags,
	run:   func(a *app, o *options) error { return a.printEvents(o, &graphView{}) },
}

// graphView is the function graph.
type graphView struct {
	last int // thread of the last line
}

const graphHead = "#    TID    DURATION                  FUNCTION CALLS\n#     |      |   |                     |   |   |   |\n"

func (*graphView) head() string { return graphHead }

// event prints one, or holds it until the next one of its thread.
func (g *graphView) event(w io.Writer, o *options, t *thread, e fgraph.Event) {
	if h := t.held; h != nil {
		t.held = nil
		if e.Type == fgraph.Exit && e.Function == h.Function && e.Depth == h.Depth && !e.Unwound {
			g.line(w, o, t, e, e.Function.ShortName()+"();")
			return
		}
		g.entry(w, o, t, *h)
	}
	switch {
	case e.Type == fgraph.Entry && e.Depth >= 0:
		t.held = &e
	case e.Type == fgraph.Entry:
		g.entry(w, o, t, e)
	case e.Type == fgraph.Lost:
		fmt.Fprint(w, lostLine(e))
	default:
		g.line(w, o, t, e, closing(o, e))
	}
}

func lostLine(e fgraph.Event) string {
	return fmt.Sprintf("# %s lost here\n", number(int(e.Missing), "event was", "events were"))
}

// quiet prints an entry that has been held for a while: its function takes long.
func (g *graphView) quiet(w io.Writer, o *options, t *thread) {
	if t.held != nil {
		g.entry(w, o, t, *t.held)
		t.held = nil
	}
}

func (g *graphView) entry(w io.Writer, o *options, t *thread, e fgraph.Event) {
	g.line(w, o, t, e, called(e)+" {")
}

// called is the function with its parentheses. C++'s and Rust's may have theirs already.
func called(e fgraph.Event) string {
	name := e.Function.ShortName()
	if strings.HasSuffix(name, ")") {
		return name
	}
	return name + "()"
}

func closing(o *options, e fgraph.Event) string {
	switch {
	case e.Unwound:
		return "} /* " + e.Function.ShortName() + ": unwound */"
	case o.min > 0:
		return called(e) + ";"
	case e.Depth < 0:
		return "} /* " + e.Function.ShortName() + " */"
	}
	return "}"
}

// line is one line of text, and before it a note if it is another thread's.
func (g *graphView) line(w io.Writer, o *options, t *thread, e fgraph.Event, text string) {
	if g.last != t.tid && g.last != 0 {
		fmt.Fprint(w, o.paint("2", fmt.Sprintf(" ------------------------------------------\n %d => %d  %s\n ------------------------------------------\n",
			g.last, t.tid, t.name())))
	}
	g.last = t.tid
	fmt.Fprintf(w, " %7d) %s |  %*s%s%s\n", t.tid, graphDuration(o, e), 2*max(e.Depth, 0), "", text, yes(e.Unsure, " ?", ""))
}

// marks are the kernel's for slow calls, the longest first.
var marks = []struct {
	over time.Duration
	mark string
	sgr  string
}{
	{time.Second, "$", "31;1"}, {100 * time.Millisecond, "@", "31;1"}, {10 * time.Millisecond, "*", "31"},
	{time.Millisecond, "#", "33"}, {100 * time.Microsecond, "!", "33"}, {10 * time.Microsecond, "+", ""},
}

const noDuration = "                "

func graphDuration(o *options, e fgraph.Event) string {
	if e.Type != fgraph.Exit || e.Unwound {
		return noDuration
	}
	mark, sgr := " ", ""
	for _, m := range marks {
		if e.Duration > m.over {
			mark, sgr = m.mark, m.sgr
			break
		}
	}
	text := fmt.Sprintf("%s %10s us ", mark, microseconds(e.Duration))
	if sgr == "" {
		return text
	}
	return o.paint(sgr, text)
}

func microseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Nanoseconds())/1000, 'f', 3, 64)
}
