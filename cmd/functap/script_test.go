package main_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testutils.Main(m) }

// TestScripts runs the command, as it is built, by the scripts in
// testdata/script. Every victim that a script starts must at its end be alive
// and as it was.
func TestScripts(t *testing.T) {
	bin := build(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", filepath.Dir(bin)+":"+e.Getenv("PATH"))
			e.Values[stageKey] = &stage{t: e.T().(testing.TB), bin: bin, victims: map[string]*victim{}}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"victim":  onStage((*stage).victim),
			"built":   onStage((*stage).built),
			"tell":    onStage((*stage).tell),
			"mark":    onStage((*stage).mark),
			"calls":   onStage((*stage).calls),
			"appears": onStage((*stage).appears),
			"hooked":  onStage((*stage).hooked),
			"asitwas": onStage(func(s *stage, _ *testscript.TestScript, args []string) {
				s.named(args[0]).require()
			}),
			"ends":    onStage((*stage).ends),
			"status":  onStage((*stage).status),
			"nobody":  onStage((*stage).nobody),
			"zombie":  onStage((*stage).zombie),
			"kthread": onStage((*stage).kthread),
			"trace":   onStage((*stage).trace),
			"fifo":    onStage((*stage).fifo),
		},
	})
}

func build(t *testing.T) string {
	t.Helper()
	// Below the temporary directory itself, so that another user can run it.
	dir, err := os.MkdirTemp("", "ft-bin-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	bin := filepath.Join(dir, "functap")
	testutils.RunProgram(t, nil, testutils.Command{Path: testutils.Program(t, "go", "golang"),
		Args: []string{"build", "-o", bin, "."}, Timeout: 5 * time.Minute})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return bin
}

// stage is what one script plays with.
type stage struct {
	t       testing.TB
	bin     string
	user    *testutils.User
	victims map[string]*victim
}

type stageValue struct{}

var stageKey stageValue

func onStage(f func(*stage, *testscript.TestScript, []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("! is not for this command")
		}
		f(ts.Value(stageKey).(*stage), ts, args)
	}
}

type victim struct {
	*testutils.Victim
	t      testing.TB
	before *testutils.Snapshot
	marked testutils.Report
	ends   bool
	goes   bool // Go's runtime makes threads when it likes
}

func (v *victim) require() {
	v.t.Helper()
	if !v.Running() {
		v.t.Fatalf("the victim %d has ended", v.PID())
	}
	testutils.EventuallyEqual(v.t, v.before, testutils.DiffOptions{AllowGrowth: true, Churn: v.goes})
}

func (s *stage) named(name string) *victim {
	s.t.Helper()
	v := s.victims[name]
	if v == nil {
		s.t.Fatalf("no victim is called %s", name)
	}
	return v
}

// victim NAME SOURCE VARIANT [nobody] [ARG...] starts one; $NAME is its pid.
func (s *stage) victim(ts *testscript.TestScript, args []string) {
	name, source, variant, args := args[0], args[1], variants[args[2]], args[3:]
	var as *testutils.User
	if len(args) > 0 && args[0] == "nobody" {
		as, args = s.asNobody(), args[1:]
	}
	bin := testutils.Build(s.t, source, variant)
	v := &victim{Victim: testutils.StartAs(s.t, as, bin, args...), t: s.t, goes: strings.HasSuffix(source, ".go")}
	s.victims[name] = v
	v.before = testutils.TakeSnapshot(s.t, v.PID())
	ts.Setenv(name, strconv.Itoa(v.PID()))
	ts.Setenv(name+"_bin", bin)
	ts.Defer(func() {
		if !v.ends {
			v.require()
		}
	})
}

// built VAR SOURCE VARIANT compiles a victim that the script starts itself.
func (s *stage) built(ts *testscript.TestScript, args []string) {
	ts.Setenv(args[0], testutils.Build(s.t, args[1], variants[args[2]]))
}

var variants = map[string]testutils.Variant{"c": testutils.CDynamic, "cet": testutils.CET, "32": testutils.C32,
	"cxx": testutils.CXX, "go": testutils.Go, "rust": testutils.Rust, "static": testutils.CStatic, "staticpie": testutils.CStaticPIE, "shared": testutils.CShared, "nopie": testutils.CNoPIE}

func (s *stage) asNobody() *testutils.User {
	if s.user == nil {
		s.user = testutils.AsUser(s.t)
	}
	return s.user
}

// tell NAME LINE ANSWER speaks to a victim.
func (s *stage) tell(_ *testscript.TestScript, args []string) { s.named(args[0]).Do(args[1], args[2]) }

// mark NAME begins counting for calls.
func (s *stage) mark(_ *testscript.TestScript, args []string) {
	v := s.named(args[0])
	v.marked = v.Report()
}

// calls NAME FUNC VAR puts into $VAR how often the victim says that it has
// called FUNC since mark.
func (s *stage) calls(ts *testscript.TestScript, args []string) {
	v := s.named(args[0])
	n := v.Report().Since(v.marked)[args[1]]
	if n == 0 {
		ts.Fatalf("%s was not called", args[1])
	}
	ts.Setenv(args[2], strconv.FormatUint(n, 10))
}

// hooked NAME FUNC waits until FUNC is hooked by somebody.
func (s *stage) hooked(_ *testscript.TestScript, args []string) {
	v := s.named(args[0])
	testutils.Eventually(s.t, 30*time.Second, args[1]+" is hooked", func() error {
		st, err := hook.Inspect(v.PID())
		if err != nil {
			return err
		}
		for _, session := range st.Sessions {
			for _, site := range session.Sites {
				if site.Function.Name() == args[1] && site.State == hook.SiteHooked && site.Program.Addr != 0 {
					return nil
				}
			}
		}
		return errors.New("not yet")
	})
}

// appears FILE waits until there is something in a file.
func (s *stage) appears(ts *testscript.TestScript, args []string) {
	testutils.Eventually(s.t, 30*time.Second, args[0]+" appears", func() error {
		fi, err := os.Stat(ts.MkAbs(args[0]))
		if err == nil && fi.Size() == 0 {
			err = errors.New("it is empty")
		}
		return err
	})
}

// ends NAME... says that the victim's end is expected.
func (s *stage) ends(_ *testscript.TestScript, args []string) {
	for _, name := range args {
		v := s.named(name)
		v.MayExit()
		v.ends = true
	}
}

// status N PROGRAM [ARG...] runs a program that must end with status N.
func (s *stage) status(ts *testscript.TestScript, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	checkStatus(ts, args[0], err)
}

func checkStatus(ts *testscript.TestScript, want string, err error) {
	got := "0"
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = strconv.Itoa(exit.ExitCode())
	} else if err != nil {
		got = err.Error()
	}
	if got != want {
		ts.Fatalf("exit status %s, want %s", got, want)
	}
}

// nobody N [ARG...] runs functap as the user nobody; it must end with status N.
func (s *stage) nobody(ts *testscript.TestScript, args []string) {
	cmd := s.asNobody().Command(s.bin, args[1:]...)
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	checkStatus(ts, args[0], cmd.Run())
}

// zombie VAR makes a process that has ended and is not waited for.
func (s *stage) zombie(ts *testscript.TestScript, args []string) {
	p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
	ts.Check(err)
	ts.Defer(func() { _, _ = p.Wait() })
	testutils.Eventually(s.t, 10*time.Second, "a zombie", func() error {
		if st, err := procfs.ReadStat(p.Pid); err != nil || st.State != 'Z' {
			return fmt.Errorf("state %c, %v", st.State, err)
		}
		return nil
	})
	ts.Setenv(args[0], strconv.Itoa(p.Pid))
}

// kthread VAR finds a thread of the kernel.
func (s *stage) kthread(ts *testscript.TestScript, args []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(strings.TrimPrefix(dir, "/proc/"))
		if st, err := procfs.ReadStat(pid); err == nil && st.Flags&procfs.KernelThread != 0 {
			ts.Setenv(args[0], strconv.Itoa(pid))
			return
		}
	}
	ts.Fatalf("no kernel thread is to be seen: run the tests in the machine's own pid namespace")
}

// trace NAME holds a victim stopped, as a debugger does, until the script ends.
func (s *stage) trace(ts *testscript.TestScript, args []string) {
	v := s.named(args[0])
	tr, err := ptrace.NewTracer()
	ts.Check(err)
	started, end, done := make(chan error, 1), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_, err := tr.Stop(s.t.Context(), v.PID(), ptrace.StopOptions{}, func(*ptrace.Stop) error {
			started <- nil
			<-end
			return nil
		})
		if err != nil {
			started <- err
		}
	}()
	ts.Check(<-started)
	ts.Defer(func() {
		close(end)
		<-done
		ts.Check(tr.Close())
	})
}

// fifo FILE makes one.
func (s *stage) fifo(ts *testscript.TestScript, args []string) {
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o600))
}
