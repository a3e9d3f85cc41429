package fgraph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/functap/functap/internal/ring"
)

// rec is a record of a test: its site is what it is known by.
func rec(kind ring.Kind, site uint32, time, slot, start uint64) ring.Record {
	return ring.Record{Kind: kind, Site: site, Time: time, Slot: slot, Start: start}
}

const unknown = -1

// TestSelf: an exit's own time, where it can be known.
func TestSelf(t *testing.T) {
	const entry, exit, join, lost = ring.Entry, ring.Exit, ring.Join, ring.Lost
	type ends map[uint32]int
	for _, c := range []struct {
		name    string
		records []ring.Record
		want    ends
	}{
		{"two calls", []ring.Record{
			rec(entry, 1, 10, 900, 0), rec(entry, 2, 20, 800, 0), rec(exit, 2, 25, 800, 20),
			rec(entry, 3, 30, 800, 0), rec(exit, 3, 37, 800, 30), rec(exit, 1, 50, 900, 10),
		}, ends{1: 28, 2: 5, 3: 7}},
		{"a jump at the end", []ring.Record{
			rec(entry, 1, 10, 900, 0), rec(join, 2, 20, 900, 0), rec(exit, 2, 50, 900, 20), rec(exit, 1, 50, 900, 10),
		}, ends{1: 10, 2: 30}},
		{"longjmp over two", []ring.Record{
			rec(entry, 1, 10, 900, 0), rec(entry, 2, 20, 800, 0), rec(entry, 3, 30, 700, 0), rec(entry, 4, 40, 600, 0),
			rec(exit, 4, 45, 600, 40), rec(exit, 2, 60, 800, 20), rec(exit, 1, 70, 900, 10),
		}, ends{1: 20, 2: unknown, 3: unknown, 4: 5}},
		{"left for a new call", []ring.Record{
			rec(entry, 1, 10, 900, 0), rec(entry, 2, 20, 800, 0), rec(entry, 3, 30, 800, 0), rec(exit, 3, 40, 800, 30), rec(exit, 1, 50, 900, 10),
		}, ends{1: unknown, 2: unknown, 3: 10}},
		{"left, and the new call is further down", []ring.Record{
			rec(entry, 1, 10, 900, 0), rec(entry, 2, 20, 800, 0), rec(entry, 3, 30, 700, 0), rec(exit, 3, 40, 700, 30), rec(exit, 1, 50, 900, 10),
		}, ends{1: unknown, 2: unknown, 3: 10}},
		{"a return is lost", []ring.Record{
			rec(entry, 1, 10, 900, 0), rec(entry, 2, 20, 800, 0), rec(lost, 0, 20, 0, 1), rec(entry, 3, 40, 800, 0), rec(exit, 3, 45, 800, 40),
			rec(exit, 1, 50, 900, 10), rec(entry, 4, 60, 900, 0), rec(exit, 4, 66, 900, 60),
		}, ends{1: unknown, 2: unknown, 3: 5, 4: 6}},
		{"an entry is missing", []ring.Record{ // 2's: so 3 may be its, or 1's
			rec(entry, 1, 10, 900, 0), rec(entry, 3, 30, 700, 0), rec(exit, 3, 35, 700, 30), rec(exit, 2, 40, 800, 20), rec(exit, 1, 50, 900, 10),
		}, ends{1: unknown, 2: unknown, 3: 5}},
		{"a handler before an entry's record", []ring.Record{ // 3 interrupts 2
			rec(entry, 1, 10, 900, 0), rec(entry, 3, 22, 700, 0), rec(exit, 3, 25, 700, 22), rec(entry, 2, 20, 800, 0),
			rec(exit, 2, 30, 800, 20), rec(exit, 1, 40, 900, 10),
		}, ends{1: unknown, 2: unknown, 3: 3}},
		{"a handler before an exit's record", []ring.Record{ // 3 interrupts 2's end
			rec(entry, 1, 10, 900, 0), rec(entry, 2, 20, 800, 0), rec(entry, 3, 32, 700, 0), rec(exit, 3, 35, 700, 32), rec(exit, 2, 30, 800, 20),
			rec(exit, 1, 40, 900, 10),
		}, ends{1: unknown, 2: unknown, 3: 3}},
		{"a stack within the stack", []ring.Record{ // 2 and 3 are on that of a fiber, which 1 goes to and comes from
			rec(entry, 1, 10, 800, 0), rec(entry, 2, 20, 950, 0), rec(exit, 1, 30, 800, 10), rec(exit, 2, 40, 950, 20),
		}, ends{1: unknown, 2: unknown}},
	} {
		var n nesting
		got := ends{}
		for _, r := range c.records {
			n.add(r, func(c call) {
				if c.Kind != ring.Exit {
					return
				}
				if got[c.Site] = unknown; c.selfKnown {
					got[c.Site] = int(c.self)
				}
			})
		}
		for site, want := range c.want {
			if self, ended := got[site]; !ended || self != want {
				t.Errorf("%s: %d has %d (ended: %v), want %d", c.name, site, self, ended, want)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v have ended", c.name, got)
		}
	}
}

// TestSelfRandom: programs that call, return, jump, leave calls, are interrupted and lose
// records. What is known is right; nothing is unknown where none of that happens.
func TestSelfRandom(t *testing.T) {
	for seed := range uint64(400) {
		p := &program{rand: rand.New(rand.NewPCG(seed, 1)), wild: seed%2 == 1, self: map[uint32]uint64{}}
		p.run(2000)
		var n nesting
		known, ended := 0, 0
		for _, r := range p.records {
			n.add(r, func(c call) {
				if c.Kind != ring.Exit {
					return
				}
				ended++
				if !c.selfKnown {
					if !p.wild {
						t.Errorf("seed %d: %d is not known", seed, c.Site)
					}
					return
				}
				known++
				if want, is := p.self[c.Site]; !is || c.self != want {
					t.Fatalf("seed %d: call %d has %d, want %d (ended: %v)", seed, c.Site, c.self, want, is)
				}
			})
		}
		if known < ended/4 || known < 100 {
			t.Errorf("seed %d: of %d only %d are known", seed, ended, known)
		}
	}
}

// program runs at random on a stack and writes records; each call has a site of its own.
type program struct {
	rand    *rand.Rand
	wild    bool
	now     uint64
	site    uint32
	stack   []*running
	deaf    bool // records are lost
	lost    uint64
	records []ring.Record
	self    map[uint32]uint64 // by site, of calls that have returned
}

type running struct {
	site               uint32
	slot, start, inner uint64
	size               uint64
	spoilt             bool // it has called one that has not returned
}

func (p *program) tick() uint64 {
	p.now += 1 + p.rand.Uint64N(9)
	return p.now
}

func (p *program) write(r ring.Record) {
	if p.deaf {
		p.lost++
		return
	}
	if p.lost > 0 {
		p.records = append(p.records, ring.Record{Kind: ring.Lost, Start: p.lost})
		p.lost = 0
	}
	p.records = append(p.records, r)
}

func (p *program) top() *running { return p.stack[len(p.stack)-1] }

func (p *program) run(steps int) {
	p.stack = []*running{{slot: 1 << 30, size: 64}} // who is not recorded
	for range steps {
		switch n := p.rand.IntN(100); {
		case p.wild && n == 0:
			p.deaf = !p.deaf
		case p.wild && n < 5:
			p.leave(1 + p.rand.IntN(len(p.stack)))
		case p.wild && n < 8:
			p.interrupted()
		case n < 12 && len(p.stack) > 1:
			p.enter(ring.Join, p.top().slot)
		case n < 56 && len(p.stack) < 40:
			p.enter(ring.Entry, p.top().slot-p.top().size-8*p.rand.Uint64N(2))
		default:
			p.back()
		}
	}
	p.deaf = false
}

func (p *program) enter(kind ring.Kind, slot uint64) *running {
	p.site++
	r := &running{site: p.site, slot: slot, start: p.tick(), size: 16 + 8*p.rand.Uint64N(9)}
	p.stack = append(p.stack, r)
	p.write(rec(kind, r.site, r.start, r.slot, 0))
	return r
}

// back returns: with a call that others have joined, all of these do.
func (p *program) back() {
	now, slot := p.tick(), p.top().slot
	for len(p.stack) > 1 && p.top().slot == slot {
		r := p.top()
		p.stack = p.stack[:len(p.stack)-1]
		if !r.spoilt {
			p.self[r.site] = now - r.start - r.inner
		}
		p.top().inner += now - r.start
		p.write(rec(ring.Exit, r.site, now, r.slot, r.start))
	}
}

// leave goes back to the first depth calls without returns, and not into the middle of a
// jump's.
func (p *program) leave(depth int) {
	for depth < len(p.stack) && p.stack[depth].slot == p.stack[depth-1].slot {
		depth++
	}
	if depth < len(p.stack) {
		p.stack = slices.Delete(p.stack, depth, len(p.stack))
		p.top().spoilt = true
	}
}

// interrupted calls, and a handler's call comes between the time and the record of that.
func (p *program) interrupted() {
	p.site++
	r := &running{site: p.site, slot: p.top().slot - p.top().size, start: p.tick(), size: 64}
	p.stack = append(p.stack, r)
	p.enter(ring.Entry, r.slot-r.size)
	p.back()
	p.write(rec(ring.Entry, r.site, r.start, r.slot, 0))
}
