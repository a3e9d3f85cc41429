package hook

import (
	"context"
	"errors"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// TestForcedRecoverIsNoticed: whose hooks were taken out by force learns of it.
func TestForcedRecoverIsNoticed(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "2")
	before := testutils.TakeSnapshot(t, v.PID())
	p, err := Attach(context.Background(), v.PID(), nil)
	if err != nil {
		t.Fatal(err)
	}
	pt := hookAll(t, p)
	got, err := Recover(context.Background(), v.PID(), &RecoverOptions{Force: true})
	if err != nil || got.Sites != len(pt.Slots) {
		t.Errorf("recovered %+v, %v; want %d functions", got, err, len(pt.Slots))
	}
	v.Run(5)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if n := p.Cleaned().Removed; n != len(pt.Slots) {
		t.Errorf("Removed is %d, want %d", n, len(pt.Slots))
	}
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})

	if p, err = Attach(context.Background(), v.PID(), nil); err != nil {
		t.Fatal(err)
	}
	hookAll(t, p)
	if err := p.Close(); err != nil || p.Cleaned().Removed != 0 {
		t.Errorf("an undisturbed session: %v, %+v", err, p.Cleaned())
	}
	v.Quit()
}

// TestLookChangesNothing: beside a live session it is no error, and it cannot
// patch.
func TestLookChangesNothing(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "1")
	p, err := Attach(context.Background(), v.PID(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	pt := hookAll(t, p)
	look, err := Attach(context.Background(), v.PID(), &AttachOptions{Look: true})
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close()
	sites, _, err := look.Sites(Match{Include: []string{"work_leaf"}})
	if err != nil || len(sites) != 1 {
		t.Errorf("%d sites, %v", len(sites), err)
	}
	if _, err := look.Patch(context.Background(), sites); !errors.Is(err, ErrLookOnly) {
		t.Errorf("Patch: %v, want ErrLookOnly", err)
	}
	if err := look.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil || p.Cleaned().Sites != len(pt.Slots) {
		t.Errorf("%v, %+v; want %d functions restored", err, p.Cleaned(), len(pt.Slots))
	}
	v.Quit()
}
