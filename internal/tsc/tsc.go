package tsc

import "time"

// Now reads the counter.
func Now() uint64

// Clock converts ticks.
type Clock struct {
	tsc  uint64
	wall time.Time
}

// Start makes a Clock.
func Start() Clock { return sample() }

// sample reads both clocks, as close to each other as a few tries find.
func sample() Clock {
	best, least := Clock{}, ^uint64(0)
	for range 5 {
		before := Now()
		wall := time.Now()
		if d := Now() - before; d < least {
			best, least = Clock{before + d/2, wall}, d
		}
	}
	return best
}

// shortest is a span that makes the rate right to some parts in 100,000.
const shortest = 10 * time.Millisecond

// Tick is how long a tick takes, in nanoseconds. It waits if the Clock is too young.
func (c Clock) Tick() float64 {
	if age := time.Since(c.wall); age < shortest {
		time.Sleep(shortest - age)
	}
	now := sample()
	return float64(now.wall.Sub(c.wall)) / float64(now.tsc-c.tsc)
}

// Between is the time at which the counter was at ticks, by the clocks a and b: exact
// at these two, and at the rate between them elsewhere. So times that are told by one
// pair after the other, each beginning where the one before has ended, never go back.
func Between(a, b Clock, ticks uint64) time.Time {
	if b.tsc == a.tsc {
		return a.wall
	}
	rate := float64(b.wall.Sub(a.wall)) / float64(b.tsc-a.tsc)
	return a.wall.Add(time.Duration(float64(int64(ticks-a.tsc)) * rate))
}

// Ticks is what the counter was at.
func (c Clock) Ticks() uint64 { return c.tsc }
