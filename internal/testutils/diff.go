package testutils

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"
)

// DiffOptions says what the target itself may have changed between two snapshots.
type DiffOptions struct {
	// AllowGrowth: its heap, stacks and anonymous data.
	AllowGrowth bool
	// Working: it was not idle, so that mappings, descriptors and signal masks
	// may differ. Nothing of ours may be among them all the same.
	Working bool
	// Churn: its threads come and go.
	Churn bool
}

// Diff lists what is different in after, and what of functap is in it.
// An empty list says that the process is as it was.
func Diff(before, after *Snapshot, o DiffOptions) []string {
	diffs := after.Ours()
	diffs = append(diffs, diffText(before.Text, after.Text)...)
	diffs = append(diffs, diffThreads(before.Threads, after.Threads, o)...)
	if before.SigIgn != after.SigIgn || before.SigCgt != after.SigCgt {
		diffs = append(diffs, fmt.Sprintf("signals: ignored %x, caught %x; now %x, %x", before.SigIgn, before.SigCgt, after.SigIgn, after.SigCgt))
	}
	if !o.Working {
		diffs = append(diffs, diffSets("mapping", mapLines(before.Maps, o), mapLines(after.Maps, o))...)
		diffs = append(diffs, diffSets("descriptor", fdLines(before.FDs), fdLines(after.FDs))...)
	}
	return diffs
}

// RequireEqual fails the test if the process is not as it was in the snapshot.
func RequireEqual(t testing.TB, before *Snapshot, o DiffOptions) {
	t.Helper()
	if diffs := Diff(before, TakeSnapshot(t, before.PID), o); len(diffs) > 0 {
		t.Fatalf("process %d is not as it was:\n%s", before.PID, strings.Join(diffs, "\n"))
	}
}

// EventuallyEqual is RequireEqual for a target that needs a moment to calm
// down, such as a server whose clients have just left.
func EventuallyEqual(t testing.TB, before *Snapshot, o DiffOptions) {
	t.Helper()
	Eventually(t, 5*time.Second, fmt.Sprintf("process %d as it was", before.PID), func() error {
		if diffs := Diff(before, TakeSnapshot(t, before.PID), o); len(diffs) > 0 {
			return fmt.Errorf("not as it was:\n%s", strings.Join(diffs, "\n"))
		}
		return nil
	})
}

func diffText(before, after []Text) []string {
	now := map[uint64]Text{}
	for _, x := range after {
		now[x.Mapping.Start] = x
	}
	var diffs []string
	for _, was := range before {
		is, ok := now[was.Mapping.Start]
		delete(now, was.Mapping.Start)
		switch {
		case !ok:
			diffs = append(diffs, fmt.Sprintf("text %v is gone", was.Mapping))
		case was.Mapping != is.Mapping:
			diffs = append(diffs, fmt.Sprintf("text %v became %v", was.Mapping, is.Mapping))
		case !bytes.Equal(was.Bytes, is.Bytes):
			diffs = append(diffs, firstDifference(was, is))
		}
	}
	for _, x := range now {
		diffs = append(diffs, fmt.Sprintf("text %v is new", x.Mapping))
	}
	return diffs
}

func firstDifference(was, is Text) string {
	i := 0
	for i < min(len(was.Bytes), len(is.Bytes)) && was.Bytes[i] == is.Bytes[i] {
		i++
	}
	around := func(b []byte) []byte { return b[i:min(i+8, len(b))] }
	return fmt.Sprintf("text of %s at %x: % x became % x", was.Mapping.Path, was.Mapping.Start+uint64(i), around(was.Bytes), around(is.Bytes))
}

func diffThreads(before, after map[int]Thread, o DiffOptions) []string {
	var diffs []string
	for tid, is := range after {
		was, known := before[tid]
		if !known && !o.Churn {
			diffs = append(diffs, fmt.Sprintf("thread %d is new", tid))
		}
		if is.TracerPID != 0 {
			diffs = append(diffs, fmt.Sprintf("thread %d is traced by %d", tid, is.TracerPID))
		}
		if is.stopped() && !was.stopped() {
			diffs = append(diffs, fmt.Sprintf("thread %d is stopped (state %c)", tid, is.State))
		}
		if known && was.GSBase != is.GSBase {
			diffs = append(diffs, fmt.Sprintf("thread %d: GS base %x became %x", tid, was.GSBase, is.GSBase))
		}
		if known && was.SigBlk != is.SigBlk && !o.Working {
			diffs = append(diffs, fmt.Sprintf("thread %d: blocked signals %x became %x", tid, was.SigBlk, is.SigBlk))
		}
		if !known && is.GSBase != 0 {
			diffs = append(diffs, fmt.Sprintf("new thread %d has GS base %x", tid, is.GSBase))
		}
	}
	for tid := range before {
		if _, ok := after[tid]; !ok && !o.Churn {
			diffs = append(diffs, fmt.Sprintf("thread %d is gone", tid))
		}
	}
	sort.Strings(diffs)
	return diffs
}

func (t Thread) stopped() bool { return t.State == 'T' || t.State == 't' }

func mapLines(maps []Mapping, o DiffOptions) map[string]bool {
	lines := map[string]bool{}
	for _, m := range maps {
		grows := m.Path == "" || m.Path == "[heap]" || m.Path == "[stack]"
		if o.AllowGrowth && grows && !m.executable() {
			continue
		}
		lines[m.String()] = true
	}
	return lines
}

func fdLines(fds map[int]string) map[string]bool {
	lines := map[string]bool{}
	for fd, target := range fds {
		lines[fmt.Sprintf("%d: %s", fd, target)] = true
	}
	return lines
}

func diffSets(what string, before, after map[string]bool) []string {
	var diffs []string
	for line := range before {
		if !after[line] {
			diffs = append(diffs, fmt.Sprintf("%s gone: %s", what, line))
		}
	}
	for line := range after {
		if !before[line] {
			diffs = append(diffs, fmt.Sprintf("%s new:  %s", what, line))
		}
	}
	sort.Strings(diffs)
	return diffs
}
