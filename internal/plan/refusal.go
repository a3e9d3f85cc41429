package plan

// Refusal names why a function is not hooked. The text is stable: it is printed
// and may be compared.
type Refusal string

// The reasons.
const (
	// TooShort: the function ends before the jump does, and what follows is not
	// filler that may be overwritten; nor is there filler near enough for a short
	// jump.
	TooShort Refusal = "TOO_SHORT"
	// JumpIntoWindow: something may bring a thread to a byte that the jump would
	// overwrite, other than the first.
	JumpIntoWindow Refusal = "JUMP_INTO_WINDOW"
	// WindowTaken: another function begins inside the bytes to overwrite.
	WindowTaken Refusal = "WINDOW_TAKEN"
	// DecodeUnknown: the bytes at the entry are not instructions known to us.
	DecodeUnknown Refusal = "DECODE_UNKNOWN"
	// UnsupportedInsn: an instruction to displace cannot be moved.
	UnsupportedInsn Refusal = "UNSUPPORTED_INSN"
	// CrossesPage: the jump would lie in two pages, which no single write changes
	// at once.
	CrossesPage Refusal = "CROSSES_PAGE"
	// NeverHook: the function runs where no hook may (see NeverHookReason).
	NeverHook Refusal = "NEVER_HOOK"
	// NotAnEntry: the name is not the start of a function: a cold part, a PLT
	// slot, or an address outside of code.
	NotAnEntry Refusal = "NOT_AN_ENTRY"
	// Assembly: a Go function written in assembly.
	Assembly Refusal = "ASSEMBLY"
	// IFuncResolver: the symbol names a resolver that runs once while loading.
	IFuncResolver Refusal = "IFUNC_RESOLVER"
	// RSEQ: the function holds a restartable sequence.
	RSEQ Refusal = "RSEQ"
	// RelocRange: the displaced instructions refer to something that is out of
	// reach from every place near enough to jump to. A plan does not say where the
	// copy will be, so it is for whoever places it to find this.
	RelocRange Refusal = "RELOC_RANGE"
	// DataInWindow: an instruction elsewhere reads the bytes to overwrite.
	DataInWindow Refusal = "DATA_IN_WINDOW"
)

// Reasons that only a running process shows; package hook finds them.
const (
	// BytesDiffer: the code in memory is not that of the file.
	BytesDiffer Refusal = "BYTES_DIFFER"
	// ForeignPatch: a breakpoint or somebody else's jump is there.
	ForeignPatch Refusal = "FOREIGN_PATCH"
	// Unloaded: the library is no longer mapped where it was.
	Unloaded Refusal = "UNLOADED"
	// ShadowStack: the function begins with a call, which its copy makes by a
	// push and a jump; a hardware shadow stack would not match.
	ShadowStack Refusal = "SHADOW_STACK"
	// GoParked: a suspended goroutine goes on inside the bytes to overwrite.
	GoParked Refusal = "GO_PARKED"
)

// Reasons why a function's return is not hooked, though its entry may be.
const (
	// ReturnsTwice: it keeps its return address and goes there again later.
	ReturnsTwice Refusal = "RETURNS_TWICE"
	// SwitchesStack: it leaves for another stack, or further up its own.
	SwitchesStack Refusal = "SWITCHES_STACK"
	// ReadsRA: it looks at its return address.
	ReadsRA Refusal = "READS_RA"
	// CalleePops: it takes its arguments off the stack when it returns.
	CalleePops Refusal = "CALLEE_POPS"
	// Unwinder: it walks the stack, or the walk depends on it.
	Unwinder Refusal = "UNWINDER"
	// NoReturn: it does not return.
	NoReturn Refusal = "NO_RETURN"
	// LoopsToEntry: a jump may come to the entry with something else than a return
	// address on the stack.
	LoopsToEntry Refusal = "LOOPS_TO_ENTRY"
	// GoStack: a Go function, whose return addresses the runtime reads.
	GoStack Refusal = "GO_STACK"
)

var explanations = map[Refusal]string{
	TooShort:        "the function is shorter than a jump and no filler behind it or near it can take the rest",
	JumpIntoWindow:  "the program may jump or return into the bytes that the hook would overwrite",
	WindowTaken:     "another function begins inside the bytes that the hook would overwrite",
	DecodeUnknown:   "the function's first bytes are not instructions that the decoder knows",
	UnsupportedInsn: "an instruction at the function's entry cannot be run from another place",
	CrossesPage:     "the hook would cross a page boundary and could not be written in one step",
	NeverHook:       "the function runs where no hook is safe",
	NotAnEntry:      "this is not the start of a function but a part of one, a linkage stub or data",
	Assembly:        "Go functions written in assembly do not keep to the calling convention hooks rely on",
	IFuncResolver:   "the symbol is a resolver that chooses an implementation; hook the implementation instead",
	RSEQ:            "the function holds a restartable sequence, whose instructions may not be moved",
	RelocRange:      "no free memory is near enough to both the function and what its first instructions refer to",
	DataInWindow:    "the program reads the bytes that the hook would overwrite as data",
	BytesDiffer:     "the code in memory is not that of the file",
	ForeignPatch:    "a breakpoint or somebody else's jump is there already",
	Unloaded:        "the library is not loaded any more",
	ShadowStack:     "hardware shadow stacks are on and the function begins with a call, which its copy cannot make",
	ReturnsTwice:    "the function keeps its return address and may return there again",
	SwitchesStack:   "the function goes on on another stack, or further up its own",
	CalleePops:      "the function takes its arguments off the stack when it returns (ret imm16), so its return address is not where it was",
	ReadsRA:         "the function looks at its return address, which would be another one",
	Unwinder:        "the function walks the stack, or is needed for walking it",
	NoReturn:        "the function does not return to its caller",
	LoopsToEntry:    "a jump from inside of the program may come to the function's first byte without a return address",
	GoStack:         "Go's runtime reads the return addresses of Go functions and dies of a strange one",
	GoParked:        "a suspended goroutine would go on inside the bytes that the hook would overwrite; try again",
}

// Explain is one sentence for the user, without a full stop; "" for no refusal
// or an unknown one.
func (r Refusal) Explain() string { return explanations[r] }
