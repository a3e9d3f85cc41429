package hook

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// afterMap is a log that calls f when memory was mapped into the target.
type afterMap struct {
	slog.Handler
	f func()
}

func (h afterMap) Enabled(context.Context, slog.Level) bool { return true }

func (h afterMap) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "why" && a.Value.String() == "map" {
			h.f()
		}
		return true
	})
	return nil
}

// TestFailedPatches: a patch that is given up changes no function, and leaves
// nothing that the next one cannot use.
func TestFailedPatches(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CStatic), "4")
	v.Run(1)
	before := testutils.TakeSnapshot(t, v.PID())
	v.StartLoad()
	ctx, cancel := context.WithCancel(context.Background())
	log := slog.New(afterMap{slog.DiscardHandler, cancel})
	p, err := Attach(context.Background(), v.PID(), &AttachOptions{Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	funcs, err := p.Executable().Functions()
	if err != nil {
		t.Fatal(err)
	}
	var sites []Site
	for _, f := range funcs {
		if st, err := f.Site(); err == nil {
			sites = append(sites, st)
		}
	}
	for i := range 10 {
		if pt, err := p.Patch(ctx, sites); err == nil {
			t.Fatalf("patch %d went well: %d functions", i, len(pt.Slots))
		} else if i == 0 && !errors.Is(err, context.Canceled) {
			t.Fatalf("patching: %v, want context.Canceled", err)
		}
		p.opts.MaxPause = 1 // stops the next ones
	}
	p.opts.MaxPause = 0
	st, err := Inspect(v.PID())
	if err != nil {
		t.Fatal(err)
	}
	for _, site := range st.Sessions[0].Sites {
		if site.State != SiteOriginal {
			t.Errorf("%s is %s", site.Function.Name(), site.State)
		}
	}
	p.mustPatch(t, sites...).count(t)
	maps := 0
	for _, pause := range p.Pauses() {
		if pause.Why == "map" {
			maps++
		}
	}
	if maps != 1 {
		t.Errorf("mapped %d times for %d functions, want once", maps, len(sites))
	}
	p.mustClose(t)
	v.StopLoad()
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Run(5)
	v.Quit()
}
