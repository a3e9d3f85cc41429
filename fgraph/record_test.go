package fgraph_test

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
)

// recorded is a victim with functions recorded, and all events so far.
type recorded struct {
	p    *hook.Process
	r    *fgraph.Recorder
	done chan struct{}

	mu     sync.Mutex
	events []fgraph.Event
}

func recordAll(t testing.TB, pid int, want wanted, o fgraph.RecordOptions) *recorded {
	t.Helper()
	p := attach(t, pid)
	r, err := fgraph.Record(context.Background(), p, sitesOf(t, p, want(p)), &o)
	if err != nil {
		t.Fatal(err)
	}
	rec := &recorded{p: p, r: r, done: make(chan struct{})}
	go rec.read(t)
	return rec
}

func (rec *recorded) read(t testing.TB) {
	defer close(rec.done)
	for e, err := range rec.r.Events() {
		if err != nil {
			t.Error(err)
			return
		}
		rec.mu.Lock()
		rec.events = append(rec.events, e)
		rec.mu.Unlock()
	}
}

// end detaches and returns all events.
func (rec *recorded) end(t testing.TB) []fgraph.Event {
	t.Helper()
	if err := rec.p.Close(); err != nil {
		t.Fatal(err)
	}
	<-rec.done
	return rec.events
}

// tally counts what events say by function, and checks what they say of each other.
type tally struct {
	entries, exits, unwound map[*hook.Function]uint64
	selfless                map[*hook.Function]uint64 // exits whose own time is not known, though their depth is
	missing                 uint64
}

// opened is a call without its exit.
type opened struct {
	f     *hook.Function
	inner time.Duration // in calls that it made
}

func check(t *testing.T, events []fgraph.Event) tally {
	t.Helper()
	c := tally{map[*hook.Function]uint64{}, map[*hook.Function]uint64{}, map[*hook.Function]uint64{}, map[*hook.Function]uint64{}, 0}
	open := map[int][]opened{}
	bad := func(e fgraph.Event, format string, args ...any) {
		t.Helper()
		if !t.Failed() || testing.Verbose() {
			t.Errorf("%+v: "+format, append([]any{e}, args...)...)
		}
	}
	for _, e := range events {
		stack := open[e.TID]
		switch e.Type {
		case fgraph.Entry:
			c.entries[e.Function]++
			if e.Depth >= 0 && e.Depth != len(stack) && !e.Unsure {
				bad(e, "%d are open", len(stack))
			}
			if e.Depth >= 0 {
				open[e.TID] = append(stack[:min(e.Depth, len(stack))], opened{f: e.Function})
			}
		case fgraph.Exit:
			if e.Unwound {
				c.unwound[e.Function]++
			} else {
				c.exits[e.Function]++
			}
			if e.Depth >= 0 && e.Depth < len(stack) {
				own := stack[e.Depth]
				if own.f != e.Function && !e.Unsure {
					bad(e, "%s is open there", own.f.Name())
				}
				open[e.TID] = stack[:e.Depth]
				if e.Depth > 0 {
					stack[e.Depth-1].inner += e.Duration
				}
				// Rounds of the reader have their own rates of the clock.
				if off := e.Duration - own.inner - e.Self; e.Self >= 0 && off.Abs() > e.Duration/100+time.Microsecond {
					bad(e, "of its duration its calls took %v", own.inner)
				}
			}
			switch {
			case e.Self < 0 && e.Depth >= 0:
				c.selfless[e.Function]++
			case e.Self > e.Duration, e.Self >= 0 && (e.Unwound || e.Depth < 0), e.Self < -1:
				bad(e, "its own time cannot be so")
			}
		case fgraph.Lost:
			c.missing += e.Missing
		}
		if e.TID == 0 && e.Type != fgraph.Lost {
			bad(e, "no thread")
		}
	}
	return c
}

// against compares events with statistics, where none were lost.
func (c tally) against(t *testing.T, all []fgraph.FunctionDurations) {
	t.Helper()
	var events uint64
	for _, f := range all {
		entered := f.Calls - f.Missed
		if c.entries[f.Function] != entered || c.exits[f.Function] != f.Returned {
			t.Errorf("%s: %d entries and %d exits are recorded, %d calls were entered and %d returned",
				f.Function.Name(), c.entries[f.Function], c.exits[f.Function], entered, f.Returned)
		}
		events += c.entries[f.Function]
	}
	if events == 0 {
		t.Error("no events")
	}
}

// requireSelf: of these functions every call's own time is known.
func (c tally) requireSelf(t *testing.T, all []fgraph.FunctionDurations, names ...string) {
	t.Helper()
	for _, f := range all {
		if n := c.selfless[f.Function]; n > 0 && slices.Contains(names, f.Function.Name()) {
			t.Errorf("%s: of %d calls the own time is not known", f.Function.Name(), n)
		}
	}
}

// TestRecordExact: every call of every function is an entry and an exit, in the order
// of the stack, while threads, signals, fork children and longjmp are in the way.
func TestRecordExact(t *testing.T) {
	for _, c := range []exactCase{
		{"count.c", testutils.CDynamic, []string{"1"}, 20},
		{"count.c", testutils.CStatic, []string{"8"}, 5},
		{"count.c", testutils.CDynamic, []string{"2", "--sig", "2000"}, 20},
		{"count.c", testutils.CDynamic, []string{"2", "--sig", "2000", "--altstack"}, 20},
		{"forker.c", testutils.CDynamic, []string{"2", "fork"}, 50},
		{"gsuser.c", testutils.CDynamic, nil, 20},
		{"altstack.c", testutils.CDynamic, nil, 20},
	} {
		t.Run(c.name(), func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, c.source, c.variant), c.args...)
			v.Run(1)
			before := testutils.TakeSnapshot(t, v.PID())
			truth := v.Report()
			rec := recordAll(t, v.PID(), executable, fgraph.RecordOptions{Interval: time.Millisecond})
			for range c.rounds {
				v.Run(1)
			}
			made := v.Report().Since(truth)
			events := rec.end(t)
			all := rec.r.Durations().Read()
			for name, n := range made {
				if got, ok := calls(all)[name]; ok && got != n {
					t.Errorf("%s: %d calls, the victim made %d", name, got, n)
				}
			}
			requireLaws(t, all)
			got := check(t, events)
			if got.missing > 0 {
				t.Fatalf("%d events were lost", got.missing)
			}
			got.against(t, all)
			if len(c.args) < 2 { // no signal handlers
				got.requireSelf(t, all, "work_leaf", "work_recursive", "work_nested")
			}
			t.Logf("%d events", len(events))
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Working: c.source == "forker.c"})
			v.Run(5)
			v.Quit()
		})
	}
}

// TestRecordLeft: calls that end in other ways than by a return, and stacks that are changed,
// spoil no other call's depth or own time.
func TestRecordLeft(t *testing.T) {
	for _, mode := range []string{"longjmp", "fibers", "tail"} {
		t.Run(mode, func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, "frames.c", testutils.CDynamic), mode)
			v.Run(1)
			before := testutils.TakeSnapshot(t, v.PID())
			rec := recordAll(t, v.PID(), executable, fgraph.RecordOptions{Interval: time.Millisecond})
			v.Run(3)
			time.Sleep(50 * time.Millisecond) // until the reader knows the threads
			events := rec.end(t)
			all := rec.r.Durations().Read()
			requireLaws(t, all)
			got := check(t, events)
			if got.missing > 0 {
				t.Fatalf("%d events were lost", got.missing)
			}
			got.against(t, all)
			got.requireSelf(t, all, "work_leaf", "work_loop") // which call nothing
			t.Logf("%d events; of %d functions the own time is not always known", len(events), len(got.selfless))
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
			v.Run(5)
			v.Quit()
		})
	}
}

// TestRecordLost: where nobody reads in time, what is there and what is told to be
// missing are all events there were.
func TestRecordLost(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "2")
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	rec := recordAll(t, v.PID(), executable, fgraph.RecordOptions{Interval: 200 * time.Millisecond})
	for range 5 {
		v.Run(300)
		time.Sleep(250 * time.Millisecond)
	}
	events := rec.end(t)
	sum := requireLaws(t, rec.r.Durations().Read())
	got := check(t, events)
	var recorded uint64
	for _, n := range got.entries {
		recorded += n
	}
	for _, n := range got.exits {
		recorded += n
	}
	if want := sum.Calls - sum.Missed + sum.Returned; recorded+got.missing != want || got.missing == 0 {
		t.Errorf("%d events are recorded and %d missing, of %d", recorded, got.missing, want)
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Run(5)
	v.Quit()
}

// TestRecordLonger records only what takes long, and its exits alone.
func TestRecordLonger(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "1")
	v.Run(1)
	const longer = 20 * time.Microsecond
	rec := recordAll(t, v.PID(), executable, fgraph.RecordOptions{Longer: longer})
	v.Run(100)
	events := rec.end(t)
	for _, e := range events {
		if e.Type == fgraph.Lost || e.Type == fgraph.Exit && !e.Unwound && e.Duration >= longer-time.Microsecond && e.Depth < 0 {
			continue
		}
		t.Errorf("%+v", e)
	}
	if len(events) == 0 {
		t.Error("nothing was recorded")
	}
	v.Quit()
}

// TestRecordEnds: deadlines, the end, and one Recorder at a time.
func TestRecordEnds(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "1")
	before := testutils.TakeSnapshot(t, v.PID())
	p := attach(t, v.PID())
	sites := sitesOf(t, p, executable(p))
	record := func() (*fgraph.Recorder, error) {
		return fgraph.Record(context.Background(), p, sites, nil)
	}
	r, err := record()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := record(); !errors.Is(err, hook.ErrRingsBusy) {
		t.Errorf("a second one: %v", err)
	}
	r.SetDeadline(time.Now().Add(30 * time.Millisecond))
	if e, err := r.Read(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%+v, %v, want ErrDeadlineExceeded", e, err)
	}
	r.SetDeadline(time.Time{})
	v.Run(1)
	if e, err := r.Read(); err != nil || e.Type != fgraph.Entry {
		t.Errorf("%+v, %v, want an entry", e, err)
	}
	time.AfterFunc(50*time.Millisecond, func() { r.Close() })
	n := 0
	for {
		if _, err = r.Read(); err != nil {
			break
		}
		n++
	}
	if err != io.EOF || n == 0 {
		t.Errorf("%v after %d events, want EOF", err, n)
	}
	if r, err = record(); err != nil {
		t.Fatalf("after Close: %v", err)
	}
	v.Run(1)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for n = 0; err == nil; n++ {
		_, err = r.Read()
	}
	if err != io.EOF || n < 2 {
		t.Errorf("%v after %d events, want EOF", err, n)
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}

// TestRecordExits: what was running when the target ended is in flight.
func TestRecordExits(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "1")
	v.Run(1)
	rec := recordAll(t, v.PID(), executable, fgraph.RecordOptions{})
	v.Run(1)
	v.Quit()
	<-rec.p.Done()
	events := rec.end(t)
	sum := requireLaws(t, rec.r.Durations().Read())
	if sum.Inflight == 0 || len(events) == 0 {
		t.Errorf("%d in flight, %d events", sum.Inflight, len(events))
	}
}

// TestRecordStrays: calls that began under an earlier Recorder end under the next one. They
// are none of its, as they are none of its statistics'.
func TestRecordStrays(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "frames.c", testutils.CDynamic), "block", "8")
	v.Do("block", "blocked") // once before, so that its threads have stacks
	v.Do("unblock", "unblocked")
	before := testutils.TakeSnapshot(t, v.PID())
	first := recordAll(t, v.PID(), executable, fgraph.RecordOptions{})
	v.Do("block", "blocked")
	if err := first.r.Close(); err != nil {
		t.Fatal(err)
	}
	<-first.done
	r, err := fgraph.Record(context.Background(), first.p, sitesOf(t, first.p, executable(first.p)), nil)
	if err != nil {
		t.Fatal(err)
	}
	next := &recorded{p: first.p, r: r, done: make(chan struct{})}
	go next.read(t)
	v.Do("unblock", "unblocked")
	v.Do("block", "blocked")
	v.Do("unblock", "unblocked")
	events := next.end(t)
	for _, rec := range []*recorded{first, next} {
		requireLaws(t, rec.r.Durations().Read())
	}
	if n := find(t, first.r.Durations().Read(), "work_inner"); n.Calls != 8 || n.Inflight != 8 {
		t.Errorf("%d calls were made under the first Recorder, %d were in flight at its end", n.Calls, n.Inflight)
	}
	got := check(t, events)
	if got.missing > 0 {
		t.Errorf("%d events were lost", got.missing)
	}
	got.against(t, r.Durations().Read())
	for f, n := range got.unwound {
		t.Errorf("%s: %d unwound", f.Name(), n)
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}
