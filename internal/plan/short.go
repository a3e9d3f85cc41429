package plan

// shortMayHelp reports whether overwriting fewer bytes can lift a refusal.
func shortMayHelp(r Refusal) bool {
	switch r {
	case TooShort, JumpIntoWindow, WindowTaken, CrossesPage, DecodeUnknown, UnsupportedInsn, DataInWindow:
		return true
	}
	return false
}

// allotHoles tries a short jump for every function that got nothing better. The
// functions are in address order and each takes the lowest free hole it can reach,
// so that the result depends on the module only, and as many as possible get one.
func (a *Analysis) allotHoles(plans []Plan) {
	taken := make(map[int]uint64) // gap (index of its region) to its first free byte
	for i := range plans {
		if p := &plans[i]; p.Tactic == Padding {
			taken[a.layout.at(p.Site+uint64(p.Patch)-1)] = p.Site + uint64(p.Patch)
		}
	}
	for i := range plans {
		p := &plans[i]
		if p.Hookable() || !shortMayHelp(p.Reason) {
			continue
		}
		q := Plan{Func: p.Func}
		if a.try(&q, shortJump); q.Reason != "" || q.Tactic != Window {
			continue
		}
		if q.Hole = a.takeHole(q.Site, taken); q.Hole != 0 {
			q.Tactic = Short
			*p = q
		}
	}
}

// takeHole is the lowest free hole that a jmp rel8 at site reaches, or 0.
func (a *Analysis) takeHole(site uint64, taken map[int]uint64) uint64 {
	lo, hi := site+shortJump-128, site+shortJump+127
	if lo > site {
		lo = 0
	}
	i := max(a.layout.at(max(lo, a.im.code(site).base)), 0)
	for ; i < len(a.layout.regions) && a.layout.regions[i].start <= hi; i++ {
		free, end := a.gap(i)
		free = max(free, lo, taken[i])
		if !inOnePage(free, longJump) {
			free = (free + pageSize - 1) &^ (pageSize - 1)
		}
		if free <= hi && free+longJump <= end {
			taken[i] = free + longJump
			return free
		}
	}
	return 0
}

// gap is the filler at the end of region i, empty if the code before it may run on
// into it.
func (a *Analysis) gap(i int) (start, end uint64) {
	r := &a.layout.regions[i]
	if !r.closed || r.code >= r.end {
		return 0, 0
	}
	return r.code, a.filler(a.im.code(r.code), r.code)
}
