// Package procfs reads what the kernel tells about processes in /proc: their
// mappings, threads, states and auxiliary vectors, and opens the files they have
// mapped.
//
// The Parse functions are pure; the others read /proc/PID and wrap
// os.ErrProcessDone when the process or thread is gone. Nothing is cached, and all
// functions may be called from any goroutine.
package procfs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// ErrNoMemory says that the process exists but has no address space: it is a
// zombie or a kernel thread.
var ErrNoMemory = errors.New("process has no memory (zombie or kernel thread)")

// dir is the /proc directory of a process or, since every thread has one too
// though it is not listed, a thread.
func dir(pid int) string { return "/proc/" + strconv.Itoa(pid) }

// taskDir is where thread tid of process pid is: unlike dir(tid) it fails if tid
// is no thread of pid.
func taskDir(pid, tid int) string { return filepath.Join(dir(pid), "task", strconv.Itoa(tid)) }

// gone marks errors that mean the process no longer exists: its directory is
// missing, or vanished between opening a file in it and reading.
func gone(err error) error {
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("%w: %w", os.ErrProcessDone, err)
	}
	return err
}

// parseFile runs parse over a file of /proc.
func parseFile[T any](path string, parse func(io.Reader) (T, error)) (T, error) {
	var zero T
	f, err := os.Open(path)
	if err != nil {
		return zero, gone(err)
	}
	defer f.Close()
	v, err := parse(f)
	if err != nil {
		return zero, fmt.Errorf("reading %s: %w", path, gone(err))
	}
	return v, nil
}

// memoryError settles what n entries and err from a file about a process's memory
// mean: for a process without memory kernels give an empty file or, newer ones, the
// error for a process that does not exist.
func memoryError(pid, n int, err error) error {
	if n > 0 || err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	if _, statErr := ReadStat(pid); statErr != nil {
		return statErr
	}
	return fmt.Errorf("process %d: %w", pid, ErrNoMemory)
}

// Tasks returns the thread ids of a process, ascending. It is one look: threads
// may come and go while it is taken.
func Tasks(pid int) ([]int, error) {
	entries, err := os.ReadDir(filepath.Join(dir(pid), "task"))
	if err != nil {
		return nil, fmt.Errorf("listing threads: %w", gone(err))
	}
	tids := make([]int, 0, len(entries))
	for _, e := range entries {
		tid, err := strconv.Atoi(e.Name())
		if err != nil {
			return nil, fmt.Errorf("listing threads: %w", err)
		}
		tids = append(tids, tid)
	}
	return sorted(tids), nil
}
