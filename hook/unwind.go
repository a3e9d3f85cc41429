package hook

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/functap/functap/internal/unwind"
)

// ErrUnwinds: something in the target walks stacks, or may come to, and cannot be shown
// the way through functions whose returns are hooked; *UnwindsError says why.
var ErrUnwinds = errors.New("the target can unwind its stack, and cannot be shown the way through hooked returns (UNWINDS)")

// UnwindsError is an ErrUnwinds.
type UnwindsError struct {
	Image  string // the file at fault
	Reason string
}

func (e *UnwindsError) Error() string {
	return fmt.Sprintf("%v: %s: %s", ErrUnwinds, e.Image, e.Reason)
}

// Is makes the error ErrUnwinds.
func (e *UnwindsError) Is(target error) bool { return target == ErrUnwinds }

// unwinders is what unwinders of a process ask.
type unwinders struct {
	unwind.Services
	images  []*Image // by Module of the services
	entries []Site   // of the Services' Entries
}

// CheckUnwinders finds out, once, what unwinders of the target ask, also those that it
// loads later. Nothing is touched. The error is ErrUnwinds if that cannot be answered by us.
func (p *Process) CheckUnwinders() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.findUnwinders()
	return err
}

func (p *Process) findUnwinders() (*unwinders, error) {
	if p.unwinders != nil {
		return p.unwinders, nil
	}
	if p.closed {
		return nil, ErrClosed
	}
	u := &unwinders{images: loadedOnce(p.images)}
	mods := make([]unwind.Module, len(u.images))
	for i, im := range u.images {
		mods[i] = im.module
	}
	var err error
	u.Services, err = unwind.Find(mods)
	var not *unwind.NotServedError
	if errors.As(err, &not) {
		return nil, &UnwindsError{not.Module, not.Reason}
	}
	if err != nil {
		return nil, err
	}
	if err := u.judge(); err != nil {
		return nil, err
	}
	p.unwinders = u
	return u, nil
}

// loadedOnce leaves out images that are only a part of a file's text, which the program has
// mapped a second time: its functions are those of the first.
func loadedOnce(ims []*Image) []*Image {
	return slices.DeleteFunc(slices.Clone(ims), func(im *Image) bool {
		return !im.complete() && slices.ContainsFunc(ims, func(o *Image) bool {
			return o != im && o.complete() && o.mappings[0].Inode == im.mappings[0].Inode && o.Path == im.Path
		})
	})
}

// complete reports whether the beginning of each executable segment is mapped.
func (im *Image) complete() bool {
	const pfExec = 1
	for _, s := range im.module.Segments() {
		if s.Flags&pfExec != 0 && !im.maps(s.Vaddr) {
			return false
		}
	}
	return true
}

// judge plans the entries as those of any function.
func (u *unwinders) judge() error {
	for _, e := range u.Entries {
		im := u.images[e.Module]
		f, err := im.functionAt(im.bias + e.Addr)
		if err != nil {
			return err
		}
		if f == nil || f.sym.Addr != e.Addr {
			return &UnwindsError{im.Name, fmt.Sprintf("%v at %#x is not known as a function", e.Function, im.bias+e.Addr)}
		}
		st, err := f.Site()
		if errors.Is(err, ErrUnpatchable) {
			return &UnwindsError{im.Name, err.Error()}
		}
		if err != nil {
			return err
		}
		u.entries = append(u.entries, st)
	}
	return nil
}

// ServeUnwinders lets everything that walks stacks in the target see through functions whose
// returns are hooked, by answering in place of the functions that unwinders ask. It needs a
// patch before it, must come before the first program that wraps a function, and is done
// once; it holds until Close. The error is ErrUnwinds if it cannot be done.
func (p *Process) ServeUnwinders(ctx context.Context) error {
	p.room.Lock() // nobody adds code meanwhile
	defer p.room.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return ErrClosed
	case p.session == nil || len(p.session.arenas) == 0:
		return errors.New("serving unwinders: nothing is patched")
	case p.session.answers != nil:
		return p.session.answers.failed
	}
	u, err := p.findUnwinders()
	if err == nil && u.Unwinds {
		err = p.serve(ctx, u)
	}
	if err != nil {
		return fmt.Errorf("serving unwinders: %w", p.settle(err))
	}
	return nil
}

func (p *Process) serve(ctx context.Context, u *unwinders) error {
	slots, err := p.patchEntries(ctx, u)
	if err != nil {
		return err
	}
	a, err := p.session.newAnswers(u.Rule)
	if err != nil {
		return err
	}
	p.session.answers = a
	a.failed = errors.Join(a.hookEntries(u, slots), p.replacePointer(ctx, a, u))
	return a.failed
}

// patchEntries patches the functions that are asked, unless they are patched already.
func (p *Process) patchEntries(ctx context.Context, u *unwinders) ([]*Slot, error) {
	pt, err := p.patch(ctx, u.entries)
	if err != nil {
		return nil, err
	}
	if len(pt.Refused) > 0 {
		return nil, &UnwindsError{u.entries[0].Function.im.Name, pt.Refused[0].Error()}
	}
	if len(pt.Slots) != len(u.entries) {
		panic("BUG: a site was neither patched nor refused")
	}
	return pt.Slots, nil
}
