package hook

import (
	"context"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

func TestHasCall(t *testing.T) {
	for _, c := range []struct {
		name string
		code []byte
		want bool
	}{
		{"push; sub", []byte{0x55, 0x48, 0x83, 0xec, 0x10}, false},
		{"sub; call rel32", []byte{0x48, 0x83, 0xec, 0x08, 0xe8, 0, 0, 0, 0}, true},
		{"call *rax", []byte{0xff, 0xd0}, true},
		{"jmp rel32", []byte{0xe9, 0, 0, 0, 0}, false},
	} {
		if got := hasCall(c.code); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestTakenBytes: a site that would overwrite bytes of a patched one, or of
// another new one, is refused; the planner's own choices never overlap.
func TestTakenBytes(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "1")
	p, err := Attach(context.Background(), v.PID(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	sites, _, err := p.Sites(Match{Include: []string{"work_*"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, by := range p.taken(sites) {
		if by != "" {
			t.Errorf("%s overlaps %s", sites[i].Function.Name(), by)
		}
	}
	moved := sites[0]
	moved.plan.Site += 3
	if by := p.taken([]Site{sites[0], moved}); by[1] != sites[0].Function.Name() {
		t.Errorf("two new sites that overlap: %q", by)
	}
	if _, err := p.Patch(context.Background(), sites[:1]); err != nil {
		t.Fatal(err)
	}
	if by := p.taken([]Site{moved}); by[0] != sites[0].Function.Name() {
		t.Errorf("a new site over a patched one: %q", by)
	}
	v.Quit()
}
