package unwind

import (
	"fmt"
	"slices"

	"github.com/functap/functap/internal/symbols"
)

// Module is what [Find] must know of a file: [symbols.Module] is one. Addresses
// are as the file states them.
type Module interface {
	Name() string
	Segments() []symbols.Segment
	Bytes(vaddr uint64, n int) []byte
	Lookup(name string) ([]symbols.Func, error)
	GOTSlots(symbol string) ([]uint64, error)
	FDEs() ([]symbols.FDE, error)
	IsGo() bool
}

// Function is one of the two that unwinders ask.
type Function uint8

// The functions.
const (
	AsksFindObject  Function = iota // _dl_find_object
	AsksIteratePhdr                 // dl_iterate_phdr
)

func (f Function) String() string { return [...]string{findObject, iteratePhdr}[f] }

const (
	findObject  = "_dl_find_object"
	iteratePhdr = "dl_iterate_phdr"
	roGlobals   = "_rtld_global_ro"
	libcMark    = "__libc_start_main" // no other module defines it
)

// Entry is a function that is to be hooked at its entry.
type Entry struct {
	Module   int // index
	Addr     uint64
	Function Function
}

// Pointer is the word through which libc's _dl_find_object jumps. In a running
// process GOT, a word of the module, holds an address, and the pointer lies
// Offset bytes from there, in pages that are read-only by then. One such word
// serves the libcs of all namespaces.
type Pointer struct {
	Module int
	GOT    uint64
	Offset int32
}

// Services says what has to be replaced in a process so that all unwinders see
// through hooked functions, also those that are loaded later.
type Services struct {
	Pointer *Pointer // nil where libc has no such function, or another form of it
	Entries []Entry
	Rule    Rule
	// Unwinds is false where nothing in the process can unwind and nothing ever
	// will: a static program without any unwinder. Nothing is to be replaced then.
	Unwinds bool
}

// Find looks for what unwinders ask in the modules of a process, all of them, in
// any order. The error is ErrNotServed, with a reason, or one of a file.
func Find(mods []Module) (Services, error) {
	f := finder{mods: mods}
	if err := f.named(); err != nil {
		return Services{}, fmt.Errorf("looking for what unwinders ask: %w", err)
	}
	f.preferPointer()
	if len(f.out.Entries) == 0 && f.out.Pointer == nil {
		if err := f.nameless(); err != nil {
			return Services{}, fmt.Errorf("looking for an unwinder in code without symbols: %w", err)
		}
	}
	f.out.Unwinds = len(f.out.Entries) > 0 || f.out.Pointer != nil
	f.rule()
	return f.out, nil
}

type finder struct {
	mods []Module
	out  Services
	libc string // the first that was found
}

// named finds the two functions by name.
func (f *finder) named() error {
	for i, m := range f.mods {
		if err := f.oneLibc(m); err != nil {
			return err
		}
		if err := f.findObjects(i, m); err != nil {
			return err
		}
		if err := f.entries(i, m, iteratePhdr, AsksIteratePhdr); err != nil {
			return err
		}
	}
	return nil
}

// oneLibc refuses a second libc. glibc tells namespaces apart by the address that
// its dl_iterate_phdr returns to, and takes ours, which is in no object, for the
// first namespace; hooking another one's would show its unwinders wrong objects.
func (f *finder) oneLibc(m Module) error {
	found, err := m.Lookup(libcMark)
	if err != nil || len(found) == 0 {
		return err
	}
	if f.libc != "" {
		return &NotServedError{m.Name(), "a second C library: it is in a namespace of its own (dlmopen)"}
	}
	f.libc = m.Name()
	return nil
}

// findObjects finds _dl_find_object: the pointer behind it, else its entry.
func (f *finder) findObjects(i int, m Module) error {
	found, err := m.Lookup(findObject)
	if err != nil || len(found) == 0 {
		return err
	}
	if len(found) == 1 && f.out.Pointer == nil {
		p, ok, err := pointerOf(m, found[0].Addr)
		if err != nil {
			return err
		}
		if ok {
			p.Module = i
			f.out.Pointer = &p
			return nil
		}
	}
	return f.entries(i, m, findObject, AsksFindObject)
}

// preferPointer drops what the pointer serves already: where the loader has debug
// information, its own _dl_find_object has a name.
func (f *finder) preferPointer() {
	if f.out.Pointer != nil {
		f.out.Entries = slices.DeleteFunc(f.out.Entries, func(e Entry) bool { return e.Function == AsksFindObject })
	}
}

// entries adds the functions of that name. A module that brings its own, as some
// servers do with dl_iterate_phdr, is asked before libc, so each counts.
func (f *finder) entries(i int, m Module, name string, fn Function) error {
	found, err := m.Lookup(name)
	for _, e := range found {
		f.out.Entries = append(f.out.Entries, Entry{i, e.Addr, fn})
	}
	return err
}

// rule chooses the form that every unwinder of the process reads.
func (f *finder) rule() {
	for _, m := range f.mods {
		if readsOldAugmentations(m) {
			f.out.Rule = RuleOffset
		}
	}
}
