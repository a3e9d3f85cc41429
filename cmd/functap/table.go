package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/trampoline"
)

// row is one function's statistics.
type row struct {
	trampoline.FunctionCount
	times *fgraph.FunctionDurations // nil: its calls are only counted
}

// rows are the statistics now.
func (t *target) rows() (rows []row) {
	if t.durations != nil {
		for _, f := range t.durations.Read() {
			rows = append(rows, row{trampoline.FunctionCount{Function: f.Function, Calls: f.Calls}, &f})
		}
	}
	if t.counter != nil {
		for _, c := range t.counter.Read() {
			rows = append(rows, row{FunctionCount: c})
		}
	}
	return rows
}

func (r row) function() *hook.Function { return r.Function }

func (r row) total() time.Duration {
	if r.times == nil {
		return 0
	}
	return r.times.Total
}

// timesOrNone is what is shown: zeros for times that are not known.
func (r row) timesOrNone() *fgraph.FunctionDurations {
	if r.times == nil {
		return &fgraph.FunctionDurations{}
	}
	return r.times
}

// byWeight puts the greatest total first, and of those without one the most calls.
func byWeight(x, y row) int {
	return cmp.Or(cmp.Compare(y.total(), x.total()), cmp.Compare(y.Calls, x.Calls))
}

// statLine is one function's line in JSON.
type statLine struct {
	Type   string `json:"type"`
	PID    int    `json:"pid"`
	Func   string `json:"func"`
	Module string `json:"module"`
	Addr   string `json:"addr"`
	Calls  uint64 `json:"calls"`

	Aliases []string `json:"aliases,omitempty"`
	*measured
}

// measured is what a line has where durations are kept.
type measured struct {
	Returned uint64 `json:"returned"` // which all that follows is about
	Unwound  uint64 `json:"unwound"`
	Inflight uint64 `json:"inflight"`
	Missed   uint64 `json:"missed"`
	Total    int64  `json:"total_ns"`
	Self     *int64 `json:"self_ns"` // null: not known of any call
	// Calls whose own time is not known, and not in Self.
	SelfUnknown uint64 `json:"self_unknown,omitempty"`

	P50 int64 `json:"p50_ns"`
	P90 int64 `json:"p90_ns"`
	P99 int64 `json:"p99_ns"`
	Max int64 `json:"max_ns"`
}

// table prints statistics. Functions that were not called are only counted, in text
// without -v. What goes wrong with writing, the flush tells.
func (o *options) table(w io.Writer, t *target) {
	rows := slices.SortedStableFunc(slices.Values(t.rows()), byWeight)
	switch {
	case len(rows) == 0:
		return
	case o.json():
		o.jsonTable(w, t, rows)
		return
	}
	if len(o.pids) > 1 {
		fmt.Fprintf(w, "process %d (%s)\n", t.pid, t.name)
	}
	head, line := tableHead, func(r row, name string) string {
		return tableLine(r.FunctionCount, name, rate(r.Calls, t.elapsed))
	}
	if t.durations != nil {
		head, line = durationHead, durationLine
	}
	fmt.Fprintln(w, o.paint("1", head))
	all := len(rows)
	if !o.verbose {
		rows = slices.DeleteFunc(rows, func(r row) bool { return r.Calls == 0 })
	}
	for i, name := range labelsOf(rows) {
		fmt.Fprintln(w, line(rows[i], name))
	}
	if rest := all - len(rows); rest > 0 {
		fmt.Fprintf(w, "%14s  %s not called\n", "", number(rest, "function was", "functions were"))
	}
}

var tableHead = fmt.Sprintf("%14s %12s  %-20s %s", "CALLS", "CALLS/S", "MODULE", "FUNCTION")

func tableLine(c trampoline.FunctionCount, name string, perSecond float64) string {
	return fmt.Sprintf("%14d %12.1f  %-20s %s", c.Calls, perSecond, c.Function.Image().Name, name)
}

var durationHead = fmt.Sprintf("%14s %12s %12s %11s %11s %11s %11s %11s  %-20s %s",
	"CALLS", "TOTAL", "SELF", "AVG", "P50", "P90", "P99", "MAX", "MODULE", "FUNCTION")

func durationLine(r row, name string) string {
	f := r.timesOrNone()
	q := func(q float64) time.Duration { return quantile(f, q) }
	return fmt.Sprintf("%14d %12s %12s %11s %11s %11s %11s %11s  %-20s %s", r.Calls, short(f.Total), self(f), short(f.Average()),
		short(q(.5)), short(q(.9)), short(q(.99)), short(f.Max), r.Function.Image().Name, name)
}

// self is the function's own time. With a mark it is that of some calls: of others it is not
// known.
func self(f *fgraph.FunctionDurations) string {
	switch {
	case f.SelfUnknown == 0:
		return short(f.Self)
	case f.SelfUnknown == f.Returned:
		return "?"
	}
	return short(f.Self) + "?"
}

func labelsOf[R interface{ function() *hook.Function }](rows []R) []string {
	funcs := make([]*hook.Function, len(rows))
	for i, r := range rows {
		funcs[i] = r.function()
	}
	return labels(context.Background(), funcs)
}

func rate(n uint64, in time.Duration) float64 {
	if in <= 0 {
		return 0
	}
	return float64(n) / in.Seconds()
}

func (o *options) jsonTable(w io.Writer, t *target, rows []row) {
	enc := json.NewEncoder(w)
	for _, r := range rows {
		l := statLine{"stat", t.pid, r.Function.DisplayName(), r.Function.Image().Name,
			fmt.Sprintf("%#x", r.Function.Addr()), r.Calls, r.Function.Aliases(), nil}
		if f := r.times; f != nil {
			l.measured = newMeasured(f)
		}
		_ = enc.Encode(l)
	}
}

func newMeasured(f *fgraph.FunctionDurations) *measured {
	q := func(q float64) int64 { return quantile(f, q).Nanoseconds() }
	m := &measured{Returned: f.Returned, Unwound: f.Unwound, Inflight: f.Inflight, Missed: f.Missed,
		Total: f.Total.Nanoseconds(), SelfUnknown: f.SelfUnknown, P50: q(.5), P90: q(.9), P99: q(.99), Max: f.Max.Nanoseconds()}
	if f.SelfUnknown == 0 || f.SelfUnknown < f.Returned {
		self := f.Self.Nanoseconds()
		m.Self = &self
	}
	return m
}

// quantile is an upper bound, and no longer than the longest.
func quantile(f *fgraph.FunctionDurations, q float64) time.Duration {
	return min(f.Histogram.Quantile(q), f.Max)
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
