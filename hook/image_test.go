package hook

import (
	"context"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// TestTextMappedTwice: a second mapping of a part of the text is an image of
// its own, with the functions of that part and no others.
func TestTextMappedTwice(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "twice.c", testutils.CDynamic))
	p, err := Attach(context.Background(), v.PID(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	seen := 0
	for im := range p.Images() {
		if im.Path != p.Executable().Path {
			continue
		}
		seen++
		funcs, err := im.Functions()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range funcs {
			if !im.maps(f.Addr() - im.Base()) {
				t.Errorf("%s at %#x is in no mapping of the image at %#x", f.Name(), f.Addr(), im.Base())
			}
		}
		var sites []Site
		for _, f := range funcs {
			if st, err := f.Site(); err == nil {
				sites = append(sites, st)
			}
		}
		pt, err := p.Patch(context.Background(), sites)
		if err != nil {
			t.Fatal(err)
		}
		if len(pt.Refused) > 0 {
			t.Errorf("%d refused, first: %v", len(pt.Refused), pt.Refused[0])
		}
	}
	if seen != 2 {
		t.Errorf("%d images of the program", seen)
	}
	v.Quit()
}
