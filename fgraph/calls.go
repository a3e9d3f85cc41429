package fgraph

import "github.com/functap/functap/internal/arena"

// Calls is how many calls of all functions there were so far. It costs less than Read.
func (d *Durations) Calls() (sum uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.parts {
		p := &d.parts[i]
		if p.final != nil {
			sum += p.final.calls + p.final.missed
		} else {
			sum += p.meter.Read(arena.StatCalls) + p.meter.Read(arena.StatMissed)
		}
	}
	return sum
}
