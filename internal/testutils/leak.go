package testutils

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Main runs a package's tests and fails it if processes remain that it started, or
// that it still traces:
//
//	func TestMain(m *testing.M) { testutils.Main(m) }
//
// The test's process adopts orphans meanwhile, so that a daemon's or a killed
// victim's children are found too. What remains is killed.
func Main(m *testing.M) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "leak check: becoming the parent of orphans:", err)
		os.Exit(1)
	}
	code := m.Run()
	for _, left := range remaining(2 * time.Second) {
		fmt.Fprintln(os.Stderr, "leak check: left behind:", left)
		if left.child {
			_ = syscall.Kill(left.pid, syscall.SIGKILL)
		}
		code = max(code, 1)
	}
	os.Exit(code)
}

type leftover struct {
	pid    int
	name   string
	state  string
	child  bool
	traced bool
}

func (l leftover) String() string {
	return fmt.Sprintf("PID %d %q state %s child=%v traced by us=%v", l.pid, l.name, l.state, l.child, l.traced)
}

// remaining waits a moment, because an orphan needs one to notice that its parent
// is dead.
func remaining(limit time.Duration) []leftover {
	deadline := time.Now().Add(limit)
	for {
		left := leftovers()
		if len(left) == 0 || time.Now().After(deadline) {
			return left
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// leftovers reaps dead children and returns the living ones, and whatever is traced.
func leftovers() []leftover {
	paths, _ := filepath.Glob("/proc/[0-9]*/status")
	var left []leftover
	for _, path := range paths {
		l, ok := readLeftover(path)
		if ok && l.child && l.state == "Z" {
			_, _ = syscall.Wait4(l.pid, nil, syscall.WNOHANG, nil)
			continue
		}
		if ok && (l.child || l.traced) {
			left = append(left, l)
		}
	}
	return left
}

func readLeftover(path string) (leftover, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return leftover{}, false // it ended meanwhile
	}
	f := statusFields(string(text))
	self := strconv.Itoa(os.Getpid())
	pid, err := strconv.Atoi(f["Pid"])
	state, _, _ := strings.Cut(f["State"], " ")
	return leftover{
		pid: pid, name: f["Name"], state: state,
		child: f["PPid"] == self, traced: ownThread(f["TracerPid"]),
	}, err == nil
}

func ownThread(tid string) bool {
	if tid == "0" || tid == "" {
		return false
	}
	_, err := os.Stat("/proc/self/task/" + tid)
	return err == nil
}

// statusFields takes a status file of procfs apart.
func statusFields(text string) map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok {
			fields[key] = strings.TrimSpace(value)
		}
	}
	return fields
}
