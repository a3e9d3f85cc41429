package layers

const module = "github.com/functap/functap"

// layer says what the files of one package, without its tests, may import of this
// module. A name ending in "/" stands for everything below it.
type layer struct {
	pkg     string
	imports []string
	not     []string // exceptions to imports
	program bool     // may print, catch signals and run programs
}

// layers has every package, the lowest first. A new package needs a line here; think
// about what it must not see.
var layers = []layer{
	// Bytes in, bytes out.
	{pkg: "internal/x86"},
	{pkg: "internal/symbols", imports: []string{"internal/dwarf"}},
	{pkg: "internal/dwarf", imports: []string{"internal/symbols"}},
	{pkg: "internal/plan", imports: []string{"internal/symbols", "internal/dwarf", "internal/x86"}},
	{pkg: "internal/codegen", imports: []string{"internal/arena", "internal/ring", "internal/x86"}},
	{pkg: "internal/unwind", imports: []string{"internal/symbols", "internal/x86"}},
	{pkg: "internal/tsc"},
	{pkg: "internal/gort", imports: []string{"internal/symbols", "internal/x86"}},
	// Processes, without instructions.
	{pkg: "internal/procfs"},
	{pkg: "internal/ptrace", imports: []string{"internal/procfs"}},
	{pkg: "internal/sigframe", imports: []string{"internal/procfs"}},
	{pkg: "internal/arena", imports: []string{"internal/procfs"}},
	{pkg: "internal/ring", imports: []string{"internal/arena"}},
	{pkg: "internal/remote", imports: []string{"internal/procfs", "internal/ptrace", "internal/sigframe"}},
	// The public layers: each imports only those before it.
	{pkg: ".", imports: nil},
	{pkg: "hook", imports: []string{"internal/"}},
	{pkg: "trampoline", imports: []string{"hook", "internal/"}},
	{pkg: "fgraph", imports: []string{"trampoline", "hook", "internal/"}},
	{pkg: "fprobe", imports: []string{"fgraph", "trampoline", "hook", "internal/"}},
	// Programs. The command tells the errors of lower packages apart, but what it does to a
	// target it does through the public ones.
	{pkg: "cmd/", imports: []string{"hook", "trampoline", "fgraph", "fprobe", "cmd/", "internal/"},
		not: []string{"internal/arena", "internal/codegen", "internal/sigframe"}, program: true},
	{pkg: "internal/demo", program: true},
	{pkg: "examples/", imports: []string{"hook", "trampoline", "fgraph", "fprobe"}, program: true},
	{pkg: "bench", imports: []string{"hook", "trampoline", "fgraph", "fprobe", "internal/"}, program: true},
	// Tests.
	{pkg: "internal/testutils", program: true},
	{pkg: "internal/layers_test"},
}

// restricted says which packages may import something, tests included or not.
type restricted struct {
	path  string   // the import; a trailing "/" stands for everything below it
	by    []string // packages as in layer
	tests bool     // whether tests of all packages may, too
	why   string
}

var restrictions = []restricted{
	{"golang.org/x/sys/unix", []string{"internal/ptrace", "internal/remote", "internal/arena", "internal/testutils"}, true,
		"system calls on other processes stay in one place"},
	{"golang.org/x/term", []string{"cmd/"}, true, "the library knows no terminal"},
	{"golang.org/x/arch/", []string{"cmd/"}, true, "x86asm gives wrong lengths without an error: it may print, not decide"},
	{"github.com/go-delve/delve/", []string{"internal/dwarf", "internal/symbols"}, true, "its API is kept behind one package"},
	{"testing", []string{"internal/testutils"}, true, "a program would get its flags"},
	{module + "/internal/testutils", []string{"bench"}, true, "it is for tests"},
}

// libraryNever is what nothing that gets linked into somebody else's program may
// import: it would print, catch signals, parse flags, or start processes there.
var libraryNever = []string{"log", "flag", "os/signal", "os/exec", "net", "plugin", "C"}

// startsPrograms is the exception: hook.Start starts what its caller hands it.
const startsPrograms = "hook/start.go"

// pureNever is what code generation and decoding may not import: they are testable on
// files because they never see a process.
var pureNever = []string{"os", "syscall", "io/ioutil", "time", "context"}

var pure = []string{"internal/x86", "internal/codegen", "internal/unwind"}
