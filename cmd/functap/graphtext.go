package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/functap/functap/fgraph"
)

// graphWriter prints events of all targets. Safe for concurrent use.
type graphWriter struct {
	o *options

	begin   sync.Once
	stop    func() // ends the run
	mu      sync.Mutex
	w       io.Writer
	threads map[int]*graphThread
	last    int // thread of the last line
}

// graphThread is what is known of one thread.
type graphThread struct {
	comm   string
	shown  bool          // by --tid and --comm
	inside int           // depth of the call that --inside names; -1: none is open
	held   *fgraph.Event // an entry that may turn out to call nothing
	quiet  bool          // nothing has happened since the last flush
}

// eventLine is one event in JSON.
type eventLine struct {
	Type    string `json:"type"`
	TS      string `json:"ts"` // nanoseconds since the epoch
	PID     int    `json:"pid"`
	TID     int    `json:"tid"`
	Depth   *int   `json:"depth,omitempty"`
	Func    string `json:"func,omitempty"`
	Module  string `json:"module,omitempty"`
	Addr    string `json:"addr,omitempty"`
	Dur     *int64 `json:"dur,omitempty"` // nanoseconds
	Unwound bool   `json:"unwound,omitempty"`
	Unsure  bool   `json:"unsure,omitempty"`
	Missing uint64 `json:"missing,omitempty"`
}

const graphHead = "#    TID    DURATION                  FUNCTION CALLS\n#     |      |   |                     |   |   |   |\n"

func (g *graphWriter) header() {
	if !g.o.json() {
		fmt.Fprint(g.w, g.o.paint("1", graphHead))
	}
}

// event prints one, or holds it until the next one of its thread.
func (g *graphWriter) event(pid int, e fgraph.Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begin.Do(g.header)
	t := g.thread(pid, e.TID)
	if !g.wanted(t, &e) {
		return
	}
	if g.o.json() {
		g.json(pid, e)
		return
	}
	t.quiet = false
	if h := t.held; h != nil {
		t.held = nil
		if e.Type == fgraph.Exit && e.Function == h.Function && e.Depth == h.Depth && !e.Unwound {
			g.line(e, e.Function.ShortName()+"();")
			return
		}
		g.entry(*h)
	}
	switch {
	case e.Type == fgraph.Entry && e.Depth >= 0:
		t.held = &e
	case e.Type == fgraph.Entry:
		g.entry(e)
	case e.Type == fgraph.Lost:
		fmt.Fprintf(g.w, "# %s lost here\n", number(int(e.Missing), "event was", "events were"))
	default:
		g.exit(e)
	}
}

func (g *graphWriter) entry(e fgraph.Event) { g.line(e, e.Function.ShortName()+"() {") }

func (g *graphWriter) exit(e fgraph.Event) {
	switch {
	case e.Unwound:
		g.line(e, "} /* "+e.Function.ShortName()+": unwound */")
	case g.o.min > 0:
		g.line(e, e.Function.ShortName()+"();")
	case e.Depth < 0:
		g.line(e, "} /* "+e.Function.ShortName()+" */")
	default:
		g.line(e, "}")
	}
}

// line is one line of text, and before it a note if it is another thread's.
func (g *graphWriter) line(e fgraph.Event, text string) {
	if g.last != e.TID && g.last != 0 {
		fmt.Fprint(g.w, g.o.paint("2", fmt.Sprintf(" ------------------------------------------\n %d => %d  %s\n ------------------------------------------\n",
			g.last, e.TID, g.threads[e.TID].comm)))
	}
	g.last = e.TID
	doubt := ""
	if e.Unsure {
		doubt = " ?"
	}
	fmt.Fprintf(g.w, " %7d) %s |  %*s%s%s\n", e.TID, g.duration(e), 2*max(e.Depth, 0), "", text, doubt)
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

func (g *graphWriter) duration(e fgraph.Event) string {
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
	text := fmt.Sprintf("%s %10s us ", mark, strconv.FormatFloat(float64(e.Duration.Nanoseconds())/1000, 'f', 3, 64))
	if sgr == "" {
		return text
	}
	return g.o.paint(sgr, text)
}

// flush prints entries that have been held for a while: their functions take long.
func (g *graphWriter) flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, t := range g.threads {
		if t.held != nil && t.quiet {
			g.entry(*t.held)
			t.held = nil
		}
		t.quiet = true
	}
	if g.o.out.Flush() != nil {
		g.stop() // nobody reads any more; the last flush tells
	}
}

// end prints the entries that are still held.
func (g *graphWriter) end() {
	g.flush()
	g.flush()
}

func (g *graphWriter) json(pid int, e fgraph.Event) {
	l := eventLine{Type: "lost", TS: strconv.FormatInt(e.Time.UnixNano(), 10), PID: pid, TID: e.TID,
		Unwound: e.Unwound, Unsure: e.Unsure, Missing: e.Missing}
	if e.Function != nil {
		l.Func, l.Module, l.Addr = e.Function.DisplayName(), e.Function.Image().Name, fmt.Sprintf("%#x", e.Function.Addr())
	}
	if e.Depth >= 0 && e.Type != fgraph.Lost {
		l.Depth = &e.Depth
	}
	switch e.Type {
	case fgraph.Entry:
		l.Type = "entry"
	case fgraph.Exit:
		l.Type = "exit"
		d := e.Duration.Nanoseconds()
		l.Dur = &d
	}
	_ = json.NewEncoder(g.w).Encode(l) // the buffer keeps its error
}

// thread is the state of a thread, which is looked at when it is first seen.
func (g *graphWriter) thread(pid, tid int) *graphThread {
	if t := g.threads[tid]; t != nil {
		return t
	}
	comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/comm", pid, tid)) // it may have ended
	t := &graphThread{comm: strings.TrimSuffix(string(comm), "\n"), inside: -1}
	ok, _ := path.Match(g.o.comm, t.comm)
	t.shown = (g.o.comm == "" || ok) && (len(g.o.tids) == 0 || slices.Contains(g.o.tids, tid))
	g.threads[tid] = t
	return t
}

// wanted applies the filters, and makes the depth that below --inside.
func (g *graphWriter) wanted(t *graphThread, e *fgraph.Event) bool {
	if e.Type == fgraph.Lost {
		return t.shown
	}
	if g.o.inside != "" && !t.below(e, g.o.inside) {
		return false
	}
	return t.shown && (g.o.depth == 0 || e.Depth >= 0 && e.Depth < g.o.depth)
}

func (t *graphThread) below(e *fgraph.Event, name string) bool {
	if e.Depth < 0 {
		return false
	}
	if t.inside < 0 {
		if e.Type != fgraph.Entry || e.Function.Name() != name && e.Function.DisplayName() != name {
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
