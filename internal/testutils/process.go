package testutils

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const replyTimeout = 60 * time.Second

// Process is a running program that the test talks to in lines. It is killed
// when the test ends; the test fails if it died before that by itself.
// It also ends when the test's process dies, if it reads its standard input.
type Process struct {
	t       testing.TB
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	lines   chan string // of standard output; closed at its end
	stderr  *tail
	exited  chan struct{}
	exitErr error // valid once exited is closed
	mayExit bool
}

// StartProcess starts a program whose standard input and output are the test's.
func StartProcess(t testing.TB, as *User, path string, args ...string) *Process {
	t.Helper()
	cmd := exec.Command(path, args...)
	as.apply(cmd)
	p := &Process{t: t, cmd: cmd, lines: make(chan string, 4096), stderr: &tail{}, exited: make(chan struct{})}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdin = stdin
	// Not StdoutPipe: Wait would close it while lines are still unread.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = w, p.stderr, time.Second
	err = cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		t.Fatalf("starting %s: %v", path, err)
	}
	pidfd, err := unix.PidfdOpen(p.PID(), 0)
	if err != nil {
		r.Close()
		p.cmd.Process.Kill()
		t.Fatalf("opening the process of %s: %v", path, err)
	}
	readerDone := make(chan struct{})
	go p.read(r, readerDone)
	go p.wait(pidfd)
	t.Cleanup(func() { p.end(r, readerDone) })
	return p
}

func (p *Process) read(r io.Reader, done chan<- struct{}) {
	defer close(done)
	defer close(p.lines)
	for s := bufio.NewScanner(r); s.Scan(); {
		p.lines <- s.Text()
	}
}

// wait calls Wait only when the process has ended: a Wait for a child that this
// process also traces takes the child's ptrace stops away from the tracer, because the
// kernel reports them to any waiting thread of the tracer's process.
func (p *Process) wait(pidfd int) {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, -1)
		if n > 0 || (err != nil && err != unix.EINTR) {
			break
		}
	}
	unix.Close(pidfd)
	p.exitErr = p.cmd.Wait()
	if errors.Is(p.exitErr, exec.ErrWaitDelay) {
		p.exitErr = nil // a grandchild holds standard error
	}
	close(p.exited)
}

// end kills the process. The reading end is closed by force in case that a grandchild
// still holds the other one.
func (p *Process) end(r *os.File, readerDone <-chan struct{}) {
	if !p.Running() && !p.mayExit {
		p.t.Errorf("%s (PID %d) ended by itself: %v%s", p.cmd.Path, p.PID(), p.exitErr, p.said())
	}
	p.Kill()
	p.stdin.Close()
	select {
	case <-readerDone:
	case <-time.After(time.Second):
	}
	r.Close()
	for line := range p.lines {
		if isError(line) {
			p.t.Errorf("%s (PID %d): %s%s", p.cmd.Path, p.PID(), line, p.said())
		}
	}
}

// PID is the process's id, also after its end.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Running tells whether the process has not been reaped yet.
func (p *Process) Running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Kill ends the process with SIGKILL and reaps it. It may be called more than once.
func (p *Process) Kill() {
	p.mayExit = true
	_ = p.cmd.Process.Kill() // fails only if it has ended
	<-p.exited
}

// Signal sends a signal to the process.
func (p *Process) Signal(sig os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatalf("sending %v to %d: %v", sig, p.PID(), err)
	}
}

// MayExit says that the process may end by itself from now on.
func (p *Process) MayExit() { p.mayExit = true }

// Wait waits for the process to end by itself and returns what exec.Cmd.Wait did.
func (p *Process) Wait() error {
	p.t.Helper()
	p.mayExit = true
	select {
	case <-p.exited:
		return p.exitErr
	case <-time.After(replyTimeout):
		p.t.Fatalf("%s (PID %d) did not end%s", p.cmd.Path, p.PID(), p.said())
		return nil
	}
}

// Send writes one line to the process.
func (p *Process) Send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.stdin, line+"\n"); err != nil {
		p.t.Fatalf("sending %q to %s (PID %d): %v%s", line, p.cmd.Path, p.PID(), err, p.said())
	}
}

// Line returns the next line that the process printed. The test fails if none comes,
// or if the line is the report of an error.
func (p *Process) Line() string {
	p.t.Helper()
	select {
	case line, ok := <-p.lines:
		if !ok {
			p.t.Fatalf("%s (PID %d) closed its output%s", p.cmd.Path, p.PID(), p.said())
		}
		if isError(line) {
			p.t.Fatalf("%s (PID %d): %s%s", p.cmd.Path, p.PID(), line, p.said())
		}
		return line
	case <-time.After(replyTimeout):
		p.t.Fatalf("%s (PID %d) does not answer%s", p.cmd.Path, p.PID(), p.said())
	}
	return ""
}

// Until returns the lines before the one that reads last.
func (p *Process) Until(last string) []string {
	p.t.Helper()
	var lines []string
	for {
		line := p.Line()
		if line == last {
			return lines
		}
		lines = append(lines, line)
	}
}

// Stderr is the end of what the process wrote to standard error.
func (p *Process) Stderr() string { return p.stderr.String() }

func (p *Process) said() string {
	if s := p.Stderr(); s != "" {
		return "\nits standard error:\n" + s
	}
	return ""
}

func isError(line string) bool { return strings.HasPrefix(line, "error ") }

// tail keeps the last part of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 64 << 10

func (w *tail) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = append(w.buf, b...)
	if over := len(w.buf) - tailSize; over > 0 {
		w.buf = append(w.buf[:0], w.buf[over:]...)
	}
	return len(b), nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.buf)
}
