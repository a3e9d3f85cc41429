package fgraph

import (
	"math"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/arena"
)

// FunctionDurations are one function's statistics.
type FunctionDurations struct {
	Function *hook.Function
	// Calls are all that were made.
	Calls uint64
	// Returned have come back, and are the ones that the times are about.
	Returned uint64
	// Missed ran without a frame, since there was none free (the recursion was too
	// deep) or because another wrapped function had jumped there.
	Missed uint64
	// Unwound were left by other ways: longjmp, or the end of their thread.
	Unwound uint64
	// LeftReturning had returned, and are counted so, when a signal handler left them for
	// good (siglongjmp) in the two instructions between that count and the release of
	// their frame. They were found unwound later; Unwound is without them.
	LeftReturning uint64
	// Inflight were running when this was read, or at the end.
	Inflight uint64
	// Clamped are returned calls whose time was negative, and counts as 0: processors
	// whose counters differ.
	Clamped uint64

	// SelfUnknown are returned calls whose self time is not known: all without
	// Options.Self; else those that ran on a stack that is not their thread's own, that
	// moved to another thread, whose function ended by a jump to another one that is
	// measured, or below which one was left by other ways than a return.
	SelfUnknown uint64

	Total, Max time.Duration
	// Self is the sum of the self times that are known: of a call's duration, what it
	// did not spend in other calls that Durations with Self measure and that its thread
	// began and ended meanwhile. Signal handlers' are such calls, too.
	Self      time.Duration
	Histogram Histogram
}

// Average is the mean duration of the calls that have returned.
func (f *FunctionDurations) Average() time.Duration {
	if f.Returned == 0 {
		return 0
	}
	return f.Total / time.Duration(f.Returned)
}

// Histogram says how many calls took how long, by powers of two of the processor's ticks.
type Histogram struct {
	Count [arena.Buckets]uint64
	tick  float64 // ns
}

// Bounds are the least duration that bucket i counts, and the least that it does not.
func (h *Histogram) Bounds(i int) (from, to time.Duration) {
	if i > 0 {
		from = scale(math.Ldexp(1, i), h.tick)
	}
	return from, scale(math.Ldexp(1, i+1), h.tick)
}

// Quantile is a duration that a part q of all calls did not exceed: the upper bound of
// the bucket in which that call is.
func (h *Histogram) Quantile(q float64) time.Duration {
	var all, sum uint64
	for _, n := range h.Count {
		all += n
	}
	for i, n := range h.Count {
		if sum += n; n > 0 && float64(sum) >= q*float64(all) {
			_, to := h.Bounds(i)
			return to
		}
	}
	return 0
}

func scale(ticks, tick float64) time.Duration {
	return time.Duration(min(ticks*tick, math.MaxInt64/2))
}

// raw are the statistics in the target's units.
type raw struct {
	calls, missed, unwound, inflight, clamped uint64
	leftReturning                             uint64
	total, max, self, known                   uint64
	buckets                                   [arena.Buckets]uint64
}

// statistics is a *trampoline.Meter.
type statistics interface{ Read(int) uint64 }

// read reads them. Calls come last: one that is made meanwhile is then inflight, and none
// has come back that was not called. After a detach what was running is counted.
func read(s statistics, detached bool) *raw {
	r := &raw{
		total: s.Read(arena.StatTotal), max: s.Read(arena.StatMax), missed: s.Read(arena.StatMissed),
		unwound: s.Read(arena.StatUnwound), clamped: s.Read(arena.StatClamped),
		self: s.Read(arena.StatSelf), known: s.Read(arena.StatKnown),
	}
	for i := range r.buckets {
		r.buckets[i] = s.Read(arena.StatBuckets + i)
	}
	r.calls = s.Read(arena.StatCalls)
	if detached {
		r.inflight = s.Read(arena.StatInflight)
	}
	r.countOnce()
	if !detached {
		r.inflight = r.calls - r.returned() - r.unwound
	}
	return r
}

// countOnce takes out of unwound what was counted as returned, too.
func (r *raw) countOnce() {
	if ended := r.returned() + r.unwound + r.inflight; ended > r.calls {
		r.leftReturning = min(ended-r.calls, r.unwound)
		r.unwound -= r.leftReturning
	}
}

func (r *raw) returned() (n uint64) {
	for _, b := range r.buckets {
		n += b
	}
	return n
}

func (r *raw) times(f *hook.Function, tick float64) FunctionDurations {
	return FunctionDurations{
		Function: f,
		Calls:    r.calls + r.missed, Returned: r.returned(), Missed: r.missed, Unwound: r.unwound, LeftReturning: r.leftReturning,
		Inflight: r.inflight, Clamped: r.clamped,
		SelfUnknown: r.returned() - r.known,
		Total:       scale(float64(r.total), tick), Max: scale(float64(r.max), tick),
		Self:      scale(float64(r.self), tick),
		Histogram: Histogram{r.buckets, tick},
	}
}
