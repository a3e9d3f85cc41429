package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
)

// What verbs share that print events.

func eventFlags(o *options, fs *flag.FlagSet) {
	pidFlag(o, fs)
	chooseFlags(o, fs)
	outputFlags(o, fs)
	runFlags(o, fs)
	fs.Lookup("n").Usage = "stop after `COUNT` events"
	fs.Var(duration{&o.min}, "min", "only calls that take at least `DURATION`; shorter ones vanish, with their entries")
	fs.Func("depth", "only calls nested less deep than `N` of the chosen functions", func(s string) (err error) {
		if o.depth, err = strconv.Atoi(s); err != nil || o.depth < 1 {
			return errors.New("not a number above 0")
		}
		return nil
	})
	fs.StringVar(&o.inside, "inside", "", "only calls of the functions that `PATTERN` matches, and calls made below them")
	fs.Var(&o.tids, "tid", "only thread `TID`; may be given several times")
	fs.StringVar(&o.comm, "comm", "", "only threads whose name matches `GLOB`")
	fs.BoolVar(&o.yes, "yes", false, "print events of over 200 functions on a terminal without an end")
}

// functionsMost is how many functions a person can follow on a terminal.
const functionsMost = 200

func (o *options) checkEvents() error {
	switch {
	case !validGlob(o.comm):
		return usagef("--comm %s: it is not a pattern: a [ is not closed, or a \\ ends it", o.comm)
	case o.min > 0 && (o.depth > 0 || o.inside != ""):
		return usagef("--min records no entries, so --depth and --inside have nothing to go by; leave one out")
	}
	return o.checkTargets("functap list shows what there is")
}

// printEvents is what a verb does whose events look like v.
func (a *app) printEvents(o *options, v view) error {
	if err := o.checkEvents(); err != nil {
		return err
	}
	if o.inside != "" && !slices.Contains(o.args, o.inside) {
		o.args = append(o.args, o.inside)
	}
	return a.onTargets(o, func(targets []*target) error {
		if err := o.tooMany(targets); err != nil {
			return errors.Join(err, a.finish(o, targets))
		}
		return a.eventsOf(o, targets, v)
	})
}

func validGlob(glob string) bool {
	_, err := path.Match(glob, "")
	return err == nil
}

// findInside finds the functions that --inside names, among those that are recorded.
func (t *target) findInside(o *options) error {
	if o.inside == "" {
		return nil
	}
	found, _, err := t.p.Sites(hook.Match{Include: []string{o.inside}})
	if err != nil {
		return err
	}
	recorded := map[uint64]bool{}
	for _, s := range t.sites {
		if no, err := judgeExit(s); err == nil && no == nil {
			recorded[s.Addr()] = true
		}
	}
	around := map[*hook.Function]bool{}
	for _, s := range found {
		if recorded[s.Addr()] {
			around[s.Function] = true
		}
	}
	if len(around) == 0 {
		return usagef("--inside %s: nothing would be shown, since no such function is recorded: it is excluded, or its return cannot be hooked", o.inside)
	}
	o.events.enter(around)
	return nil
}

// enter adds functions below which calls are shown.
func (w *eventWriter) enter(around map[*hook.Function]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.Copy(w.around, around)
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

// eventsOf hooks all targets, prints what they do, unhooks them and sums up.
func (a *app) eventsOf(o *options, targets []*target, v view) error {
	o.events = &eventWriter{o: o, view: v, stop: a.stop, threads: map[int]*thread{}, around: map[*hook.Function]bool{}}
	err := a.hookAll(o, targets)
	if a.interrupted(o, err) {
		err = nil
	} else if err == nil {
		err = a.watch(o, targets, o.events.flush)
	}
	err = errors.Join(err, a.finish(o, targets))
	o.events.leftOut(a)
	if err == nil && early(o, targets) {
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
	if err := t.findInside(o); err != nil {
		return fmt.Errorf("process %d: %w", t.pid, err)
	}
	r, err := fgraph.Record(a.ctx, t.p, t.sites, &fgraph.RecordOptions{Longer: o.min})
	if err != nil {
		return fmt.Errorf("process %d: %w", t.pid, err)
	}
	t.recording, t.longer = &recording{r: r}, o.min > 0
	t.recording.done.Go(func() { t.recording.print(o.events, t.pid) })
	d := r.Durations()
	refused := d.Refused()
	for _, no := range d.NoExit() {
		refused = append(refused, asRefusal(no))
	}
	return t.leaveOut(a, o, refused)
}

func (rec *recording) print(w *eventWriter, pid int) {
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
		w.event(pid, e, rec.r.ThreadName)
	}
}

// view is how events look as text. Its methods are called by one goroutine at a time.
type view interface {
	head() string
	event(w io.Writer, o *options, t *thread, e fgraph.Event)
	// quiet is called when nothing has happened in a thread for a while.
	quiet(w io.Writer, o *options, t *thread)
}

// eventWriter prints events of all targets. Safe for concurrent use.
type eventWriter struct {
	o    *options
	view view
	stop func() // ends the run

	begin   sync.Once
	mu      sync.Mutex
	threads map[int]*thread
	around  map[*hook.Function]bool // what --inside names
	shown   uint64                  // events
	unnamed uint64                  // calls left out by --comm, of threads whose names are not known
}

// thread is what is known of one thread.
type thread struct {
	tid    int
	comm   string
	shown  bool          // by --tid and --comm
	inside int           // depth of the call that --inside names; -1: none is open
	held   *fgraph.Event // of a graph: an entry that may turn out to call nothing
	idle   bool          // nothing has happened since the last flush
}

// event prints one, if it is wanted. name is how its thread is called.
func (w *eventWriter) event(pid int, e fgraph.Event, name func(tid int) string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin.Do(w.header)
	t := w.thread(e.TID, name)
	switch {
	case w.o.count > 0 && w.shown >= w.o.count:
		return
	case !w.o.wanted(t, &e):
		if t.unnamed() && w.o.comm != "" && e.Type == fgraph.Entry {
			w.unnamed++
		}
		return
	case w.o.json():
		w.o.eventJSON(pid, e)
	default:
		t.idle = false
		w.view.event(w.o.out, w.o, t, e)
	}
	if w.shown++; w.shown == w.o.count {
		w.stop()
	}
}

// unnamed: it had ended before its name could be read.
func (t *thread) unnamed() bool { return t.comm == "" }

// name is how a thread is shown, as the kernel's tracer does where it is not known.
func (t *thread) name() string {
	if t.unnamed() {
		return "<...>"
	}
	return t.comm
}

// leftOut tells what --comm could not judge.
func (w *eventWriter) leftOut(a *app) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unnamed > 0 {
		w.o.note(a, "%s of threads that had ended before their names were read are not shown: --comm needs a name",
			number(w.unnamed, "call"))
	}
}

func (w *eventWriter) header() {
	if !w.o.json() {
		fmt.Fprint(w.o.out, w.o.paint("1", w.view.head()))
	}
}

// flush sends out what has happened.
func (w *eventWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.threads {
		if t.idle {
			w.view.quiet(w.o.out, w.o, t)
		}
		t.idle = true
	}
	if w.o.out.Flush() != nil {
		w.stop() // nobody reads any more; the last flush tells
	}
}

// end prints what is still held.
func (w *eventWriter) end() {
	w.flush()
	w.flush()
}

// thread is the state of a thread, which is looked at when it is first seen.
func (w *eventWriter) thread(tid int, name func(int) string) *thread {
	if t := w.threads[tid]; t != nil {
		return t
	}
	t := &thread{tid: tid, comm: name(tid), inside: -1}
	ok, _ := path.Match(w.o.comm, t.comm)
	t.shown = (w.o.comm == "" || ok) && (len(w.o.tids) == 0 || slices.Contains(w.o.tids, tid))
	w.threads[tid] = t
	return t
}

// wanted applies the filters, and makes the depth that below --inside.
func (o *options) wanted(t *thread, e *fgraph.Event) bool {
	if e.Type == fgraph.Lost {
		return t.shown
	}
	if o.inside != "" && !t.below(e, o.events.around) {
		return false
	}
	return t.shown && (o.depth == 0 || e.Depth >= 0 && e.Depth < o.depth)
}

func (t *thread) below(e *fgraph.Event, around map[*hook.Function]bool) bool {
	if e.Depth < 0 {
		return false
	}
	if t.inside < 0 {
		if e.Type != fgraph.Entry || !around[e.Function] {
			return false
		}
		t.inside = e.Depth
	}
	depth := e.Depth - t.inside
	if e.Type == fgraph.Exit && depth <= 0 {
		t.inside = -1
	}
	e.Depth = depth
	return depth >= 0
}
