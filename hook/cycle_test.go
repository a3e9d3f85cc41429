package hook

import (
	"context"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// TestMeasureCycles hooks and unhooks a program at work.
func TestMeasureCycles(t *testing.T) {
	for _, source := range []string{"gsuser.c", "count.c"} {
		t.Run(source, func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, source, testutils.CDynamic), "4")
			v.Run(1)
			before := testutils.TakeSnapshot(t, v.PID())
			frames := 0
			for i := range testutils.Repeat(20, 1000) {
				v.StartLoad()
				p, err := Attach(context.Background(), v.PID(), nil)
				if err != nil {
					t.Fatal(err)
				}
				hookAll(t, p).measure(t)
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
				frames += p.Cleaned().Frames
				if !v.Running() {
					t.Fatalf("cycle %d: %s", i, v.Stderr())
				}
				v.StopLoad()
			}
			t.Logf("%d running functions returned to their callers", frames)
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
			v.Quit()
		})
	}
}
