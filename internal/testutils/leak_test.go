package testutils

import (
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// An orphan is found: the shell starts it and ends.
func TestLeftoversFindOrphan(t *testing.T) {
	if left := leftovers(); len(left) != 0 {
		t.Fatalf("before the test: %v", left)
	}
	if err := exec.Command("/bin/sh", "-c", "sleep 1000 >/dev/null 2>&1 &").Run(); err != nil {
		t.Fatal(err)
	}
	var left []leftover
	// The shell may end before its child has become sleep.
	Eventually(t, 5*time.Second, "finding the orphan", func() error {
		left = leftovers()
		if len(left) != 1 || left[0].name != "sleep" || !left[0].child {
			return fmt.Errorf("left behind: %v", left)
		}
		return nil
	})
	if err := syscall.Kill(left[0].pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if left := remaining(5 * time.Second); len(left) != 0 {
		t.Errorf("after its end: %v", left)
	}
}

func TestRepeat(t *testing.T) {
	t.Setenv("FUNCTAP_LONG", "")
	if n := Repeat(3, 100); n != 3 {
		t.Errorf("short: %d", n)
	}
	t.Setenv("FUNCTAP_LONG", "1")
	if n := Repeat(3, 100); n != 100 {
		t.Errorf("long: %d", n)
	}
}
