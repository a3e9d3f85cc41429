package hook

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// loaded is dlopen.c with a plugin, and where plugin_work is.
type loaded struct {
	*testutils.Victim
	at uint64
}

func (l *loaded) load(t *testing.T, plugin string, factor int) {
	t.Helper()
	l.Do(fmt.Sprintf("load %s %d", testutils.Build(t, plugin, testutils.CShared), factor), "ok")
	at := l.Report().Info["plugin_work_at"]
	if l.at != 0 && at != l.at {
		t.Fatalf("the plugin is at %#x, not in the first one's place %#x: the test shows nothing", at, l.at)
	}
	l.at = at
	l.Do("call 10", "ok")
}

func (l *loaded) unload() { l.Do("unload", "ok") }

// pluginSites are plugin_work's, which is the same in both plugins, and
// plugin_helper's, which is not.
func (l *loaded) pluginSites(t *testing.T, p *Process) []Site {
	t.Helper()
	for im := range p.Images() {
		if l.at < im.start || l.at >= im.end {
			continue
		}
		funcs, err := im.Functions()
		if err != nil {
			t.Fatal(err)
		}
		var sites []Site
		for _, f := range funcs {
			if st, err := f.Site(); err == nil && slices.Contains([]string{"plugin_work", "plugin_helper"}, f.Name()) {
				sites = append(sites, st)
			}
		}
		if len(sites) != 2 {
			t.Fatalf("%d of 2 functions can be hooked", len(sites))
		}
		return sites
	}
	t.Fatal("the plugin is no image of the process")
	return nil
}

// TestUnloadedWhileHooked: a library with hooked functions goes, and another one
// may take its place, before the detach or the recovery. What is there then is not ours.
func TestUnloadedWhileHooked(t *testing.T) {
	for _, next := range []string{"", "plugin_b.c", "plugin_a.c"} {
		for _, recovered := range []bool{false, true} {
			t.Run(fmt.Sprintf("next %s recovered %v", next, recovered), func(t *testing.T) {
				l := &loaded{Victim: testutils.Start(t, testutils.Build(t, "dlopen.c", testutils.CDynamic))}
				l.load(t, "plugin_a.c", 5)
				p := attachTo(t, l.PID())
				pt := hookAll(t, p)
				pt.count(t)
				cells := p.mustPatch(t, l.pluginSites(t, p)...).count(t)
				l.Do("call 10", "ok")
				if n := cells["plugin_work"].Read(); n != 10 {
					t.Errorf("counted %d calls, the victim made 10", n)
				}
				l.unload()
				if next != "" {
					l.load(t, next, map[string]int{"plugin_a.c": 5, "plugin_b.c": 9}[next])
				}
				if recovered {
					if _, err := Recover(context.Background(), l.PID(), &RecoverOptions{Force: true}); err != nil {
						t.Fatal(err)
					}
				}
				p.mustClose(t)
				if ours := testutils.TakeSnapshot(t, l.PID()).Ours(); len(ours) > 0 {
					t.Errorf("left: %v", ours)
				}
				if next != "" {
					l.Do("call 10", "ok")
				}
				l.Run(5)
				l.Quit()
			})
		}
	}
}

// TestUnloadedBeforePatch: a library goes between Attach and Patch.
func TestUnloadedBeforePatch(t *testing.T) {
	for _, next := range []string{"", "plugin_b.c"} {
		t.Run("next "+next, func(t *testing.T) {
			l := &loaded{Victim: testutils.Start(t, testutils.Build(t, "dlopen.c", testutils.CDynamic))}
			l.load(t, "plugin_a.c", 5)
			p := attachTo(t, l.PID())
			sites := l.pluginSites(t, p)
			l.unload()
			if next != "" {
				l.load(t, next, 9)
			}
			pt, err := p.Patch(context.Background(), append(sites, p.siteOf(t, "work_fib")))
			if err != nil {
				t.Fatal(err)
			}
			if len(pt.Slots) != 1 || len(pt.Refused) != 2 {
				t.Errorf("%d slots, refused %v, want the plugin's functions refused", len(pt.Slots), pt.Refused)
			}
			for _, e := range pt.Refused {
				if e.Reason != RefusedUnloaded {
					t.Errorf("%v, want %s", e, RefusedUnloaded)
				}
			}
			l.Run(5)
			p.mustClose(t)
			if ours := testutils.TakeSnapshot(t, l.PID()).Ours(); len(ours) > 0 {
				t.Errorf("left: %v", ours)
			}
			l.Run(5)
			l.Quit()
		})
	}
}
