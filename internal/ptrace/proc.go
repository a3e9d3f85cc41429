package ptrace

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/functap/functap/internal/procfs"
	"golang.org/x/sys/unix"
)

// Flags of a task as shown in its stat file (include/linux/sched.h).
const (
	flagIOWorker  = 0x10
	flagNoExecYet = 0x40 // forked, no exec since
)

// dead recognises zombies and tasks that are being removed.
func dead(st procfs.Stat) bool { return st.State == 'Z' || st.State == 'X' }

// listChildren lists the processes that the thread has forked.
func listChildren(pid, tid int) ([]int, error) {
	text, err := readQuickly(fmt.Sprintf("/proc/%d/task/%d/children", pid, tid))
	if err != nil || len(text) == 0 {
		return nil, err
	}
	names := strings.Fields(string(text))
	children := make([]int, len(names))
	for i, name := range names {
		if children[i], err = strconv.Atoi(name); err != nil {
			return nil, err
		}
	}
	return children, nil
}

// readQuickly is os.ReadFile without what that does for files that can wait. It is
// used once per thread while all of them stand still.
func readQuickly(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd) //nolint:errcheck // read only
	var text []byte
	for buf := make([]byte, 4096); ; {
		n, err := ignoringEINTR(func() (int, error) { return unix.Read(fd, buf) })
		if err != nil || n == 0 {
			return text, err
		}
		text = append(text, buf[:n]...)
	}
}

// describeStuck tells what can be known about a thread that does not stop.
func describeStuck(tid int) StuckThread {
	t := StuckThread{TID: tid, State: '?', Wchan: "unknown"}
	if st, err := procfs.ReadStat(tid); err == nil {
		t.State = st.State
	}
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/wchan", tid)); err == nil && len(text) > 0 {
		t.Wchan = string(text)
	}
	return t
}
