package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
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

	out     *bufio.Writer // results
	outFile *os.File
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
	fs.DurationVar(&o.maxPause, "max-pause", 0, "give up, unchanged, if the target would stand still for longer than `DURATION` (1s if not given)")
}

func runFlags(o *options, fs *flag.FlagSet) {
	changeFlags(o, fs)
	fs.DurationVar(&o.duration, "d", 0, "stop after `DURATION`, such as 2s or 500ms")
	fs.Uint64Var(&o.count, "n", 0, "stop after `COUNT` events")
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
	if dashes && v.command && len(o.pids) == 0 {
		if o.command = rest; len(rest) == 0 {
			return nil, usagef("no command follows --")
		}
	} else {
		o.args = append(o.args, rest...)
	}
	return o, o.check()
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
	case o.duration < 0 || o.maxPause < 0:
		return usagef("a duration is negative")
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
		f, err := os.Create(o.output)
		if err != nil {
			return err
		}
		o.outFile, w = f, f
	}
	o.out = bufio.NewWriter(w)
	o.colours = !o.json() && (o.color == "always" || o.color == "auto" && isTerminal(w) && os.Getenv("NO_COLOR") == "")
	return nil
}

func (o *options) closeOutput() error {
	err := o.out.Flush()
	if o.outFile != nil {
		err = errors.Join(err, o.outFile.Close())
	}
	if err != nil {
		return fmt.Errorf("writing results: %w", err)
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

// logger writes what the library has to tell, with -v.
func (o *options) logger(w io.Writer) *slog.Logger {
	level := slog.LevelWarn
	switch {
	case o.quiet:
		return nil
	case o.verbose:
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

func (o *options) attachOptions(a *app) *hook.AttachOptions {
	return &hook.AttachOptions{Logger: o.logger(a.stderr), MaxPause: o.maxPause, TrySeccomp: o.trySeccomp}
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
	fmt.Fprintf(a.stderr, format+"\n", args...)
}
