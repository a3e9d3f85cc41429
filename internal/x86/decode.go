package x86

import "encoding/binary"

// Decode reads the instruction at the start of code. It looks at no byte
// behind the instruction, allocates nothing, and returns ErrTruncated when
// code ends first and ErrUnknown when this is no instruction it knows.
func Decode(code []byte) (Inst, error) {
	d := decoder{code: code, pp: ppNone}
	o := d.operation()
	if o.form&(ok|modrm) == ok|modrm {
		o = d.operands(o)
	}
	if o.form&ok != 0 {
		if o.form&immMask != 0 {
			d.immediate(o.form)
		}
		d.Flow = Flow(o.form & flowMask >> flowShift)
		if o.form&relMask != 0 {
			o = d.branch(o)
		}
		if o.form&(cond|str|quirk|suffix) != 0 {
			o = d.unusual(o)
		}
		d.FlagsRead, d.FlagsWritten = Flags(o.fx>>8), Flags(o.fx&0xff)
	}
	switch {
	case d.pos > len(code) && len(code) < MaxLen:
		return Inst{}, ErrTruncated
	case d.pos > MaxLen || o.form&ok == 0 || !d.lockable(o.form):
		return Inst{}, ErrUnknown
	}
	d.Len = uint8(d.pos)
	return d.Inst, nil
}

// decoder is the state of one Decode. Reading past the end yields zeros and
// leaves pos behind the end, which is looked at once, when all is done.
type decoder struct {
	Inst
	code []byte
	pos  int
	pp   legal // the one prefix in effect that can select an instruction
}

func (d *decoder) next() byte {
	p := d.pos
	d.pos++
	if p < len(d.code) {
		return d.code[p]
	}
	return 0
}

// value reads a signed little-endian number of n bytes; of 8 the low half.
func (d *decoder) value(n uint8) int32 {
	p := d.pos
	d.pos += int(n)
	if d.pos > len(d.code) {
		return 0
	}
	switch n {
	case 1:
		return int32(int8(d.code[p]))
	case 4, 8:
		return int32(binary.LittleEndian.Uint32(d.code[p:]))
	}
	return 0
}

// operation reads everything up to and including the opcode byte, except the
// opcode extensions that sit behind it.
func (d *decoder) operation() op {
	b := d.prefixes()
	switch b {
	case 0x0f:
		return d.escaped()
	case 0xc4, 0xc5, 0x62:
		return d.vector(b)
	case 0x8f:
		if d.pos < len(d.code) && d.code[d.pos]&0x1f >= 8 {
			return d.vector(b)
		}
	}
	d.Opcode = b
	return oneByte[b]
}

// prefixes collects legacy prefixes and REX and returns the byte behind them.
// A REX prefix counts only right in front of the opcode; processors ignore it
// elsewhere, but no compiler puts it there, so there it ends the reading.
func (d *decoder) prefixes() byte {
	for {
		b := d.next()
		p := prefixes[b]
		if p == 0 || d.pos > MaxLen {
			return b
		}
		d.Prefix |= p
		switch p {
		case PrefixREX:
			d.REX = b & 0xf
			if b = d.next(); prefixes[b] != 0 {
				return invalidOpcode
			}
			return b
		case PrefixRep:
			d.pp = ppF3
		case PrefixRepNE:
			d.pp = ppF2
		case PrefixOpSize:
			d.pp = max(d.pp, pp66)
		}
	}
}

// escaped reads the opcode behind 0F.
func (d *decoder) escaped() op {
	b := d.next()
	switch b {
	case 0x38:
		return d.mapped(Map0F38, &legal0F38, op{form: ok | modrm | quirk})
	case 0x3a:
		return d.mapped(Map0F3A, &legal0F3A, op{form: ok | modrm | ib | quirk})
	}
	d.Map, d.Opcode = Map0F, b
	if legal0F[b]&d.pp == 0 {
		return op{}
	}
	return twoByte[b]
}

// mapped reads an opcode of a map in which all opcodes have one form.
func (d *decoder) mapped(m Map, t *legalMap, o op) op {
	d.Map, d.Opcode = m, d.next()
	if t[d.Opcode]&d.pp == 0 {
		return op{}
	}
	return o
}

// vector reads the rest of a VEX, EVEX or XOP prefix and the opcode. The legacy
// prefixes that these encodings replace make them fault.
func (d *decoder) vector(b byte) op {
	const replaced = PrefixOpSize | PrefixLock | PrefixRep | PrefixRepNE | PrefixREX
	if d.Prefix&replaced != 0 {
		return op{}
	}
	switch b {
	case 0xc5:
		p := d.next()
		return d.vex(1, 0x60|p&0x80, p&0x7f)
	case 0xc4:
		p := d.next()
		return d.vex(p&0x1f, p, d.next())
	case 0x62:
		p := d.next()
		return d.evex(p, d.next(), d.next())
	}
	p := d.next()
	return d.xop(p&0x1f, p, d.next())
}

// unpack takes W, the inverted R, X and B, and pp from where VEX, EVEX and XOP
// agree to have them: rxb's upper bits and the ends of wpp.
func (d *decoder) unpack(kind Prefixes, rxb, wpp byte) {
	d.Prefix |= kind
	d.REX = wpp>>4&8 | ^rxb>>5
	d.pp = 1 << (wpp & 3)
}

func (d *decoder) vex(m, rxb, wpp byte) op {
	d.unpack(PrefixVEX, rxb, wpp)
	switch m {
	case 1:
		return d.vector0F(&legalVEX0F)
	case 2:
		return d.mapped(Map0F38, &legalVEX0F38, op{form: ok | modrm | quirk})
	case 3:
		return d.mapped(Map0F3A, &legalVEX0F3A, op{form: ok | modrm | ib | quirk})
	}
	return op{}
}

// vector0F reads an opcode of VEX or EVEX map 1, whose immediates are those of
// the legacy map.
func (d *decoder) vector0F(t *legalMap) op {
	o := d.mapped(Map0F, t, op{form: ok | modrm | quirk})
	switch d.Opcode {
	case 0x77: // vzeroupper, vzeroall; no EVEX form has this opcode
		o.form &^= modrm
	case 0x70, 0x71, 0x72, 0x73, 0xc2, 0xc4, 0xc5, 0xc6:
		if o.form != 0 {
			o.form |= ib
		}
	}
	return o
}

// evex refuses the bit patterns that APX gave a meaning.
func (d *decoder) evex(p0, p1, _ byte) op {
	if p0&8 != 0 || p1&4 == 0 {
		return op{}
	}
	d.unpack(PrefixEVEX, p0, p1)
	switch p0 & 7 {
	case 1:
		return d.vector0F(&legalEVEX0F)
	case 2:
		return d.mapped(Map0F38, &legalEVEX0F38, op{form: ok | modrm | quirk})
	case 3:
		return d.mapped(Map0F3A, &legalEVEX0F3A, op{form: ok | modrm | ib | quirk})
	case 5:
		return d.mapped(MapEVEX5, &legalEVEX5, op{form: ok | modrm | quirk})
	case 6:
		return d.mapped(MapEVEX6, &legalEVEX6, op{form: ok | modrm | quirk})
	}
	return op{}
}

func (d *decoder) xop(m, rxb, wpp byte) op {
	d.unpack(PrefixXOP, rxb, wpp)
	switch m {
	case 8:
		return d.mapped(MapXOP8, &legalXOP8, op{form: ok | modrm | ib | quirk})
	case 9:
		return d.mapped(MapXOP9, &legalXOP9, op{form: ok | modrm | quirk})
	case 10:
		return d.mapped(MapXOPA, &legalXOPA, op{form: ok | modrm | id | quirk})
	}
	return op{}
}

// operands reads ModRM, resolves opcodes that it extends, and reads SIB and
// displacement.
func (d *decoder) operands(o op) op {
	d.HasModRM, d.ModRMOff = true, uint8(d.pos)
	d.ModRM = d.next()
	if d.ModRM < 0xc0 {
		if o.form&regOnly != 0 || !d.address() {
			return op{}
		}
	} else if o.form&memOnly != 0 {
		return op{}
	}
	if o.ext != nil {
		return d.extension(o)
	}
	return o
}

// extension chooses the instruction of a group.
func (d *decoder) extension(o op) op {
	x, reg := o.ext, d.ModRM>>3&7
	allowed := x.mem[reg]
	if d.ModRM >= 0xc0 {
		allowed = x.reg[d.ModRM&0x3f]
	}
	if allowed&d.pp == 0 {
		return op{}
	}
	return op{form: o.form | x.ops[reg].form, fx: x.ops[reg].fx}
}

// address reads what follows ModRM for a memory operand. It refuses
// [eip+disp32]: its address wraps at 4 GiB, so it cannot be moved like a
// [rip+disp32], and no compiler emits it.
func (d *decoder) address() bool {
	mod, base := d.ModRM>>6, d.ModRM&7
	if base == 4 {
		d.SIB = d.next()
		base = d.SIB & 7
	}
	switch {
	case mod == 1:
		d.displacement(1)
	case mod == 2 || base == 5:
		d.displacement(4)
	}
	d.RIPRel = d.ModRM&0xc7 == 5
	return !d.RIPRel || d.Prefix&PrefixAddrSize == 0
}

func (d *decoder) displacement(n uint8) {
	d.DispOff, d.DispLen = uint8(d.pos), n
	d.Disp = d.value(n)
}

// immediate reads the immediate operands, or the address of a moffs. The
// opcode of a 3DNow! instruction stands in the place of one.
func (d *decoder) immediate(f form) {
	n := uint8(0)
	switch f & immMask {
	case moffs:
		n = 8
		if d.Prefix&PrefixAddrSize != 0 {
			n = 4
		}
		d.displacement(n)
		return
	case iz:
		n = d.operandSize(4)
	case iv:
		n = d.operandSize(8)
	default:
		n = uint8(f & immMask)
	}
	d.ImmOff, d.ImmLen = uint8(d.pos), n
	d.pos += int(n)
}

// operandSize is 2, 4 or, under REX.W, wide bytes.
func (d *decoder) operandSize(wide uint8) uint8 {
	switch {
	case d.REX&8 != 0:
		return wide
	case d.Prefix&PrefixOpSize != 0:
		return 2
	}
	return 4
}

// branch reads the displacement of a relative branch. Under an operand-size
// prefix Intel processors ignore the prefix, AMD's cut displacement and
// instruction pointer to 16 bits; REX.W, which takes precedence over the
// prefix everywhere, settles it (the linker pads calls with 66 66 48).
func (d *decoder) branch(o op) op {
	if d.Prefix&PrefixOpSize != 0 && d.REX&8 == 0 {
		return op{}
	}
	n := uint8(o.form & relMask >> relShift)
	d.RelOff, d.RelLen = uint8(d.pos), n
	d.Rel = d.value(n)
	return o
}

// lockable reports whether a lock prefix, if there, is allowed: with the
// instructions that write to memory what they read from there, and only with
// their memory forms.
func (d *decoder) lockable(f form) bool {
	return d.Prefix&PrefixLock == 0 || f&lock != 0 && d.HasMem()
}
