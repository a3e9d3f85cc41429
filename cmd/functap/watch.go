package main

import (
	"context"
	"time"
)

// watch waits until there is a reason to stop: the user's wish, the time, the
// number of events, or all targets' ends. tick is called now and then.
func (a *app) watch(o *options, targets []*target, tick func()) error {
	if o.duration > 0 {
		o.until = time.Now().Add(o.duration)
	}
	ctx, cancel := o.limit(a.ctx)
	defer cancel()
	last := uint64(0)
	interval := shortInterval
	for !allEnded(targets) {
		for _, t := range targets {
			if err := t.takeOver(a, o); err != nil {
				return err
			}
		}
		if o.count > 0 && o.events == nil { // whoever prints events stops by itself
			now := sumCalls(targets)
			if now >= o.count {
				return nil
			}
			interval = nextInterval(now, now-last, o.count, interval)
			last = now
		} else {
			interval = longInterval
		}
		tick()
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(interval):
		}
	}
	return nil
}

// limit is ctx until the end of -d, once that runs.
func (o *options) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.until.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, o.until)
}

// over reports whether -d has run out.
func (o *options) over() bool { return !o.until.IsZero() && !time.Now().Before(o.until) }

const (
	longInterval  = 20 * time.Millisecond
	shortInterval = 2 * time.Millisecond
)

// nextInterval is short if, at the rate of the last interval, the count would
// be reached within two long ones.
func nextInterval(now, made, count uint64, took time.Duration) time.Duration {
	if float64(now)+2*float64(made)*float64(longInterval)/float64(took) >= float64(count) {
		return shortInterval
	}
	return longInterval
}

func allEnded(targets []*target) bool {
	n := 0
	for _, t := range targets {
		if t.ended() {
			n++
		}
	}
	return n == len(targets)
}

func sumCalls(targets []*target) uint64 {
	sum := uint64(0)
	for _, t := range targets {
		sum += t.progress()
	}
	return sum
}
