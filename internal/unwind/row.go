package unwind

import "slices"

// Place says where the return address is.
type Place uint8

// Places of a return address.
const (
	InSlot  Place = iota // in the word below the CFA, as after any call
	InFrame              // in the frame whose slot is the word below the CFA
	Lost                 // not known: the stack ends here
)

// Reg is a register by its DWARF number.
type Reg uint8

// The registers that rules speak of (System V psABI for x86-64, figure 3.36).
const (
	RBX Reg = 3
	RBP Reg = 6
	RSP Reg = 7
	R12 Reg = 12
	R13 Reg = 13
	R14 Reg = 14
	R15 Reg = 15

	raColumn = 16
)

// Kept is a register whose caller's value lies Off bytes below the CFA.
type Kept struct {
	Reg Reg
	Off int
}

// Row says how to unwind from the instruction at Off in a unit on, up to the
// next row. The CFA, which is what the stack pointer will be in the caller, is
// the stack pointer plus CFA.
type Row struct {
	Off  int
	CFA  int
	RA   Place
	Kept []Kept
}

// entryCFA is the CFA at a function's first instruction.
const entryCFA = 8

// Plain are the rows of a unit that leaves the stack alone: a claim routine, or
// a program that only jumps.
func Plain() []Row { return []Row{{CFA: entryCFA}} }

// Stage says how far a program that wraps its function is.
type Stage uint8

// Stages. Where the stack pointer is in each is as compilers would say it of a
// function that has pushed nothing.
const (
	Before   Stage = iota // as at a function's entry
	Dropped               // the slot is off the stack, and still holds the original
	Calling               // the same, and this is the call; an instruction of at least 3 bytes
	Returned              // the function has returned; the original is in the frame
	Restored              // it is in its slot again, whatever becomes of the frame
	Leaving               // and the slot on the stack: as at an entry
)

// Point is an instruction boundary from which on a stage holds, up to the next.
type Point struct {
	Off   int
	Stage Stage
	Pop   int // how much lower than usual the stack pointer is
}

// Wrapped are the rows of a program that wraps its function, from the stages of its
// instructions, in any order. Parts that few calls need may come behind others that
// are further on.
//
// The row of the wrapped call begins one byte behind the start of the call
// instruction: unwinders look a return address up at the byte before it, and a
// signal that hits exactly on the call finds the original still in its slot. A
// third byte is for walks from another program's entry that a jump out of the
// wrapped body has reached: that gives the address in the slot less one, and
// unwinders that do not heed the S take off another.
func Wrapped(points []Point) []Row {
	ps := slices.Clone(points)
	slices.SortFunc(ps, func(a, b Point) int { return a.Off - b.Off })
	var rows []Row
	add := func(r Row) {
		if n := len(rows); n == 0 || !r.same(rows[n-1]) {
			rows = append(rows, r)
		}
	}
	for _, p := range ps {
		add(p.row())
		if p.Stage == Calling {
			add(Row{Off: p.Off + 1, CFA: p.Pop, RA: InFrame})
		}
	}
	if len(rows) == 0 || rows[0].Off != 0 {
		rows = append(Plain(), rows...)
	}
	return rows
}

// row is the row at the point itself.
func (p Point) row() Row {
	switch p.Stage {
	case Before, Leaving:
		return Row{Off: p.Off, CFA: p.Pop + entryCFA}
	case Returned:
		return Row{Off: p.Off, CFA: p.Pop, RA: InFrame}
	}
	return Row{Off: p.Off, CFA: p.Pop}
}
