package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
)

// summary is the account of one target at the end of a run.
type summary struct {
	Type     string               `json:"type"`
	PID      int                  `json:"pid"`
	Function int                  `json:"functions"`
	Hooked   int                  `json:"hooked"`
	Refused  map[hook.Refusal]int `json:"refused"`
	// Calls are accounted for as counted, lost (no room for the record) or missed
	// (no handler ran). Counting alone does not lose or miss any.
	Calls         uint64   `json:"calls"`
	Counted       uint64   `json:"counted"`
	Lost          uint64   `json:"lost"`
	Missed        uint64   `json:"missed"`
	Overrun       uint64   `json:"overrun"`
	Entries       uint64   `json:"entries"`
	Exits         uint64   `json:"exits"`
	Unwound       uint64   `json:"unwound"`
	LeftReturning uint64   `json:"left_returning,omitempty"` // exits that were found unwound, too
	Inflight      uint64   `json:"inflight"`
	Skipped       uint64   `json:"skipped"`
	Orphans       uint64   `json:"orphans"`
	Events        uint64   `json:"events"`
	RecordedCalls uint64   `json:"recorded_calls"`
	AttachMS      float64  `json:"attach_ms"`
	ElapsedMS     float64  `json:"elapsed_ms"`      // from the attach to the detach
	StoppedMS     float64  `json:"stopped_ms"`      // all stops together
	LongestStopMS float64  `json:"longest_stop_ms"` // the longest of them
	DetachMS      float64  `json:"detach_ms"`
	RealTime      bool     `json:"realtime"`
	LeftBehind    []string `json:"left_behind"`
	Children      []int    `json:"children,omitempty"`
	Removed       int      `json:"removed,omitempty"`  // functions that somebody else unhooked
	Unloaded      int      `json:"unloaded,omitempty"` // functions whose library the target has unloaded
	Ended         string   `json:"ended,omitempty"`    // "exited", "killed" or "execed" before the detach
	Signal        string   `json:"signal,omitempty"`   // that killed it
	Executed      string   `json:"executed,omitempty"` // the program that it has executed, whose calls are not counted

	name, program, endedAs string
	started                bool // by us
}

// summarize makes the summary of a target that has been closed.
func (t *target) summarize() *summary {
	s := &summary{Type: "summary", PID: t.pid, Refused: map[hook.Refusal]int{}, LeftBehind: []string{},
		Function: len(t.sites) + len(t.refused), AttachMS: ms(t.attach), DetachMS: ms(t.detach), Children: t.children,
		ElapsedMS: ms(t.elapsed), Removed: t.removed, Unloaded: t.unloaded, Executed: t.executed,
		name: t.name, program: t.p.Executable().Path, endedAs: t.endedAs, started: t.cmd != nil}
	if t.hooked() {
		s.Hooked = len(t.sites)
	}
	for _, r := range t.refused {
		s.Refused[r.Reason]++
	}
	t.account(s)
	s.LeftBehind = append(s.LeftBehind, t.left...)
	pauses := t.p.Pauses()
	s.RealTime = len(pauses) > 0
	var all, longest time.Duration
	for _, p := range pauses {
		all += p.Stopped
		longest = max(longest, p.Stopped)
		s.RealTime = s.RealTime && p.RealTime
	}
	s.StoppedMS, s.LongestStopMS = ms(all), ms(longest)
	switch {
	case t.execed:
		s.Ended = "execed"
	case t.killedBy != "":
		s.Ended, s.Signal = "killed", t.killedBy
	case t.gone:
		s.Ended = "exited"
	}
	return s
}

// account says what became of the calls. Where events are recorded, a call is counted
// if its first one is among them: the entry or, of those that are recorded when they
// have ended, the exit.
func (t *target) account(s *summary) {
	switch {
	case t.recording != nil:
		s.measured(t.recording.r.Durations())
		t.recording.account(s, t.longer)
	case t.durations != nil:
		s.measured(t.durations)
	}
	if t.counter != nil {
		for _, c := range t.counter.Read() {
			s.Calls += c.Calls
			s.Counted += c.Calls
		}
	}
}

// measured adds the calls of functions whose returns are hooked.
func (s *summary) measured(d *fgraph.Durations) {
	for _, f := range d.Read() {
		s.Calls += f.Calls
		s.Missed += f.Missed
		s.Exits += f.Returned
		s.Unwound += f.Unwound
		s.LeftReturning += f.LeftReturning
		s.Inflight += f.Inflight
	}
	s.Entries = s.Calls - s.Missed
	s.Overrun = s.Missed
	s.Counted = s.Entries
}

func (rec *recording) account(s *summary, longer bool) {
	s.Events = rec.events.Load()
	if longer {
		s.RecordedCalls = rec.exits.Load()
		s.Lost = min(rec.missing.Load(), s.Entries)
	} else {
		s.RecordedCalls = rec.entries.Load()
		s.Lost = s.Entries - min(s.RecordedCalls, s.Entries) // check tells if there are more
	}
	s.Counted -= s.Lost
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// check holds the summary against its laws.
func (s *summary) check() error {
	if s.Calls != s.Counted+s.Lost+s.Missed {
		return fmt.Errorf("BUG: process %d: %d calls, but %d counted, %d lost and %d missed", s.PID, s.Calls, s.Counted, s.Lost, s.Missed)
	}
	if s.Entries != s.Exits+s.Unwound+s.Inflight+s.Skipped {
		return fmt.Errorf("BUG: process %d: %d entries, but %d exits, %d unwound, %d in flight and %d skipped",
			s.PID, s.Entries, s.Exits, s.Unwound, s.Inflight, s.Skipped)
	}
	if s.RecordedCalls > s.Entries {
		return fmt.Errorf("BUG: process %d: %d calls are recorded of %d entries", s.PID, s.RecordedCalls, s.Entries)
	}
	return nil
}

// print writes the summary: the last line of JSON results, or text on
// standard error.
func (s *summary) print(a *app, o *options) error {
	if o.json() {
		_ = json.NewEncoder(o.out).Encode(s) // the flush tells what goes wrong
		return s.check()
	}
	o.note(a, "%s", s)
	return s.check()
}

// String is the summary for people: what matters most in the first line.
func (s *summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "process %d (%s): %s in %.2f s; it stood still for %.1f ms at most (%.1f ms in all%s)",
		s.PID, s.name, number(s.Calls, "call"), s.ElapsedMS/1000, s.LongestStopMS, s.StoppedMS, priority(s))
	b.WriteString(s.ending())
	if s.Unloaded > 0 {
		fmt.Fprintf(&b, "\n  the target has unloaded the library of %s: their counts end there",
			number(s.Unloaded, "function"))
	}
	b.WriteString(s.other())
	fmt.Fprintf(&b, "\n  %d of %s hooked", s.Hooked, number(s.Function, "function"))
	for _, r := range slices.Sorted(maps.Keys(s.Refused)) {
		fmt.Fprintf(&b, ", %d %s", s.Refused[r], r)
	}
	fmt.Fprintf(&b, "; %d lost, %d missed; attached in %.1f ms, detached in %.1f ms", s.Lost, s.Missed, s.AttachMS, s.DetachMS)
	if s.LeftReturning > 0 {
		fmt.Fprintf(&b, "\n  %s left by signal handlers when they had just returned, and counted as returned", number(s.LeftReturning, "call was", "calls were"))
	}
	if s.Lost > s.Calls/100 {
		b.WriteString("\n  events were made faster than they were read: choose fewer functions or give --min; functap stat loses nothing")
	}
	for _, pid := range s.Children {
		fmt.Fprintf(&b, "\n  its fork child %d is still hooked, and its calls are not counted; functap recover -p %d takes the hooks out", pid, pid)
	}
	if len(s.LeftBehind) > 0 {
		fmt.Fprintf(&b, "\n  LEFT BEHIND: %s", strings.Join(s.LeftBehind, "; "))
	}
	return b.String()
}

func (s *summary) ending() string {
	switch s.Ended {
	case "execed":
		return "; the target has begun another program"
	case "killed":
		return "; the target was killed by " + s.Signal
	case "exited":
		return "; the target exited"
	}
	return ""
}

// other says which program was counted and which one not, if there was another.
func (s *summary) other() string {
	switch {
	case s.Executed == "" && s.endedAs == "":
		return ""
	case s.Executed == "":
		return fmt.Sprintf("\n  it ended with the name %s: if it has executed a program called so, that one was NOT counted", s.endedAs)
	}
	what := "attach again to count that one"
	if s.started {
		what = "to count that one, name it as the command itself"
	}
	return fmt.Sprintf("\n  COUNTED %s (%s), NOT %s (%s), which it has executed: %s",
		s.program, path.Base(s.program), s.Executed, path.Base(s.Executed), what)
}

// number counts things: "1 call", "2 calls", or as the words given say.
func number[N int | uint64](n N, one string, more ...string) string {
	if n == 1 {
		return "1 " + one
	}
	if len(more) > 0 {
		return fmt.Sprintf("%d %s", n, more[0])
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// priority explains long stops.
func priority(s *summary) string {
	if s.RealTime || s.StoppedMS == 0 {
		return ""
	}
	return ", without real-time priority"
}
