// Package sigframe knows the frame that the x86-64 kernel pushes when it calls a
// signal handler (struct rt_sigframe), finds such frames on the stacks of stopped
// threads, and changes the registers that are saved in them: a thread that is in
// a handler has a second instruction pointer, the one it returns to.
package sigframe

// Offsets in the frame, from the address of its first word, which is the address
// of the restorer that the handler returns to. On entry to the handler the stack
// pointer is the frame's address; rt_sigreturn expects it 8 bytes higher.
// (arch/x86/include/asm/sigframe.h, arch/x86/include/uapi/asm/{ucontext,sigcontext}.h)
const (
	OffFlags    = 8   // uc_flags
	OffSSFlags  = 32  // uc_stack.ss_flags, 32 bits
	OffGPR      = 48  // 17 registers of 8 bytes, in the order of Register
	OffEflags   = 184 // 8 bytes
	OffCS       = 192 // 16 bits
	OffSS       = 198 // 16 bits
	OffFPState  = 232 // address of the XSAVE image
	OffSigMask  = 304 // uc_sigmask
	OffSigInfo  = 312
	Size        = 440
	wordSize    = 8
	UserCS      = 0x33 // code segment of 64-bit user mode
	UserSS      = 0x2b
	userCeiling = 1 << 56 // no user address is above, also with five-level paging

	// uc_flags: an XSAVE image is there; the saved ss is valid and to be restored.
	FlagXState   = 1
	FlagSS       = 2
	FlagStrictSS = 4
)

// What the kernel puts into the XSAVE image, and demands there at rt_sigreturn
// before it restores more than x87 and SSE state
// (arch/x86/include/uapi/asm/sigcontext.h, struct _fpx_sw_bytes).
const (
	OffSW      = 464        // in the image: magic1, extended size, features, size
	FPMagic1   = 0x46505853 // at OffSW
	FPMagic2   = 0x46505845 // behind the image
	OffXStateB = 512        // XSTATE_BV: which components are not in their initial state
)

// Register numbers the saved general registers in the frame's order.
type Register int

// The registers in a frame.
const (
	R8 Register = iota
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	RDI
	RSI
	RBP
	RBX
	RDX
	RAX
	RCX
	RSP
	RIP
)
