package plan

import "github.com/functap/functap/internal/symbols"

// Tactic is how a function's entry is diverted.
type Tactic uint8

// The tactics. Refused is the zero value.
const (
	Refused Tactic = iota
	// Window overwrites five bytes inside the function.
	Window
	// Padding overwrites a function's end and filler behind it; Window < Patch.
	Padding
	// Short overwrites two bytes at the site and five bytes of filler at Hole.
	Short
)

// String is "window", "padding", "short" or "refused".
func (t Tactic) String() string {
	return [...]string{"refused", "window", "padding", "short"}[t]
}

const (
	longJump  = 5 // bytes of jmp rel32
	shortJump = 2 // bytes of jmp rel8
	pageSize  = 4096
)

// Plan is the decision for one function. Addresses are the file's own.
type Plan struct {
	Func   symbols.Func
	Tactic Tactic // Refused when Reason is set

	// Site is the first byte to overwrite: the function's first byte, or the one
	// after its endbr64. Zero when refused.
	Site uint64
	// Window is the length of the displaced instructions, counted from Site and
	// always whole. With Padding it is less than Patch: the rest of the patch
	// lies in filler, and the last displaced instruction does not fall through.
	Window uint8
	// Patch is the number of bytes overwritten at Site: 5, or 2 for Short. They
	// lie in one 4 KiB page, so that one write of the kernel changes all or none.
	Patch uint8
	// Hole is, for Short, the five bytes of filler that the short jump goes to. No
	// other plan of the same Analysis uses any of them. They lie in one page.
	Hole uint64

	// Reason is empty for a function that can be hooked.
	Reason Refusal
	// Detail says in one phrase what exactly was found; "" if there is nothing to
	// add to Reason.Explain.
	Detail string

	// FlagsLive says that the code from Site on may read an arithmetic flag
	// before writing it, so that whatever runs first must keep the flags.
	FlagsLive bool
	// SelfLoop says that the bytes below rsp (the red zone) may hold live data at
	// the entry. It is set if
	//   - a jump (not a call), direct or through a jump table, comes to the entry
	//     from the function's own range (any range overlapping it included), from a
	//     cold part or nameless code, or from a function with an operand below rsp
	//     (base rsp, negative displacement) that is not of Go's compiler;
	//   - a function that has such an operand and an indirect jump (not a call)
	//     takes the entry's address by an instruction;
	//   - or the function before it runs on into it.
	// A function is taken as a whole, whatever the order of its instructions. Data
	// that is only passed on by a function between the two, or addressed through
	// another register than rsp, is not seen. SelfLoop is not set for a Go function
	// with a stack check, which jumps to its entry after the stack has grown.
	SelfLoop bool

	// GoCheck is the length from Site to the end of the jbe of a Go function's
	// stack check, 0 if there is none. Window covers it.
	GoCheck uint8
	// GoMorestack is where that jbe goes: the block that grows the stack and then
	// jumps to the first byte again.
	GoMorestack uint64

	// Interior are the offsets from Site, ascending, of the instruction
	// boundaries strictly inside the overwritten bytes at which a thread may be
	// standing when they are overwritten.
	Interior []uint8
}

// Hookable reports whether the plan is one.
func (p *Plan) Hookable() bool { return p.Reason == "" }

// inOnePage reports whether n bytes at addr do not cross a page boundary.
func inOnePage(addr, n uint64) bool { return addr%pageSize+n <= pageSize }
