package ptrace

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Flags of a task as shown in its stat file (include/linux/sched.h).
const (
	flagIOWorker  = 0x10
	flagNoExecYet = 0x40 // forked, no exec since
	flagKThread   = 0x200000
)

type stat struct {
	state   byte
	ppid    int
	flags   uint64
	threads int
}

func (s stat) dead() bool { return s.state == 'Z' || s.state == 'X' }

// readStat reads the stat file of a process or thread.
func readStat(tid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", tid))
	if err != nil {
		return stat{}, err
	}
	return parseStat(text)
}

// parseStat starts behind the name, which may contain anything.
func parseStat(text []byte) (s stat, err error) {
	f := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(f) < 18 {
		return s, fmt.Errorf("stat file: %w", errField)
	}
	s.state = f[0][0]
	s.ppid, err = strconv.Atoi(string(f[1]))
	if err == nil {
		s.flags, err = strconv.ParseUint(string(f[6]), 10, 64)
	}
	if err == nil {
		s.threads, err = strconv.Atoi(string(f[17]))
	}
	return s, err
}

// status holds the lines of a status file by name.
type status map[string]string

func readStatus(tid int) (status, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	if err != nil {
		return nil, err
	}
	st := status{}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok {
			st[key] = strings.TrimSpace(value)
		}
	}
	return st, nil
}

func (st status) hex(key string) (uint64, error) { return st.number(key, 16) }

func (st status) number(key string, base int) (uint64, error) {
	value, ok := st[key]
	if !ok {
		return 0, fmt.Errorf("status file, %s: %w", key, errField)
	}
	return strconv.ParseUint(value, base, 64)
}

// listTasks lists the threads of a process, the main thread first.
func listTasks(pid int) ([]int, error) {
	dir, err := os.Open(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil, err
	}
	defer dir.Close() //nolint:errcheck // read only
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	return atois(names)
}

func atois(names []string) ([]int, error) {
	ids := make([]int, len(names))
	for i, name := range names {
		id, err := strconv.Atoi(name)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

// listChildren lists the processes that the thread has forked.
func listChildren(pid, tid int) ([]int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, tid))
	if err != nil {
		return nil, err
	}
	return atois(strings.Fields(string(text)))
}

// describeStuck tells what can be known about a thread that does not stop.
func describeStuck(tid int) StuckThread {
	t := StuckThread{TID: tid, State: '?', Wchan: "unknown"}
	if st, err := readStat(tid); err == nil {
		t.State = st.state
	}
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/wchan", tid)); err == nil && len(text) > 0 {
		t.Wchan = string(text)
	}
	return t
}
