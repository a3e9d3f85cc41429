package fgraph

import "github.com/functap/functap/internal/ring"

// nesting follows one thread's records, all of calls on the thread's own stack, and
// tells what is open. A stack grows down: when a call's return slot is at or above
// those of open ones, these have been left, whether a return was seen or not.
type nesting struct {
	open []openCall // the outermost first; their slots descend
	last uint64     // the latest time of a record
}

type openCall struct {
	site        uint32
	slot, start uint64
	inner       uint64 // ticks in the calls that it has made
	// vague: inner is not all, or too much.
	vague bool
	// doubtful: records have been lost since, and its return may be among them.
	doubtful bool
}

// call is a record with what its place among others says.
type call struct {
	ring.Record
	depth int
	// self is how many ticks an exit's call has spent outside of calls that it made.
	self      uint64
	selfKnown bool
	// unsure: records were lost while a call around it was open, so it may be less deep.
	unsure bool
	// unwound: an exit that nobody recorded. The call was left by a longjmp or an
	// exception or, with unsure, its return may have been lost.
	unwound bool
	shared  bool // from the ring that threads share
}

// add takes the next record and emits it, and before it what it shows to have ended.
func (n *nesting) add(r ring.Record, emit func(call)) {
	// A signal handler's calls come between a call's time and its record.
	late := r.Time < n.last
	n.last = max(n.last, r.Time)
	switch r.Kind {
	case ring.Entry:
		n.leave(r.Slot+1, r.Time, emit)
		n.enter(r, late, emit)
	case ring.Join:
		n.leave(r.Slot, r.Time, emit)
		n.enter(r, late, emit)
	case ring.Exit:
		n.leave(r.Slot, r.Time, emit)
		n.exit(r, late, emit)
	case ring.Lost:
		for i := range n.open {
			n.open[i].doubtful = true
		}
		emit(call{Record: r})
	}
}

func (n *nesting) enter(r ring.Record, late bool, emit func(call)) {
	emit(n.at(r, len(n.open)))
	n.blur(late)
	n.open = append(n.open, openCall{site: r.Site, slot: r.Slot, start: r.Time, vague: late})
}

// exit closes the record's call. If its entry is missing, calls that it has made were taken
// for those of the one around it.
func (n *nesting) exit(r ring.Record, late bool, emit func(call)) {
	own := openCall{vague: true}
	if last := len(n.open) - 1; last >= 0 && n.open[last].slot == r.Slot && n.open[last].start == r.Start {
		own, n.open = n.open[last], n.open[:last]
	}
	took := r.Time - r.Start
	c := n.at(r, len(n.open))
	if !own.vague && !own.doubtful && !late && own.inner <= took {
		c.self, c.selfKnown = took-own.inner, true
	}
	n.blur(late || own.start != r.Start)
	if len(n.open) > 0 {
		n.open[len(n.open)-1].inner += took
	}
	emit(c)
}

// blur makes the innermost call's own time unknown, if is.
func (n *nesting) blur(is bool) {
	if is && len(n.open) > 0 {
		n.open[len(n.open)-1].vague = true
	}
}

// leave ends the calls whose slots are below limit. How long they took is not known.
func (n *nesting) leave(limit, now uint64, emit func(call)) {
	for len(n.open) > 0 && n.open[len(n.open)-1].slot < limit {
		last := n.open[len(n.open)-1]
		n.open = n.open[:len(n.open)-1]
		c := n.at(ring.Record{Kind: ring.Exit, Site: last.site, Time: now, Slot: last.slot, Start: last.start}, len(n.open))
		c.unwound, c.unsure = true, c.unsure || last.doubtful
		n.blur(true)
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
