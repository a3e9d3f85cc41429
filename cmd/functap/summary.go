package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

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
	Inflight      uint64   `json:"inflight"`
	Skipped       uint64   `json:"skipped"`
	Orphans       uint64   `json:"orphans"`
	Events        uint64   `json:"events"`
	RecordedCalls uint64   `json:"recorded_calls"`
	AttachMS      float64  `json:"attach_ms"`
	StoppedMS     float64  `json:"stopped_ms"`      // all stops together
	LongestStopMS float64  `json:"longest_stop_ms"` // the longest of them
	DetachMS      float64  `json:"detach_ms"`
	RealTime      bool     `json:"realtime"`
	LeftBehind    []string `json:"left_behind"`
	Children      []int    `json:"children,omitempty"`
	Ended         string   `json:"ended,omitempty"` // "exited" or "execed" before the detach
}

// summarize makes the summary of a target that has been closed.
func (t *target) summarize() *summary {
	s := &summary{Type: "summary", PID: t.pid, Refused: map[hook.Refusal]int{}, LeftBehind: []string{},
		Function: len(t.sites) + len(t.refused), AttachMS: ms(t.attach), DetachMS: ms(t.detach), Children: t.children}
	if t.counter != nil {
		s.Hooked = len(t.sites)
	}
	for _, r := range t.refused {
		s.Refused[r.Reason]++
	}
	_, s.Counted = t.calls()
	s.Calls = s.Counted
	s.LeftBehind = append(s.LeftBehind, t.left...)
	pauses := t.p.Pauses()
	s.RealTime = len(pauses) > 0
	for _, p := range pauses {
		s.StoppedMS += ms(p.Stopped)
		s.LongestStopMS = max(s.LongestStopMS, ms(p.Stopped))
		s.RealTime = s.RealTime && p.RealTime
	}
	switch {
	case t.execed:
		s.Ended = "execed"
	case t.gone:
		s.Ended = "exited"
	}
	return s
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
	return nil
}

// print writes the summary: the last line of JSON results, or text on
// standard error.
func (s *summary) print(a *app, o *options) error {
	if o.json() {
		if err := json.NewEncoder(o.out).Encode(s); err != nil {
			return err
		}
		return s.check()
	}
	o.note(a, "%s", s)
	return s.check()
}

func (s *summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "process %d: %d of %d functions hooked", s.PID, s.Hooked, s.Function)
	for _, r := range slices.Sorted(maps.Keys(s.Refused)) {
		fmt.Fprintf(&b, ", %d %s", s.Refused[r], r)
	}
	fmt.Fprintf(&b, "; %d calls, %d lost, %d missed; attached in %.1f ms, stopped for %.1f ms (at most %.1f ms at once%s), detached in %.1f ms",
		s.Calls, s.Lost, s.Missed, s.AttachMS, s.StoppedMS, s.LongestStopMS, priority(s), s.DetachMS)
	if len(s.Children) > 0 {
		fmt.Fprintf(&b, "; calls of its fork children %s are not counted", strings.Trim(fmt.Sprint(s.Children), "[]"))
	}
	if s.Ended != "" {
		fmt.Fprintf(&b, "; the target %s", strings.Replace(s.Ended, "execed", "has begun another program", 1))
	}
	if len(s.LeftBehind) > 0 {
		fmt.Fprintf(&b, "; LEFT BEHIND: %s", strings.Join(s.LeftBehind, "; "))
	}
	return b.String()
}

// priority explains long stops.
func priority(s *summary) string {
	if s.RealTime || s.StoppedMS == 0 {
		return ""
	}
	return ", without real-time priority"
}
