// Command functap hooks functions of running programs, counts their calls, and
// leaves without a trace. See functap help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// Exit statuses.
const (
	statusDone   = 0
	statusFailed = 1
	statusUsage  = 2
	statusGone   = 3 // a target ended or began another program too early
)

// app is one run of the command.
type app struct {
	ctx    context.Context // ends with the first ^C or SIGTERM, or by stop
	stop   func()
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

// run is the whole command; the result is the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := untilSignal()
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &app{ctx: ctx, stop: cancel, stdin: stdin, stdout: stdout, stderr: stderr}
	err := a.dispatch(args)
	if err == nil || errors.Is(err, syscall.EPIPE) { // the reader has seen enough
		return statusDone
	}
	var code exitCode
	if errors.As(err, &code) {
		return int(code)
	}
	fmt.Fprintln(stderr, "functap: "+describe(err))
	var usage usageError
	if errors.As(err, &usage) {
		return statusUsage
	}
	return statusFailed
}

// exitCode ends the command with a status when everything has been said.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit status %d", int(c)) }

// untilSignal returns a context that ends with the first SIGINT, SIGTERM,
// SIGQUIT or SIGHUP. Later ones are swallowed: they must not cut a detach short. A closed
// pipe at our output must not either.
func untilSignal() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	// Caught and not ignored: a program that is started would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		for range ch {
			cancel()
		}
	}()
	return ctx, func() {
		signal.Stop(ch)
		close(ch)
		cancel()
	}
}

func (a *app) dispatch(args []string) error {
	if len(args) == 0 {
		a.overview(a.stderr)
		return exitCode(statusUsage)
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		return a.help(args[1:])
	case "version", "-version", "--version":
		fmt.Fprintln(a.stdout, "functap", version())
		return nil
	case workloadVerb:
		return a.workload()
	}
	v := verbNamed(args[0])
	switch {
	case v != nil:
		return a.runVerb(v, args[1:])
	case later[args[0]] != "":
		return usagef("%s is not in this version, which has %s; %s", args[0], verbList(), later[args[0]])
	}
	return usagef("there is no verb %q; functap help lists them", args[0])
}

// version is what the build says: the module's version or the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	return v + " " + info.GoVersion
}
