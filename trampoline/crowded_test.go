package trampoline_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

func executables() []testutils.Variant {
	return []testutils.Variant{testutils.CPIE, testutils.CNoPIE, testutils.CStatic, testutils.CStaticPIE}
}

// TestNoNearMemory: the one hole within reach is found, wherever it is, and it is
// an error if there is none.
func TestNoNearMemory(t *testing.T) {
	for _, variant := range executables() {
		for _, hole := range []struct {
			kib, mib int
			want     error
		}{
			{0, 0, hook.ErrNoNearMemory},
			{64, 100, hook.ErrNoNearMemory}, // too small
			{512, 100, nil},
			{512, 1980, nil},
			{512, 2060, hook.ErrNoNearMemory}, // too far
			{512, -100, nil},
			{512, -1980, nil},
			{512, -2060, hook.ErrNoNearMemory},
		} {
			if hole.mib < 0 && (variant.Name == testutils.CNoPIE.Name || variant.Name == testutils.CStatic.Name) {
				continue // there is nothing below 4 MiB
			}
			t.Run(fmt.Sprintf("%s %d KiB at %d MiB", variant.Name, hole.kib, hole.mib), func(t *testing.T) {
				v := testutils.Start(t, testutils.Build(t, "crowded.c", variant))
				v.Do(fmt.Sprintf("fill %d %d", hole.kib, hole.mib), "ok")
				before := testutils.TakeSnapshot(t, v.PID())
				p := attach(t, v.PID())
				start := v.Report()
				c, err := trampoline.Count(context.Background(), p, some(t, p, "work_fib", "work_sum", "work_half"))
				if !errors.Is(err, hole.want) {
					t.Fatalf("counting: %v, want %v", err, hole.want)
				}
				v.Run(10)
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
				if c != nil {
					requireTruth(t, hooked{p, c}.counts(), v.Report().Since(start))
				}
				testutils.RequireEqual(t, before, testutils.DiffOptions{})
				v.Quit()
			})
		}
	}
}

// TestGrowthAfterHooking: a heap that grows by 1 GiB and a stack that grows to its
// limit find their room when everything is hooked.
// The heap does not exist yet, and begins right behind the program, since
// addresses are not random; in the second case there is no room but where it is
// going to be.
func TestGrowthAfterHooking(t *testing.T) {
	for _, variant := range executables() {
		for _, fill := range []string{"", "fill 2000000 1"} {
			t.Run(variant.Name+" "+fill, func(t *testing.T) {
				for _, hook := range []bool{false, true} {
					v := testutils.Start(t, testutils.Program(t, "setarch", "util-linux"), "-R", testutils.Build(t, "crowded.c", variant))
					if fill != "" {
						v.Do(fill, "ok")
					}
					if hook {
						countAll(t, v.PID(), executable)
					}
					v.Do("grow 900", "ok")
					v.Do("deep 7500", "ok")
					v.Run(5)
					v.Quit()
				}
			})
		}
	}
}
