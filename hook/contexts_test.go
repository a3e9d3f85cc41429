package hook

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/symbols"
	"github.com/functap/functap/internal/testutils"
)

// TestPreemptedContexts attaches and detaches while the target's own threads are
// suspended in a handler, on stacks that no kernel thread is on. Each checks its
// results; calls are counted once, also those suspended in a program.
func TestPreemptedContexts(t *testing.T) {
	for _, variant := range []testutils.Variant{testutils.CDynamic, testutils.CStatic} {
		t.Run(variant.Name, func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, "preempt.c", variant), "16")
			v.Run(1)
			before := testutils.TakeSnapshot(t, v.PID())
			in, out := 0, 0
			for range testutils.Repeat(60, 300) {
				v.StartLoad()
				time.Sleep(20 * time.Millisecond) // all have had a turn
				p := attachTo(t, v.PID())
				pt := p.mustPatch(t, p.siteOf(t, "work_mix"), p.siteOf(t, "work_pause"))
				in += pt.Moved
				cells := pt.count(t)
				v.StopLoad()
				countsTrue(t, v, cells)
				v.StartLoad()
				time.Sleep(20 * time.Millisecond)
				p.mustClose(t)
				out += p.Cleaned().Threads
				v.StopLoad()
			}
			t.Logf("moved %d contexts out of windows and %d out of generated code", in, out)
			if in == 0 || out == 0 {
				t.Error("no context was ever in the way: the test shows nothing")
			}
			testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
			v.Run(10)
			v.Quit()
		})
	}
}

// countsTrue lets an idle target work and compares what was counted.
func countsTrue(t *testing.T, v *testutils.Victim, cells map[string]Cell) {
	t.Helper()
	truth, counted := v.Report(), map[string]uint64{}
	for name, c := range cells {
		counted[name] = c.Read()
	}
	v.StartLoad()
	time.Sleep(20 * time.Millisecond)
	v.StopLoad()
	for name, n := range v.Report().Since(truth) {
		if got := cells[name].Read() - counted[name]; got != n || n == 0 {
			t.Errorf("%s: counted %d of %d calls", name, got, n)
		}
	}
}

// TestSearchPause shows what the search costs: the same target with and
// without a heap.
func TestSearchPause(t *testing.T) {
	for _, heap := range []string{"0", "100"} {
		v := testutils.Start(t, testutils.Build(t, "preempt.c", testutils.CDynamic), "8", heap)
		p := attachTo(t, v.PID())
		p.mustPatch(t, p.siteOf(t, "work_mix"))
		p.mustClose(t)
		for _, pause := range p.Pauses() {
			t.Logf("heap of %s MiB: stopped to %s for %v", heap, pause.Why, pause.Stopped)
			if pause.Stopped > 2*time.Second {
				t.Error("that is too long")
			}
		}
		v.Quit()
	}
}

// TestUnsearched: a heap larger than what is searched keeps Patch from changing
// anything.
func TestUnsearched(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "preempt.c", testutils.CDynamic), "8", "520")
	before := testutils.TakeSnapshot(t, v.PID())
	p := attachTo(t, v.PID())
	_, err := p.Patch(context.Background(), []Site{p.siteOf(t, "work_mix")})
	var u *UnsearchedError
	if !errors.Is(err, ErrUnsearched) || !errors.As(err, &u) || u.Bytes < 7<<20 || u.Bytes > 64<<20 {
		t.Errorf("Patch: %v, want ErrUnsearched", err)
	}
	for _, text := range testutils.TakeSnapshot(t, v.PID()).Text {
		if len(text.Differs) > 0 {
			t.Errorf("text was changed at %#x", text.Differs[0])
		}
	}
	// The stop that failed has left memory in the target. Let Close find it searchable.
	v.Do("shrink", "ok")
	p.mustClose(t)
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}

// TestDetachUnsearched: what was generated stays, and works, until a Close that
// has searched everything.
func TestDetachUnsearched(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "preempt.c", testutils.CDynamic), "8")
	before := testutils.TakeSnapshot(t, v.PID())
	p := attachTo(t, v.PID())
	p.mustPatch(t, p.siteOf(t, "work_mix"), p.siteOf(t, "work_pause")).count(t)
	v.Do("grow 520", "ok")
	v.StartLoad()
	time.Sleep(20 * time.Millisecond)
	if err := p.Close(); !errors.Is(err, ErrDraining) || !errors.Is(err, ErrUnsearched) {
		t.Errorf("Close: %v, want ErrDraining and ErrUnsearched", err)
	}
	v.StopLoad()
	v.Do("shrink", "ok")
	v.StartLoad()
	p.mustClose(t)
	v.StopLoad()
	testutils.RequireEqual(t, before, testutils.DiffOptions{AllowGrowth: true})
	v.Quit()
}

// TestSwitchesStacks: only programs that can are searched.
func TestSwitchesStacks(t *testing.T) {
	for _, c := range []struct {
		source  string
		variant testutils.Variant
		args    []string
		want    bool
	}{
		{"preempt.c", testutils.CDynamic, nil, true},
		{"preempt.c", testutils.CStatic, nil, true},
		{"preempt.c", testutils.CStaticPIE, nil, true},
		{"count.c", testutils.CDynamic, []string{"1"}, false},
		{"count.c", testutils.CStatic, []string{"1"}, false},
		{"count.c", testutils.CMusl, []string{"1"}, false},
		{"count.cc", testutils.CXX, []string{"1"}, false},
		{"count.rs", testutils.Rust, []string{"1"}, false},
		{"count.go", testutils.Go, []string{"1"}, false},
		{"count.go", testutils.GoCgo, []string{"1"}, false},
	} {
		t.Run(c.source+" "+c.variant.Name, func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, c.source, c.variant), c.args...)
			p := attachTo(t, v.PID())
			if err := p.prepareFrames(); err != nil {
				t.Fatal(err)
			}
			if got := p.switchesStacks(); got != c.want {
				t.Errorf("attached: %v", got)
			}
			// As Recover does, which has no images.
			q, err := newProcess(v.PID(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer q.tracer.Close()
			if err := q.prepareFrames(); err != nil {
				t.Fatal(err)
			}
			if got := q.switchesStacks(); got != c.want {
				t.Errorf("without images: %v", got)
			}
			v.Quit()
		})
	}
}

// TestOwnStack: what libc and the kernel make is a thread's own.
func TestOwnStack(t *testing.T) {
	maps := []procfs.Mapping{
		{Start: 0x1000, End: 0x9000, Path: "[heap]"},
		{Start: 0x10000, End: 0x20000},
		{Start: 0x70000, End: 0x80000, Path: "[stack]"},
	}
	const tls = 0x1f000
	for _, c := range []struct {
		name   string
		sp, fs uint64
		want   bool
	}{
		{"a thread's", 0x18000, tls, true},
		{"the first thread's", 0x7f000, tls, true},
		{"on the heap", 0x5000, tls, false},
		{"no thread pointer", 0x5000, 0, true},
		{"nowhere", 0x30000, tls, true},
	} {
		if got := ownStack(maps, c.sp, c.fs); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestServersDoNotSwitch: the libraries of real servers do not have them searched.
func TestServersDoNotSwitch(t *testing.T) {
	for _, path := range []string{"/usr/bin/redis-server", "/usr/sbin/nginx", "/usr/bin/python3", "/usr/lib/x86_64-linux-gnu/libssl.so.3", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"} {
		m, err := symbols.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if is, err := switches(m); err != nil || is {
			t.Errorf("%s: %v, %v", path, is, err)
		}
		m.Close()
	}
	if !offersSwitches("libcrypto.so.3") || !offersSwitches("libc.so.6") || offersSwitches("libboost_context.so.1.74.0") {
		t.Error("libraries that merely offer switches are not told from others")
	}
}
