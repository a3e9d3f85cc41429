package hook_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// Three programs that do the same: print what the kernel says of their signals,
// and how many goroutines there are. The second imports the library. The third
// imports a package that does in its init what a library should not.
const (
	mainText = `
func main() {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	fmt.Printf("Goroutines:\t%d\n%s", runtime.NumGoroutine(), b)
}
`
	bareText = "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"runtime\"\n)\n" + mainText
	withText = "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"runtime\"\n\n" +
		"\t_ \"github.com/functap/functap/hook\"\n\t_ \"github.com/functap/functap/trampoline\"\n)\n" + mainText
	loudText = "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"os/signal\"\n\t\"runtime\"\n\t\"syscall\"\n)\n" + mainText + `
func init() {
	signal.Ignore(syscall.SIGUSR1)
	os.Getppid()
	go func() { select {} }()
}
`
)

// moody are the system calls whose number depends on timing and not on the
// program: Go's runtime makes threads when goroutines want to run and sets up
// each of them, lets threads sleep and wakes them, preempts goroutines by a
// signal, polls for readiness when a thread has nothing else to do, fetches
// memory in pieces, and asks now and then how many processors it may use. The
// program's end shows as one exit_group or two: strace names it also for a thread
// that another one's ends.
var moody = []string{
	"clone", "clone3", "set_robust_list", "rseq", "gettid", "sigaltstack", "rt_sigprocmask",
	"futex", "nanosleep", "sched_yield", "restart_syscall",
	"getpid", "tgkill", "rt_sigreturn",
	"epoll_pwait",
	"mmap", "munmap", "madvise",
	"sched_getaffinity", "pread64",
	"exit_group",
}

// trace is what one run of a program did.
type trace struct {
	calls    map[string]int // by name
	files    []string       // opened, in order
	status   map[string]string
	newTasks int
}

func runTraced(t *testing.T, program string) trace {
	t.Helper()
	log := filepath.Join(t.TempDir(), "strace")
	out := testutils.RunProgram(t, nil, testutils.Command{
		Path: testutils.Program(t, "strace", "strace"),
		Args: []string{"-f", "-o", log, program},
	})
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	tr := trace{calls: map[string]int{}, status: map[string]string{}}
	for line := range strings.Lines(string(text)) {
		tr.add(line)
	}
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(line, ":")
		tr.status[key] = strings.TrimSpace(value)
	}
	tr.newTasks = tr.calls["clone"] + tr.calls["clone3"]
	for _, name := range moody {
		delete(tr.calls, name)
	}
	return tr
}

// add reads a line such as `123 openat(AT_FDCWD, "/file", O_RDONLY) = 3`. Lines
// about signals and ends, and the second halves of calls, name no call; nor does
// ???, strace's word for what a thread did that died before it was asked.
func (tr *trace) add(line string) {
	_, call, _ := strings.Cut(line, " ")
	name, args, ok := strings.Cut(strings.TrimSpace(call), "(")
	if !ok || strings.ContainsAny(name, " <+-?") {
		return
	}
	tr.calls[name]++
	if name == "openat" {
		_, quoted, _ := strings.Cut(args, `"`)
		path, _, _ := strings.Cut(quoted, `"`)
		tr.files = append(tr.files, path)
	}
}

// quiet lists what differs from a run of the program without the library.
func quiet(bare, with trace) []string {
	var diffs []string
	for _, name := range slices.Sorted(maps.Keys(merge(bare.calls, with.calls))) {
		if bare.calls[name] != with.calls[name] {
			diffs = append(diffs, fmt.Sprintf("%s: %d calls became %d", name, bare.calls[name], with.calls[name]))
		}
	}
	if !slices.Equal(bare.files, with.files) {
		diffs = append(diffs, fmt.Sprintf("opened files: %q became %q", bare.files, with.files))
	}
	for _, key := range []string{"SigBlk", "SigIgn", "SigCgt", "Goroutines", "Seccomp", "NoNewPrivs", "CapEff"} {
		if bare.status[key] != with.status[key] || bare.status[key] == "" {
			diffs = append(diffs, fmt.Sprintf("%s: %q became %q", key, bare.status[key], with.status[key]))
		}
	}
	return diffs
}

func merge(a, b map[string]int) map[string]int {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// fewest is the least number of threads that any of some runs started.
func fewest(runs []trace) int {
	n := runs[0].newTasks
	for _, r := range runs {
		n = min(n, r.newTasks)
	}
	return n
}

// TestImportDoesNothing compares a program that imports the library with one
// that does not: system calls, opened files, signals, goroutines and, as the
// least of several runs since the runtime starts them as it likes, threads.
func TestImportDoesNothing(t *testing.T) {
	bin := outside(t, map[string]string{"bare": bareText, "with": withText, "loud": loudText})
	var bare, with []trace
	for range testutils.Repeat(8, 100) {
		bare = append(bare, runTraced(t, bin+"/bare"))
		with = append(with, runTraced(t, bin+"/with"))
	}
	for i := range with {
		if diffs := quiet(bare[0], with[i]); len(diffs) > 0 {
			t.Fatalf("run %d, importing the library changed:\n%s", i, strings.Join(diffs, "\n"))
		}
		if diffs := quiet(bare[0], bare[i]); len(diffs) > 0 {
			t.Fatalf("two runs without the library differ, so the comparison says nothing:\n%s", strings.Join(diffs, "\n"))
		}
	}
	if a, b := fewest(bare), fewest(with); b > a {
		t.Errorf("at least %d threads were started, %d without the library", b, a)
	}
	loud := strings.Join(quiet(bare[0], runTraced(t, bin+"/loud")), "\n")
	for _, want := range []string{"getppid: ", "rt_sigaction: ", "SigIgn: ", "Goroutines: "} {
		if !strings.Contains(loud, want) {
			t.Errorf("%snot noticed in a program that is not quiet, only\n%s", want, loud)
		}
	}
}
