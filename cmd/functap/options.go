package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/functap/functap/hook"
	"golang.org/x/term"
)

// usageError is a mistake in the command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// options are the parsed command line of a verb.
type options struct {
	verb       string
	args       []string // patterns, FILE, ...
	command    []string
	pids       intList
	exclude    stringList
	strict     bool
	duration   time.Duration
	until      time.Time // the end of duration, once it runs
	count      uint64
	output     string
	format     string
	color      string
	dryRun     bool
	maxPause   time.Duration
	quiet      bool
	verbose    bool
	exit       string
	top        bool
	force      bool
	from       string
	exitCode   bool
	trySeccomp bool
	yes        bool
	min        time.Duration
	depth      int
	inside     string
	tids       intList
	comm       string

	events *eventWriter // of graph and trace

	out     *results // buffered
	outFile *resultFile
	dest    io.Writer // behind out
	colours bool
}

type intList []int

func (l *intList) String() string { return fmt.Sprint(*l) }
func (l *intList) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 {
		return errors.New("not a process id")
	}
	*l = append(*l, n)
	return nil
}

// duration is a length of time, with its unit.
type duration struct{ to *time.Duration }

func (d duration) String() string {
	if d.to == nil {
		return "0s"
	}
	return d.to.String()
}

func (d duration) Set(s string) error {
	n, err := time.ParseDuration(s)
	if _, bare := strconv.ParseFloat(s, 64); err != nil && bare == nil {
		return fmt.Errorf("it has no unit: write %ss, or %sms", s, s)
	}
	switch {
	case err != nil:
		return errors.New("not a duration such as 2s or 500ms")
	case n < 0:
		return errors.New("it is negative")
	}
	*d.to = n
	return nil
}

// count is a number of events.
type count struct{ to *uint64 }

func (c count) String() string {
	if c.to == nil {
		return "0"
	}
	return strconv.FormatUint(*c.to, 10)
}

func (c count) Set(s string) (err error) {
	if *c.to, err = strconv.ParseUint(s, 10, 64); err != nil {
		return errors.New("not a number above 0, such as 1000")
	}
	return nil
}

type stringList []string

func (l *stringList) String() string     { return strings.Join(*l, " ") }
func (l *stringList) Set(s string) error { *l = append(*l, s); return nil }

// The groups of flags that verbs share.

func pidFlag(o *options, fs *flag.FlagSet) {
	fs.Var(&o.pids, "p", "`PID` of the process; may be given several times")
}

func chooseFlags(o *options, fs *flag.FlagSet) {
	fs.Var(&o.exclude, "x", "leave out what `PATTERN` matches; may be given several times")
	fs.BoolVar(&o.strict, "strict", false, "fail if any function that matches cannot be hooked")
}

func outputFlags(o *options, fs *flag.FlagSet) {
	fs.StringVar(&o.output, "o", "", "write results to `FILE`")
	fs.StringVar(&o.format, "format", "text", "`FORMAT` of the results: text, or json (one object a line)")
	fs.StringVar(&o.color, "color", "auto", "colours: auto, always or never (`WHEN`); NO_COLOR is respected")
	fs.BoolVar(&o.quiet, "quiet", false, "print results and errors only")
	fs.BoolVar(&o.verbose, "v", false, "print more")
}

func changeFlags(o *options, fs *flag.FlagSet) {
	fs.BoolVar(&o.trySeccomp, "try-seccomp", false, "go on although the target has a seccomp filter, which may kill it")
	fs.Var(duration{&o.maxPause}, "max-pause", "give up, unchanged, if the target would stand still for longer than `DURATION` (1s if not given)")
}

func runFlags(o *options, fs *flag.FlagSet) {
	changeFlags(o, fs)
	fs.Var(duration{&o.duration}, "d", "stop after `DURATION`, such as 2s or 500ms")
	fs.Var(count{&o.count}, "n", "stop after `COUNT` calls. They are looked at every 20 ms, and every 2 ms towards the end: there will be some more")
	fs.BoolVar(&o.dryRun, "dry-run", false, "plan and print; touch nothing")
	fs.StringVar(&o.from, "from", "main", "hook a started program when it reaches `main or entry`")
	fs.BoolVar(&o.exitCode, "exit-code", false, "exit with the started program's own status")
}

// flagSet is the verb's flags, bound to o.
func (v *verb) flagSet(o *options) *flag.FlagSet {
	fs := flag.NewFlagSet(v.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	v.flags(o, fs)
	return fs
}

// parse reads flags before and after other arguments. After --, everything is
// an argument, or the program to start.
func parse(v *verb, args []string) (*options, error) {
	o := &options{verb: v.name, format: "text", color: "auto"}
	fs := v.flagSet(o)
	args, rest, dashes := cut(args, "--")
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, usagef("%v; see functap help %s", err, v.name)
		}
		if args = fs.Args(); len(args) > 0 {
			o.args, args = append(o.args, args[0]), args[1:]
		}
	}
	if dashes && v.command && len(o.pids) > 0 && len(o.args) > 0 {
		return nil, usagef("-p PID and -- COMMAND exclude each other")
	}
	o.pids = once(o.pids)
	if dashes && v.command && len(o.pids) == 0 {
		if o.command = rest; len(rest) == 0 {
			return nil, usagef("no command follows --")
		}
	} else {
		o.args = append(o.args, rest...)
	}
	return o, errors.Join(o.check(), checkGiven(fs))
}

// once drops what is there before.
func once(pids intList) intList {
	var out intList
	for _, pid := range pids {
		if !slices.Contains(out, pid) {
			out = append(out, pid)
		}
	}
	return out
}

// checkGiven: a limit of 0 would mean that there is none.
func checkGiven(fs *flag.FlagSet) (err error) {
	fs.Visit(func(f *flag.Flag) {
		if v := f.Value.String(); v == "0" || v == "0s" {
			switch f.Name {
			case "n", "d":
				err = usagef("-%s %s: it must be more than 0; without it, ^C ends", f.Name, v)
			case "max-pause":
				err = usagef("--max-pause %s: it must be more than 0; without it, threads have 1 s to stop", v)
			}
		}
	})
	return err
}

func cut(args []string, at string) (before, after []string, found bool) {
	for i, s := range args {
		if s == at {
			return args[:i], args[i+1:], true
		}
	}
	return args, nil, false
}

func (o *options) check() error {
	switch {
	case o.format != "text" && o.format != "json":
		return usagef("--format %s: text and json are what %s can write", o.format, o.verb)
	case o.color != "auto" && o.color != "always" && o.color != "never":
		return usagef("--color %s: it is auto, always or never", o.color)
	}
	return nil
}

func (o *options) json() bool { return o.format == "json" }

// match is the choice of functions.
func (o *options) match() hook.Match { return hook.Match{Include: o.args, Exclude: o.exclude} }

// openOutput settles where results go. A started program keeps standard output
// for itself.
func (o *options) openOutput(a *app) error {
	w := a.stdout
	if len(o.command) > 0 {
		w = a.stderr
	}
	if o.output != "" {
		f, err := openResult(o.output)
		if err != nil {
			return err
		}
		o.outFile, w = f, f
	}
	o.out, o.dest = newResults(w), w
	o.colours = !o.json() && (o.color == "always" || o.color == "auto" && isTerminal(w) && os.Getenv("NO_COLOR") == "")
	return nil
}

// closeOutput also tells the file whether the run has failed.
func (o *options) closeOutput(failed bool) error {
	err := o.out.Flush()
	if o.outFile != nil {
		err = errors.Join(err, o.outFile.close(failed))
	}
	if err != nil {
		return notWritten(err)
	}
	return nil
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// paint colours text for a terminal; code is an SGR parameter.
func (o *options) paint(code, text string) string {
	if !o.colours {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[m"
}

// attachOptions are those of the verb. Verbs that only look change nothing.
func (o *options) attachOptions(a *app) *hook.AttachOptions {
	return &hook.AttachOptions{Logger: o.logger(o.aside(a)), MaxPause: o.maxPause, TrySeccomp: o.trySeccomp,
		Look: o.dryRun || o.verb == "list" || o.verb == "info"}
}

const eraseLine = "\r\x1b[K"

// progress shows on a terminal what is being done until the result is called.
func (o *options) progress(a *app, text string) (done func()) {
	if o.quiet || !isTerminal(a.stderr) {
		return func() {}
	}
	fmt.Fprint(a.stderr, eraseLine+text)
	return func() { fmt.Fprint(a.stderr, eraseLine) }
}

// note prints something about the run on standard error.
func (o *options) note(a *app, format string, args ...any) {
	if o.quiet {
		return
	}
	if isTerminal(a.stderr) {
		format = eraseLine + format
	}
	fmt.Fprintf(o.aside(a), format+"\n", args...)
}
