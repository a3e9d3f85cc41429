package hook

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/codegen"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/unwind"
)

// answers are the functions of ours that unwinders ask in place of others. They are units
// of the session's first arena, each with a record of its own.
type answers struct {
	n      *neighbourhood // the first
	data   *unwind.Data
	rule   unwind.Rule
	used   int // originals
	failed error
}

// newAnswers starts the tables of all arenas.
func (s *session) newAnswers(rule unwind.Rule) (*answers, error) {
	first := s.arenas[0]
	data, err := unwind.NewData(first.Answers())
	if err != nil {
		return nil, err
	}
	a := &answers{n: first, data: data, rule: rule}
	for _, n := range s.arenas {
		if err := a.add(n); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// add answers for an arena's code.
func (a *answers) add(n *neighbourhood) error {
	t, err := n.startTable(a.rule)
	if err != nil {
		return err
	}
	err = a.data.AddRange(t)
	if n.unseen = errors.Is(err, unwind.ErrFull); n.unseen {
		return nil
	}
	return err
}

// hookEntries lets functions be answered that are patched at their entries.
func (a *answers) hookEntries(u *unwinders, slots []*Slot) error {
	for i, s := range slots {
		if err := a.hookEntry(u.Entries[i].Function, s); err != nil {
			return fmt.Errorf("answering %v: %w", u.Entries[i].Function, err)
		}
	}
	return nil
}

// hookEntry makes the slot lead to the answer, and what the slot has led to, and will, what
// the answer hands on to: counters of that function go on counting.
func (a *answers) hookEntry(f unwind.Function, s *Slot) error {
	i, entry, err := a.placeEntry(f, s)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a.data.SetOriginal(i, s.n.Slot(s.index))
	s.behind = func(to uint64) { a.data.SetOriginal(i, to) }
	s.n.StoreSlot(s.index, entry)
	return nil
}

// placeEntry writes it with a record that says where to make the answer hand on to the
// function itself.
func (a *answers) placeEntry(f unwind.Function, s *Slot) (i int, entry uint64, err error) {
	rec := arena.Site{HoleAddr: s.site.Addr()}
	binary.LittleEndian.PutUint64(rec.HoleOriginal[:], a.data.OriginalAt(a.used))
	binary.LittleEndian.PutUint64(rec.HoleWritten[:], s.stub+codegen.CopyOffset)
	i, entry, _, err = a.place(f, rec)
	return i, entry, err
}

// place writes the answer to f, with its record. It hands on to original i.
func (a *answers) place(f unwind.Function, rec arena.Site) (i int, entry uint64, record int, err error) {
	if i = a.used; i == unwind.MaxOriginals {
		return 0, 0, 0, fmt.Errorf("%w: %d functions that unwinders ask", ErrFull, i)
	}
	rec.Kind = arena.SiteAnswer
	if record, err = a.n.AddSite(rec); err != nil {
		return 0, 0, 0, err
	}
	var c unwind.Code
	at, _, err := a.n.placeRows(uint32(record), arena.UnitAnswer, func(at uint64) (codegen.Code, error) {
		c, err = a.generate(f, at, i)
		return codegen.Code{Bytes: c.Bytes, Exits: exitsOf(c)}, err
	}, func(codegen.Code) []unwind.Row { return c.Rows })
	if err != nil {
		return 0, 0, 0, err
	}
	a.used++
	return i, at + uint64(c.Entry), record, nil
}

func (a *answers) generate(f unwind.Function, at uint64, i int) (unwind.Code, error) {
	if f == unwind.AsksFindObject {
		return unwind.FindObject(at, a.data.Addr(), i)
	}
	return unwind.IteratePhdr(at, a.data.Addr(), i)
}

// exitsOf says in the arena's words what becomes of a thread in an answer.
func exitsOf(c unwind.Code) []arena.Exit {
	calls := map[unwind.Action]arena.Call{
		unwind.Restart:      arena.AnswerRestart,
		unwind.RestartSaved: arena.AnswerSaved,
		unwind.Return:       arena.AnswerReturn,
		unwind.DrainAnswer:  arena.AnswerWaits,
		unwind.DrainLoader:  arena.AnswerLoader,
	}
	var out []arena.Exit
	for _, e := range c.Exits {
		out = append(out, arena.Exit{Off: uint16(e.Off), Pop: uint8(e.Pop), Call: calls[e.Do]})
	}
	return out
}

// replacePointer makes the word through which libc hands the question on lead to the answer.
func (p *Process) replacePointer(ctx context.Context, a *answers, u *unwinders) error {
	if u.Pointer == nil {
		return nil
	}
	addr, original, err := p.pointer(u)
	if err != nil {
		return err
	}
	rec := arena.Site{Addr: addr, HoleAddr: original, Patch: 8}
	binary.LittleEndian.PutUint64(rec.Original[:], original)
	rec.Written = rec.Original // until it is known where the answer is
	i, entry, record, err := a.place(unwind.AsksFindObject, rec)
	if err != nil {
		return err
	}
	a.data.SetOriginal(i, original)
	rec.Kind, rec.State = arena.SiteAnswer, arena.SitePlanned
	binary.LittleEndian.PutUint64(rec.Written[:], entry)
	a.n.WriteSite(record, rec)
	return p.stopAll(ctx, "unwinders", func(st *ptrace.Stop) error { return a.write(st.Mem(), record, rec) })
}

// pointer finds that word, and what is in it.
func (p *Process) pointer(u *unwinders) (addr, original uint64, err error) {
	mem, err := openMem(p.pid)
	if err != nil {
		return 0, 0, err
	}
	defer mem.Close()
	globals, err := word(mem, u.images[u.Pointer.Module].bias+u.Pointer.GOT)
	if err != nil {
		return 0, 0, err
	}
	addr = globals + uint64(int64(u.Pointer.Offset))
	original, err = word(mem, addr)
	return addr, original, err
}

// write replaces the pointer while nobody can read half of it.
func (a *answers) write(mem *ptrace.Mem, record int, rec arena.Site) error {
	now, err := word(mem, rec.Addr)
	if err != nil {
		return err
	}
	if now != rec.HoleAddr {
		return errors.New("the pointer behind _dl_find_object has changed")
	}
	if _, err := mem.WriteAt(rec.Written[:], int64(rec.Addr)); err != nil {
		return fmt.Errorf("writing the pointer behind _dl_find_object: %w", err)
	}
	a.n.SetSiteState(record, arena.SiteActive)
	return nil
}
