package x86

// effect packs the flags an opcode reads (high byte) and writes (low byte).
//
// A flag that the manuals call undefined after an instruction counts as
// written where processors are known to overwrite it (AF after a logic
// operation, AF and OF after a shift); elsewhere, since some processor may
// leave it alone, as read and not written, which is the safe side for both.
type effect uint16

const (
	fxArith = effect(AllArith)        // all arithmetic flags are new
	fxCarry = effect(CF)<<8 | fxArith // the same, from the old carry: adc, sbb
	fxMaybe = effect(AllArith) << 8   // any may change, none surely: shifts by cl
	fxAH    = effect(AllArith &^ OF)  // what sahf sets
	fxMul   = effect(AllArith&^CF&^OF)<<8 | effect(CF|OF)
	fxBit   = effect(AllArith&^CF)<<8 | effect(CF)
	fxScan  = effect(AllArith&^ZF)<<8 | effect(ZF)

	fxRotateOne   = effect(CF | OF)            // rotates by 1
	fxRotate      = effect(OF)<<8 | effect(CF) // by an immediate that is not 0
	fxRotateCarry = effect(CF|OF) << 8         // by cl, or by any number through the carry

	fxBitField = effect(SF|AF|PF)<<8 | effect(CF|ZF|OF) // bextr
	fxBitLogic = effect(AF|PF)<<8 | effect(CF|ZF|SF|OF) // andn, blsr, bzhi, TBM

	fxSystem  = effect(AllArith|DF) << 8 // somebody else may look at all of them
	fxRestore = effect(AllArith | DF)    // popf, iret
)

// condReads are the flags that the sixteen conditions depend on, by the upper
// three bits of the condition: o, b, e, be, s, p, l, le and their opposites.
var condReads = [8]Flags{OF, CF, ZF, CF | ZF, SF, PF, SF | OF, ZF | SF | OF}

// unusual adjusts what the table says of an opcode to its prefixes and operands.
func (d *decoder) unusual(o op) op {
	switch {
	case o.form&cond != 0:
		o.fx = effect(condReads[d.Opcode>>1&7]) << 8
	case o.form&str != 0:
		if d.Prefix&(PrefixRep|PrefixRepNE) != 0 && o.fx != 0 { // cmps, scas: perhaps 0 times
			o.fx = fxMaybe
		}
		o.fx |= effect(DF) << 8
	case o.form&suffix != 0:
		d.now3D(&o)
	default:
		d.quirks(&o)
	}
	return o
}

// now3D takes the opcode from the place of the immediate.
func (d *decoder) now3D(o *op) {
	if d.pos > len(d.code) {
		return
	}
	d.Map, d.Opcode = Map3DNow, d.code[d.ImmOff]
	d.require(o, legal3DNow[d.Opcode] != 0)
}

func (d *decoder) quirks(o *op) {
	switch d.Map {
	case Map1:
		d.quirksOneByte(o)
	case Map0F:
		d.quirksTwoByte(o)
	case Map0F38:
		o.fx = fx0F38(d.Opcode, d.pp)
		if d.Prefix&(PrefixVEX|PrefixEVEX) == 0 {
			d.require(o, d.operandKind0F38())
		}
	case Map0F3A:
		if d.Opcode&^3 == 0x60 { // pcmpestrm .. pcmpistri
			o.fx = fxArith
		}
		if d.Opcode == 0xf0 && d.pp == ppF3 { // hreset has its operand in eax
			d.require(o, d.ModRM == 0xc0)
		}
	case MapEVEX5:
		if d.Opcode == 0x2e || d.Opcode == 0x2f { // vucomish, vcomish
			o.fx = fxArith
		}
	case MapXOP9:
		if d.Opcode == 1 || d.Opcode == 2 { // blcfill .. tzmsk
			o.fx = fxBitLogic
		}
	case MapXOPA:
		o.fx = fxBitField     // bextr
		if d.Opcode == 0x12 { // lwpins, lwpval
			o.fx = fxMaybe
		}
	}
}

// require refuses the instruction unless what it needs is given.
func (d *decoder) require(o *op, given bool) {
	if !given {
		o.form &^= ok
	}
}

func (d *decoder) quirksOneByte(o *op) {
	switch d.Opcode {
	case 0x90: // with REX.B an xchg, with F3 pause
		d.IsNop = d.REX&1 == 0 && d.Prefix&(PrefixRep|PrefixRepNE) == 0
	case 0xc0, 0xc1:
		d.shiftByImmediate(o)
	default:
		o.fx = fxX87(d.Opcode, d.ModRM)
	}
}

// shiftByImmediate knows that a shift by 0, after masking, touches no flag.
func (d *decoder) shiftByImmediate(o *op) {
	mask := byte(0x1f)
	if d.REX&8 != 0 {
		mask = 0x3f
	}
	if d.pos <= len(d.code) && d.code[d.ImmOff]&mask == 0 {
		o.fx = 0
	}
}

// fxX87: fcmovcc read, f(u)comi(p) write the flags of the processor proper.
func fxX87(opcode, modrm byte) effect {
	reg := modrm >> 3 & 7
	switch {
	case modrm < 0xc0:
	case (opcode == 0xda || opcode == 0xdb) && reg < 4:
		return effect([4]Flags{CF, ZF, CF | ZF, PF}[reg]) << 8
	case (opcode == 0xdb || opcode == 0xdf) && (reg == 5 || reg == 6):
		return fxArith
	}
	return 0
}

func (d *decoder) quirksTwoByte(o *op) {
	vector := d.Prefix&(PrefixVEX|PrefixEVEX) != 0
	switch b := d.Opcode; {
	case vector:
		if b == 0x2e || b == 0x2f || b == 0x98 || b == 0x99 { // v(u)comis*, kortest, ktest
			o.fx = fxArith
		}
	case b == 0x12 || b == 0x16: // movlpd and movhpd have no register form
		d.require(o, d.pp != pp66 || d.HasMem())
	case b == 0xd6: // movq2dq and movdq2q no other
		d.require(o, d.pp == pp66 || !d.HasMem())
	case b&^7 == 0x18:
		d.hint()
	case b == 0x01:
		o.fx = fxSystemGroup(d.ModRM, d.pp)
	case b == 0x78 || b == 0x79:
		d.virtualOrExtract(o)
	case b == 0xa4 || b == 0xac:
		d.shiftByImmediate(o)
	case b == 0xae:
		o.fx |= fxFences(d.ModRM, d.pp)
	case b == 0xc7:
		o.fx |= fxRandom(d.ModRM, d.pp)
	}
}

// hint tells the no-ops among 0F 18 to 0F 1F from the opcodes that were given
// a meaning: prefetch, bounds (MPX), cldemote, rdssp and endbr.
func (d *decoder) hint() {
	reg, mem := d.ModRM>>3&7, d.ModRM < 0xc0
	switch d.Opcode {
	case 0x18:
		d.IsNop = !mem || reg == 4 || reg == 5
	case 0x1a, 0x1b:
	case 0x1c:
		d.IsNop = !mem || reg != 0
	case 0x1e:
		d.IsEndbr64 = d.ModRM == 0xfa && d.Prefix == PrefixRep
		d.IsNop = mem || d.pp != ppF3 || reg != 1 && d.ModRM&^1 != 0xfa
	default:
		d.IsNop = true
	}
}

// virtualOrExtract: 0F 78 and 79 are vmread and vmwrite or, with 66 and F2,
// AMD's extrq and insertq, which have register forms and two immediates.
func (d *decoder) virtualOrExtract(o *op) {
	if d.pp == ppNone {
		o.fx = fxMaybe
		return
	}
	d.require(o, !d.HasMem())
	if d.Opcode == 0x78 {
		d.immediate(iw)
	}
}

// fxSystemGroup: most of 0F 01 is for kernels and hypervisors and counts as
// looking at everything; not so what programs use.
func fxSystemGroup(modrm byte, pp legal) effect {
	switch {
	case modrm < 0xc0 && pp == ppF3 && modrm>>3&7 == 5: // rstorssp
		return fxMaybe
	case modrm < 0xc0, modrm>>3&7 == 4, modrm>>3&7 == 6: // smsw, lmsw
		return 0
	case modrm == 0xd0, modrm == 0xd5, modrm == 0xe8 && pp == ppNone, modrm == 0xee && pp == ppNone,
		modrm == 0xef && pp == ppNone, modrm == 0xf9: // xgetbv, xend, serialize, rdpkru, wrpkru, rdtscp
		return 0
	case modrm == 0xd6, modrm == 0xed: // xtest, testui
		return fxArith
	}
	return fxSystem
}

func fxFences(modrm byte, pp legal) effect {
	if modrm>>3&7 != 6 {
		return 0
	}
	switch {
	case modrm >= 0xc0 && (pp == pp66 || pp == ppF2): // tpause, umwait
		return fxArith
	case modrm < 0xc0 && pp == ppF3: // clrssbsy
		return fxMaybe
	}
	return 0
}

func fxRandom(modrm byte, pp legal) effect {
	switch {
	case modrm>>3&7 < 6:
	case modrm < 0xc0: // vmptrld and its kind
		return fxMaybe
	case pp != ppF3: // rdrand, rdseed
		return fxArith
	}
	return 0
}

// fx0F38 covers legacy and VEX forms alike: no opcode and prefix have a
// different effect in both. (EVEX has none of these opcodes.)
func fx0F38(opcode byte, pp legal) effect {
	switch {
	case opcode == 0x17, opcode&^1 == 0x0e, opcode >= 0xe0 && opcode <= 0xef:
		return fxArith // ptest, vtestps, cmpccxadd
	case opcode >= 0x80 && opcode <= 0x82, opcode == 0xf8 && pp != pp66:
		return fxMaybe // invept .., enqcmd
	case pp == ppF3 && (opcode == 0xd8 || opcode >= 0xdc && opcode <= 0xdf || opcode&^1 == 0xfa):
		return fxMaybe // key locker
	case opcode == 0xf2 && pp == ppNone, opcode == 0xf3, opcode == 0xf5 && pp == ppNone:
		return fxBitLogic // andn, blsr .., bzhi
	case opcode == 0xf7 && pp == ppNone:
		return fxBitField // bextr
	case opcode == 0xf6 && pp == pp66:
		return effect(CF)<<8 | effect(CF) // adcx
	case opcode == 0xf6 && pp == ppF3:
		return effect(OF)<<8 | effect(OF) // adox
	}
	return 0
}

// operandKind0F38 reports whether the operand is of the kind, memory or
// register, that the few choosy instructions of the legacy map want.
func (d *decoder) operandKind0F38() bool {
	switch d.Opcode {
	case 0xf0, 0xf1: // movbe; crc32 takes both
		return d.pp == ppF2 || d.HasMem()
	case 0xf6: // wrss; adcx and adox take both
		return d.pp != ppNone || d.HasMem()
	case 0xd8: // aesencwide128kl ..
		return d.HasMem() && d.ModRM&0x20 == 0
	case 0xdd, 0xde, 0xdf: // aesdec128kl ..; aesenclast and its like take both
		return d.pp != ppF3 || d.HasMem()
	case 0x2a, 0x80, 0x81, 0x82, 0xf5, 0xf8, 0xf9, 0xfc: // movntdqa, invept .., wruss, enqcmd, movdiri, aadd
		return d.HasMem()
	case 0xfa, 0xfb: // encodekey
		return !d.HasMem()
	}
	return true
}
