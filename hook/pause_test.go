package hook

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/functap/functap/internal/testutils"
)

// TestMaxPause: a pause that cannot be kept changes nothing, and does not
// keep a detach from being made.
func TestMaxPause(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "200")
	before := testutils.TakeSnapshot(t, v.PID())
	p, err := Attach(context.Background(), v.PID(), &AttachOptions{MaxPause: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	sites, _, err := p.Sites(Match{Include: []string{"work_*"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Patch(context.Background(), sites); !errors.Is(err, ErrPauseTooLong) {
		t.Errorf("Patch: %v, want ErrPauseTooLong", err)
	}
	for _, text := range testutils.TakeSnapshot(t, v.PID()).Text {
		if len(text.Differs) > 0 {
			t.Errorf("text was changed at %#x", text.Differs[0])
		}
	}
	p.opts.MaxPause = time.Second
	if _, err := p.Patch(context.Background(), sites); err != nil {
		t.Fatal(err)
	}
	p.opts.MaxPause = time.Nanosecond
	if err := p.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}
