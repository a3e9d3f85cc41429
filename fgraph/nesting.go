package fgraph

import "github.com/functap/functap/internal/ring"

// nesting follows one thread's records, all of calls on the thread's own stack, and
// tells what is open. A stack grows down: when a call's return slot is at or above
// those of open ones, these have been left, whether a return was seen or not.
type nesting struct {
	open []openCall // the outermost first; their slots descend
}

type openCall struct {
	site        uint32
	slot, start uint64
	// doubtful: records have been lost since, and its return may be among them.
	doubtful bool
}

// call is a record with what its place among others says.
type call struct {
	ring.Record
	depth int
	// unsure: records were lost while a call around it was open, so it may be less deep.
	unsure bool
	// unwound: an exit that nobody recorded. The call was left by a longjmp or an
	// exception or, with unsure, its return may have been lost.
	unwound bool
	shared  bool // from the ring that threads share
}

// add takes the next record and emits it, and before it what it shows to have ended.
func (n *nesting) add(r ring.Record, emit func(call)) {
	switch r.Kind {
	case ring.Entry:
		n.leave(r.Slot+1, r.Time, emit)
		emit(n.at(r, len(n.open)))
		n.open = append(n.open, openCall{site: r.Site, slot: r.Slot, start: r.Time})
	case ring.Join:
		n.leave(r.Slot, r.Time, emit)
		emit(n.at(r, len(n.open)))
		n.open = append(n.open, openCall{site: r.Site, slot: r.Slot, start: r.Time})
	case ring.Exit:
		n.leave(r.Slot, r.Time, emit)
		if last := len(n.open) - 1; last >= 0 && n.open[last].slot == r.Slot && n.open[last].start == r.Start {
			n.open = n.open[:last]
		}
		emit(n.at(r, len(n.open)))
	case ring.Lost:
		for i := range n.open {
			n.open[i].doubtful = true
		}
		emit(call{Record: r})
	}
}

// leave ends the calls whose slots are below limit.
func (n *nesting) leave(limit, now uint64, emit func(call)) {
	for len(n.open) > 0 && n.open[len(n.open)-1].slot < limit {
		last := n.open[len(n.open)-1]
		n.open = n.open[:len(n.open)-1]
		c := n.at(ring.Record{Kind: ring.Exit, Site: last.site, Time: now, Slot: last.slot, Start: last.start}, len(n.open))
		c.unwound, c.unsure = true, c.unsure || last.doubtful
		emit(c)
	}
}

func (n *nesting) at(r ring.Record, depth int) call {
	c := call{Record: r, depth: depth}
	for _, o := range n.open[:depth] {
		c.unsure = c.unsure || o.doubtful
	}
	return c
}
