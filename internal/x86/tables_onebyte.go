package x86

// oneByte is the map of opcodes without an escape. Absent from it are the
// opcodes that 64-bit mode took away and the bytes that are prefixes.
var oneByte = opMap(op{}, append(arithmetic(), []span{
	{0x50, 0x5f, op{form: ok}},                                     // push, pop
	{0x63, 0x63, op{form: ok | modrm}},                             // movsxd
	{0x68, 0x68, op{form: ok | iz}},                                // push
	{0x69, 0x69, op{form: ok | modrm | iz, fx: fxMul}},             // imul
	{0x6a, 0x6a, op{form: ok | ib}},                                // push
	{0x6b, 0x6b, op{form: ok | modrm | ib, fx: fxMul}},             // imul
	{0x6c, 0x6f, op{form: ok | str}},                               // ins, outs
	{0x70, 0x7f, op{form: ok | jcc | rel8 | cond}},                 // jcc
	{0x80, 0x80, op{form: ok | modrm | ib, ext: arithImm}},         // add .. cmp
	{0x81, 0x81, op{form: ok | modrm | iz, ext: arithImm}},         //
	{0x83, 0x83, op{form: ok | modrm | ib, ext: arithImm}},         //
	{0x84, 0x85, op{form: ok | modrm, fx: fxArith}},                // test
	{0x86, 0x87, op{form: ok | modrm | lock}},                      // xchg
	{0x88, 0x8b, op{form: ok | modrm}},                             // mov
	{0x8c, 0x8c, op{form: ok | modrm, ext: fromSegment}},           // mov r/m, sreg
	{0x8d, 0x8d, op{form: ok | modrm | memOnly}},                   // lea
	{0x8e, 0x8e, op{form: ok | modrm, ext: toSegment}},             // mov sreg, r/m
	{0x8f, 0x8f, op{form: ok | modrm, ext: popRM}},                 // pop
	{0x90, 0x90, op{form: ok | quirk}},                             // nop, pause, xchg
	{0x91, 0x99, op{form: ok}},                                     // xchg, cbw, cwd
	{0x9b, 0x9b, op{form: ok}},                                     // fwait: an instruction of its own
	{0x9c, 0x9c, op{form: ok, fx: fxSystem}},                       // pushf
	{0x9d, 0x9d, op{form: ok, fx: fxRestore}},                      // popf
	{0x9e, 0x9e, op{form: ok, fx: fxAH}},                           // sahf
	{0x9f, 0x9f, op{form: ok, fx: fxAH << 8}},                      // lahf
	{0xa0, 0xa3, op{form: ok | moffs}},                             // mov
	{0xa4, 0xa5, op{form: ok | str}},                               // movs
	{0xa6, 0xa7, op{form: ok | str, fx: fxArith}},                  // cmps
	{0xa8, 0xa8, op{form: ok | ib, fx: fxArith}},                   // test
	{0xa9, 0xa9, op{form: ok | iz, fx: fxArith}},                   //
	{0xaa, 0xad, op{form: ok | str}},                               // stos, lods
	{0xae, 0xaf, op{form: ok | str, fx: fxArith}},                  // scas
	{0xb0, 0xb7, op{form: ok | ib}},                                // mov
	{0xb8, 0xbf, op{form: ok | iv}},                                //
	{0xc0, 0xc1, op{form: ok | modrm | ib | quirk, ext: shiftImm}}, // rol .. sar
	{0xc2, 0xc2, op{form: ok | iw | ret}},                          // ret
	{0xc3, 0xc3, op{form: ok | ret}},                               //
	{0xc6, 0xc6, op{form: ok | modrm | ib, ext: movByte}},          // mov, xabort
	{0xc7, 0xc7, op{form: ok | modrm, ext: movWord}},               // mov, xbegin
	{0xc8, 0xc8, op{form: ok | iwib}},                              // enter
	{0xc9, 0xc9, op{form: ok}},                                     // leave
	{0xca, 0xca, op{form: ok | iw | ret}},                          // far ret
	{0xcb, 0xcb, op{form: ok | ret}},                               //
	{0xcc, 0xcc, op{form: ok | trap, fx: fxSystem}},                // int3
	{0xcd, 0xcd, op{form: ok | ib | trap, fx: fxSystem}},           // int
	{0xcf, 0xcf, op{form: ok | ret, fx: fxRestore}},                // iret
	{0xd0, 0xd1, op{form: ok | modrm, ext: shiftOne}},              // rol .. sar
	{0xd2, 0xd3, op{form: ok | modrm, ext: shiftCL}},               //
	{0xd7, 0xd7, op{form: ok}},                                     // xlat
	{0xd8, 0xd8, op{form: ok | modrm | quirk, ext: x87[0]}},        // x87
	{0xd9, 0xd9, op{form: ok | modrm | quirk, ext: x87[1]}},        //
	{0xda, 0xda, op{form: ok | modrm | quirk, ext: x87[2]}},        //
	{0xdb, 0xdb, op{form: ok | modrm | quirk, ext: x87[3]}},        //
	{0xdc, 0xdc, op{form: ok | modrm | quirk, ext: x87[4]}},        //
	{0xdd, 0xdd, op{form: ok | modrm | quirk, ext: x87[5]}},        //
	{0xde, 0xde, op{form: ok | modrm | quirk, ext: x87[6]}},        //
	{0xdf, 0xdf, op{form: ok | modrm | quirk, ext: x87[7]}},        //
	{0xe0, 0xe1, op{form: ok | loop | rel8, fx: effect(ZF) << 8}},  // loopne, loope
	{0xe2, 0xe3, op{form: ok | loop | rel8}},                       // loop, jrcxz
	{0xe4, 0xe7, op{form: ok | ib}},                                // in, out
	{0xe8, 0xe8, op{form: ok | call | rel32}},                      // call
	{0xe9, 0xe9, op{form: ok | jmp | rel32}},                       // jmp
	{0xeb, 0xeb, op{form: ok | jmp | rel8}},                        //
	{0xec, 0xef, op{form: ok}},                                     // in, out
	{0xf1, 0xf1, op{form: ok | trap, fx: fxSystem}},                // int1
	{0xf4, 0xf4, op{form: ok | trap, fx: fxSystem}},                // hlt
	{0xf5, 0xf5, op{form: ok, fx: effect(CF)<<8 | effect(CF)}},     // cmc
	{0xf6, 0xf6, op{form: ok | modrm, ext: unaryByte}},             // test .. idiv
	{0xf7, 0xf7, op{form: ok | modrm, ext: unary}},                 //
	{0xf8, 0xf9, op{form: ok, fx: effect(CF)}},                     // clc, stc
	{0xfa, 0xfb, op{form: ok}},                                     // cli, sti
	{0xfc, 0xfd, op{form: ok, fx: effect(DF)}},                     // cld, std
	{0xfe, 0xfe, op{form: ok | modrm, ext: incDec}},                // inc, dec
	{0xff, 0xff, op{form: ok | modrm, ext: incDecCallJmpPush}},     // inc .. push
}...))

// arithmetic lists opcodes 00 to 3D: eight operations with six forms each.
func arithmetic() (s []span) {
	for i, o := range arithImm.ops {
		b := byte(i) << 3
		s = append(s,
			span{b, b + 1, op{form: ok | modrm | o.form, fx: o.fx}},
			span{b + 2, b + 3, op{form: ok | modrm, fx: o.fx}},
			span{b + 4, b + 4, op{form: ok | ib, fx: o.fx}},
			span{b + 5, b + 5, op{form: ok | iz, fx: o.fx}})
	}
	return s
}

const all8 = "ffffffff"

var (
	arithImm = extend(all8, all8, [8]op{
		{form: lock, fx: fxArith}, // add
		{form: lock, fx: fxArith}, // or
		{form: lock, fx: fxCarry}, // adc
		{form: lock, fx: fxCarry}, // sbb
		{form: lock, fx: fxArith}, // and
		{form: lock, fx: fxArith}, // sub
		{form: lock, fx: fxArith}, // xor
		{fx: fxArith},             // cmp
	})
	shiftImm = extend(all8, all8, [8]op{
		{fx: fxRotate}, {fx: fxRotate}, {fx: fxRotateCarry}, {fx: fxRotateCarry},
		{fx: fxArith}, {fx: fxArith}, {fx: fxArith}, {fx: fxArith},
	})
	shiftOne = extend(all8, all8, [8]op{
		{fx: fxRotateOne}, {fx: fxRotateOne},
		{fx: fxRotateOne | effect(CF)<<8}, {fx: fxRotateOne | effect(CF)<<8},
		{fx: fxArith}, {fx: fxArith}, {fx: fxArith}, {fx: fxArith},
	})
	shiftCL = extend(all8, all8, [8]op{
		{fx: fxRotateCarry}, {fx: fxRotateCarry}, {fx: fxRotateCarry}, {fx: fxRotateCarry},
		{fx: fxMaybe}, {fx: fxMaybe}, {fx: fxMaybe}, {fx: fxMaybe},
	})
	unaryByte = extend(all8, all8, unaryOps(ib))
	unary     = extend(all8, all8, unaryOps(iz))

	incDec            = extend("ff......", "ff......", incDecOps())
	incDecCallJmpPush = extend("fffffff.", "fff.f.f.", incDecOps(callInd, callInd, jmpInd, jmpInd))

	fromSegment = extend("ffffff..", "ffffff..", [8]op{})
	toSegment   = extend("f.ffff..", "f.ffff..", [8]op{})
	popRM       = extend("f.......", "f.......", [8]op{})
	movByte     = extend("f.......", movAndF8, [8]op{})
	movWord     = extend("f.......", movAndF8, [8]op{{form: iz}, 7: {form: xbegin | rel32}})
)

// movAndF8 allows /0 with every register and, of /7, the one byte F8.
const movAndF8 = all8 + "................................................" + "f......."

func unaryOps(imm form) [8]op {
	return [8]op{
		{form: imm, fx: fxArith},  // test
		{form: imm, fx: fxArith},  // test, by an alias
		{form: lock},              // not
		{form: lock, fx: fxArith}, // neg
		{fx: fxMul}, {fx: fxMul},  // mul, imul
		{fx: fxMaybe}, {fx: fxMaybe}, // div, idiv
	}
}

// incDecOps is inc, dec, and what else shares their opcode.
func incDecOps(more ...form) (ops [8]op) {
	ops[0] = op{form: lock, fx: fxArith &^ effect(CF)}
	ops[1] = ops[0]
	for i, f := range more {
		ops[2+i].form = f
	}
	return ops
}

// x87 holds D8 to DF: which /reg exist with memory, and for each /reg with a
// register a bit for every rm that exists.
var x87 = [8]*extension{
	x87Rows("ffffffff", 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
	x87Rows("f.ffffff", 0xff, 0xff, 0x01, 0x00, 0x33, 0x7f, 0xff, 0xff),
	x87Rows("ffffffff", 0xff, 0xff, 0xff, 0xff, 0x00, 0x02, 0x00, 0x00),
	x87Rows("ffff.f.f", 0xff, 0xff, 0xff, 0xff, 0x3f, 0xff, 0xff, 0x00),
	x87Rows("ffffffff", 0xff, 0xff, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff),
	x87Rows("fffff.ff", 0xff, 0x00, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00),
	x87Rows("ffffffff", 0xff, 0xff, 0x00, 0x02, 0xff, 0xff, 0xff, 0xff),
	x87Rows("ffffffff", 0xff, 0x00, 0x00, 0x00, 0x01, 0xff, 0xff, 0x00),
}

func x87Rows(mem string, rows ...byte) *extension {
	x := extend(mem, "........", [8]op{})
	for i := range x.reg {
		if rows[i/8]>>(i%8)&1 != 0 {
			x.reg[i] = ppNone | pp66 | ppF3 | ppF2
		}
	}
	return x
}
