package plan

// Coverage counts plans for the one line that says how much of a module can be
// hooked.
type Coverage struct {
	Total int // functions
	// NeverHook, Assembly and IFuncs are functions that no tactic is tried for.
	// They are shown beside the share and are not in Sized.
	NeverHook, Assembly, IFuncs int
	Sized                       int // the others, of at least five bytes
	Hookable                    int // of Sized
	Short                       int // the others, of less than five bytes
	ShortHookable               int
	Reasons                     map[Refusal]int // of all refused
	Tactics                     map[Tactic]int  // of all hookable
}

// Cover counts plans.
func Cover(plans []Plan) Coverage {
	c := Coverage{Total: len(plans), Reasons: map[Refusal]int{}, Tactics: map[Tactic]int{}}
	for i := range plans {
		c.add(&plans[i])
	}
	return c
}

func (c *Coverage) add(p *Plan) {
	if p.Hookable() {
		c.Tactics[p.Tactic]++
	} else {
		c.Reasons[p.Reason]++
	}
	switch p.Reason {
	case NeverHook:
		c.NeverHook++
		return
	case Assembly:
		c.Assembly++
		return
	case IFuncResolver:
		c.IFuncs++
		return
	}
	all, hookable := &c.Sized, &c.Hookable
	if p.Func.Size < longJump {
		all, hookable = &c.Short, &c.ShortHookable
	}
	*all++
	if p.Hookable() {
		*hookable++
	}
}

// Percent is the share of Sized that is Hookable; 100 if there are none.
func (c *Coverage) Percent() float64 {
	if c.Sized == 0 {
		return 100
	}
	return 100 * float64(c.Hookable) / float64(c.Sized)
}
