package main

import (
	"encoding/json"
	"flag"
	"fmt"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/plan"
)

var listVerb = verb{
	name:  "list",
	args:  "-p PID [PATTERN...] | FILE [PATTERN...]",
	short: "functions of a process or file, and how each would be hooked",
	help: `
  functap list -p 4711 'proc*'          functions of a running process
  functap list /usr/bin/redis-server    every function of a file
  functap list --format json -p 4711    one JSON object a line

Each line is: address, size, how the entry would be hooked (window: five bytes
in the function; padding: its end and filler behind it; short: two bytes and
filler nearby) or the name of the reason why not, how the return would be (wrap: the
function is called by generated code) or the reason why not, module, name. Functions
whose returns cannot be hooked are counted, and not timed. A file does not tell whether
the process that runs it has returns hooked at all; a process does.
`,
	flags: func(o *options, fs *flag.FlagSet) { pidFlag(o, fs); chooseFlags(o, fs); outputFlags(o, fs) },
	run:   (*app).list,
}

func (a *app) list(o *options) error {
	if len(o.pids) == 0 {
		return a.listFile(o)
	}
	for _, pid := range o.pids {
		p, err := hook.Attach(a.ctx, pid, o.attachOptions(a))
		if err != nil {
			return err
		}
		funcs, err := p.Functions(o.match())
		if err == nil {
			err = a.listProcess(o, p, funcs)
		}
		if cerr := p.Close(); err == nil {
			err = cerr
		}
		if err != nil || a.ctx.Err() != nil {
			return err
		}
	}
	return nil
}

func (a *app) listProcess(o *options, p *hook.Process, funcs []*hook.Function) error {
	whole := fgraph.Check(p)
	if whole != nil {
		if !refusedWhole(whole) {
			return whole
		}
		o.note(a, "process %d: no returns can be hooked: %s", p.PID(), describe(whole))
	}
	return a.printList(o, funcs, whole)
}

func (a *app) listFile(o *options) error {
	if len(o.args) == 0 {
		return usagef("list wants -p PID or a FILE")
	}
	im, err := hook.OpenFile(o.args[0])
	if err != nil {
		return err
	}
	defer im.Close()
	m := o.match()
	m.Include = m.Include[1:]
	funcs, err := im.Select(m)
	if err != nil {
		return err
	}
	return a.printList(o, funcs, nil)
}

// listed is one line of the list.
type listed struct {
	Type    string   `json:"type"`
	Func    string   `json:"func"`
	Module  string   `json:"module"`
	Addr    string   `json:"addr"`
	Size    uint64   `json:"size"`
	Entry   string   `json:"entry"`
	Exit    string   `json:"exit"`
	Reason  string   `json:"reason,omitempty"`
	ExitWhy string   `json:"exit_reason,omitempty"`
	Symbol  string   `json:"symbol,omitempty"`
	Aliases []string `json:"aliases,omitempty"`
}

func describeFunction(f *hook.Function, v verdict) listed {
	l := listed{Type: "function", Func: f.DisplayName(), Module: f.Image().Name,
		Addr: fmt.Sprintf("%#x", f.Addr()), Size: f.Size(), Aliases: f.Aliases()}
	if l.Func != f.Name() {
		l.Symbol = f.Name()
	}
	l.Entry, l.Exit = v.entry(), v.exit()
	if v.no != nil {
		l.Reason = v.no.Detail
	}
	if v.noExit != nil {
		l.ExitWhy = v.noExit.Detail
	}
	return l
}

// printList lists functions; whole is why no return in the process can be hooked.
func (a *app) printList(o *options, funcs []*hook.Function, whole error) error {
	var c coverage
	o.head(a, fmt.Sprintf("%12s %7s  %-16s %-14s  %-20s %s", "ADDRESS", "SIZE", "ENTRY", "EXIT", "MODULE", "FUNCTION"))
	names := labels(a.ctx, funcs)
	for i, f := range funcs {
		if a.ctx.Err() != nil {
			c.cut = true
			break
		}
		v, err := judge(f, whole)
		if err != nil {
			return err
		}
		if part(f, v.no) {
			continue
		}
		c.add(f, v)
		l := describeFunction(f, v)
		if err := o.printFunction(&l, names[i], v); err != nil {
			return err
		}
	}
	o.note(a, "%s", c)
	if o.strict && c.refused > 0 {
		return fmt.Errorf("%w: %d of %d", errStrict, c.refused, c.total)
	}
	return nil
}

// part: nameless code that is no function but a part of some.
func part(f *hook.Function, no *hook.UnpatchableError) bool {
	return no != nil && no.Reason == plan.NotAnEntry && f.Nameless()
}

// head prints the columns' names, on a terminal.
func (o *options) head(a *app, text string) {
	if !o.json() && o.outFile == nil && isTerminal(a.stdout) {
		fmt.Fprintln(o.out, o.paint("1", text))
	}
}

func (o *options) printFunction(l *listed, name string, v verdict) error {
	if o.json() {
		return json.NewEncoder(o.out).Encode(l)
	}
	entry, exit := fmt.Sprintf("%-16s", l.Entry), fmt.Sprintf("%-14s", l.Exit)
	switch {
	case v.no != nil:
		entry, exit = o.paint("33", entry), fmt.Sprintf("%-14s", "-") // the same reason
	case l.Exit != wrapped:
		exit = o.paint("33", exit)
	}
	_, err := fmt.Fprintf(o.out, "%12s %7d  %s %s  %-20s %s", l.Addr, l.Size, entry, exit, l.Module, name)
	for _, why := range []string{l.Reason, l.ExitWhy} {
		if o.verbose && why != "" {
			fmt.Fprintf(o.out, "  (%s)", why)
		}
	}
	fmt.Fprintln(o.out)
	return err
}
