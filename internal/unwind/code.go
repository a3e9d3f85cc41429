package unwind

import (
	"fmt"

	"github.com/functap/functap/internal/x86"
)

// Code is one generated routine.
type Code struct {
	Bytes []byte
	Entry int // where it is entered
	Rows  []Row
	Exits []Exit // one for each instruction boundary
	// Returns are the offsets to which functions return that the routine has
	// called. One on a stack means that a thread is in the middle of it: Drain.
	Returns []int
}

// Exit says what becomes of a thread that stands at an instruction boundary when
// the routine has to go.
type Exit struct {
	Off int
	Do  Action
	Pop int // bytes to take off the stack first
}

// Action is what to do with a thread.
type Action uint8

// Actions.
const (
	// Restart: the thread enters the original function, as it has entered ours.
	Restart Action = iota
	// RestartSaved: the same, with rdi and rsi as they lie at 0 and 8 bytes from
	// the stack pointer (before Pop).
	RestartSaved
	// Return: the thread returns to the caller; its result is in rax.
	Return
	// DrainAnswer: the routine is answering for a hooked frame, and its caller is
	// going to use the table. Both stay until it has left.
	DrainAnswer
	// DrainLoader: the loader below on the stack is going to call the routine again.
	DrainLoader
)

func (a Action) String() string {
	return [...]string{"restart", "restart-saved", "return",
		"drain: an unwinder is being told about a hooked frame",
		"drain: the loader is going to call it again"}[a]
}

// Drains reports whether a thread there keeps the routine and the tables.
func (a Action) Drains() bool { return a == DrainAnswer || a == DrainLoader }

// gen assembles a routine and notes rows and exits on the way.
type gen struct {
	*x86.Asm
	rows    []Row
	exits   []Exit // Off is the first boundary for which it holds
	returns []int
}

func newGen(at uint64) *gen {
	return &gen{Asm: x86.NewAsm(at), rows: Plain()}
}

// exit says what holds for the boundary that comes next and those after it.
func (g *gen) exit(do Action, pop int) {
	g.exits = append(g.exits, Exit{Off: g.Len(), Do: do, Pop: pop})
}

// row says how to unwind from here on.
func (g *gen) row(depth int, kept ...Kept) {
	g.rows = append(g.rows, Row{Off: g.Len(), CFA: entryCFA + depth, Kept: kept})
}

// called notes the address behind a call that was just appended.
func (g *gen) called() { g.returns = append(g.returns, g.Len()) }

// finish spreads the exits over all boundaries.
func (g *gen) finish() (Code, error) {
	b, err := g.Bytes()
	if err != nil {
		return Code{}, fmt.Errorf("assembling an answer for unwinders: %w", err)
	}
	c := Code{Bytes: b, Rows: g.rows, Returns: g.returns}
	for off := 0; off < len(b); {
		in, err := x86.Decode(b[off:])
		if err != nil {
			panic(fmt.Sprintf("BUG: generated code at +%#x does not decode: % x", off, b[off:]))
		}
		e := g.exitAt(off)
		e.Off = off
		c.Exits = append(c.Exits, e)
		off += int(in.Len)
	}
	return c, nil
}

func (g *gen) exitAt(off int) (e Exit) {
	for _, x := range g.exits {
		if x.Off <= off {
			e = x
		}
	}
	return e
}
