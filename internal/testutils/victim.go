package testutils

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// Victim is a running program of internal/testdata/victims, or another one that
// speaks the same protocol. It prints
//
//	ready PID
//
// when it has made its threads, and then answers these lines:
//
//	run N    every thread does N rounds of work; "done" when all have
//	start    every thread works until told to stop; "started"
//	stop     "stopped" when no thread works any more
//	report   "count NAME N" for every function, "info KEY N" for other figures, "end"
//	quit     "bye", and exit status 0
//
// It ends at the end of its input. A line "error TEXT" at any time, followed by
// an abort, says that it saw something wrong: a bad result, EINTR, a lost register.
type Victim struct {
	*Process
}

// Report is what a victim says about itself.
type Report struct {
	Count map[string]uint64 // true number of calls, by symbol
	Info  map[string]uint64 // figures that are not calls
}

// Start starts a victim and waits until it is ready.
func Start(t testing.TB, binary string, args ...string) *Victim {
	t.Helper()
	return StartAs(t, nil, binary, args...)
}

// StartAs is Start as another user.
func StartAs(t testing.TB, as *User, binary string, args ...string) *Victim {
	t.Helper()
	v := &Victim{StartProcess(t, as, binary, args...)}
	v.expect(fmt.Sprintf("ready %d", v.PID()))
	return v
}

func (v *Victim) expect(want string) {
	v.t.Helper()
	if got := v.Line(); got != want {
		v.t.Fatalf("victim %d said %q instead of %q%s", v.PID(), got, want, v.said())
	}
}

// Do sends a command and waits for its answer.
func (v *Victim) Do(command, answer string) {
	v.t.Helper()
	v.Send(command)
	v.expect(answer)
}

// Run lets every thread do n rounds of work, and waits.
func (v *Victim) Run(n int) {
	v.t.Helper()
	v.Do("run "+strconv.Itoa(n), "done")
}

// StartLoad lets every thread work until StopLoad.
func (v *Victim) StartLoad() {
	v.t.Helper()
	v.Do("start", "started")
}

// StopLoad waits until no thread works any more: counts do not change after it.
func (v *Victim) StopLoad() {
	v.t.Helper()
	v.Do("stop", "stopped")
}

// Quit lets the victim end by itself and fails the test if its status is not 0.
func (v *Victim) Quit() {
	v.t.Helper()
	v.Do("quit", "bye")
	if err := v.Wait(); err != nil {
		v.t.Errorf("victim %d: %v%s", v.PID(), err, v.said())
	}
}

// Report returns the true counts. They are exact while the victim does not work.
func (v *Victim) Report() Report {
	v.t.Helper()
	v.Send("report")
	r := Report{Count: map[string]uint64{}, Info: map[string]uint64{}}
	for _, line := range v.Until("end") {
		if err := r.add(line); err != nil {
			v.t.Fatalf("victim %d: %v", v.PID(), err)
		}
	}
	return r
}

// add takes a line apart. Names may hold spaces: C++ has them.
func (r Report) add(line string) error {
	kind, rest, ok1 := strings.Cut(line, " ")
	at := strings.LastIndexByte(rest, ' ')
	into := map[string]map[string]uint64{"count": r.Count, "info": r.Info}[kind]
	if !ok1 || at < 0 || into == nil {
		return fmt.Errorf("line %q in a report", line)
	}
	n, err := strconv.ParseUint(rest[at+1:], 10, 64)
	if err != nil {
		return fmt.Errorf("line %q in a report: %w", line, err)
	}
	into[rest[:at]] += n
	return nil
}

// Since returns the calls made after an earlier report.
func (r Report) Since(earlier Report) map[string]uint64 {
	d := make(map[string]uint64, len(r.Count))
	for name, n := range r.Count {
		d[name] = n - earlier.Count[name]
	}
	return d
}
