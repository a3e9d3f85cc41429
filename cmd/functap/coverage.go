package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/plan"
)

// verdict is how a function would be hooked.
type verdict struct {
	site   hook.Site
	no     *hook.UnpatchableError // why it would not be
	noExit *hook.NoExitError      // why its return would not be
	whole  error                  // why no return in the process would be
}

// judge tells refusals from other errors.
func judge(f *hook.Function, whole error) (v verdict, err error) {
	v.whole = whole
	v.site, err = f.Site()
	switch {
	case errors.As(err, &v.no):
		return v, nil
	case err == nil:
		v.noExit, err = judgeExit(v.site)
	}
	return v, err
}

// entry is the tactic, or the reason why there is none.
func (v verdict) entry() string {
	if v.no != nil {
		return string(v.no.Reason)
	}
	return v.site.Tactic()
}

// wrapped is how returns are hooked.
const wrapped = "wrap"

// exit is how the return is hooked, or the reason why not.
func (v verdict) exit() string {
	switch {
	case v.no != nil:
		return string(v.no.Reason)
	case v.noExit != nil:
		return string(v.noExit.Reason)
	case v.whole != nil:
		return nameOf(v.whole)
	}
	return wrapped
}

// coverage counts a list. Functions for which no tactic is tried stand beside
// the share, and so do those shorter than a jump.
type coverage struct {
	total, refused           int
	sized, hookable          int // of at least five bytes
	short, shortHookable     int
	never, assembly, resolve int
	noExit                   map[string]int // hookable ones whose returns are not, by the reason
	cut                      bool           // by ^C: it was not the whole list
}

func (c *coverage) add(f *hook.Function, v verdict) {
	no := v.no
	c.total++
	c.addExit(v)
	if no != nil {
		c.refused++
		switch no.Reason {
		case plan.NeverHook:
			c.never++
			return
		case plan.Assembly:
			c.assembly++
			return
		case plan.IFuncResolver:
			c.resolve++
			return
		}
	}
	all, hookable := &c.sized, &c.hookable
	if f.Size() < 5 {
		all, hookable = &c.short, &c.shortHookable
	}
	*all++
	if no == nil {
		*hookable++
	}
}

func (c *coverage) addExit(v verdict) {
	if why := v.exit(); v.no == nil && why != wrapped {
		if c.noExit == nil {
			c.noExit = map[string]int{}
		}
		c.noExit[why]++
	}
}

// exits tells of how many returns can be hooked, and why others cannot be, the most
// frequent reason first.
func (c coverage) exits() string {
	all := c.total - c.refused
	if all == 0 {
		return ""
	}
	can := all
	for _, n := range c.noExit {
		can -= n
	}
	text := fmt.Sprintf("; returns of %d of these %d, too (%.2f %%)", can, all, 100*float64(can)/float64(all))
	for _, why := range slices.SortedFunc(maps.Keys(c.noExit), func(x, y string) int {
		return cmp.Or(cmp.Compare(c.noExit[y], c.noExit[x]), cmp.Compare(x, y))
	}) {
		text += fmt.Sprintf(", %d %s", c.noExit[why], why)
	}
	return text
}

func (c coverage) String() string {
	text := number(c.total, "function")
	if c.sized > 0 {
		text += fmt.Sprintf(": of %d with 5 bytes or more %d can be hooked (%.2f %%)", c.sized, c.hookable, 100*float64(c.hookable)/float64(c.sized))
	}
	if c.short > 0 {
		text += yes(c.sized > 0, ", ", ": ") + fmt.Sprintf("of %s %d", number(c.short, "shorter one"), c.shortHookable)
	}
	var beside []string
	for _, n := range []struct {
		n         int
		one, more string
	}{{c.never, "never hooked", "never hooked"}, {c.assembly, "in Go assembly", "in Go assembly"}, {c.resolve, "IFUNC resolver", "IFUNC resolvers"}} {
		if n.n > 0 {
			beside = append(beside, number(n.n, n.one, n.more))
		}
	}
	if len(beside) > 0 {
		text += "; beside them " + strings.Join(beside, ", ")
	}
	return text + c.exits() + yes(c.cut, "; interrupted: the list is not whole", "")
}
