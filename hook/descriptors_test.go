package hook

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/functap/functap/internal/symbols"
	"github.com/functap/functap/internal/testutils"
)

// descriptors counts this process's own.
func descriptors(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// TestNoDescriptorIsKept: attaching, hooking and closing leaves the tracer's
// own process as it was.
func TestNoDescriptorIsKept(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "1")
	before := descriptors(t)
	for range 5 {
		p, err := Attach(context.Background(), v.PID(), nil)
		if err != nil {
			t.Fatal(err)
		}
		hookAll(t, p)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	testutils.Eventually(t, 5*time.Second, "all descriptors are closed", func() error {
		if now := descriptors(t); now > before {
			return fmt.Errorf("%d, before it were %d", now, before)
		}
		return nil
	})
	v.Quit()
}

// TestOtherBuild: two programs have other build-ids, one and the same has not.
func TestOtherBuild(t *testing.T) {
	open := func(v testutils.Variant) *symbols.Module {
		m, err := symbols.Open(testutils.Build(t, "count.c", v))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.Close() })
		return m
	}
	a, again, b := open(testutils.CDynamic), open(testutils.CDynamic), open(testutils.CET)
	if !otherBuild(a, b) {
		t.Errorf("%x and %x are the same build", a.BuildID(), b.BuildID())
	}
	if otherBuild(a, again) {
		t.Errorf("%x is another build than itself", a.BuildID())
	}
}
