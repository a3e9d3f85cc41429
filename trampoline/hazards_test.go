package trampoline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

// TestHazardVictims hooks every function of programs that do what breaks
// other hookers, and of their libraries: results stay right (the victims check
// them), counts are exact, and nothing is left.
func TestHazardVictims(t *testing.T) {
	for _, c := range []struct {
		exactCase
		rounds int
	}{
		{exactCase{"transparency.c", testutils.CDynamic, nil}, 500},
		{exactCase{"transparency.c", testutils.CNoPIE, []string{"--flags"}}, 500},
		{exactCase{"pclass.c", testutils.CDynamic, nil}, 100},
		{exactCase{"pclass.c", testutils.CNoPIE, nil}, 100},
		{exactCase{"pclass.c", testutils.CET, nil}, 100},
		{exactCase{"rawclone.c", testutils.CDynamic, []string{"4"}}, 1000},
		{exactCase{"rawclone.c", testutils.CDynamic, []string{"4", "--late"}}, 20000},
		{exactCase{"clonefs.c", testutils.CDynamic, []string{"4"}}, 20000},
		{exactCase{"clonefs.c", testutils.CDynamic, []string{"4", "--late"}}, 200000},
		{exactCase{"clonefs.c", testutils.CStatic, []string{"2", "--late"}}, 200000},
		{exactCase{"twice.c", testutils.CDynamic, nil}, 100},
		{exactCase{"gsuser.c", testutils.CDynamic, nil}, 100},
		{exactCase{"altstack.c", testutils.CDynamic, nil}, 300},
		{exactCase{"recursion.c", testutils.CDynamic, []string{"200000"}}, 2},
		{exactCase{"zombie_leader.c", testutils.CDynamic, nil}, 50},
		{exactCase{"forker.c", testutils.CDynamic, []string{"2", "fork"}}, 500},
		{exactCase{"forker.c", testutils.CDynamic, []string{"2", "vfork"}}, 500},
		{exactCase{"forker.c", testutils.CDynamic, []string{"2", "spawn"}}, 500},
		{exactCase{"compute.py", testutils.Variant{}, nil}, 2},
	} {
		t.Run(strings.TrimSpace(fmt.Sprint(c.source, " ", c.variant.Name, " ", strings.Join(c.args, " "))), func(t *testing.T) {
			v := c.start(t)
			if !slices.Contains(c.args, "--late") {
				v.Run(1)
			}
			before := testutils.TakeSnapshot(t, v.PID())
			start := v.Report()
			h := countAll(t, v.PID(), everything)
			v.Run(c.rounds)
			made := v.Report().Since(start)
			if err := h.p.Close(); err != nil {
				t.Fatal(err)
			}
			got := h.counts()
			for name, want := range made {
				if n, ok := got[name]; ok && n != want {
					t.Errorf("%s: counted %d, the victim made %d (%+d)", name, n, want, int64(n-want))
				} else if !ok {
					t.Logf("%s is not hooked", name)
				}
			}
			// forker's children are being made also while it is looked at.
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Working: c.source == "forker.c" || slices.Contains(c.args, "--late"), Churn: slices.Contains(c.args, "--late")})
			v.Run(1)
			v.Quit()
		})
	}
}

func (c exactCase) start(t *testing.T) *testutils.Victim {
	if c.source == "compute.py" {
		return testutils.StartPython(t, nil)
	}
	return testutils.Start(t, testutils.Build(t, c.source, c.variant), c.args...)
}

func eintrCycles() int {
	if os.Getenv("FUNCTAP_LONG") != "" {
		return 50
	}
	return 10
}

// TestNoEINTR: no blocking system call of a target returns EINTR because it
// was stopped, however often.
func TestNoEINTR(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "eintr.c", testutils.CDynamic))
	before := testutils.TakeSnapshot(t, v.PID())
	for range eintrCycles() {
		h := countAll(t, v.PID(), executable)
		if err := h.p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	v.Report() // fails if it has said "error", as it does at the first EINTR
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true, Working: true})
	v.Quit()
}

// TestNoEINTRFromIgnored: while a process is traced, the kernel queues signals for it that
// it ignores. They end no system call of its threads, nor does one that is handled end
// those of threads that do not handle it. The kernel itself lets a few through: a signal
// may be queued and taken by another thread at any time.
func TestNoEINTRFromIgnored(t *testing.T) {
	for _, args := range [][]string{{"17"}, {"28"}, {"10", "handled"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, "sigrain.c", testutils.CDynamic), args...)
			eintr := func() uint64 { return uint64(v.Report().Info["eintr"]) }
			spell := func(do func()) uint64 {
				before := eintr()
				for range eintrCycles() {
					do()
					time.Sleep(10 * time.Millisecond)
				}
				return eintr() - before
			}
			alone := spell(func() {})
			hooked := spell(func() {
				if err := countAll(t, v.PID(), executable).p.Close(); err != nil {
					t.Fatal(err)
				}
			})
			t.Logf("%d alone, %d with %d attaches", alone, hooked, eintrCycles())
			if hooked > alone+uint64(eintrCycles()) {
				t.Errorf("system calls were interrupted %d times, without hooks %d times", hooked, alone)
			}
			v.Run(5)
			v.Quit()
		})
	}
}

// TestSeccompIsRefused: nothing is tried that a filter could kill for.
func TestSeccompIsRefused(t *testing.T) {
	for _, c := range []exactCase{
		{"strict_seccomp.c", testutils.CDynamic, nil},
		{"filter_seccomp.c", testutils.CDynamic, []string{"kill", "mmap", "memfd_create"}},
		{"filter_seccomp.c", testutils.CDynamic, []string{"errno", "all"}},
	} {
		t.Run(c.source+strings.Join(c.args, " "), func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, c.source, c.variant), c.args...)
			before := testutils.TakeSnapshot(t, v.PID())
			p := attach(t, v.PID())
			_, err := trampoline.Count(context.Background(), p, sitesOf(t, p, executable(p)))
			if !errors.Is(err, hook.ErrSeccomp) {
				t.Errorf("counting: %v, want ErrSeccomp", err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
			v.Run(5)
			v.Quit()
		})
	}
}

// TestSeccompTried: a filter that answers with an error makes a clean failure,
// one that does not mind makes none.
func TestSeccompTried(t *testing.T) {
	for args, wantOK := range map[string]bool{"errno memfd_create": false, "errno mprotect": true, "trap memfd_create": false} {
		t.Run(args, func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, "filter_seccomp.c", testutils.CDynamic), strings.Fields(args)...)
			before := testutils.TakeSnapshot(t, v.PID())
			p, err := hook.Attach(context.Background(), v.PID(), &hook.AttachOptions{TrySeccomp: true, Logger: logTo(t)})
			if err != nil {
				t.Fatal(err)
			}
			_, err = trampoline.Count(context.Background(), p, sitesOf(t, p, executable(p)))
			if (err == nil) != wantOK {
				t.Errorf("counting: %v", err)
			}
			v.Run(5)
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
			v.Quit()
		})
	}
}

// TestTargetExits: the target ends at any moment of attaching, counting and
// detaching; that is an outcome, and never a wait.
func TestTargetExits(t *testing.T) {
	binary := testutils.Build(t, "exiter.c", testutils.CDynamic)
	for i := range 40 {
		v := testutils.Start(t, binary, "60000", fmt.Sprint(i), "3")
		v.MayExit()
		v.Send("start")
		start := time.Now()
		err := attachOnce(t, v.PID())
		if err != nil && !errors.Is(err, hook.ErrExited) {
			t.Errorf("round %d: %v, want ErrExited or none", i, err)
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("round %d took %v", i, d)
		}
	}
}

// TestTargetExecs: the target becomes another program at any moment; that
// program is left alone.
func TestTargetExecs(t *testing.T) {
	binary := testutils.Build(t, "execer.c", testutils.CDynamic)
	for i := range 20 {
		v := testutils.Start(t, binary, "60000", fmt.Sprint(i))
		v.Do("start", "started")
		err := attachOnce(t, v.PID())
		if err != nil && !errors.Is(err, hook.ErrExeced) && !errors.Is(err, hook.ErrExited) {
			t.Errorf("round %d: %v, want ErrExeced or none", i, err)
		}
		v.Until(fmt.Sprintf("ready %d", v.PID()))
		if ours := testutils.TakeSnapshot(t, v.PID()).Ours(); len(ours) > 0 {
			t.Errorf("round %d: left in the new program: %v", i, ours)
		}
		v.Run(5)
		v.Quit()
	}
}

// attachOnce attaches, counts for a moment, and detaches.
func attachOnce(t *testing.T, pid int) error {
	t.Helper()
	p, err := hook.Attach(context.Background(), pid, nil)
	if err != nil {
		return err
	}
	defer p.Close()
	funcs, err := p.Executable().Functions()
	if err != nil {
		return err
	}
	var sites []hook.Site
	for _, f := range funcs {
		if st, err := f.Site(); err == nil {
			sites = append(sites, st)
		}
	}
	c, err := trampoline.Count(context.Background(), p, sites)
	if err != nil {
		return err
	}
	time.Sleep(20 * time.Millisecond)
	c.Read()
	return p.Close()
}
