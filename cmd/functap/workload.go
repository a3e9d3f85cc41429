package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/functap/functap/internal/demo"
)

// workload is a second process that there is something to see of.
type workload struct {
	cmd *exec.Cmd
	in  io.Closer // whose end ends it, as ours would
	dir string    // of its own, to be removed; or ""
}

func (w *workload) pid() int { return w.cmd.Process.Pid }

func (w *workload) stop() error {
	w.in.Close()
	return errors.Join(w.cmd.Wait(), w.remove())
}

func (w *workload) remove() error {
	if w.dir == "" {
		return nil
	}
	return os.RemoveAll(w.dir)
}

// start runs the program and waits until it works.
func (w *workload) start(program string, args ...string) error {
	w.cmd = exec.Command(program, args...)
	w.cmd.Stderr = os.Stderr
	in, err := w.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := w.cmd.Start(); err != nil {
		return err
	}
	w.in = in
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil && strings.TrimSpace(line) != "ready" {
		err = fmt.Errorf("it said %q", line)
	}
	if err != nil {
		return errors.Join(err, w.stop())
	}
	return nil
}

// errNoCompiler: there is no cc.
var errNoCompiler = errors.New("there is no C compiler (cc)")

// startC compiles the workload in C in a directory of its own, and starts it.
func (a *app) startC() (*workload, error) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		return nil, errNoCompiler
	}
	w := &workload{}
	if w.dir, err = os.MkdirTemp("", "functap-demo-"); err != nil {
		return nil, err
	}
	program := filepath.Join(w.dir, "shop")
	if err = a.compile(cc, program); err == nil {
		err = w.start(program)
	}
	if err != nil {
		return nil, errors.Join(err, w.remove())
	}
	return w, nil
}

// compile makes a program of the workload's source. What the compiler leaves when it is
// ended by ^C is beside the program.
func (a *app) compile(cc, program string) error {
	dir := filepath.Dir(program)
	source := program + ".c"
	if err := os.WriteFile(source, demo.Source, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(a.ctx, cc, "-O1", "-pthread", "-o", program, source)
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput()
	switch {
	case a.ctx.Err() != nil:
		return a.ctx.Err()
	case err != nil:
		first, _, _ := strings.Cut(string(said), "\n")
		return fmt.Errorf("%s: %w: %s", cc, err, first)
	}
	return nil
}

// workloadVerb starts the workload in Go. It is not for users.
const workloadVerb = "demo-workload"

// startGo runs this program again.
func startGo() (*workload, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &workload{}
	return w, w.start(self, workloadVerb)
}

// workload runs until its standard input ends, which it does at the latest when the
// process that started it has gone.
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
