package bench

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/trampoline"
)

func TestMain(m *testing.M) { testutils.Main(m) }

// repeats is how many measurements a median is of.
const repeats = 9

func median[T float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func attach(b *testing.B, pid int) *hook.Process {
	b.Helper()
	return attachWith(b, pid, nil)
}

func attachWith(b *testing.B, pid int, opts *hook.AttachOptions) *hook.Process {
	b.Helper()
	p, err := hook.Attach(context.Background(), pid, opts)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Close() })
	return p
}

func sites(b *testing.B, p *hook.Process, patterns ...string) []hook.Site {
	b.Helper()
	s, _, err := p.Sites(hook.Match{Include: patterns})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// sitesOf are the hookable functions of one file, by address.
func sitesOf(b *testing.B, im *hook.Image) []hook.Site {
	b.Helper()
	funcs, err := im.Functions()
	if err != nil {
		b.Fatal(err)
	}
	var all []hook.Site
	for _, f := range funcs {
		st, err := f.Site()
		if err == nil {
			all = append(all, st)
		} else if !errors.Is(err, hook.ErrUnpatchable) {
			b.Fatal(err)
		}
	}
	return all
}

func count(b *testing.B, p *hook.Process, s []hook.Site) *trampoline.Counter {
	b.Helper()
	c, err := trampoline.Count(context.Background(), p, s)
	if err != nil {
		b.Fatal(err)
	}
	if refused := c.Refused(); len(refused) > 0 {
		b.Fatalf("%d functions refused: %v", len(refused), refused[0])
	}
	return c
}

func closeProcess(b *testing.B, p *hook.Process) {
	b.Helper()
	if err := p.Close(); err != nil && !errors.Is(err, hook.ErrClosed) {
		b.Fatal(err)
	}
}

// pause is how long the target stood still for the last stop of a kind.
func pause(b *testing.B, p *hook.Process, why string) time.Duration {
	b.Helper()
	pauses := p.Pauses()
	for i := len(pauses) - 1; i >= 0; i-- {
		if pauses[i].Why == why {
			return pauses[i].Stopped
		}
	}
	b.Fatalf("no pause for %q in %v", why, pauses)
	return 0
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
