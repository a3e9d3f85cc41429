package ptrace

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// refusal tries to stop pid and returns why that does not work.
func refusal(t *testing.T, pid int) error {
	t.Helper()
	_, err := newTracer(t).Stop(context.Background(), pid, StopOptions{}, nothing)
	return err
}

func requireIs(t *testing.T, err, want error, text string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), text) {
		t.Errorf("got %q; want %q, with %q", err, want, text)
	}
}

func TestRefusals(t *testing.T) {
	requireIs(t, refusal(t, os.Getpid()), ErrSelf, "")
	requireIs(t, refusal(t, 2), ErrKernelThread, "")
	requireIs(t, refusal(t, 1<<22+1), ErrNoProcess, "")
	requireIs(t, refusal(t, -1), ErrNoProcess, "")
	requireIs(t, refusal(t, 0), ErrNoProcess, "")
}

func TestRefusesZombie(t *testing.T) {
	cmd := exec.Command("/bin/true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitState(t, cmd.Process.Pid, 'Z')
	requireIs(t, refusal(t, cmd.Process.Pid), ErrZombie, "")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	requireIs(t, refusal(t, cmd.Process.Pid), ErrNoProcess, "")
}

func TestRefusesThreadID(t *testing.T) {
	p := start(t, "threads.c", "sleep", "1")
	var tid int
	mustStop(t, newTracer(t), p.PID(), func(s *Stop) error {
		for _, th := range s.Threads() {
			if th.TID() != p.PID() {
				tid = th.TID()
			}
		}
		return nil
	})
	requireIs(t, refusal(t, tid), ErrNoProcess, "thread of process")
}

func TestRefusesTraced(t *testing.T) {
	p := start(t, "threads.c", "sleep", "1")
	cmd := startHelper(t, "hold", p.PID())
	err := refusal(t, p.PID())
	requireIs(t, err, ErrAlreadyTraced, "ptrace.test")
	var traced *TracedError
	if !errors.As(err, &traced) || traced.TracerPID != cmd.Process.Pid {
		t.Errorf("tracer %+v, not %d", traced, cmd.Process.Pid)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() //nolint:errcheck // killed
	requireProgress(t, p)
}

// tryAs stops pid from a process with other rights and returns what it said.
func tryAs(t *testing.T, pid int, wrap ...string) string {
	t.Helper()
	cmd := helper(t, "try", pid)
	args := append(append([]string{}, wrap...), cmd.Args...)
	user := testutils.AsUser(t)
	if len(wrap) == 0 {
		args[0] = user.Copy(t, args[0])
	}
	run := exec.Command(args[0], args[1:]...)
	run.Env = cmd.Env
	if len(wrap) == 0 {
		run.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user.UID, Gid: user.GID}}
	}
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func requireSays(t *testing.T, out string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(out, w) {
			t.Errorf("%q is missing in %q", w, out)
		}
	}
}

func TestRefusesOtherUser(t *testing.T) {
	p := start(t, "threads.c", "sleep", "1")
	requireSays(t, tryAs(t, p.PID()), "is user", "is permission", "run as that user or as root")
	requireProgress(t, p)
}

func TestRefusesNotDumpable(t *testing.T) {
	user := testutils.AsUser(t)
	path := user.Copy(t, testutils.Build(t, "nodump.c", testutils.CDynamic))
	v := testutils.StartAs(t, user, path)
	requireSays(t, tryAs(t, v.PID()), "is dumpable", "is permission")
	v.Quit()
}

// TestAllowed: the same user may.
func TestAllowed(t *testing.T) {
	user := testutils.AsUser(t)
	path := user.Copy(t, testutils.Build(t, "count.c", testutils.CDynamic))
	v := testutils.StartAs(t, user, path)
	requireSays(t, tryAs(t, v.PID()), "error <nil>")
	v.Quit()
}

// TestRefusesCapable: a tracer without capabilities, but with the ids of a target
// that has them.
func TestRefusesCapable(t *testing.T) {
	p := start(t, "threads.c", "sleep", "1")
	out := tryAs(t, p.PID(), testutils.Program(t, "setpriv", "util-linux"), "--bounding-set=-all", "--inh-caps=-all")
	requireSays(t, out, "is capabilities", "is permission")
}

// TestRefusesNamespace: the user is root, but in a namespace of its own.
func TestRefusesNamespace(t *testing.T) {
	p := start(t, "threads.c", "sleep", "1")
	out := tryAs(t, p.PID(), testutils.Program(t, "unshare", "util-linux"), "--user", "--map-root-user")
	requireSays(t, out, "is permission")
}

func TestYama(t *testing.T) {
	for _, c := range []struct {
		scope                  string
		privileged, descendant bool
		refused                bool
	}{
		{"0", false, false, false},
		{"1", false, false, true}, {"1", true, false, false}, {"1", false, true, false},
		{"2", false, true, true}, {"2", true, false, false},
		{"3", true, true, true},
	} {
		if err := yamaScope(c.scope, c.privileged, c.descendant); errors.Is(err, ErrYama) != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
