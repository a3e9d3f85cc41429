package hook_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/functap/functap/hook"
)

// TestFollowExec: a program is followed from one to the next, and its end is left
// to the one who waits for it.
func TestFollowExec(t *testing.T) {
	for _, fromExec := range []bool{false, true} {
		cmd := exec.Command("env", "nice", "sh", "-c", "exit 7")
		p, err := hook.Start(t.Context(), cmd, &hook.StartOptions{FromExec: fromExec})
		for _, want := range []string{"nice", "sh"} {
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cmd.Process.Kill() })
			p, err = p.FollowExec(t.Context(), fromExec)
			shell, _ := filepath.EvalSymlinks("/bin/" + want)
			if err == nil && p.Executable().Name != filepath.Base(shell) {
				t.Errorf("it runs %s, want %s", p.Executable().Name, want)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.FollowExec(t.Context(), fromExec); !errors.Is(err, hook.ErrExited) {
			t.Errorf("at its end: %v, want ErrExited", err)
		}
		if cmd.Wait(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 7 {
			t.Errorf("waited: %v, want exit status 7", cmd.ProcessState)
		}
	}
}

// TestFollowExecCancelled: a program that executes none runs on, untraced.
func TestFollowExecCancelled(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p, err := hook.Start(t.Context(), cmd, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.FollowExec(ctx, false); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want DeadlineExceeded", err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
