package x86

// twoByte is the map behind 0F. Its ordinary entry is an SSE or MMX instruction
// with ModRM and no effect on flags; which of them exist is legal0F's to say.
var twoByte = opMap(op{form: ok | modrm}, []span{
	{0x00, 0x00, op{form: ok | modrm, ext: descriptor}},
	{0x01, 0x01, op{form: ok | modrm | quirk, ext: system}},
	{0x02, 0x03, op{form: ok | modrm, fx: effect(ZF)}},               // lar, lsl
	{0x05, 0x05, op{form: ok | sysCall, fx: fxSystem}},               // syscall
	{0x06, 0x06, op{form: ok}},                                       // clts
	{0x07, 0x07, op{form: ok | ret, fx: fxSystem}},                   // sysret
	{0x08, 0x09, op{form: ok}},                                       // invd, wbinvd
	{0x0b, 0x0b, op{form: ok | trap, fx: fxSystem}},                  // ud2
	{0x0d, 0x0d, op{form: ok | modrm | memOnly}},                     // prefetch, prefetchw
	{0x0e, 0x0e, op{form: ok}},                                       // femms
	{0x0f, 0x0f, op{form: ok | modrm | ib | suffix}},                 // 3DNow!
	{0x12, 0x12, op{form: ok | modrm | quirk}},                       // movlps, movhlps
	{0x13, 0x13, op{form: ok | modrm | memOnly}},                     // movlps
	{0x16, 0x16, op{form: ok | modrm | quirk}},                       // movhps, movlhps
	{0x17, 0x17, op{form: ok | modrm | memOnly}},                     // movhps
	{0x18, 0x1f, op{form: ok | modrm | quirk}},                       // hints: prefetch, endbr64, nop
	{0x20, 0x23, op{form: ok | modrm | regOnly, fx: fxMaybe}},        // mov to and from control, debug
	{0x2b, 0x2b, op{form: ok | modrm | memOnly}},                     // movntps
	{0x2e, 0x2f, op{form: ok | modrm, fx: fxArith}},                  // ucomiss, comiss
	{0x30, 0x33, op{form: ok}},                                       // wrmsr, rdtsc, rdmsr, rdpmc
	{0x34, 0x34, op{form: ok | sysCall, fx: fxSystem}},               // sysenter
	{0x35, 0x35, op{form: ok | ret, fx: fxSystem}},                   // sysexit
	{0x37, 0x37, op{form: ok, fx: fxSystem}},                         // getsec
	{0x40, 0x4f, op{form: ok | modrm | cond}},                        // cmovcc
	{0x50, 0x50, op{form: ok | modrm | regOnly}},                     // movmskps
	{0x70, 0x70, op{form: ok | modrm | ib}},                          // pshufw
	{0x71, 0x72, op{form: ok | modrm | ib, ext: vectorShift}},        // psrlw ..
	{0x73, 0x73, op{form: ok | modrm | ib, ext: vectorShiftQ}},       //
	{0x77, 0x77, op{form: ok}},                                       // emms
	{0x78, 0x79, op{form: ok | modrm | quirk}},                       // vmread, vmwrite, extrq, insertq
	{0x80, 0x8f, op{form: ok | jcc | rel32 | cond}},                  // jcc
	{0x90, 0x9f, op{form: ok | modrm | cond}},                        // setcc
	{0xa0, 0xa1, op{form: ok}},                                       // push, pop fs
	{0xa2, 0xa2, op{form: ok}},                                       // cpuid
	{0xa3, 0xa3, op{form: ok | modrm, fx: fxBit}},                    // bt
	{0xa4, 0xa4, op{form: ok | modrm | ib | quirk, fx: fxMaybe}},     // shld
	{0xa5, 0xa5, op{form: ok | modrm, fx: fxMaybe}},                  //
	{0xa6, 0xa6, op{form: ok | modrm | regOnly, ext: padlockHash}},   // montmul, xsha*
	{0xa7, 0xa7, op{form: ok | modrm | regOnly, ext: padlockCipher}}, // xstore, xcrypt-*
	{0xa8, 0xa9, op{form: ok}},                                       // push, pop gs
	{0xaa, 0xaa, op{form: ok | ret, fx: fxSystem}},                   // rsm
	{0xab, 0xab, op{form: ok | modrm | lock, fx: fxBit}},             // bts
	{0xac, 0xac, op{form: ok | modrm | ib | quirk, fx: fxMaybe}},     // shrd
	{0xad, 0xad, op{form: ok | modrm, fx: fxMaybe}},                  //
	{0xae, 0xae, op{form: ok | modrm | quirk, ext: stateAndFences}},  //
	{0xaf, 0xaf, op{form: ok | modrm, fx: fxMul}},                    // imul
	{0xb0, 0xb1, op{form: ok | modrm | lock, fx: fxArith}},           // cmpxchg
	{0xb2, 0xb2, op{form: ok | modrm | memOnly}},                     // lss
	{0xb3, 0xb3, op{form: ok | modrm | lock, fx: fxBit}},             // btr
	{0xb4, 0xb5, op{form: ok | modrm | memOnly}},                     // lfs, lgs
	{0xb8, 0xb8, op{form: ok | modrm, fx: fxArith}},                  // popcnt
	{0xb9, 0xb9, op{form: ok | modrm | trap, fx: fxSystem}},          // ud1
	{0xba, 0xba, op{form: ok | modrm | ib, ext: bitImm}},             // bt .. btc
	{0xbb, 0xbb, op{form: ok | modrm | lock, fx: fxBit}},             // btc
	{0xbc, 0xbd, op{form: ok | modrm, fx: fxScan}},                   // bsf, bsr, tzcnt, lzcnt
	{0xc0, 0xc1, op{form: ok | modrm | lock, fx: fxArith}},           // xadd
	{0xc2, 0xc2, op{form: ok | modrm | ib}},                          // cmpps
	{0xc3, 0xc3, op{form: ok | modrm | memOnly}},                     // movnti
	{0xc4, 0xc4, op{form: ok | modrm | ib}},                          // pinsrw
	{0xc5, 0xc5, op{form: ok | modrm | ib | regOnly}},                // pextrw
	{0xc6, 0xc6, op{form: ok | modrm | ib}},                          // shufps
	{0xc7, 0xc7, op{form: ok | modrm | quirk, ext: exchangeAndRandom}},
	{0xc8, 0xcf, op{form: ok}},                              // bswap
	{0xd6, 0xd6, op{form: ok | modrm | quirk}},              // movq, movq2dq, movdq2q
	{0xd7, 0xd7, op{form: ok | modrm | regOnly}},            // pmovmskb
	{0xe7, 0xe7, op{form: ok | modrm | memOnly}},            // movntq
	{0xf0, 0xf0, op{form: ok | modrm | memOnly}},            // lddqu
	{0xf7, 0xf7, op{form: ok | modrm | regOnly}},            // maskmovq
	{0xff, 0xff, op{form: ok | modrm | trap, fx: fxSystem}}, // ud0
})

const none8 = "........"

var (
	// sldt, str, lldt, ltr, verr, verw
	descriptor = extend("ffffff..", "ffffff..", [8]op{4: {fx: effect(ZF)}, 5: {fx: effect(ZF)}})

	// With memory: sgdt, sidt, lgdt, lidt, smsw, rstorssp, lmsw, invlpg.
	system = extend("fffff4ff", ""+
		"111111d."+"11112223"+ // enclv, vm*, pconfig, *msr*; monitor, mwait, clac, stac, td*, seam*, encls
		"11..1111"+"1d111111"+ // xgetbv, xsetbv, vmfunc, xend, xtest, enclu; SVM
		"ffffffff"+"d84.4455"+ // smsw; serialize, *ssp*, *ldtrk, uintr, *pkru
		"ffffffff"+"115115dd", // lmsw; swapgs, rdtscp, monitorx, mwaitx, clzero, rdpru, SNP
		[8]op{})

	vectorShift  = extend(none8, "..3.3.3.", [8]op{})
	vectorShiftQ = extend(none8, "..32..32", [8]op{})

	bitImm = extend("....ffff", "....ffff", [8]op{
		4: {fx: fxBit}, 5: {form: lock, fx: fxBit}, 6: {form: lock, fx: fxBit}, 7: {form: lock, fx: fxBit}})

	// /4 is xsha512, in OpenSSL's code but in few decoders.
	padlockHash   = extend(none8, rm0+rm0+rm0+none8+rm0+none8+none8+none8, padlockOps)
	padlockCipher = extend(none8, rm0+rm0+rm0+rm0+rm0+rm0+none8+none8, padlockOps)
	padlockOps    = [8]op{{fx: fxMaybe}, {fx: fxMaybe}, {fx: fxMaybe}, {fx: fxMaybe}, {fx: fxMaybe}, {fx: fxMaybe}}

	// fxsave, fxrstor, ldmxcsr, stmxcsr, xsave/ptwrite, xrstor,
	// xsaveopt/clwb/clrssbsy, clflush/clflushopt; rd/wrfs/gsbase, ptwrite,
	// lfence/incssp, mfence/tpause/umonitor/umwait, sfence.
	stateAndFences = extend("11115173", ""+
		"44444444"+"44444444"+"44444444"+"44444444"+"44444444"+
		"55555555"+"feeeeeee"+"1.......", [8]op{})

	// cmpxchg8b, xrstors, xsavec, xsaves, vmptrld/vmclear/vmxon, vmptrst;
	// rdrand/senduipi, rdseed/rdpid.
	exchangeAndRandom = extend(".f.11171", "......77", [8]op{1: {form: lock, fx: effect(ZF)}})
)

// rm0 allows the one rm 0 of eight.
const rm0 = "f......."
