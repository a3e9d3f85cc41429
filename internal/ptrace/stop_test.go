package ptrace

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/functap/functap/internal/testutils"
)

func TestMain(m *testing.M) { testutils.Main(m) }

func newTracer(t testing.TB) *Tracer {
	t.Helper()
	tr, err := NewTracer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	})
	return tr
}

func plain(t testing.TB) testutils.Variant { t.Helper(); return testutils.CVariants()[0] }

// mustStop stops the target and fails the test if that fails.
func mustStop(t testing.TB, tr *Tracer, pid int, fn func(*Stop) error) Report {
	t.Helper()
	r, err := tr.Stop(context.Background(), pid, StopOptions{}, fn)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func nothing(*Stop) error { return nil }

func TestNoEINTR(t *testing.T) {
	cycles := 50
	if testing.Short() {
		cycles = 10
	}
	tr := newTracer(t)
	v := testutils.Start(t, testutils.Build(t, "eintr.c", plain(t)))
	rewound := 0
	for range cycles {
		rewound += mustStop(t, tr, v.PID(), nothing).Rewound
		time.Sleep(5 * time.Millisecond)
	}
	if rewound < 10*cycles {
		t.Errorf("%d system calls rewound in %d stops", rewound, cycles)
	}
	v.Quit()
}

func TestErrorOfFunction(t *testing.T) {
	tr := newTracer(t)
	v := testutils.Start(t, testutils.Build(t, "count.c", plain(t)))
	want := errors.New("mine")
	if _, err := tr.Stop(context.Background(), v.PID(), StopOptions{}, func(*Stop) error { return want }); err != want {
		t.Errorf("got %v", err)
	}
	v.Run(1)
}
