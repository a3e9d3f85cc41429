package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/functap/functap/trampoline"
	"golang.org/x/term"
)

var statVerb = verb{
	name:    "stat",
	args:    "-p PID PATTERN... | PATTERN... -- COMMAND [ARG...]",
	short:   "count the calls of functions, in the target, until ^C",
	command: true,
	help: `
  functap stat -p 4711 processCommand         one function
  functap stat -p 4711 -d 10s '*'             every function, for ten seconds
  functap stat -p 4711 --top 'str*' 'mem*'    a table that refreshes itself
  functap stat -n 1000 main.fib -- ./server   start a program, stop at 1000 calls
`,
	flags: statFlags,
	run:   (*app).stat,
}

func statFlags(o *options, fs *flag.FlagSet) {
	pidFlag(o, fs)
	chooseFlags(o, fs)
	outputFlags(o, fs)
	runFlags(o, fs)
	fs.StringVar(&o.exit, "exit", "none", "`HOW` exits are caught: none, which only counts")
	fs.BoolVar(&o.top, "top", false, "refresh the table while counting, on a terminal")
}

func (a *app) stat(o *options) error {
	switch {
	case o.exit != "none":
		return usagef("--exit=%s: exits come with the function graph and are not built yet; --exit=none counts", o.exit)
	case len(o.args) == 0:
		return usagef("stat wants a PATTERN; '*' is every function")
	case len(o.pids) == 0 && len(o.command) == 0:
		return usagef("stat wants -p PID or -- COMMAND")
	}
	if o.from != "main" && o.from != "entry" {
		return usagef("--from=%s: it is main or entry", o.from)
	}
	targets, err := a.openAll(o)
	if err != nil {
		return err
	}
	if o.dryRun {
		return a.dryRun(o, targets)
	}
	return a.countAll(o, targets)
}

// openAll opens every -p.
func (a *app) openAll(o *options) ([]*target, error) {
	var targets []*target
	if len(o.command) > 0 {
		t, err := a.startCommand(o)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	for _, pid := range o.pids {
		t, err := a.open(o, pid)
		if err != nil {
			return nil, errors.Join(err, closeAll(targets))
		}
		targets = append(targets, t)
	}
	return targets, nil
}

func closeAll(targets []*target) error {
	var errs []error
	for _, t := range targets {
		errs = append(errs, t.close())
	}
	return errors.Join(errs...)
}

// dryRun prints the plan.
func (a *app) dryRun(o *options, targets []*target) error {
	for _, t := range targets {
		for _, s := range t.sites {
			f := s.Function
			fmt.Fprintf(o.out, "%#12x  %-8s %-20s %s\n", f.Addr(), s.Tactic(), f.Image().Name, f.DisplayName())
		}
		o.note(a, "process %d: %d functions would be hooked, %d KiB of memory mapped; nothing was touched",
			t.pid, len(t.sites), t.p.MemoryNeeded(t.sites)>>10)
	}
	err := closeAll(targets)
	for _, t := range targets {
		err = errors.Join(err, t.wait(o))
	}
	return err
}

// countAll hooks all targets, waits, unhooks them and prints.
func (a *app) countAll(o *options, targets []*target) error {
	err := a.hookAll(o, targets)
	if err == nil {
		a.watch(o, targets, a.live(o, targets))
	}
	if err = errors.Join(err, a.finish(o, targets)); err == nil && early(o, targets) {
		return exitCode(statusGone)
	}
	return err
}

// finish unhooks and prints.
func (a *app) finish(o *options, targets []*target) error {
	err := closeAll(targets)
	for _, t := range targets {
		if t.counter == nil {
			continue
		}
		counts, _ := t.calls()
		err = errors.Join(err, o.table(o.out, t, counts, 0), t.summarize().print(a, o))
	}
	err = errors.Join(err, o.out.Flush()) // before waiting for a program
	for _, t := range targets {
		err = errors.Join(err, t.wait(o))
	}
	return err
}

func (a *app) hookAll(o *options, targets []*target) error {
	for _, t := range targets {
		if err := t.count(a, o); err != nil {
			return err
		}
		o.note(a, "process %d: counting %d functions%s", t.pid, len(t.sites), until(o))
		if err := t.release(); err != nil {
			return err
		}
	}
	return nil
}

func until(o *options) string {
	if o.duration == 0 && o.count == 0 && o.command == nil {
		return "; ^C ends"
	}
	return ""
}

// early reports whether a target went away before its time.
func early(o *options, targets []*target) bool {
	for _, t := range targets {
		if t.execed || t.gone && (o.duration > 0 || o.count > 0) {
			return len(o.command) == 0
		}
	}
	return false
}

// live returns what refreshes a table on the terminal.
func (a *app) live(o *options, targets []*target) func() {
	if !o.top || !isTerminal(a.stdout) || o.json() {
		return func() {}
	}
	var last time.Time
	return func() {
		if time.Since(last) < time.Second/2 {
			return
		}
		last = time.Now()
		fmt.Fprint(a.stdout, "\x1b[H\x1b[J") // home, clear
		for _, t := range targets {
			counts, _ := t.calls()
			_ = o.table(a.stdout, t, counts, screenRows(a.stdout)/len(targets)-3)
		}
	}
}

// screenRows is the height of the terminal.
func screenRows(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if _, rows, err := term.GetSize(int(f.Fd())); err == nil {
			return rows
		}
	}
	return 24
}

// statLine is one function's line in JSON.
type statLine struct {
	Type   string `json:"type"`
	PID    int    `json:"pid"`
	Func   string `json:"func"`
	Module string `json:"module"`
	Addr   string `json:"addr"`
	Calls  uint64 `json:"calls"`
}

// table prints counts, most calls first, at most so many lines if rows is
// positive. Functions that were not called are left out unless -v is given.
func (o *options) table(w io.Writer, t *target, counts []trampoline.FunctionCount, rows int) error {
	counts = slices.Clone(counts)
	slices.SortStableFunc(counts, func(x, y trampoline.FunctionCount) int { return cmp.Compare(y.Calls, x.Calls) })
	shown := len(counts)
	if i := slices.IndexFunc(counts, notCalled); i >= 0 && !o.verbose {
		shown = i
	}
	if o.json() {
		return o.jsonTable(w, t, counts[:shown])
	}
	if len(o.pids) > 1 {
		fmt.Fprintf(w, "process %d\n", t.pid)
	}
	fmt.Fprintln(w, o.paint("1", fmt.Sprintf("%14s  %-20s %s", "CALLS", "MODULE", "FUNCTION")))
	for _, c := range counts[:shown] {
		if rows--; rows == 0 {
			fmt.Fprintf(w, "%14s  ...\n", "")
			break
		}
		fmt.Fprintf(w, "%14d  %-20s %s\n", c.Calls, c.Function.Image().Name, c.Function.DisplayName())
	}
	if rest := len(counts) - shown; rest > 0 {
		fmt.Fprintf(w, "%14s  %d functions were not called\n", "", rest)
	}
	return nil
}

func notCalled(c trampoline.FunctionCount) bool { return c.Calls == 0 }

func (o *options) jsonTable(w io.Writer, t *target, counts []trampoline.FunctionCount) error {
	enc := json.NewEncoder(w)
	for _, c := range counts {
		err := enc.Encode(statLine{"stat", t.pid, c.Function.DisplayName(), c.Function.Image().Name,
			fmt.Sprintf("%#x", c.Function.Addr()), c.Calls})
		if err != nil {
			return err
		}
	}
	return nil
}
