package x86

// legal is a set of the prefixes that may select an instruction: in front of
// an SSE opcode and in VEX and its like each makes another instruction.
type legal uint8

// The four choices, numbered as VEX.pp numbers them. An F2 or F3 wins over 66.
const (
	ppNone legal = 1 << iota
	pp66
	ppF3
	ppF2
)

// legalMap tells for every opcode of a map under which prefixes it is an
// instruction.
type legalMap [256]legal

// legalRows reads a legalMap from 256 hexadecimal digits, "." being none.
func legalRows(rows string) (m legalMap) {
	if len(rows) != len(m) {
		panic("BUG: opcode map of the wrong size")
	}
	for i := range m {
		m[i] = digit(rows[i])
	}
	return m
}

func digit(c byte) legal {
	switch {
	case c == '.':
		return 0
	case c <= '9':
		return legal(c - '0')
	}
	return legal(c - 'a' + 10)
}

// form is the shape of an instruction behind its opcode, and its flow class.
type form uint32

const (
	// Immediate operands: the low four bits are their bytes together, except
	// for the sizes that depend on prefixes.
	immNone form = 0
	ib      form = 1
	iw      form = 2 // also two immediates of a byte
	iwib    form = 3 // enter
	id      form = 4
	iz      form = 5 // 4 bytes, 2 under an operand-size prefix
	iv      form = 6 // the same, 8 under REX.W
	moffs   form = 7 // an address of the address size
	immMask form = 0xf

	relShift      = 4
	rel8     form = 1 << relShift
	rel32    form = 4 << relShift
	relMask  form = 7 << relShift

	flowShift      = 8
	flowMask  form = 0xf << flowShift
	jmp            = form(FlowJmp) << flowShift
	jcc            = form(FlowJcc) << flowShift
	loop           = form(FlowLoop) << flowShift
	call           = form(FlowCall) << flowShift
	jmpInd         = form(FlowJmpInd) << flowShift
	callInd        = form(FlowCallInd) << flowShift
	ret            = form(FlowRet) << flowShift
	trap           = form(FlowTrap) << flowShift
	sysCall        = form(FlowSyscall) << flowShift
	xbegin         = form(FlowXbegin) << flowShift
)

const (
	ok      form = 1 << (iota + 12) // an instruction at all
	modrm                           // ModRM follows the opcode
	memOnly                         // ModRM must name memory
	regOnly                         // ModRM must name a register
	lock                            // a lock prefix is allowed
	suffix                          // 3DNow!: the opcode follows the operand
	cond                            // reads the condition in the opcode's low four bits
	str                             // a string instruction: reads DF, may repeat 0 times
	quirk                           // effects.go knows more about its effects
)

// op is what a table says of an opcode.
type op struct {
	form form
	fx   effect
	ext  *extension // set when ModRM extends the opcode
}

// extension is a group of instructions that share an opcode: the reg field of
// ModRM chooses among ops, whose form is added to that of the opcode. Register
// operands may be told apart further, by the rm field.
type extension struct {
	mem [8]legal
	reg [64]legal
	ops [8]op
}

// extend makes an extension from rows of digits as in legalRows: 8 for memory
// operands, 8 or 64 for register operands.
func extend(mem, reg string, ops [8]op) *extension {
	x := &extension{ops: ops}
	for i := range x.mem {
		x.mem[i] = digit(mem[i])
	}
	for i := range x.reg {
		x.reg[i] = digit(reg[i*len(reg)/64])
	}
	return x
}

// span gives a run of opcodes the same op.
type span struct {
	first, last byte
	op
}

// opMap spreads spans over a whole map; what no span names is the zero op or,
// for the sparse map 0F, whatever rest says.
func opMap(rest op, spans []span) (t [256]op) {
	for i := range t {
		t[i] = rest
	}
	for _, s := range spans {
		for b := int(s.first); b <= int(s.last); b++ {
			t[b] = s.op
		}
	}
	return t
}

// invalidOpcode is a byte that is no opcode in 64-bit mode (it was salc).
const invalidOpcode = 0xd6

var prefixes = func() (t [256]Prefixes) {
	for b, p := range map[byte]Prefixes{
		0x66: PrefixOpSize, 0x67: PrefixAddrSize, 0xf0: PrefixLock,
		0xf2: PrefixRepNE, 0xf3: PrefixRep, 0x64: PrefixFS, 0x65: PrefixGS,
		0x26: PrefixSegOther, 0x2e: PrefixSegOther, 0x36: PrefixSegOther, 0x3e: PrefixSegOther,
	} {
		t[b] = p
	}
	for b := 0x40; b <= 0x4f; b++ {
		t[b] = PrefixREX
	}
	return t
}()
