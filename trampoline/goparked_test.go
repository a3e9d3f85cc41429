package trampoline_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

// countMain attaches and counts the functions of package main.
func countMain(t *testing.T, pid int) (hooked, []hook.Pause) {
	t.Helper()
	p, err := hook.Attach(context.Background(), pid, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	var sites []hook.Site
	for _, st := range sitesOf(t, p, executable(p)) {
		if strings.HasPrefix(st.Function.Name(), "main.") {
			sites = append(sites, st)
		}
	}
	c, err := trampoline.Count(context.Background(), p, sites)
	if err != nil {
		t.Fatal(err)
	}
	return hooked{p, c}, p.Pauses()
}

// patchStops is how many stops were for writing text.
func patchStops(pauses []hook.Pause) int {
	n := 0
	for _, p := range pauses {
		if p.Why == "patch" {
			n++
		}
	}
	return n
}

// countsSince are the calls that are counted between two readings.
func countsSince(after, before map[string]uint64) map[string]uint64 {
	out := map[string]uint64{}
	for name, n := range after {
		out[name] = n - before[name]
	}
	return out
}

// TestParkedGoroutines attaches and detaches again and again while goroutines wait
// inside the bytes that are overwritten. One that was overlooked crashes the victim.
func TestParkedGoroutines(t *testing.T) {
	for _, variant := range testutils.GoVariants() {
		t.Run(variant.Name, func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, "parked.go", variant), "50")
			v.StartLoad()
			deferred, refused := 0, 0
			for i := range testutils.Repeat(40, 300) {
				h, pauses := countMain(t, v.PID())
				if patchStops(pauses) > 1 {
					deferred++
				}
				for _, r := range h.c.Refused() {
					if r.Reason != hook.RefusedGoParked {
						t.Error(r)
					}
					refused++
				}
				if i%10 == 0 {
					requireExactUnderLoad(t, v, h)
				}
				if err := h.p.Close(); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("goroutines were in the way of %d attachments, and stayed in %d functions", deferred, refused)
			if deferred == 0 {
				t.Error("no goroutine was ever in the way: the test shows nothing")
			}
			v.StopLoad()
			v.Run(10)
			v.Quit()
		})
	}
}

// requireExactUnderLoad compares counts over a while of load, hooked under load
// before that.
func requireExactUnderLoad(t *testing.T, v *testutils.Victim, h hooked) {
	t.Helper()
	v.StopLoad()
	truth, before := v.Report(), h.counts()
	v.StartLoad()
	time.Sleep(20 * time.Millisecond)
	v.StopLoad()
	made := v.Report().Since(truth)
	for _, r := range h.c.Refused() {
		delete(made, r.Function)
	}
	requireTruth(t, countsSince(h.counts(), before), made)
	v.StartLoad()
}

// TestParkedGoroutinesStay: a function in which there always is a goroutine is
// refused, with that goroutine's number; when it has left, the function is hooked.
func TestParkedGoroutinesStay(t *testing.T) {
	for _, variant := range testutils.GoVariants() {
		t.Run(variant.Name, func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, "parked.go", variant), "200", "hot")
			v.StartLoad()
			time.Sleep(3 * time.Second) // until each had its turn
			h, pauses := countMain(t, v.PID())
			var refused []string
			for _, r := range h.c.Refused() {
				refused = append(refused, r.Function)
				if r.Reason != hook.RefusedGoParked || !strings.Contains(r.Detail, "goroutine ") {
					t.Errorf("refused: %v", r)
				}
				t.Log(r)
			}
			if len(refused) != 1 || refused[0] != "main.workQuotient" {
				t.Errorf("refused %v after %d stops, want main.workQuotient", refused, patchStops(pauses))
			}
			v.StopLoad()
			if err := h.p.Close(); err != nil {
				t.Fatal(err)
			}
			before := v.Report()
			h, _ = countMain(t, v.PID())
			v.Run(1)
			requireTruth(t, h.counts(), v.Report().Since(before))
			if err := h.p.Close(); err != nil {
				t.Fatal(err)
			}
			v.Quit()
		})
	}
}
