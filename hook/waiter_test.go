package hook

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// TestTargetIsWaitedFor: the target is a child of this process, which waits
// for its end all the while, as programs do that start what they trace. The
// kernel offers a child's ptrace stops to every thread that waits for it, so
// Wait may return early (it cannot be kept from that; Attach says so), but the
// target is stopped, hooked and released as ever.
func TestTargetIsWaitedFor(t *testing.T) {
	cmd := exec.Command(testutils.Build(t, "count.c", testutils.CDynamic), "4")
	// Pipes of the test's own: those of the Cmd are closed when Wait returns.
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout = stdin, stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); out.Close(); syscall.Kill(cmd.Process.Pid, syscall.SIGKILL) })
	stdin.Close()
	stdout.Close()
	if _, err := out.Read(make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := cmd.Process.Wait()
		ended <- err
	}()
	for i := range 30 {
		p, err := Attach(context.Background(), cmd.Process.Pid, nil)
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		hookAll(t, p)
		if err := p.Close(); err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
	}
	if _, err := in.Write([]byte("quit\n")); err != nil {
		t.Fatal(err)
	}
	t.Logf("Wait returned with %v", <-ended)
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(cmd.Process.Pid, &ws, 0, nil); err == nil && (!ws.Exited() || ws.ExitStatus() != 0) {
		t.Errorf("the target ended with %v", ws)
	}
}
