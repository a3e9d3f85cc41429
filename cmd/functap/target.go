package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/trampoline"
)

// target is one process with counters at its functions.
type target struct {
	pid     int
	name    string // of its program
	p       *hook.Process
	cmd     *exec.Cmd // of a program that we have started
	sites   []hook.Site
	refused []*hook.UnpatchableError
	counter *trampoline.Counter

	recording *recording        // of graph and trace
	durations *fgraph.Durations // of stat with exits
	longer    bool              // and only of calls that take long

	attach, detach time.Duration
	counted        time.Time     // since when
	elapsed        time.Duration // until the detach, or the target's own end
	over           time.Time     // when it ended, or began another program
	removed        int           // functions that somebody else unhooked
	children       []int         // forked meanwhile, not counted
	gone           bool          // it ended, or
	execed         bool          // began another program, before we detached
	executed       string        // the path of that program, if it is known
	endedAs        string        // the name it had at its end, if that was another
	killedBy       string        // the signal, if gone by one
	unloaded       int           // functions whose library was unloaded
	left           []string
	ran            bool      // cmd was let run once
	released       bool      // cmd runs
	following      *follower // of cmd, while nothing of it was counted
}

func newTarget(pid int, p *hook.Process) *target {
	t := &target{pid: pid, p: p, name: p.Executable().Name}
	if st, err := procfs.ReadStat(pid); err == nil {
		t.name = st.Comm
	}
	return t
}

// open attaches and chooses functions. Nothing of the target is changed yet.
func (a *app) open(o *options, pid int) (*target, error) {
	begin := time.Now()
	defer o.progress(a, fmt.Sprintf("process %d: reading symbols and code ...", pid))()
	p, err := hook.Attach(a.ctx, pid, o.attachOptions(a))
	if err != nil {
		return nil, err
	}
	t := newTarget(pid, p)
	if err := t.choose(a, o); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	t.attach = time.Since(begin)
	return t, nil
}

// choose finds the functions and says which of them cannot be hooked.
func (t *target) choose(a *app, o *options) error {
	var err error
	t.sites, t.refused, err = t.p.Sites(o.match())
	err = o.noArguments(err)
	if t.cmd != nil && !o.dryRun && errors.Is(err, hook.ErrNoMatch) {
		err = t.follow(a, o, err)
	}
	if err != nil {
		return fmt.Errorf("process %d: %w", t.pid, err)
	}
	t.tellNotLoaded(a, o)
	t.tellShared(a, o)
	return t.judge(a, o, t.refused)
}

// judge reports refusals, and fails if there is nothing left or none are
// wanted.
func (t *target) judge(a *app, o *options, refused []*hook.UnpatchableError) error {
	if len(refused) == 0 {
		return nil
	}
	total := len(t.sites) + len(t.refused)
	if len(t.refused) < total && !o.strict {
		o.note(a, "%d of %d functions cannot be hooked and are left out: %s", len(refused), total, tellRefused(refused, o.verbose))
		return nil
	}
	if total == 1 {
		r := t.refused[0]
		if r.Reason == hook.IFuncResolver && r.Detail != "" {
			return fmt.Errorf("process %d: %w", t.pid, r) // what to hook instead is not known
		}
		return fmt.Errorf("process %d: %w; %s", t.pid, r, r.Reason.Explain())
	}
	text := tellRefused(refused, o.verbose)
	if d := refused[0].Detail; d != "" {
		text += fmt.Sprintf("; %s: %s", refused[0].Function, d)
	}
	return fmt.Errorf("process %d: %w: %d of %d: %s", t.pid, hook.ErrUnpatchable, len(t.refused), total, text)
}

const namesShown = 5

// tellRefused names functions by reason, the most frequent first.
func tellRefused(refused []*hook.UnpatchableError, all bool) string {
	by := map[hook.Refusal][]string{}
	for _, r := range refused {
		by[r.Reason] = append(by[r.Reason], r.Function)
	}
	reasons := slices.SortedFunc(maps.Keys(by), func(x, y hook.Refusal) int {
		return cmp.Or(cmp.Compare(len(by[y]), len(by[x])), cmp.Compare(x, y))
	})
	var parts []string
	for _, r := range reasons {
		n := by[r]
		more := ""
		if !all && len(n) > namesShown {
			n, more = n[:namesShown], ", ..."
		}
		parts = append(parts, fmt.Sprintf("%d %s (%s%s)", len(by[r]), r, strings.Join(n, ", "), more))
	}
	return strings.Join(parts, "; ")
}

// tellShared says which of the names asked for several functions have.
func (t *target) tellShared(a *app, o *options) {
	for _, name := range o.args {
		n := 0
		for _, s := range t.sites {
			if s.Function.Name() == name || s.Function.DisplayName() == name {
				n++
			}
		}
		if n > 1 {
			o.note(a, "%s is the name of %d functions; all are hooked", name, n)
		}
	}
}

// count hooks the functions.
func (t *target) count(a *app, o *options) error {
	c, err := trampoline.Count(a.ctx, t.p, t.sites)
	if err != nil {
		return fmt.Errorf("process %d: %w", t.pid, err)
	}
	t.counter = c
	return t.leaveOut(a, o, c.Refused())
}

// hook does to the functions what the verb is for.
func (t *target) hook(a *app, o *options) error {
	how := t.count
	switch {
	case o.events != nil:
		how = t.record
	case o.exit == "wrap", o.exit == "auto":
		how = t.measure
	}
	begin := time.Now()
	err := how(a, o)
	t.counted = time.Now()
	t.attach += t.counted.Sub(begin)
	var own *fs.PathError // a file that functap itself could not open
	if errors.Is(err, syscall.EMFILE) && !errors.As(err, &own) {
		return fmt.Errorf("%w: %w", errNoDescriptor, err)
	}
	return err
}

// leaveOut takes functions from the list that could not be hooked after all.
func (t *target) leaveOut(a *app, o *options, refused []*hook.UnpatchableError) error {
	t.refused = append(t.refused, refused...)
	t.sites = slices.DeleteFunc(t.sites, func(s hook.Site) bool {
		return slices.ContainsFunc(refused, func(r *hook.UnpatchableError) bool { return r.Addr == s.Function.Addr() })
	})
	return t.judge(a, o, refused)
}

// ended reports whether there is nothing left to count in the target.
func (t *target) ended() bool {
	if t.following != nil {
		return false // takeOver tells what has become of it
	}
	select {
	case <-t.p.Done():
		t.gone = true
		t.lastName()
		if ws, known := t.p.ExitStatus(); known && ws.Signaled() {
			t.killedBy = ptrace.SignalName(ws.Signal())
		}
	default:
		if !t.execed && t.p.Execed() {
			t.wentTo(t.program())
		}
	}
	over := t.gone || t.execed
	if over && t.over.IsZero() {
		t.over = time.Now()
	}
	return over
}

// wentTo notes that the target has begun another program.
func (t *target) wentTo(path string) { t.execed, t.executed = true, path }

// lastName looks at a program that we have started and not waited for yet. One that
// executes another and ends before anybody looks has only its name changed.
func (t *target) lastName() {
	if st, err := procfs.ReadStat(t.pid); err == nil && t.cmd != nil && st.Comm != t.name {
		t.endedAs = st.Comm
	}
}

// program is what the target runs now; "" if it has ended meanwhile.
func (t *target) program() string {
	path, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", t.pid))
	return path
}

const (
	drainTries = 20
	drainPause = 50 * time.Millisecond
)

// close detaches. What a thread still needs is tried again for a second.
func (t *target) close() error {
	lost := t.unfollow()
	t.ended()
	t.children = t.forked()
	begin := time.Now()
	if t.hooked() {
		t.elapsed = t.until().Sub(t.counted)
	}
	err := t.p.Close()
	for i := 0; errors.Is(err, hook.ErrDraining) && i < drainTries; i++ {
		time.Sleep(drainPause)
		err = t.p.Close()
	}
	err = errors.Join(lost, err)
	if t.recording != nil {
		t.recording.done.Wait()
		err = errors.Join(err, t.recording.err)
	}
	t.detach = time.Since(begin)
	t.unloaded = t.p.Cleaned().Unloaded
	if t.removed = t.p.Cleaned().Removed; t.removed > 0 {
		err = errors.Join(err, fmt.Errorf("process %d: %s %w", t.pid, number(t.removed, "function was", "functions were"), errHooksRemoved))
	}
	if err != nil && !errors.Is(err, errHooksRemoved) {
		t.left = append(t.left, t.p.Cleaned().Left...)
		if len(t.left) == 0 {
			t.left = []string{err.Error()}
		}
	}
	return err
}

// until is when counting ends: now, or when the target did, while others went on.
func (t *target) until() time.Time {
	if t.over.IsZero() {
		return time.Now()
	}
	return t.over
}

func (t *target) hooked() bool {
	return t.counter != nil || t.recording != nil || t.durations != nil
}

// progress is what -n counts: calls, or events.
func (t *target) progress() uint64 {
	if t.recording != nil {
		return t.recording.events.Load()
	}
	return t.calls()
}

// calls are all that were made so far.
func (t *target) calls() (sum uint64) {
	if t.durations != nil {
		sum += t.durations.Calls()
	}
	if t.recording != nil {
		sum += t.recording.r.Durations().Calls()
	}
	if t.counter != nil {
		for _, c := range t.counter.Read() {
			sum += c.Calls
		}
	}
	return sum
}
