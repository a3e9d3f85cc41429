package trampoline_test

import (
	"context"
	"errors"
	"testing"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

// TestManyCountersOfAll attaches counters to all functions until there is no memory
// for more, which is an error that leaves the others as they are.
func TestManyCountersOfAll(t *testing.T) {
	for _, variant := range []testutils.Variant{testutils.CStatic, testutils.Go} {
		t.Run(variant.Name, func(t *testing.T) {
			source := map[string]string{"go": "count.go"}[variant.Name]
			if source == "" {
				source = "count.c"
			}
			v := testutils.Start(t, testutils.Build(t, source, variant), "4")
			v.Run(1)
			p := attach(t, v.PID())
			sites := sitesOf(t, p, executable(p))
			start := v.Report()
			var counters []*trampoline.Counter
			for {
				c, err := trampoline.Count(context.Background(), p, sites)
				if errors.Is(err, hook.ErrFull) {
					t.Logf("counter %d: %v", len(counters)+1, err)
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if counters = append(counters, c); len(counters) == 200 {
					t.Fatal("there is no end")
				}
			}
			if len(counters) < 2 {
				t.Errorf("only %d counters found room", len(counters))
			}
			v.Run(3)
			made := v.Report().Since(start)
			for _, c := range counters {
				requireTruth(t, hooked{p, c}.counts(), made)
			}
			if err := counters[0].Close(); err != nil {
				t.Error(err)
			}
			if err := mustCount(t, p, sites).Close(); err != nil {
				t.Error(err)
			}
			v.Run(3)
			made = v.Report().Since(start)
			for _, c := range counters[1:] {
				requireTruth(t, hooked{p, c}.counts(), made)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			v.Run(3)
			v.Quit()
		})
	}
}
