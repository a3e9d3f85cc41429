package testutils

import (
	"debug/elf"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestLanguages runs the victims that are not C: what one thread counts for one round,
// many threads and rounds count as many times.
func TestLanguages(t *testing.T) {
	tests := []struct {
		source   string
		variants []Variant
		each     []string // functions called once a round
	}{
		{"count.cc", []Variant{CXX, CXXStatic}, []string{"work::Square::area(long) const", "work::thrower(long)", "work::catcher(long)"}},
		{"count.rs", []Variant{Rust}, []string{"work_tail", "work_panics", "work_dyn_a"}},
		{"count.go", GoVariants(), []string{"main.workLeaf", "main.workPanics", "main.workGeneric[go.shape.int]", "main.workMakeClosure.func1"}},
	}
	for _, test := range tests {
		for _, variant := range test.variants {
			t.Run(variant.Name, func(t *testing.T) {
				v := Start(t, Build(t, test.source, variant), "8")
				v.Run(25)
				first := v.Report()
				for _, name := range test.each {
					if first.Count[name] != 8*25 {
						t.Errorf("%s: %d calls, want %d", name, first.Count[name], 8*25)
					}
				}
				v.StartLoad()
				time.Sleep(50 * time.Millisecond)
				v.StopLoad()
				loaded := v.Report()
				for name, n := range loaded.Since(first) {
					if n == 0 {
						t.Errorf("%s is not called under load", name)
					}
				}
				v.Quit()
			})
		}
	}
}

func TestGoCgoCallsC(t *testing.T) {
	v := Start(t, Build(t, "count.go", GoCgo), "2")
	v.Run(10)
	if n := v.Report().Count["work_c"]; n != 20 {
		t.Errorf("work_c: %d calls", n)
	}
	v.Quit()
}

// TestHazards runs each victim whose work is that of work.h, unhooked: the counts are
// right, and the process is afterwards as it was.
func TestHazards(t *testing.T) {
	tests := []struct {
		source  string
		args    []string
		threads int
	}{
		{"forker.c", []string{"2"}, 2},
		{"dlopen.c", nil, 2},
		{"zombie_leader.c", nil, 2},
		{"exiter.c", []string{"1", "1", "3"}, 3},
		{"execer.c", []string{"1", "1"}, 2},
		{"nodump.c", nil, 2},
		{"gsuser.c", nil, 4},
		{"strict_seccomp.c", nil, 1},
		{"filter_seccomp.c", []string{"kill", "mmap", "memfd_create"}, 2},
		{"filter_seccomp.c", []string{"errno", "all"}, 2},
	}
	for _, test := range tests {
		t.Run(test.source+" "+strings.Join(test.args, " "), func(t *testing.T) {
			v := Start(t, Build(t, test.source, CDynamic), test.args...)
			before := v.Report()
			snapshot := TakeSnapshot(t, v.PID())
			v.Run(10)
			calls, rounds := v.Report().Since(before), uint64(10*test.threads)
			for name, perRound := range map[string]uint64{"work_sum": 1, "work_half": 4, "work_fib": 109} {
				if calls[name] != rounds*perRound {
					t.Errorf("%s: %d calls, want %d", name, calls[name], rounds*perRound)
				}
			}
			// forker makes children also while it is looked at.
			RequireEqual(t, snapshot, DiffOptions{AllowGrowth: true, Working: test.source == "forker.c"})
			v.Quit()
		})
	}
}

func TestOwnPurpose(t *testing.T) {
	t.Run("forker", func(t *testing.T) {
		v := Start(t, Build(t, "forker.c", CDynamic), "1")
		v.StartLoad()
		time.Sleep(300 * time.Millisecond)
		v.StopLoad()
		for _, way := range []string{"fork", "vfork", "spawn"} {
			if n := v.Report().Info[way]; n < 10 {
				t.Errorf("%d children by %s", n, way)
			}
		}
		v.Quit()
	})
	t.Run("dlopen", func(t *testing.T) {
		v := Start(t, Build(t, "dlopen.c", CDynamic))
		var at [2]uint64
		for i, plugin := range []string{"plugin_a.c", "plugin_b.c"} {
			v.Do(fmt.Sprintf("load %s %d", Build(t, plugin, CShared), 5+4*i), "ok")
			v.Do("call 100", "ok")
			at[i] = v.Report().Info["plugin_work_at"]
			v.Do("unload", "ok")
		}
		if n := v.Report().Count["plugin_work"]; n != 200 {
			t.Errorf("plugin_work: %d calls", n)
		}
		if at[0] != at[1] {
			t.Errorf("plugins at %x and %x: the second does not take the first one's place", at[0], at[1])
		}
		v.Quit()
	})
	t.Run("zombie_leader", func(t *testing.T) {
		v := Start(t, Build(t, "zombie_leader.c", CDynamic))
		if s := TakeSnapshot(t, v.PID()); s.Threads[v.PID()].State != 'Z' {
			t.Errorf("the leader's state is %c", s.Threads[v.PID()].State)
		}
		v.Quit()
	})
	t.Run("exiter", func(t *testing.T) {
		v := Start(t, Build(t, "exiter.c", CDynamic), "20000", "3")
		v.MayExit()
		v.StartLoad()
		if err := v.Wait(); v.cmd.ProcessState.ExitCode() != 7 {
			t.Errorf("it ended with %v", err)
		}
	})
	t.Run("execer", func(t *testing.T) {
		v := Start(t, Build(t, "execer.c", CDynamic), "20000", "3")
		v.StartLoad()
		v.expect(fmt.Sprintf("ready %d", v.PID()))
		if g := v.Report().Info["generation"]; g != 1 {
			t.Errorf("generation %d", g)
		}
		v.Quit()
	})
	t.Run("spin_gap", func(t *testing.T) {
		v := Start(t, Build(t, "spin_gap.c", CDynamic), "1", "15")
		time.Sleep(50 * time.Millisecond)
		first := v.Report()
		if first.Info["gap_ns"] == 0 {
			t.Error("no gap at all")
		}
		v.Signal(syscall.SIGSTOP)
		time.Sleep(300 * time.Millisecond)
		v.Signal(syscall.SIGCONT)
		if gap := v.Report().Info["gap_ns"]; gap < 290e6 {
			t.Errorf("stopped for 300 ms, it saw a gap of %d ns", gap)
		}
		v.Quit()
	})
	t.Run("recursion", func(t *testing.T) {
		v := Start(t, Build(t, "recursion.c", CDynamic), "1000000")
		v.Run(1)
		if n := v.Report().Count["work_deep"]; n != 1000001 {
			t.Errorf("work_deep: %d calls", n)
		}
		v.Quit()
	})
	t.Run("rawclone", func(t *testing.T) {
		v := Start(t, Build(t, "rawclone.c", CDynamic), "4")
		v.Run(1000)
		if n := v.Report().Count["work_raw"]; n != 5000 {
			t.Errorf("work_raw: %d calls", n)
		}
		v.Quit()
	})
	t.Run("altstack", func(t *testing.T) {
		v := Start(t, Build(t, "altstack.c", CDynamic))
		before := v.Report()
		v.Run(500)
		after := v.Report()
		if n := after.Info["handled"] - before.Info["handled"]; n != 1000 {
			t.Errorf("%d signals handled", n)
		}
		if n := after.Since(before)["work_sum"]; n != 2000 {
			t.Errorf("work_sum: %d calls", n)
		}
		v.Quit()
	})
	t.Run("pclass", func(t *testing.T) {
		for _, variant := range []Variant{CDynamic, CNoPIE} {
			v := Start(t, Build(t, "pclass.c", variant))
			v.Run(10)
			if r := v.Report(); r.Count["p_push_rbp"] != 90 || r.Count["p_jg"] != 130 || len(r.Count) < 60 {
				t.Errorf("%d functions, p_push_rbp %d, p_jg %d", len(r.Count), r.Count["p_push_rbp"], r.Count["p_jg"])
			}
			v.Quit()
		}
	})
	t.Run("latency", func(t *testing.T) {
		v := Start(t, Build(t, "latency.c", CNoPIE), "2")
		if r := v.Report(); r.Info["ps"] == 0 || r.Count["work_align_7"] != r.Info["calls"] {
			t.Errorf("%v", r)
		}
		v.Quit()
	})
	t.Run("m32", func(t *testing.T) {
		v := Start(t, Build(t, "m32.S", C32))
		v.stdin.Close()
		if err := v.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// Each of these changes to what a function does must be seen by transparency.c.
func TestTransparencySees(t *testing.T) {
	tests := []struct {
		function string
		code     []byte
		args     []string
		want     string
	}{
		{"work_empty", nil, nil, ""},
		{"work_empty", []byte{0x49, 0xff, 0xc3, 0xc3}, nil, "return of work_empty: register r11"},                       // inc r11
		{"work_empty", []byte{0xf9, 0xc3}, []string{"--flags"}, "return of work_empty: register rflags"},                // stc
		{"work_empty", []byte{0x66, 0x0f, 0xef, 0xed, 0xc3}, nil, "return of work_empty: register xmm5"},                // pxor xmm5, xmm5
		{"work_empty", []byte{0xc5, 0xf8, 0x77, 0xc3}, nil, "register "},                                                // vzeroupper
		{"work_empty", []byte{0xdb, 0xe3, 0xc3}, nil, "x87"},                                                            // fninit
		{"work_empty", []byte{0x0f, 0xef, 0xdb, 0xc3}, nil, "the x87 control or status word"},                           // pxor mm3, mm3
		{"work_observe_", []byte{0x66, 0x0f, 0x57, 0xc0, 0xc3}, nil, "of work_observe_"},                                // no saving: all zero
		{"work_redzone", []byte{0x50, 0x58, 0x31, 0xc0, 0xff, 0xc0, 0xc3}, nil, "the red zone of work_redzone changed"}, // returns 1
	}
	binary := Build(t, "transparency.c", CNoPIE)
	for _, test := range tests {
		t.Run(test.want, func(t *testing.T) {
			v := Start(t, binary, test.args...)
			v.Run(10)
			if test.code != nil {
				addr := symbol(t, binary, test.function)
				for i, b := range test.code {
					poke(t, v.PID(), addr+uint64(i), b)
				}
				v.MayExit()
				v.Send("run 100")
				if line := <-v.lines; !strings.HasPrefix(line, "error ") || !strings.Contains(line, test.want) {
					t.Errorf("it said %q", line)
				}
				_ = v.Wait() // aborted
				return
			}
			v.Run(100)
			v.Quit()
		})
	}
}

// symbol finds the address of the function, or of the one that the CPU makes the
// victim use among those whose names begin so.
func symbol(t *testing.T, binary, name string) uint64 {
	t.Helper()
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, "_") {
		v := Start(t, binary)
		name += []string{"sse", "avx", "avx512"}[v.Report().Info["level"]]
		v.Quit()
	}
	for _, s := range symbols {
		if s.Name == name {
			return s.Value
		}
	}
	t.Fatalf("%s has no symbol %s", binary, name)
	return 0
}

func TestEINTRSeen(t *testing.T) {
	v := Start(t, Build(t, "eintr.c", CDynamic), "--expect")
	tids := v.Report().Info
	for _, kind := range []string{"epoll_wait", "nanosleep", "read_pipe", "sigwait"} {
		if err := syscall.Tgkill(v.PID(), int(tids["tid "+kind]), syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
	}
	Eventually(t, replyTimeout, "EINTR", func() error {
		r := v.Report()
		for _, kind := range []string{"epoll_wait", "nanosleep", "read_pipe"} {
			if r.Info["eintr "+kind] != 1 {
				return fmt.Errorf("%s: %d", kind, r.Info["eintr "+kind])
			}
		}
		return nil
	})
	v.Quit()
	without := Start(t, Build(t, "eintr.c", CDynamic))
	without.MayExit()
	tid := without.Report().Info["tid epoll_wait"]
	if err := syscall.Tgkill(without.PID(), int(tid), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if line := <-without.lines; line != "error epoll_wait returned EINTR" {
		t.Errorf("it said %q", line)
	}
	_ = without.Wait()
}

func TestUserRunsCopy(t *testing.T) {
	u := AsUser(t)
	path := u.Copy(t, Build(t, "m32.S", C32))
	if filepath.Dir(path) != u.Dir {
		t.Errorf("the copy is %s", path)
	}
	out, err := u.Command("/bin/sh", "-c", "id -u; exec "+path+" </dev/null").Output()
	if err != nil || !strings.HasPrefix(string(out), fmt.Sprintf("%d\nready ", u.UID)) {
		t.Errorf("%q, %v", out, err)
	}
	if _, ok := err.(*exec.ExitError); ok {
		t.Error(err)
	}
}
