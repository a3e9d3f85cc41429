package fgraph

import (
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/ring"
	"github.com/functap/functap/internal/tsc"
)

// reader reads all rings of a target, in rounds.
type reader struct {
	begin, last tsc.Clock // of the first round, and of the one before
	looked      time.Time // when the last round was
	merger      ring.Merger
	threads     *hook.Threads
	tracks      []*track                  // by number of the ring
	functions   map[uint32]*hook.Function // by their numbers in records
}

// track is what is known of one ring's thread.
type track struct {
	*ring.Ring
	shared bool
	nesting
	tid   int
	since time.Time            // it is stuck; zero if it is not
	calls map[uint64]*openSlot // shared: the open ones, by slot
}

func (r *reader) start() { r.begin, r.functions = tsc.Start(), map[uint32]*hook.Function{} }

// open starts reading: what is in the rings already was somebody else's.
func (r *reader) open(p *hook.Process, rings *hook.Rings) error {
	r.threads = p.Threads()
	r.last = tsc.Start()
	for i := range rings.Count() {
		rg, err := rings.Ring(i)
		if err != nil {
			return err
		}
		rg.Read(nil, int(rings.Records()))
		t := &track{Ring: rg, shared: i == rings.Count()-1, calls: map[uint64]*openSlot{}}
		if !t.shared { // who gets the ring later notes it there
			t.tid = r.threads.ID(rings.Owner(i))
		}
		r.tracks = append(r.tracks, t)
		r.merger.Add(&ring.Source{Ring: rg, ID: i})
	}
	return nil
}

// round reads all rings once and emits what happened before the last round, or all
// there is.
func (r *reader) round(all bool, emit func(tid int, c call, at func(uint64) time.Time)) {
	now := tsc.Start()
	until := r.last.Ticks()
	if all {
		until = ^uint64(0)
	}
	at := func(ticks uint64) time.Time { return tsc.Between(r.last, now, ticks) }
	each := func(m ring.Merged) {
		t := r.tracks[m.ID]
		r.follow(t, m.Record, func(tid int, c call) { emit(tid, c, at) })
	}
	for r.merger.Round(until, each); all && r.skip(); {
		r.merger.Round(until, each)
	}
	r.last, r.looked = now, time.Now()
}

// follow puts a record where it belongs in its thread.
func (r *reader) follow(t *track, rec ring.Record, emit func(tid int, c call)) {
	if rec.Kind == ring.Thread {
		t.giveTo(r.threads.Outside(int(rec.Start)), rec.Time, emit)
		return
	}
	if !t.shared {
		t.add(rec, func(c call) { emit(t.tid, c) })
		return
	}
	emit(r.thread(t.caller(rec)), call{Record: rec, depth: -1, shared: true})
}

// giveTo ends the earlier thread's calls. One that has noted itself twice, since a handler
// came between, is the same.
func (t *track) giveTo(tid int, now uint64, emit func(tid int, c call)) {
	if tid == t.tid && tid != 0 {
		return
	}
	t.leave(^uint64(0), now, func(c call) { emit(t.tid, c) })
	t.tid = tid
}

// thread is the id of a thread that an entry in the shared ring names.
func (r *reader) thread(who uint64) int {
	if who>>32 == isTID {
		return r.threads.Outside(int(uint32(who)))
	}
	return r.threads.ID(who)
}

const isTID = ring.IsTID & (1<<32 - 1)

// openSlot are calls that return to the same place.
type openSlot struct {
	thread uint64 // as its entry names it
	calls  int
}

// caller is the thread that has made a record in the shared ring. An entry says it.
func (t *track) caller(rec ring.Record) uint64 {
	o := t.calls[rec.Slot]
	switch {
	case rec.Kind == ring.Entry, rec.Kind == ring.Join && o == nil:
		t.calls[rec.Slot] = &openSlot{rec.Start, 1}
		return rec.Start
	case o == nil:
		return 0
	case rec.Kind == ring.Join:
		o.calls++
	case rec.Kind == ring.Exit:
		if o.calls--; o.calls == 0 {
			delete(t.calls, rec.Slot)
		}
	}
	return o.thread
}

// patience is how long a record may be unfinished before it is asked why.
const patience = time.Second

// stuckLong reports whether a ring has been waiting for one record for long.
func (r *reader) stuckLong() bool {
	long := false
	for _, t := range r.tracks {
		switch {
		case !t.Stuck():
			t.since = time.Time{}
		case t.since.IsZero():
			t.since = time.Now()
		case time.Since(t.since) > patience:
			long, t.since = true, time.Now()
		}
	}
	return long
}

// skip gives up the records that are unfinished, and reports whether there were any.
func (r *reader) skip() (any bool) {
	for _, track := range r.tracks {
		if track.Stuck() {
			track.Skip()
			any = true
		}
	}
	return any
}
