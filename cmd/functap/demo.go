package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/functap/functap/internal/demo"
)

var demoVerb = verb{
	name:  "demo",
	short: "count the functions of a small workload inside this program, live",
	help: `
  functap demo          five seconds
  functap demo -d 1m    a minute, or until ^C

It starts a second process of this very program, attaches to it by its PID as
to any other, and counts the calls of its workload's functions.
`,
	flags: func(o *options, fs *flag.FlagSet) {
		outputFlags(o, fs)
		changeFlags(o, fs)
		o.duration = 5 * time.Second
		fs.Var(duration{&o.duration}, "d", "stop after `DURATION`")
	},
	run: (*app).demo,
}

// workloadVerb starts the workload. It is not for users.
const workloadVerb = "demo-workload"

// workload runs until its standard input ends, which it does at the latest
// when the process that started it has gone.
func (a *app) workload() error {
	fmt.Fprintln(a.stdout, "ready")
	stop := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, a.stdin)
		close(stop)
	}()
	demo.Run(stop)
	return nil
}

func (a *app) demo(o *options) error {
	if len(o.args) > 0 {
		return usagef("demo takes no arguments")
	}
	pid, stop, err := startWorkload()
	if err != nil {
		return fmt.Errorf("starting the workload: %w", err)
	}
	o.pids = intList{pid}
	o.args = []string{demo.Package + ".*"}
	o.note(a, "started a workload as process %d; the same by hand: functap stat -p %d '%s'", pid, pid, o.args[0])
	targets, err := a.openAll(o)
	if err == nil {
		err = a.hookAll(o, targets)
		if err == nil {
			err = a.watch(o, targets, a.demoTick(o, targets))
		}
		err = errors.Join(err, a.finish(o, targets))
	}
	return errors.Join(err, stop())
}

// demoTick prints the calls of each second while counting.
func (a *app) demoTick(o *options, targets []*target) func() {
	last, before := time.Now(), uint64(0)
	return func() {
		if took := time.Since(last); took >= time.Second {
			now := sumCalls(targets)
			o.note(a, "%12.0f calls per second", float64(now-before)/took.Seconds())
			last, before = time.Now(), now
		}
	}
}

// startWorkload runs this program again and waits until it works.
func startWorkload() (pid int, stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, nil, err
	}
	cmd := exec.Command(self, workloadVerb)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, nil, err
	}
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	stop = func() error {
		in.Close()
		return cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil && strings.TrimSpace(line) != "ready" {
		err = fmt.Errorf("it said %q", line)
	}
	if err != nil {
		return 0, nil, errors.Join(err, stop())
	}
	return cmd.Process.Pid, stop, nil
}
