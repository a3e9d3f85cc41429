package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
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
thread's id. A ? is where events were lost, so that a line may be less deep.
`,
	flags: graphFlags,
	run:   (*app).graph,
}

func graphFlags(o *options, fs *flag.FlagSet) {
	pidFlag(o, fs)
	chooseFlags(o, fs)
	outputFlags(o, fs)
	runFlags(o, fs)
	fs.Lookup("n").Usage = "stop after `COUNT` events"
	fs.Var(duration{&o.min}, "min", "only calls that take at least `DURATION`; shorter ones vanish, with their entries")
	fs.IntVar(&o.depth, "depth", 0, "only calls nested less deep than `N` of the chosen functions")
	fs.StringVar(&o.inside, "inside", "", "only calls made below the function `NAME`")
	fs.Var(&o.tids, "tid", "only thread `TID`; may be given several times")
	fs.StringVar(&o.comm, "comm", "", "only threads whose name matches `GLOB`")
	fs.BoolVar(&o.yes, "yes", false, "print a graph of over 200 functions on a terminal without an end")
}

// functionsMost is how many functions a person can follow on a terminal.
const functionsMost = 200

func (a *app) graph(o *options) error {
	switch {
	case len(o.args) == 0:
		return usagef("graph wants a PATTERN; functap list shows what there is")
	case len(o.pids) == 0 && len(o.command) == 0:
		return usagef("graph wants -p PID or -- COMMAND")
	case o.from != "main" && o.from != "entry":
		return usagef("--from=%s: it is main or entry", o.from)
	case o.depth < 0:
		return usagef("--depth %d: it must be more than 0", o.depth)
	case o.min > 0 && (o.depth > 0 || o.inside != ""):
		return usagef("--min records no entries, so --depth and --inside have nothing to go by; leave one out")
	}
	if o.inside != "" && !slices.Contains(o.args, o.inside) {
		o.args = append(o.args, o.inside)
	}
	targets, err := a.openAll(o)
	if a.interrupted(o, err) {
		return nil
	}
	if err != nil {
		return err
	}
	if o.dryRun {
		return a.dryRun(o, targets)
	}
	if err := o.tooMany(targets); err != nil {
		return errors.Join(err, a.finish(o, targets))
	}
	return a.graphAll(o, targets)
}

func (o *options) tooMany(targets []*target) error {
	n := 0
	for _, t := range targets {
		n += len(t.sites)
	}
	if n <= functionsMost || !isTerminal(o.dest) || o.yes || o.count > 0 || o.duration > 0 {
		return nil
	}
	return usagef("%d functions match: more than anybody can read on a terminal. Give -n, -d or --yes, or count and time them with functap stat", n)
}

// graphAll hooks all targets, prints what they do, unhooks them and sums up.
func (a *app) graphAll(o *options, targets []*target) error {
	o.graph = &graphWriter{o: o, w: o.out, stop: a.stop, threads: map[int]*graphThread{}}
	err := a.hookAll(o, targets)
	if a.interrupted(o, err) {
		err = nil
	} else if err == nil {
		err = a.watch(o, targets, o.graph.flush)
	}
	if err = errors.Join(err, a.finish(o, targets)); err == nil && early(o, targets) {
		return exitCode(statusGone)
	}
	return err
}

// recording is a target's events, as they are printed.
type recording struct {
	r       *fgraph.Recorder
	done    sync.WaitGroup
	events  atomic.Uint64 // read
	entries atomic.Uint64 // of them
	exits   atomic.Uint64
	missing atomic.Uint64
	err     error
}

// record hooks the functions and prints what happens until the detach.
func (t *target) record(a *app, o *options) error {
	begin := time.Now()
	r, err := fgraph.Record(a.ctx, t.p, t.sites, &fgraph.RecordOptions{Longer: o.min})
	if err != nil {
		return fmt.Errorf("process %d: %w", t.pid, err)
	}
	t.attach += time.Since(begin)
	t.recording, t.counted, t.longer = &recording{r: r}, time.Now(), o.min > 0
	t.recording.done.Go(func() { t.recording.print(o.graph, t.pid) })
	d := r.Durations()
	refused := d.Refused()
	for _, no := range d.NoExit() {
		refused = append(refused, asRefusal(no))
	}
	return t.leaveOut(a, o, refused)
}

func (rec *recording) print(g *graphWriter, pid int) {
	for e, err := range rec.r.Events() {
		if err != nil {
			rec.err = err
			return
		}
		switch e.Type {
		case fgraph.Entry:
			rec.entries.Add(1)
		case fgraph.Exit:
			if !e.Unwound {
				rec.exits.Add(1)
			}
		case fgraph.Lost:
			rec.missing.Add(e.Missing)
		}
		rec.events.Add(1)
		g.event(pid, e)
	}
}
