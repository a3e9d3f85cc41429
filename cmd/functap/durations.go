package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/trampoline"
)

// measure hooks the functions' entries and, where they can be, their returns, and keeps
// statistics of durations. The others' calls are counted.
func (t *target) measure(a *app, o *options) error {
	begin := time.Now()
	var wrapped, counted []hook.Site
	for _, s := range t.sites {
		if s.Exit() == nil {
			wrapped = append(wrapped, s)
		} else {
			counted = append(counted, s)
		}
	}
	if len(wrapped) == 0 {
		return t.count(a, o)
	}
	d, err := fgraph.Measure(a.ctx, t.p, wrapped, nil)
	if o.exit == "auto" && refusedWhole(err) {
		o.note(a, "process %d: calls are only counted: %v", t.pid, err)
		return t.count(a, o)
	}
	if err != nil {
		return fmt.Errorf("process %d: %w", t.pid, err)
	}
	t.durations = d
	refused := d.Refused()
	if len(counted) > 0 {
		o.note(a, "process %d: %s only counted: their returns cannot be hooked", t.pid, number(len(counted), "function is", "functions are"))
		c, err := trampoline.Count(a.ctx, t.p, counted)
		if err != nil {
			return fmt.Errorf("process %d: %w", t.pid, err)
		}
		t.counter = c
		refused = append(refused, c.Refused()...)
	}
	t.attach += time.Since(begin)
	t.counted = time.Now()
	return t.leaveOut(a, o, refused)
}

// refusedWhole reports whether it is the target that cannot have wrapped functions.
func refusedWhole(err error) bool {
	return errors.Is(err, fgraph.ErrUnwinds) || errors.Is(err, fgraph.ErrCopiesStacks) || errors.Is(err, hook.ErrNoTime)
}

// measuredLine is one function's line in JSON, where durations are kept.
type measuredLine struct {
	statLine
	Total int64 `json:"total_ns"`
	P50   int64 `json:"p50_ns"`
	P90   int64 `json:"p90_ns"`
	P99   int64 `json:"p99_ns"`
	Max   int64 `json:"max_ns"`
}

var durationHead = fmt.Sprintf("%14s %12s %11s %11s %11s %11s %11s  %-20s %s",
	"CALLS", "TOTAL", "AVG", "P50", "P90", "P99", "MAX", "MODULE", "FUNCTION")

// durationTable prints durations, the greatest total first. Functions that were not called
// are only counted, in text without -v.
func (o *options) durationTable(w io.Writer, t *target) {
	all := slices.SortedStableFunc(slices.Values(t.durations.Read()), func(x, y fgraph.FunctionDurations) int {
		return int(y.Total/time.Microsecond) - int(x.Total/time.Microsecond)
	})
	if o.json() {
		o.durationJSON(w, t, all)
		return
	}
	if len(o.pids) > 1 {
		fmt.Fprintf(w, "process %d (%s)\n", t.pid, t.name)
	}
	fmt.Fprintln(w, o.paint("1", durationHead))
	rest := 0
	for _, f := range all {
		if f.Calls == 0 && !o.verbose {
			rest++
			continue
		}
		q := f.Histogram.Quantile
		fmt.Fprintf(w, "%14d %12s %11s %11s %11s %11s %11s  %-20s %s\n", f.Calls, short(f.Total), short(f.Average()),
			short(q(.5)), short(q(.9)), short(q(.99)), short(f.Max), f.Function.Image().Name, f.Function.ShortName())
	}
	if rest > 0 {
		fmt.Fprintf(w, "%14s  %s not called\n", "", number(rest, "function was", "functions were"))
	}
}

func (o *options) durationJSON(w io.Writer, t *target, all []fgraph.FunctionDurations) {
	enc := json.NewEncoder(w)
	for _, f := range all {
		q := f.Histogram.Quantile
		l := measuredLine{statLine{"stat", t.pid, f.Function.DisplayName(), f.Function.Image().Name,
			fmt.Sprintf("%#x", f.Function.Addr()), f.Calls, f.Function.Aliases()},
			f.Total.Nanoseconds(), q(.5).Nanoseconds(), q(.9).Nanoseconds(), q(.99).Nanoseconds(), f.Max.Nanoseconds()}
		_ = enc.Encode(l) // the flush tells
	}
}

// short is a duration with three or four digits.
func short(d time.Duration) string {
	switch {
	case d == 0:
		return "-"
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d)
	case d < time.Millisecond:
		return fmt.Sprintf("%.2f us", float64(d)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.2f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
