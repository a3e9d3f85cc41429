package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
)

var infoVerb = verb{
	name:  "info",
	args:  "[-p PID]",
	short: "what this machine supports, and what would be refused in a process",
	help: `
  functap info            this machine
  functap info -p 4711    and this process: may it be traced, what can be hooked
`,
	flags: func(o *options, fs *flag.FlagSet) { pidFlag(o, fs); outputFlags(o, fs) },
	run:   (*app).info,
}

// fact is one line of the information.
type fact struct {
	Type string `json:"type"`
	PID  int    `json:"pid,omitempty"`
	Key  string `json:"key"`
	Val  string `json:"value"`
}

func (a *app) info(o *options) error {
	if len(o.args) > 0 {
		return usagef("info takes no arguments, only -p PID")
	}
	facts := append([]fact{{Key: "functap", Val: version()}}, machine()...)
	var err error
	for _, pid := range o.pids {
		var more []fact
		more, err = a.processFacts(o, pid)
		facts = append(facts, more...)
		if err != nil {
			break
		}
	}
	if perr := o.printFacts(facts); perr != nil {
		return perr
	}
	return err
}

func (o *options) printFacts(facts []fact) error {
	for _, f := range facts {
		f.Type = "info"
		if o.json() {
			if err := json.NewEncoder(o.out).Encode(f); err != nil {
				return err
			}
			continue
		}
		key := f.Key
		if f.PID != 0 {
			key = fmt.Sprintf("%d %s", f.PID, f.Key)
		}
		if _, err := fmt.Fprintf(o.out, "%-24s %s\n", key, f.Val); err != nil {
			return err
		}
	}
	return nil
}

func machine() []fact {
	return []fact{
		{Key: "kernel", Val: fileLine("/proc/sys/kernel/osrelease")},
		{Key: "processors", Val: fmt.Sprint(runtime.NumCPU())},
		{Key: "cpu features", Val: cpuFeatures()},
		{Key: "FSGSBASE", Val: fsgsbase(os.Getpid())},
		{Key: "ptrace scope", Val: ptraceScope()},
		{Key: "real-time priority", Val: realTime()},
		{Key: "memfd_noexec", Val: memfdNoexec()},
		{Key: "shadow stack", Val: yes(hasFlag("user_shstk"), "the processor and kernel have it", "not available")},
	}
}

// fileLine is a one-line file, or why it cannot be read.
func fileLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return "unknown (" + err.Error() + ")"
	}
	return strings.TrimSpace(string(b))
}

func yes(is bool, a, b string) string {
	if is {
		return a
	}
	return b
}

// cpuFlags are the features in /proc/cpuinfo.
func cpuFlags() []string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "flags" {
			return strings.Fields(value)
		}
	}
	return nil
}

func hasFlag(name string) bool {
	for _, f := range cpuFlags() {
		if f == name {
			return true
		}
	}
	return false
}

// cpuFeatures are those that matter for generated code and time stamps.
func cpuFeatures() string {
	var have []string
	for _, f := range []string{"fsgsbase", "rdtscp", "constant_tsc", "nonstop_tsc", "avx", "avx2", "avx512f", "pku", "ibt", "user_shstk"} {
		if hasFlag(f) {
			have = append(have, f)
		}
	}
	return strings.Join(have, " ")
}

// fsgsbase: AT_HWCAP2 (26), bit 1, says that programs may use the
// instructions.
func fsgsbase(pid int) string {
	auxv, err := procfs.Auxv(pid)
	if err != nil {
		return "unknown (" + err.Error() + ")"
	}
	return yes(auxv[26]&2 != 0, "yes: counters are per thread", "no: counters are shared by threads, which is slower")
}

func ptraceScope() string {
	b, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	if err != nil {
		return "not restricted (no Yama)"
	}
	s := strings.TrimSpace(string(b))
	what := map[string]string{
		"0": "any process of the same user", "1": "own children only, unless root",
		"2": "root only", "3": "nobody",
	}[s]
	return s + ": " + what
}

func realTime() string {
	switch granted, err := ptrace.RealTimeAllowed(); {
	case err != nil:
		return "unknown (" + err.Error() + ")"
	case granted:
		return "allowed: stops of busy targets are short"
	}
	return "not allowed (RLIMIT_RTPRIO or CAP_SYS_NICE): stops of busy targets may be longer"
}

// memfdNoexec explains vm.memfd_noexec. Memory files sealed against being
// executed as programs, as ours are, are accepted by all its settings.
func memfdNoexec() string {
	b, err := os.ReadFile("/proc/sys/vm/memfd_noexec")
	if err != nil {
		return "not restricted"
	}
	return strings.TrimSpace(string(b)) + ": accepted"
}

// processFacts says what is known about a process. The facts are good beside
// an error, which says why it cannot be hooked.
func (a *app) processFacts(o *options, pid int) ([]fact, error) {
	st, err := procfs.ReadStatus(pid)
	if err != nil {
		return nil, ptrace.Check(pid)
	}
	var facts []fact
	add := func(key, format string, args ...any) {
		facts = append(facts, fact{PID: pid, Key: key, Val: fmt.Sprintf(format, args...)})
	}
	add("name", "%s", st.Name)
	add("threads", "%d", st.Threads)
	add("seccomp", "%s", [...]string{"none", "strict: it cannot be hooked", "filter: memory for code must be allowed by it"}[min(st.Seccomp, 2)])
	add("FSGSBASE", "%s", fsgsbase(pid))
	p, err := hook.Attach(a.ctx, pid, o.attachOptions(a))
	if err != nil {
		add("hookable", "no: %s", describe(err))
		return facts, err
	}
	defer p.Close()
	add("program", "%s", p.Executable().Path)
	whole := fgraph.Check(p)
	if whole != nil {
		add("returns", "not hookable: %s", describe(whole))
	}
	if st, err := hook.Inspect(pid); err == nil {
		for _, s := range st.Sessions {
			add("hooked", "%s, %s", number(len(s.Sites), "function"), owner(pid, s))
		}
	}
	for im := range p.Images() {
		c, err := cover(im, whole)
		if err != nil {
			add(im.Name, "%s", describe(err))
			continue
		}
		add(im.Name, "%s", c)
	}
	return facts, nil
}

// cover counts what of an image can be hooked.
func cover(im *hook.Image, whole error) (coverage, error) {
	var c coverage
	funcs, err := im.Select(hook.Match{})
	if err != nil {
		return c, err
	}
	for _, f := range funcs {
		v, err := judge(f, whole)
		if err != nil {
			return c, err
		}
		if !part(f, v.no) {
			c.add(f, v)
		}
	}
	return c, nil
}
