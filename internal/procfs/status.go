package procfs

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// Status is what /proc/PID/status or /proc/PID/task/TID/status says. A field that
// the running kernel does not print is zero.
type Status struct {
	Name      string
	State     byte // R, S, D, T (stopped), t (traced), Z, X, I
	Tgid      int
	Pid       int
	PPid      int
	TracerPid int // who traces it, 0 if nobody, in the reader's PID namespace
	// Uids and Gids are real, effective, saved, file system.
	Uids, Gids [4]uint32
	// NSpid is the id in each PID namespace, the reader's first.
	NSpid   []int
	Threads int
	// Signal sets: bit n-1 is signal n. SigPnd is the thread's, ShdPnd the process's.
	SigPnd, ShdPnd, SigBlk, SigIgn, SigCgt uint64
	CapPrm, CapEff                         uint64 // bit n is capability n
	NoNewPrivs                             bool
	Seccomp                                int // 0 off, 1 strict, 2 filter
	// ThreadFeatures are the x86 features locked to the thread, such as "shstk".
	ThreadFeatures []string
}

// ReadStatus reads the status of a process: that of its first thread.
func ReadStatus(pid int) (Status, error) {
	return parseFile(filepath.Join(dir(pid), "status"), ParseStatus)
}

// ReadTaskStatus reads the status of one thread of a process.
func ReadTaskStatus(pid, tid int) (Status, error) {
	return parseFile(filepath.Join(taskDir(pid, tid), "status"), ParseStatus)
}

// ParseStatus reads lines in the form of proc(5)'s status file. Unknown ones are
// skipped.
func ParseStatus(r io.Reader) (Status, error) {
	var s Status
	_, err := parseLines(r, func(line string) (struct{}, error) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return struct{}{}, fmt.Errorf("status line %q has no colon", line)
		}
		if err := s.set(key, strings.TrimLeft(value, "\t ")); err != nil {
			return struct{}{}, fmt.Errorf("status line %q: %w", line, err)
		}
		return struct{}{}, nil
	})
	return s, err
}

func (s *Status) set(key, value string) error {
	switch key {
	case "Name":
		s.Name = value
		return nil
	case "State":
		if value != "" {
			s.State = value[0]
		}
		return nil
	case "Uid":
		return setIDs(&s.Uids, value)
	case "Gid":
		return setIDs(&s.Gids, value)
	case "NSpid":
		return s.setNSpid(value)
	case "x86_Thread_features":
		s.ThreadFeatures = strings.Fields(value)
		return nil
	}
	if key == "NoNewPrivs" {
		s.NoNewPrivs = value == "1"
		return nil
	}
	if p := s.number(key); p != nil {
		return setInt(p, value)
	}
	if p := s.bits(key); p != nil {
		return setHex(p, value)
	}
	return nil
}

// number is the field for a decimal line, or nil.
func (s *Status) number(key string) *int {
	switch key {
	case "Tgid":
		return &s.Tgid
	case "Pid":
		return &s.Pid
	case "PPid":
		return &s.PPid
	case "TracerPid":
		return &s.TracerPid
	case "Threads":
		return &s.Threads
	case "Seccomp":
		return &s.Seccomp
	}
	return nil
}

// bits is the field for a hexadecimal mask line, or nil.
func (s *Status) bits(key string) *uint64 {
	switch key {
	case "SigPnd":
		return &s.SigPnd
	case "ShdPnd":
		return &s.ShdPnd
	case "SigBlk":
		return &s.SigBlk
	case "SigIgn":
		return &s.SigIgn
	case "SigCgt":
		return &s.SigCgt
	case "CapPrm":
		return &s.CapPrm
	case "CapEff":
		return &s.CapEff
	}
	return nil
}

func setInt(p *int, value string) (err error) {
	*p, err = strconv.Atoi(value)
	return err
}

func setHex(p *uint64, value string) (err error) {
	*p, err = strconv.ParseUint(value, 16, 64)
	return err
}

func setIDs(ids *[4]uint32, value string) error {
	f := strings.Fields(value)
	if len(f) != len(ids) {
		return fmt.Errorf("%d ids", len(f))
	}
	for i := range ids {
		v, err := strconv.ParseUint(f[i], 10, 32)
		if err != nil {
			return err
		}
		ids[i] = uint32(v)
	}
	return nil
}

func (s *Status) setNSpid(value string) error {
	for _, f := range strings.Fields(value) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			return err
		}
		s.NSpid = append(s.NSpid, pid)
	}
	return nil
}
