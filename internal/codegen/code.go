package codegen

import (
	"fmt"
	"slices"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/x86"
)

// Displaced is what a program must know of its site.
type Displaced struct {
	Site  uint64 // address of the window in the target
	Bytes []byte // the window: whole instructions
	// FlagsLive: the window may read flags before it writes them.
	FlagsLive bool
	// SelfLoop: the entry is jumped to from code whose temporaries may lie below
	// the stack pointer at that moment.
	SelfLoop bool
	// Go: compiled by Go. r12, r13 and flags are free, the stack is not.
	Go bool
	// Copy is where the site's stub has the displaced instructions.
	Copy uint64
	// GoCheck is how many bytes of the window are the stack check; 0: none.
	GoCheck int
}

// Code is one unit, assembled for one address.
type Code struct {
	Bytes []byte
	Exits []arena.Exit // by offset; each holds up to the next one
}

// gen assembles code and remembers, for each offset, how a thread standing
// there goes on in the original.
type gen struct {
	*x86.Asm
	at     uint64
	site   uint64
	states []state
	exits  []arena.Exit // of displaced copies
	copies []span
	pop    uint8       // how far the stack pointer was lowered, for from
	call   arena.Call  // how far the call is, for from
	token  arena.Token // the same in all of a routine's part
}

// state holds from off on.
type state struct {
	off  int
	exit arena.Exit
}

type span struct{ start, end int }

func newGen(at, site uint64) *gen {
	return &gen{Asm: x86.NewAsm(at), at: at, site: site}
}

// from says what is saved at the boundary that comes next and those after it.
func (g *gen) from(s arena.Saved, t arena.Token) {
	g.states = append(g.states, state{g.Len(), arena.Exit{Pop: g.pop, Saved: s, Token: max(t, g.token), Call: g.call}})
}

// displaced appends the copy of code, which was at addr. With back, a jump to
// what followed it is part of the copy.
func (g *gen) displaced(code []byte, addr uint64, back bool) error {
	if len(code) == 0 {
		if back {
			g.jumpBack(addr)
		}
		return nil
	}
	start := g.Len()
	r, err := x86.Relocate(code, addr, g.PC(), x86.RelocateOptions{})
	if err != nil {
		return fmt.Errorf("moving the instructions at %#x: %w", addr, err)
	}
	end := addr + uint64(len(code))
	if n := len(r.Moved); !back && r.Moved[n-1].Orig == end {
		r.Bytes = r.Bytes[:r.Moved[n-1].Copy-g.PC()]
		r.Moved = r.Moved[:n-1]
	}
	for _, m := range r.Moved {
		g.exits = append(g.exits, arena.Exit{
			Off:   uint16(m.Copy - g.at),
			Delta: int16(m.Orig - g.site),
			Pop:   uint8(m.Pop),
		})
	}
	g.Raw(r.Bytes...)
	g.copies = append(g.copies, span{start, g.Len()})
	return nil
}

// jumpBack appends the jump to the instruction at addr.
func (g *gen) jumpBack(addr uint64) {
	off := g.Len()
	g.exits = append(g.exits, arena.Exit{Off: uint16(off), Delta: int16(addr - g.site)})
	g.Jmp(addr)
	g.copies = append(g.copies, span{off, g.Len()})
}

// finish returns the code with the exits of all instruction boundaries: those of
// displaced copies as the relocator gave them, the others by their state.
func (g *gen) finish() (Code, error) {
	b, err := g.Bytes()
	if err != nil {
		return Code{}, fmt.Errorf("assembling for %#x: %w", g.at, err)
	}
	exits := g.exits
	add := func(off int, e arena.Exit) {
		if _, copied := g.inCopy(off); !copied && off < len(b) {
			e.Off = uint16(off)
			exits = append(exits, e)
		}
	}
	for i, s := range g.states {
		if i+1 == len(g.states) || g.states[i+1].off > s.off {
			add(s.off, s.exit)
		}
	}
	for _, c := range g.copies {
		add(c.end, g.stateAt(c.end))
	}
	if len(g.states) == 0 || g.states[0].off > 0 {
		add(0, arena.Exit{})
	}
	return Code{Bytes: b, Exits: merge(exits)}, nil
}

// merge sorts exits and leaves out those that say the same as the one before.
func merge(exits []arena.Exit) []arena.Exit {
	slices.SortStableFunc(exits, func(a, b arena.Exit) int { return int(a.Off) - int(b.Off) })
	return slices.CompactFunc(exits, func(a, b arena.Exit) bool {
		b.Off = a.Off
		return a == b
	})
}

func (g *gen) inCopy(off int) (end int, ok bool) {
	for _, c := range g.copies {
		if off >= c.start && off < c.end {
			return c.end, true
		}
	}
	return 0, false
}

func (g *gen) stateAt(off int) (e arena.Exit) {
	for _, s := range g.states {
		if s.off <= off {
			e = s.exit
		}
	}
	return e
}
