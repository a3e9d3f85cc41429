package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/remote"
	"github.com/functap/functap/internal/symbols"
)

// names are the errors' names, the special before the general, with what to
// do where the error's text does not say so.
var names = []struct {
	err        error
	name, hint string
}{
	{ptrace.ErrNoProcess, "NO_SUCH_PROCESS", "see ps for the processes there are"},
	{ptrace.ErrSelf, "SELF", ""},
	{ptrace.ErrZombie, "ZOMBIE", ""},
	{ptrace.ErrKernelThread, "KERNEL_THREAD", "choose a process that runs a program"},
	{ptrace.ErrAlreadyTraced, "ALREADY_TRACED", ""},
	{ptrace.ErrHidden, "HIDDEN", ""},
	{ptrace.ErrYama, "PTRACE_SCOPE", ""},
	{ptrace.ErrOtherUser, "OTHER_USER", ""},
	{ptrace.ErrNotDumpable, "NOT_DUMPABLE", ""},
	{ptrace.ErrUserNamespace, "USER_NAMESPACE", ""},
	{ptrace.ErrCapabilities, "CAPABILITIES", ""},
	{ptrace.ErrOwnSeccomp, "OWN_SECCOMP", ""},
	{ptrace.ErrPermission, "NOT_PERMITTED", ""},
	{hook.ErrPauseTooLong, "PAUSE_TOO_LONG", "nothing was changed; allow more with --max-pause"},
	{ptrace.ErrThreadStuck, "THREAD_STUCK", "try again later; nothing was changed"},
	{ptrace.ErrThreadsUnstable, "THREADS_UNSTABLE", "try again later; nothing was changed"},
	{ptrace.ErrSharedVM, "SHARED_MEMORY", "try again later; nothing was changed"},
	{hook.ErrSeccomp, "SECCOMP", "nothing was changed"},
	{remote.ErrSeccomp, "SECCOMP", "its own rules allow no system call to map memory; nothing was changed"},
	{remote.ErrNoGadget, "NO_GADGET", ""},
	{hook.ErrBusy, "BUSY", ""},
	{hook.ErrExeced, "TARGET_EXECED", "attach again to hook the new program"},
	{hook.ErrExited, "TARGET_EXITED", ""},
	{hook.ErrDraining, "DRAINING", "functap recover -p PID takes it out once the threads have left"},
	{hook.ErrBytesDiffer, "BYTES_DIFFER", "nothing was changed"},
	{hook.ErrNoExecMapping, "NO_EXEC_MAPPING", "its security policy has to allow them"},
	{hook.ErrNoNearMemory, "NO_NEAR_MEMORY", ""},
	{hook.ErrNoMatch, "NO_MATCH", ""},
	{hook.ErrBadPattern, "BAD_PATTERN", "see functap help patterns"},
	{hook.ErrNoDebugInfo, "NO_DEBUG_INFO", ""},
	{errStrict, "UNPATCHABLE", "leave out with -x those that the list has a reason for, or leave --strict out"},
	{hook.ErrNoExit, "NO_EXIT", "functap stat counts its calls"},
	{hook.ErrUnwinds, "UNWINDS", "functap stat --exit=none counts calls"},
	{fgraph.ErrCopiesStacks, "COPIES_STACKS", "functap stat --exit=none counts calls"},
	{hook.ErrNoTime, "NO_TIME", "functap stat --exit=none counts calls"},
	{hook.ErrUnpatchable, "UNPATCHABLE", "functap list shows what can be hooked"},
	{symbols.ErrNotX86_64, "NOT_X86_64", "only 64-bit x86 code can be hooked"},
	{symbols.ErrNotLinked, "NOT_LINKED", "give the program or library that it becomes a part of"},
	{symbols.ErrNotRegular, "NOT_REGULAR", "give a program or library"},
	{symbols.ErrNotELF, "NOT_ELF", "give a program or library"},
	{symbols.ErrMalformed, "MALFORMED", "the file is damaged or cut short"},
	{errNoDescriptor, "NO_DESCRIPTOR", "nothing was changed; let it have one more for a moment: prlimit --pid PID --nofile=N:"},
	{errNotWritten, "NOT_WRITTEN", "give -o a place that can take them"},
	{errHooksRemoved, "HOOKS_REMOVED", "count again, and see functap status for who is attached"},
	{errTooMany, "TOO_MANY", ""},
	{fs.ErrNotExist, "NOT_FOUND", ""},
	{fs.ErrPermission, "NOT_PERMITTED", ""},
}

var (
	// errHooksRemoved: counts are not whole.
	errHooksRemoved = errors.New("unhooked by somebody else; their counts end there")
	// errNotWritten: the disk is full, or the like.
	errNotWritten = errors.New("the results could not be written and are not whole")
	// errNoDescriptor: the target may not open the file that our memory is.
	errNoDescriptor = errors.New("the process has as many files open as it may (RLIMIT_NOFILE)")
	// errStrict: the listing names them.
	errStrict = fmt.Errorf("%w, and --strict is given", hook.ErrUnpatchable)
	// errTooMany: a listing would be longer than anybody meant.
	errTooMany = errors.New("too many functions match")
)

// oneLine joins the lines of errors, each once, and says once of which process
// they tell.
func oneLine(text string) string {
	var parts []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, "; ")
		if line != "" && !slices.Contains(parts, line) {
			parts = append(parts, line)
		}
	}
	return twice.ReplaceAllStringFunc(strings.Join(parts, "; "), func(s string) string {
		m := twice.FindStringSubmatch(s)
		if m[1] != m[2] {
			return s
		}
		return "process " + m[1] + ": "
	})
}

var twice = regexp.MustCompile(`process (\d+): (?:[a-z]+(?: to| at)? )?process (\d+): `)

// nameOf is an error's name, "" if it has none.
func nameOf(err error) string {
	for _, n := range names {
		if errors.Is(err, n.err) {
			return n.name
		}
	}
	return ""
}

// describe puts an error in one line: its name, what happened, what to do.
func describe(err error) string {
	text := oneLine(strings.ReplaceAll(err.Error(), os.ErrProcessDone.Error()+": ", "")) // says less than what it wraps
	for _, n := range names {
		if !errors.Is(err, n.err) {
			continue
		}
		text = n.name + ": " + strings.Replace(text, " ("+n.name+")", "", 1)
		if n.hint != "" && !strings.Contains(text, n.hint) {
			text += "; " + n.hint
		}
		break
	}
	return text
}
