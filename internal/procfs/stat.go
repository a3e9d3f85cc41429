package procfs

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// KernelThread is the bit of Stat.Flags (PF_KTHREAD) that kernel threads have.
const KernelThread = 0x00200000

// Stat is part of /proc/PID/stat.
type Stat struct {
	PID     int
	Comm    string // the kernel's name for the thread, at most 15 bytes, any bytes
	State   byte
	PPID    int
	PGID    int
	Session int
	Flags   uint64 // PF_* of the kernel's sched.h
	Threads int
	// ChildFaults are page faults of children that have ended and were waited for. No
	// process runs without one.
	ChildFaults uint64
	// StartTime counts clock ticks (1/100 s) since boot: with the PID it tells a
	// process from a later one that was given the same number.
	StartTime uint64
	// StartBrk is where the heap that brk moves begins, also before there is any;
	// 0 where the process may not be looked into.
	StartBrk uint64
	// ExitCode is how a zombie has ended, as waitpid's status; 0 where the process may not
	// be looked into.
	ExitCode int
}

// ReadStat reads the stat file of a process.
func ReadStat(pid int) (Stat, error) {
	return parseFile(filepath.Join(dir(pid), "stat"), ParseStat)
}

// ReadTaskStat reads the stat file of one thread of a process.
func ReadTaskStat(pid, tid int) (Stat, error) {
	return parseFile(filepath.Join(taskDir(pid, tid), "stat"), ParseStat)
}

// ParseStat reads the form of proc(5)'s stat file. The name in parentheses is not
// escaped and may hold spaces and parentheses: it ends at the last one.
func ParseStat(r io.Reader) (Stat, error) {
	b, err := io.ReadAll(io.LimitReader(r, 1<<16))
	if err != nil {
		return Stat{}, err
	}
	line := string(b)
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return Stat{}, fmt.Errorf("stat line %q has no name", line)
	}
	s := Stat{Comm: line[open+1 : end]}
	f := strings.Fields(line[end+1:])
	// f[0] is the file's third field.
	if len(f) < 20 || len(f[0]) != 1 {
		return Stat{}, fmt.Errorf("stat line %q is too short", line)
	}
	s.State = f[0][0]
	if err := s.numbers(strings.TrimSpace(line[:open]), f); err != nil {
		return Stat{}, fmt.Errorf("stat line %q: %w", line, err)
	}
	return s, nil
}

func (s *Stat) numbers(pid string, f []string) error {
	for _, n := range []struct {
		p     *int
		value string
	}{{&s.PID, pid}, {&s.PPID, f[1]}, {&s.PGID, f[2]}, {&s.Session, f[3]}, {&s.Threads, f[17]}} {
		if err := setInt(n.p, n.value); err != nil {
			return err
		}
	}
	var err error
	if s.Flags, err = strconv.ParseUint(f[6], 10, 64); err != nil {
		return err
	}
	if s.ChildFaults, err = strconv.ParseUint(f[8], 10, 64); err != nil {
		return err
	}
	if s.StartTime, err = strconv.ParseUint(f[19], 10, 64); err != nil || len(f) < 45 {
		return err
	}
	if s.StartBrk, err = strconv.ParseUint(f[44], 10, 64); err != nil || len(f) < 50 {
		return err
	}
	return setInt(&s.ExitCode, f[49])
}
