package unwind

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

// Program says where in a program the state of its return slot changes.
//
//	0        as at a function's entry
//	Dropped  behind the lea that takes the slot off the stack
//	Call     the call of the body, which writes into the slot; at least 3 bytes
//	Back     behind the store that puts the original address back
//	Pushed   behind the lea that gives the slot back to the stack
//
// Everything from Pushed to the end is as at an entry again: the way out, and
// parts that do not wrap the call.
type Program struct {
	Dropped, Call, Back, Pushed int
}

// Rows are the program's rows.
//
// The row of the wrapped call begins one byte behind the start of the call
// instruction: unwinders look a return address up at the byte before it, and a
// signal that hits exactly on the call finds the original still in its slot. A
// third byte is for walks from another program's entry that a jump out of the
// wrapped body has reached: that gives the address in the slot less one, and
// unwinders that do not heed the S take off another.
func (p Program) Rows() []Row {
	return []Row{
		{Off: 0, CFA: entryCFA, RA: InSlot},
		{Off: p.Dropped, CFA: 0, RA: InSlot},
		{Off: p.Call + 1, CFA: 0, RA: InFrame},
		{Off: p.Back, CFA: 0, RA: InSlot},
		{Off: p.Pushed, CFA: entryCFA, RA: InSlot},
	}
}

// Leave are the rows of shared code to which programs jump when the original
// address is back in its slot; pushed is the offset behind its last lea.
func Leave(pushed int) []Row {
	return []Row{{CFA: 0, RA: InSlot}, {Off: pushed, CFA: entryCFA, RA: InSlot}}
}
