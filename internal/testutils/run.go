package testutils

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"
)

// programDirs are where Debian keeps programs that a user's PATH does not name.
var programDirs = []string{"/usr/sbin", "/usr/lib/postgresql/*/bin"}

// Program finds an executable, given by name or as an absolute path, and fails the
// test with the Debian package to install if there is none. Of several versions
// outside PATH the newest is taken.
func Program(t testing.TB, name, pkg string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, dir := range programDirs {
		found, _ := filepath.Glob(filepath.Join(dir, name))
		sort.Strings(found)
		if len(found) > 0 {
			return found[len(found)-1]
		}
	}
	t.Fatalf("%s was not found: install the Debian package %s (make test does)", name, pkg)
	return ""
}

// Command is a program that runs to its end.
type Command struct {
	Path    string
	Args    []string
	Env     []string // added to the test's own
	Stdin   string
	Timeout time.Duration // 0: one minute
}

// RunProgram runs a program to its end and returns what it printed on standard
// output. The test fails if the program fails or takes too long.
func RunProgram(t testing.TB, as *User, c Command) string {
	t.Helper()
	out, err := TryProgram(t, as, c)
	if err != nil {
		t.Fatalf("%s %s: %v", c.Path, strings.Join(c.Args, " "), err)
	}
	return out
}

// TryProgram is RunProgram for a program that may fail. The error wraps
// *exec.ExitError or context.DeadlineExceeded and holds both outputs.
func TryProgram(t testing.TB, as *User, c Command) (string, error) {
	t.Helper()
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stdin = strings.NewReader(c.Stdin)
	cmd.WaitDelay = time.Second // children of a killed program may hold the pipes
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	as.apply(cmd)
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		err = &outputError{err, stdout.String() + stderr.String()}
	}
	return stdout.String(), err
}

type outputError struct {
	err    error
	output string
}

func (e *outputError) Error() string { return e.err.Error() + "\n" + e.output }
func (e *outputError) Unwrap() error { return e.err }

// Eventually waits until ok returns nil and fails the test with its last error when
// that takes longer than limit.
func Eventually(t testing.TB, limit time.Duration, what string, ok func() error) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for {
		err := ok()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v: %v", what, limit, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// gone tells whether an error says that a process or thread does not exist any more.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
}
