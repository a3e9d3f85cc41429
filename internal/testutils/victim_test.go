package testutils

import (
	"fmt"
	"testing"
	"time"
)

// perRound is how often one round of count.c calls each function, where that does not
// depend on random numbers.
var perRound = map[string]uint64{
	"work_leaf": 2, "work_recursive": 41, "work_tail": 2, "work_tailed": 2,
	"work_varargs": 1, "work_many_args": 1, "work_struct": 1, "work_big_struct": 1,
	"work_longdouble": 1, "work_doubles": 1, "work_static": 2, "work_setjmp": 1,
	"work_longjmp": 1, "work_switch": 1, "work_memory": 1, "work_nested": 1,
	"work_tiny_ret": 1, "work_tiny_mov": 1, "work_tiny_zero": 1, "work_riprel": 1,
	"work_ripimm": 1, "work_jccfirst": 1, "work_jcc8": 1, "work_callfirst": 1,
	"work_called": 1, "work_jmpfirst": 1, "work_jumped": 1, "work_selfloop": 3,
	"work_msabi": 1, "work_chain": 1,
}

func requirePerRound(t *testing.T, got map[string]uint64, rounds int) {
	t.Helper()
	for name, n := range perRound {
		if want := n * uint64(rounds); got[name] != want {
			t.Errorf("%s: %d calls, want %d", name, got[name], want)
		}
	}
	if pointers := got["work_pointer_a"] + got["work_pointer_b"]; pointers != uint64(rounds) {
		t.Errorf("work_pointer_a and _b: %d calls, want %d", pointers, rounds)
	}
}

func TestCountVariants(t *testing.T) {
	for _, variant := range CVariants() {
		t.Run(variant.Name, func(t *testing.T) {
			v := Start(t, Build(t, "count.c", variant), "8")
			before := v.Report()
			snapshot := TakeSnapshot(t, v.PID())
			v.Run(250)
			requirePerRound(t, v.Report().Since(before), 8*250)
			RequireEqual(t, snapshot, DiffOptions{AllowGrowth: true})
			v.Quit()
		})
	}
}

func TestCountThreads(t *testing.T) {
	binary := Build(t, "count.c", CDynamic)
	for _, threads := range []int{1, 8, 200} {
		for _, churn := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d churn=%v", threads, churn), func(t *testing.T) {
				args := []string{fmt.Sprint(threads)}
				if churn {
					args = append(args, "--churn")
				}
				v := Start(t, binary, args...)
				v.Run(20)
				requirePerRound(t, v.Report().Count, threads*20)
				v.Quit()
			})
		}
	}
}

// While signals come, the counts of the calls that handlers make are known too.
func TestCountSignals(t *testing.T) {
	for _, variant := range []Variant{CDynamic, CMuslStatic} {
		t.Run(variant.Name, func(t *testing.T) {
			v := Start(t, Build(t, "count.c", variant), "2", "--sig", "20000", "--altstack")
			v.StartLoad()
			time.Sleep(300 * time.Millisecond)
			v.StopLoad()
			r := v.Report()
			if r.Info["handled"] < 100 {
				t.Errorf("%d signals handled in 0.3 s at 20 kHz", r.Info["handled"])
			}
			// Every round makes one call of work_nested, which handlers never make.
			rounds := r.Count["work_nested"]
			if got, want := r.Count["work_leaf"], 2*rounds+r.Info["handled"]; got != want {
				t.Errorf("work_leaf: %d calls, want %d", got, want)
			}
			if got, want := r.Count["work_recursive"], 41*rounds+5*r.Info["handled"]; got != want {
				t.Errorf("work_recursive: %d calls, want %d", got, want)
			}
			if again := v.Report(); again.Count["work_leaf"] != r.Count["work_leaf"] {
				t.Error("counts change in a stopped victim")
			}
			v.Quit()
		})
	}
}

func TestUnprivilegedVictim(t *testing.T) {
	u := AsUser(t)
	v := StartAs(t, u, Build(t, "count.c", CDynamic), "2")
	text := RunProgram(t, u, Command{Path: Program(t, "cat", "coreutils"), Args: []string{fmt.Sprintf("/proc/%d/status", v.PID())}})
	if uid := statusFields(text)["Uid"]; uid != fmt.Sprintf("%d\t%d\t%d\t%d", u.UID, u.UID, u.UID, u.UID) {
		t.Errorf("the victim's user ids are %q", uid)
	}
	v.Run(10)
	requirePerRound(t, v.Report().Count, 20)
	v.Quit()
}
