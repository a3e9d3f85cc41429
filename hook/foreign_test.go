package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// poke writes into a victim's text, as another tool would, and returns what
// was there.
func poke(t *testing.T, pid int, addr uint64, b ...byte) []byte {
	t.Helper()
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	old := make([]byte, len(b))
	if _, err := f.ReadAt(old, int64(addr)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(b, int64(addr)); err != nil {
		t.Fatal(err)
	}
	return old
}

// TestForeignBytes: a function whose bytes are not the file's is left alone, by
// name of the reason, and stays as somebody else has made it.
func TestForeignBytes(t *testing.T) {
	for _, c := range []struct {
		offset uint64 // into work_leaf
		bytes  []byte
		want   Refusal
	}{
		{0, []byte{0xcc}, RefusedForeignPatch},
		{0, []byte{0xe9, 1, 2, 3, 4}, RefusedForeignPatch},
		{2, []byte{0xcc}, RefusedBytesDiffer},
		{0, []byte{0x0f, 0x0b}, RefusedBytesDiffer},
	} {
		t.Run(fmt.Sprintf("% x at %d", c.bytes, c.offset), func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "2")
			before := testutils.TakeSnapshot(t, v.PID())
			p := attachTo(t, v.PID())
			site := p.siteOf(t, "work_leaf")
			was := poke(t, v.PID(), site.Addr()+c.offset, c.bytes...)
			pt, err := p.Patch(context.Background(), []Site{site, p.siteOf(t, "work_tail")})
			if err != nil {
				t.Fatal(err)
			}
			if len(pt.Slots) != 1 || len(pt.Refused) != 1 || pt.Refused[0].Reason != c.want || pt.Refused[0].Function != "work_leaf" {
				t.Errorf("%d slots, refused %v, want one each and %s", len(pt.Slots), pt.Refused, c.want)
			}
			p.mustClose(t)
			if now := poke(t, v.PID(), site.Addr()+c.offset, was...); !bytes.Equal(now, c.bytes) {
				t.Errorf("the other tool's bytes became % x", now)
			}
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
			v.Run(5)
			v.Quit()
		})
	}
}

// TestClobbered: somebody writes over a patch. Detaching restores everything
// else, leaves that and what it may need, says so, and can be done again.
func TestClobbered(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "2")
	before := testutils.TakeSnapshot(t, v.PID())
	p := attachTo(t, v.PID())
	pt := hookAll(t, p)
	pt.count(t)
	site := pt.find(t, "work_leaf").Site()
	was := poke(t, v.PID(), site.Addr(), 0xcc)
	for range 2 {
		err := p.Close()
		if !errors.Is(err, ErrDraining) || !strings.Contains(err.Error(), "CLOBBERED") || !strings.Contains(err.Error(), fmt.Sprintf("%#x", site.Addr())) {
			t.Fatalf("closing: %v, want ErrDraining with CLOBBERED and the address", err)
		}
		if !v.Running() {
			t.Fatal("the victim has died")
		}
		st, err := Inspect(v.PID())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range st.Sessions[0].Sites {
			if want := map[bool]SiteState{true: SiteClobbered, false: SiteOriginal}[s.Addr == site.Addr()]; s.State != want {
				t.Errorf("%s is %s, want %s", s.Function.Name(), s.State, want)
			}
		}
	}
	poke(t, v.PID(), site.Addr(), was...)
	v.Run(1) // through what has been left
	p.mustClose(t)
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Run(5)
	v.Quit()
}

// TestWindowTaken: a site whose bytes a patched one has overwritten already.
// The planner never gives two functions the same bytes, so it is made here.
func TestWindowTaken(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "window.c", testutils.CDynamic), "2")
	p := attachTo(t, v.PID())
	site := p.siteOf(t, "w_long")
	p.mustPatch(t, site)
	inner := *site.Function
	sym := *inner.sym
	sym.Name, sym.Addr, inner.sym = "inner", sym.Addr+4, &sym
	overlapping := site
	overlapping.Function, overlapping.plan.Site = &inner, site.plan.Site+4
	pt, err := p.Patch(context.Background(), []Site{overlapping})
	if err != nil {
		t.Fatal(err)
	}
	if len(pt.Refused) != 1 || pt.Refused[0].Reason != RefusedWindowTaken || !strings.Contains(pt.Refused[0].Detail, "w_long") {
		t.Errorf("refused %v, want %s", pt.Refused, RefusedWindowTaken)
	}
	p.mustClose(t)
	v.Run(5)
	v.Quit()
}

// TestOutOfReach: the first instruction of one function cannot reach from any place
// that is free what it refers to. That one is refused, the others are not.
func TestOutOfReach(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "window.c", testutils.CDynamic), "2")
	before := testutils.TakeSnapshot(t, v.PID())
	p := attachTo(t, v.PID())
	pt, err := p.Patch(context.Background(), []Site{p.siteOf(t, "w_far"), p.siteOf(t, "w_long")})
	if err != nil {
		t.Fatal(err)
	}
	if len(pt.Slots) != 1 || len(pt.Refused) != 1 || pt.Refused[0].Function != "w_far" || pt.Refused[0].Reason != "RELOC_RANGE" {
		t.Errorf("%d slots, refused %v, want w_far refused for RELOC_RANGE", len(pt.Slots), pt.Refused)
	}
	v.Run(5)
	p.mustClose(t)
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}
