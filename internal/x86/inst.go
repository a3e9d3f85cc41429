package x86

import "errors"

// ErrTruncated: the bytes end before the instruction does.
var ErrTruncated = errors.New("x86: truncated instruction")

// ErrUnknown: not an instruction that this decoder knows to be valid in 64-bit
// mode. Callers must refuse the site; nothing may be guessed about its length.
var ErrUnknown = errors.New("x86: unknown instruction")

// MaxLen is the longest instruction the processor accepts.
const MaxLen = 15

// Flow says what an instruction does to the instruction pointer.
type Flow uint8

// Flow classes. FlowNone falls through and does nothing else.
const (
	FlowNone    Flow = iota
	FlowJmp          // jmp rel8/rel32
	FlowJcc          // jcc rel8/rel32
	FlowLoop         // loop, loope, loopne, jrcxz, jecxz: rel8 only
	FlowCall         // call rel32
	FlowJmpInd       // jmp r/m64 (also far)
	FlowCallInd      // call r/m64 (also far)
	FlowRet          // ret, ret imm16, far ret, iret
	FlowTrap         // int3, int n, int1, ud0/1/2, hlt: does not fall through in ordinary code
	FlowSyscall      // syscall, sysenter: falls through
	FlowXbegin       // xbegin rel32: falls through, abort handler at the target
)

// Flags is a set of RFLAGS bits that instructions read or change.
type Flags uint8

// The arithmetic flags and the direction flag.
const (
	CF Flags = 1 << iota
	PF
	AF
	ZF
	SF
	OF
	DF
	AllArith = CF | PF | AF | ZF | SF | OF
)

// Map is the opcode map an instruction comes from.
type Map uint8

// Opcode maps: one-byte, 0F, 0F38, 0F3A, EVEX maps 5 and 6, XOP 8-A, 3DNow!.
const (
	Map1    Map = iota // one-byte opcodes
	Map0F              // 0F xx, VEX/EVEX map 1
	Map0F38            // VEX/EVEX map 2
	Map0F3A            // VEX/EVEX map 3
	MapEVEX4
	MapEVEX5
	MapEVEX6
	MapXOP8
	MapXOP9
	MapXOPA
	Map3DNow
)

// Prefixes is the set of prefixes in front of an opcode.
type Prefixes uint16

// Prefix bits. REX, VEX, EVEX and XOP say which encoding was used.
const (
	PrefixOpSize   Prefixes = 1 << iota // 66
	PrefixAddrSize                      // 67
	PrefixLock                          // F0
	PrefixRepNE                         // F2
	PrefixRep                           // F3
	PrefixFS                            // 64
	PrefixGS                            // 65
	PrefixSegOther                      // 2E 36 3E 26: ignored in 64-bit mode
	PrefixREX
	PrefixVEX
	PrefixEVEX
	PrefixXOP
)

// Inst is one decoded instruction: how long it is, what it does to control
// flow and flags, and where in its bytes the parts sit that depend on its
// address. Offsets count from the first byte; 0 means "has none".
type Inst struct {
	Len    uint8
	Flow   Flow
	Map    Map
	Opcode uint8
	Prefix Prefixes

	// REX holds W, R, X, B in bits 3..0 (from REX, VEX, EVEX or XOP; already
	// un-inverted for the latter three).
	REX byte

	HasModRM  bool
	ModRM     byte
	SIB       byte // meaningful when ModRMOff+1 is a SIB byte: mod != 3 and rm == 4
	ModRMOff  uint8
	DispOff   uint8 // displacement of a memory operand (also moffs)
	DispLen   uint8 // 0, 1, 4 or 8 bytes
	ImmOff    uint8 // first immediate byte (also is4 and imm of enter)
	ImmLen    uint8 // all immediate bytes together
	RelOff    uint8 // branch displacement; not counted as an immediate
	RelLen    uint8 // 1 or 4 (2 under an operand-size prefix is ErrUnknown)
	RIPRel    bool  // the memory operand is [rip+disp32] (DispOff, DispLen 4)
	IsNop     bool  // nop or multi-byte nop: no effect (endbr64 is not counted here)
	IsEndbr64 bool

	Disp int32 // value of the displacement (8-byte moffs: low half)
	Rel  int32 // value of the branch displacement

	// FlagsRead are flags whose value matters to the instruction;
	// FlagsWritten are flags whose old value certainly does not survive it
	// (set, cleared or undefined). A flag that may keep its old value, such
	// as all of them after a shift by cl, is read and not written.
	FlagsRead    Flags
	FlagsWritten Flags
}

// Target is the address a relative branch at addr goes to, or the address a
// RIP-relative memory operand names.
func (i *Inst) Target(addr uint64) uint64 {
	d := i.Rel
	if i.RIPRel {
		d = i.Disp
	}
	return addr + uint64(i.Len) + uint64(int64(d))
}

// Mod, Reg and RM are the fields of ModRM with the REX bits applied (Reg and
// RM; RM only names a register when Mod is 3 or no SIB byte follows).
func (i *Inst) Mod() byte { return i.ModRM >> 6 }

// Reg is ModRM.reg, extended by REX.R.
func (i *Inst) Reg() byte { return i.ModRM>>3&7 | i.REX&4<<1 }

// RM is ModRM.rm, extended by REX.B.
func (i *Inst) RM() byte { return i.ModRM&7 | i.REX&1<<3 }

// HasMem reports whether ModRM names a memory operand.
func (i *Inst) HasMem() bool { return i.HasModRM && i.ModRM>>6 != 3 }

// HasSIB reports whether a SIB byte follows ModRM.
func (i *Inst) HasSIB() bool { return i.HasMem() && i.ModRM&7 == 4 }

// FallsThrough reports whether the next instruction may run after this one.
func (i *Inst) FallsThrough() bool {
	switch i.Flow {
	case FlowJmp, FlowJmpInd, FlowRet, FlowTrap:
		return false
	}
	return true
}
