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
	os.ReadFile("/etc/hostname")
	locked := make(chan bool)
	for range 4 {
		go func() {
			runtime.LockOSThread()
			locked <- true
			select {}
		}()
	}
	for range 4 {
		<-locked
	}
}
`
)

// moody are the system calls whose number, even the least of several runs,
// depends on timing and not on the program: Go's runtime sets up threads as it
// makes them, lets them sleep and wakes them, lets idle ones look for input,
// preempts goroutines by a signal to itself, fetches memory in pieces, and asks now
// and then how many processors it may use.
var moody = []string{
	"set_robust_list", "rseq", "gettid", "sigaltstack", "rt_sigprocmask",
	"futex", "nanosleep", "sched_yield", "epoll_pwait",
	"getpid", "tgkill", "rt_sigreturn",
	"mmap", "munmap", "madvise",
	"sched_getaffinity", "pread64",
}

// trace is what one run of a program did.
type trace struct {
	calls  map[string]int // by name; for openat with the file
	status map[string]string
}

func runTraced(t *testing.T, program string) trace {
	t.Helper()
	log := filepath.Join(t.TempDir(), "strace")
	out := testutils.RunProgram(t, nil, testutils.Command{
		Path: testutils.Program(t, "strace", "strace"),
		Args: []string{"-f", "-o", log, program},
		// With one processor and no collection the runtime's own threads are few
		// and always the same.
		Env: []string{"GOMAXPROCS=1", "GOGC=off"},
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
	if name == "openat" {
		_, quoted, _ := strings.Cut(args, `"`)
		path, _, _ := strings.Cut(quoted, `"`)
		name += " " + path
	}
	tr.calls[name]++
}

// least are the calls that every one of some runs made. What an import does it
// does in every run; what the runtime does in some (preempting a goroutine, say)
// is not in it.
func least(runs []trace) map[string]int {
	out := maps.Clone(runs[0].calls)
	for name := range out {
		for _, r := range runs {
			out[name] = min(out[name], r.calls[name])
		}
	}
	return out
}

// more lists what some runs did beyond what others did.
func more(with, bare []trace) []string {
	var diffs []string
	calls, before := least(with), least(bare)
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		if calls[name] > before[name] {
			diffs = append(diffs, fmt.Sprintf("%s: %d calls instead of %d", name, calls[name], before[name]))
		}
	}
	for _, key := range []string{"SigBlk", "SigIgn", "SigCgt", "Goroutines", "Seccomp", "NoNewPrivs", "CapEff"} {
		a, b := with[0].status[key], bare[0].status[key]
		if a != b || b == "" {
			diffs = append(diffs, fmt.Sprintf("%s: %q instead of %q", key, a, b))
		}
	}
	return diffs
}

// TestImportDoesNothing compares a program that imports the library with one
// that does not: system calls (those that make threads are among them), opened
// files, signals and goroutines.
func TestImportDoesNothing(t *testing.T) {
	bin := outside(t, map[string]string{"bare": bareText, "with": withText, "loud": loudText})
	runs := map[string][]trace{}
	for range testutils.Repeat(12, 100) {
		for _, name := range []string{"bare", "with", "loud"} {
			runs[name] = append(runs[name], runTraced(t, filepath.Join(bin, name)))
		}
	}
	// On a busy machine the runtime may happen to need one thread more in each of
	// so few runs: what an import does it does in all of any number.
	for range 100 {
		if len(more(runs["with"], runs["bare"])) == 0 {
			break
		}
		runs["with"] = append(runs["with"], runTraced(t, filepath.Join(bin, "with")))
	}
	if diffs := more(runs["with"], runs["bare"]); len(diffs) > 0 {
		t.Errorf("importing the library does:\n%s", strings.Join(diffs, "\n"))
	}
	loud := strings.Join(more(runs["loud"], runs["bare"]), "\n")
	for _, want := range []string{"getppid: ", "openat /etc/hostname: ", "clone", "rt_sigaction: ", "SigIgn: ", "Goroutines: "} {
		if !strings.Contains(loud, want) {
			t.Errorf("%q is not noticed in a program that is not quiet, only\n%s", want, loud)
		}
	}
}
