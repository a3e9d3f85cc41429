package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"

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
filler nearby) or the name of the reason why not, exit, module, name. How exits
would be caught is not judged by this version; the column is "-".
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
			err = a.printList(o, funcs)
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
	return a.printList(o, funcs)
}

// listed is one line of the list. Exit is not judged yet.
type listed struct {
	Type    string   `json:"type"`
	Func    string   `json:"func"`
	Module  string   `json:"module"`
	Addr    string   `json:"addr"`
	Size    uint64   `json:"size"`
	Entry   string   `json:"entry"`
	Exit    string   `json:"exit"`
	Reason  string   `json:"reason,omitempty"`
	Symbol  string   `json:"symbol,omitempty"`
	Aliases []string `json:"aliases,omitempty"`
}

// exitNotJudged stands where a later version says how exits are caught.
const exitNotJudged = "not built"

func describeFunction(f *hook.Function) listed {
	l := listed{Type: "function", Func: f.DisplayName(), Module: f.Image().Name, Exit: exitNotJudged,
		Addr: fmt.Sprintf("%#x", f.Addr()), Size: f.Size(), Aliases: f.Aliases()}
	if l.Func != f.Name() {
		l.Symbol = f.Name()
	}
	return l
}

func (a *app) printList(o *options, funcs []*hook.Function) error {
	var c coverage
	o.head(a, fmt.Sprintf("%12s %7s  %-16s %s  %-20s %s", "ADDRESS", "SIZE", "ENTRY", "EXIT", "MODULE", "FUNCTION"))
	names := labels(a.ctx, funcs)
	for i, f := range funcs {
		if a.ctx.Err() != nil {
			c.cut = true
			break
		}
		l := describeFunction(f)
		site, no, err := judge(f)
		switch {
		case err != nil:
			return err
		case part(f, no):
			continue
		case no != nil:
			l.Entry, l.Reason = string(no.Reason), no.Detail
		default:
			l.Entry = site.Tactic()
		}
		c.add(f, no)
		if err := o.printFunction(&l, names[i], no != nil); err != nil {
			return err
		}
	}
	o.note(a, "%s", c)
	if o.strict && c.refused > 0 {
		return fmt.Errorf("%w: %d of %d", errStrict, c.refused, c.total)
	}
	return nil
}

// judge tells refusals from other errors.
func judge(f *hook.Function) (hook.Site, *hook.UnpatchableError, error) {
	s, err := f.Site()
	var no *hook.UnpatchableError
	if errors.As(err, &no) {
		return s, no, nil
	}
	return s, nil, err
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

func (o *options) printFunction(l *listed, name string, refused bool) error {
	if o.json() {
		return json.NewEncoder(o.out).Encode(l)
	}
	entry := fmt.Sprintf("%-16s", l.Entry)
	if refused {
		entry = o.paint("33", entry)
	}
	_, err := fmt.Fprintf(o.out, "%12s %7d  %s %-4s  %-20s %s", l.Addr, l.Size, entry, "-", l.Module, name)
	if o.verbose && l.Reason != "" {
		fmt.Fprintf(o.out, "  (%s)", l.Reason)
	}
	fmt.Fprintln(o.out)
	return err
}

// coverage counts a list. Functions for which no tactic is tried stand beside
// the share, and so do those shorter than a jump.
type coverage struct {
	total, refused           int
	sized, hookable          int // of at least five bytes
	short, shortHookable     int
	never, assembly, resolve int
	cut                      bool // by ^C: it was not the whole list
}

func (c *coverage) add(f *hook.Function, no *hook.UnpatchableError) {
	c.total++
	if no != nil {
		c.refused++
		switch no.Reason {
		case plan.NeverHook:
			c.never++
			return
		case plan.Assembly:
			c.assembly++
			return
		case plan.IFuncResolver:
			c.resolve++
			return
		}
	}
	all, hookable := &c.sized, &c.hookable
	if f.Size() < 5 {
		all, hookable = &c.short, &c.shortHookable
	}
	*all++
	if no == nil {
		*hookable++
	}
}

func (c coverage) String() string {
	text := number(c.total, "function")
	if c.sized > 0 {
		text += fmt.Sprintf(": of %d with 5 bytes or more %d can be hooked (%.2f %%)", c.sized, c.hookable, 100*float64(c.hookable)/float64(c.sized))
	}
	if c.short > 0 {
		text += yes(c.sized > 0, ", ", ": ") + fmt.Sprintf("of %s %d", number(c.short, "shorter one"), c.shortHookable)
	}
	var beside []string
	for _, n := range []struct {
		n         int
		one, more string
	}{{c.never, "never hooked", "never hooked"}, {c.assembly, "in Go assembly", "in Go assembly"}, {c.resolve, "IFUNC resolver", "IFUNC resolvers"}} {
		if n.n > 0 {
			beside = append(beside, number(n.n, n.one, n.more))
		}
	}
	if len(beside) > 0 {
		text += "; beside them " + strings.Join(beside, ", ")
	}
	return text + yes(c.cut, "; interrupted: the list is not whole", "")
}
