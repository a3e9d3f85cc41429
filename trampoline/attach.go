package trampoline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/codegen"
)

// ErrMeasured: somebody measures the function's durations already. One at a time can.
var ErrMeasured = errors.New("the function's durations are measured already (MEASURED)")

// Attachment is one user's part in what runs at a site: a cell that counts calls, or
// statistics of how long they take. It is comparable, and for package fgraph.
type Attachment struct {
	Cell  hook.Cell
	Stats *hook.Stats // nil for a cell
	// Events of calls that have Stats are recorded, too; nil: they are not.
	Events *codegen.Events
	// Self: the self times of these calls are kept, too.
	Self bool
}

// attached is a site's immutable list.
type attached []Attachment

// Attach adds to what runs at a site, and Detach removes it. Each call of the function
// runs the old list or the new one.
func Attach(ctx context.Context, p *hook.Process, s *hook.Slot, a Attachment) error {
	return p.WithRoom(ctx, func() error {
		return update(s, func(list attached) (attached, error) {
			if _, taken := list.measured(); taken && a.Stats != nil {
				return nil, fmt.Errorf("%s: %w", s.Site().Function.Name(), ErrMeasured)
			}
			return append(slices.Clone(list), a), nil
		})
	})
}

// Detach is the opposite of Attach. Where others stay, memory in the target is needed to
// go on without this one.
func Detach(p *hook.Process, s *hook.Slot, a Attachment) error {
	return p.WithRoom(context.Background(), func() error {
		return update(s, func(list attached) (attached, error) {
			return slices.DeleteFunc(slices.Clone(list), func(x Attachment) bool { return x == a }), nil
		})
	})
}

// measured is the attachment that has statistics.
func (list attached) measured() (Attachment, bool) {
	i := slices.IndexFunc(list, func(a Attachment) bool { return a.Stats != nil })
	if i < 0 {
		return Attachment{}, false
	}
	return list[i], true
}

// update replaces a site's list by what f makes of it.
func update(s *hook.Slot, f func(attached) (attached, error)) error {
	var refused error
	err := s.Update(func(old any) (any, hook.Generator) {
		list, _ := old.(attached)
		changed, err := f(list)
		if err != nil {
			refused, changed = err, list
		}
		return changed, program(s, changed)
	})
	return errors.Join(refused, err)
}

// program generates for a list; for an empty one the site is idle.
func program(s *hook.Slot, list attached) hook.Generator {
	if len(list) == 0 {
		return nil
	}
	var cells []codegen.Cell
	for _, a := range list {
		if a.Stats == nil {
			cells = append(cells, a.Cell.Place())
		}
	}
	env := s.Env()
	if a, ok := list.measured(); ok {
		d, place := s.Wrapped(), a.Stats.Place()
		place.Events, place.Self = a.Events, a.Self
		return func(at uint64) (codegen.Code, int, error) { return codegen.Wrap(at, d, env, cells, place) }
	}
	d := s.Displaced()
	return func(at uint64) (codegen.Code, int, error) { return codegen.Count(at, d, env, cells) }
}
