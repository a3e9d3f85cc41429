package trampoline

import (
	"context"
	"slices"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/codegen"
)

// Attachment is one user's part in what runs at a site: a cell that counts calls, or a
// meter of how long they take. It is comparable, and for package fgraph.
type Attachment struct {
	Cell  hook.Cell
	Meter *Meter // nil for a cell
}

// attached is a site's immutable list, and where its version's calls are measured.
type attached struct {
	list    []Attachment
	version *version // nil if nobody measures
}

func (a attached) meters() (out []*Meter) {
	for _, x := range a.list {
		if x.Meter != nil {
			out = append(out, x.Meter)
		}
	}
	return out
}

// Attach adds to what runs at a site, and Detach removes it. Each call of the function
// runs the old list or the new one, and at its end what it ran at its entry.
func Attach(ctx context.Context, p *hook.Process, s *hook.Slot, a Attachment) error {
	return p.WithRoom(ctx, func() error {
		return change(s, a.Meter != nil, func(list []Attachment) []Attachment { return append(slices.Clone(list), a) })
	})
}

// Detach is the opposite of Attach. Where others stay, memory in the target is needed to
// go on without this one.
func Detach(p *hook.Process, s *hook.Slot, a Attachment) error {
	return p.WithRoom(context.Background(), func() error {
		return change(s, a.Meter != nil, func(list []Attachment) []Attachment {
			return slices.DeleteFunc(slices.Clone(list), func(x Attachment) bool { return x == a })
		})
	})
}

// change replaces a site's list by what f makes of it. Where others measure than did
// before, they do with new statistics.
func change(s *hook.Slot, measures bool, f func([]Attachment) []Attachment) error {
	var before, fresh *version
	err := s.Update(func(c *hook.Change) (_ any, _ hook.Generator, err error) {
		was, _ := c.Attached.(attached)
		now := attached{f(was.list), was.version}
		if measures {
			if fresh, err = newVersion(s, c, now.meters()); err != nil {
				return nil, nil, err
			}
			before, now.version = was.version, fresh
		}
		return now, program(s, now), nil
	})
	if err != nil {
		fresh.retire()
	} else {
		before.retire()
	}
	return err
}

// program generates for a list; for an empty one the site is idle.
func program(s *hook.Slot, a attached) hook.Generator {
	if len(a.list) == 0 {
		return nil
	}
	var cells []codegen.Cell
	for _, x := range a.list {
		if x.Meter == nil {
			cells = append(cells, x.Cell.Place())
		}
	}
	env := s.Env()
	if a.version == nil {
		d := s.Displaced()
		return func(at uint64) (codegen.Code, int, error) { return codegen.Count(at, d, env, cells) }
	}
	d, place := s.Wrapped(), a.version.stats.Place()
	for _, m := range a.meters() {
		if m.Events != nil {
			place.Events = m.Events
		}
		place.Self = place.Self || m.Self
	}
	return func(at uint64) (codegen.Code, int, error) { return codegen.Wrap(at, d, env, cells, place) }
}
