package hook

import (
	"context"
	"fmt"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// TestInspectHits: what is seen from outside equals the victim's own counts,
// for functions counted or measured, in areas and in shared cells.
func TestInspectHits(t *testing.T) {
	for _, c := range []struct {
		source, function string
		args             []string
		measured         bool
	}{
		{"count.c", "work_leaf", []string{"8"}, false}, {"gsuser.c", "work_sum", nil, false},
		{"count.c", "work_tailed", []string{"8"}, true}, {"gsuser.c", "work_sum", nil, true},
	} {
		t.Run(fmt.Sprint(c.source, " ", c.measured), func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, c.source, testutils.CDynamic), c.args...)
			p, err := Attach(context.Background(), v.PID(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			start := v.Report()
			if pt := hookAll(t, p); c.measured {
				pt.measure(t)
			} else {
				pt.count(t)
			}
			v.Run(30)
			made := v.Report().Since(start)
			st, err := Inspect(v.PID())
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, site := range st.Sessions[0].Sites {
				if site.Function == nil || site.Function.Name() != c.function {
					continue
				}
				found = true
				if site.Users != 1 || site.Hits != made[c.function] {
					t.Errorf("%s: %d users, %d hits; the victim made %d calls", c.function, site.Users, site.Hits, made[c.function])
				}
			}
			if !found {
				t.Errorf("%s is not among the sites", c.function)
			}
			v.Quit()
		})
	}
}
