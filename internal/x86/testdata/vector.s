# One line for every mnemonic that objdump knows of the vector encodings (AVX to
# AVX512-FP16, FMA, FMA4, BMI, VAES, GFNI, AMX, XOP) and of the maps 0F38 and 0F3A, with
# a register and a memory operand each. TestAssembled has as encode them.
vmovups (%rax),%xmm0
vmovups %xmm0,%xmm0
vmovupd (%rax),%xmm0
vmovupd %xmm0,%xmm0
vmovss (%rax),%xmm0
vmovss %xmm0,%xmm0,%xmm0
vmovsd (%rax),%xmm0
vmovsd %xmm0,%xmm0,%xmm0
vmovlps (%rax),%xmm0,%xmm0
vmovhlps %xmm0,%xmm0,%xmm0
vmovlpd (%rax),%xmm0,%xmm0
vmovsldup 0x11223344(%rip),%xmm0
vmovsldup %xmm0,%xmm0
vmovddup 0x11223344(%rip),%xmm0
vmovddup %xmm0,%xmm0
vunpcklps 0x11223344(%rip),%xmm0,%xmm0
vunpcklps %xmm0,%xmm0,%xmm0
vunpcklpd 0x11223344(%rip),%xmm0,%xmm0
vunpcklpd %xmm0,%xmm0,%xmm0
vunpckhps 0x11223344(%rip),%xmm0,%xmm0
vunpckhps %xmm0,%xmm0,%xmm0
vunpckhpd 0x11223344(%rip),%xmm0,%xmm0
vunpckhpd %xmm0,%xmm0,%xmm0
vmovhps 0x11223344(%rip),%xmm0,%xmm0
vmovlhps %xmm0,%xmm0,%xmm0
vmovhpd 0x11223344(%rip),%xmm0,%xmm0
vmovshdup (%rax),%xmm0
vmovshdup %xmm0,%xmm0
vmovaps (%rax),%xmm0
vmovaps %xmm0,%xmm0
vmovapd (%rax),%xmm0
vmovapd %xmm0,%xmm0
vcvtsi2ssl (%rax),%xmm0,%xmm0
vcvtsi2ssq 0x11223344(%rip),%xmm0,%xmm0
vcvtsi2ss %eax,%xmm0,%xmm0
vcvtsi2sdl 0x11223344(%rip),%xmm0,%xmm0
vcvtsi2sdq (%rax),%xmm0,%xmm0
vcvtsi2sd %eax,%xmm0,%xmm0
vmovntps %xmm0,(%rax)
vmovntpd %xmm0,0x11223344(%rip)
vcvttss2si (%rax),%eax
vcvttss2si %xmm0,%eax
vcvttsd2si (%rax),%eax
vcvttsd2si %xmm0,%eax
vcvtss2si (%rax),%eax
vcvtss2si %xmm0,%eax
vcvtsd2si (%rax),%eax
vcvtsd2si %xmm0,%eax
vucomiss (%rax),%xmm0
vucomiss %xmm0,%xmm0
vucomisd (%rax),%xmm0
vucomisd %xmm0,%xmm0
vcomiss (%rax),%xmm0
vcomiss %xmm0,%xmm0
vcomisd (%rax),%xmm0
vcomisd %xmm0,%xmm0
kandw  %k0,%k0,%k0
kandq  %k0,%k0,%k0
kandb  %k0,%k0,%k0
kandd  %k0,%k0,%k0
kandnw %k0,%k0,%k0
kandnq %k0,%k0,%k0
kandnb %k0,%k0,%k0
kandnd %k0,%k0,%k0
knotw  %k0,%k0
knotq  %k0,%k0
knotb  %k0,%k0
knotd  %k0,%k0
korw   %k0,%k0,%k0
korq   %k0,%k0,%k0
korb   %k0,%k0,%k0
kord   %k0,%k0,%k0
kxnorw %k0,%k0,%k0
kxnorq %k0,%k0,%k0
kxnorb %k0,%k0,%k0
kxnord %k0,%k0,%k0
kxorw  %k0,%k0,%k0
kxorq  %k0,%k0,%k0
kxorb  %k0,%k0,%k0
kxord  %k0,%k0,%k0
kaddw  %k0,%k0,%k0
kaddq  %k0,%k0,%k0
kaddb  %k0,%k0,%k0
kaddd  %k0,%k0,%k0
kunpckwd %k0,%k0,%k0
kunpckdq %k0,%k0,%k0
kunpckbw %k0,%k0,%k0
vmovmskps %xmm0,%eax
vmovmskpd %xmm0,%eax
vsqrtps 0x11223344(%rip),%xmm0
vsqrtps %xmm0,%xmm0
vsqrtpd 0x11223344(%rip),%xmm0
vsqrtpd %xmm0,%xmm0
vsqrtss 0x11223344(%rip),%xmm0,%xmm0
vsqrtss %xmm0,%xmm0,%xmm0
vsqrtsd 0x11223344(%rip),%xmm0,%xmm0
vsqrtsd %xmm0,%xmm0,%xmm0
vrsqrtps 0x11223344(%rip),%xmm0
vrsqrtps %xmm0,%xmm0
vrsqrtss 0x11223344(%rip),%xmm0,%xmm0
vrsqrtss %xmm0,%xmm0,%xmm0
vrcpps 0x11223344(%rip),%xmm0
vrcpps %xmm0,%xmm0
vrcpss 0x11223344(%rip),%xmm0,%xmm0
vrcpss %xmm0,%xmm0,%xmm0
vandps 0x11223344(%rip),%xmm0,%xmm0
vandps %xmm0,%xmm0,%xmm0
vandpd 0x11223344(%rip),%xmm0,%xmm0
vandpd %xmm0,%xmm0,%xmm0
vandnps 0x11223344(%rip),%xmm0,%xmm0
vandnps %xmm0,%xmm0,%xmm0
vandnpd 0x11223344(%rip),%xmm0,%xmm0
vandnpd %xmm0,%xmm0,%xmm0
vorps  0x11223344(%rip),%xmm0,%xmm0
vorps  %xmm0,%xmm0,%xmm0
vorpd  0x11223344(%rip),%xmm0,%xmm0
vorpd  %xmm0,%xmm0,%xmm0
vxorps 0x11223344(%rip),%xmm0,%xmm0
vxorps %xmm0,%xmm0,%xmm0
vxorpd 0x11223344(%rip),%xmm0,%xmm0
vxorpd %xmm0,%xmm0,%xmm0
vaddps 0x11223344(%rip),%xmm0,%xmm0
vaddps %xmm0,%xmm0,%xmm0
vaddpd 0x11223344(%rip),%xmm0,%xmm0
vaddpd %xmm0,%xmm0,%xmm0
vaddss 0x11223344(%rip),%xmm0,%xmm0
vaddss %xmm0,%xmm0,%xmm0
vaddsd 0x11223344(%rip),%xmm0,%xmm0
vaddsd %xmm0,%xmm0,%xmm0
vmulps 0x11223344(%rip),%xmm0,%xmm0
vmulps %xmm0,%xmm0,%xmm0
vmulpd 0x11223344(%rip),%xmm0,%xmm0
vmulpd %xmm0,%xmm0,%xmm0
vmulss 0x11223344(%rip),%xmm0,%xmm0
vmulss %xmm0,%xmm0,%xmm0
vmulsd 0x11223344(%rip),%xmm0,%xmm0
vmulsd %xmm0,%xmm0,%xmm0
vcvtps2pd 0x11223344(%rip),%xmm0
vcvtps2pd %xmm0,%xmm0
vcvtpd2psx 0x11223344(%rip),%xmm0
vcvtpd2psy (%rax),%xmm0
vcvtpd2ps %xmm0,%xmm0
vcvtss2sd (%rax),%xmm0,%xmm0
vcvtss2sd %xmm0,%xmm0,%xmm0
vcvtsd2ss (%rax),%xmm0,%xmm0
vcvtsd2ss %xmm0,%xmm0,%xmm0
vcvtdq2ps (%rax),%xmm0
vcvtdq2ps %xmm0,%xmm0
vcvtps2dq (%rax),%xmm0
vcvtps2dq %xmm0,%xmm0
vcvttps2dq (%rax),%xmm0
vcvttps2dq %xmm0,%xmm0
vsubps (%rax),%xmm0,%xmm0
vsubps %xmm0,%xmm0,%xmm0
vsubpd (%rax),%xmm0,%xmm0
vsubpd %xmm0,%xmm0,%xmm0
vsubss (%rax),%xmm0,%xmm0
vsubss %xmm0,%xmm0,%xmm0
vsubsd (%rax),%xmm0,%xmm0
vsubsd %xmm0,%xmm0,%xmm0
vminps (%rax),%xmm0,%xmm0
vminps %xmm0,%xmm0,%xmm0
vminpd (%rax),%xmm0,%xmm0
vminpd %xmm0,%xmm0,%xmm0
vminss (%rax),%xmm0,%xmm0
vminss %xmm0,%xmm0,%xmm0
vminsd (%rax),%xmm0,%xmm0
vminsd %xmm0,%xmm0,%xmm0
vdivps (%rax),%xmm0,%xmm0
vdivps %xmm0,%xmm0,%xmm0
vdivpd (%rax),%xmm0,%xmm0
vdivpd %xmm0,%xmm0,%xmm0
vdivss (%rax),%xmm0,%xmm0
vdivss %xmm0,%xmm0,%xmm0
vdivsd (%rax),%xmm0,%xmm0
vdivsd %xmm0,%xmm0,%xmm0
vmaxps (%rax),%xmm0,%xmm0
vmaxps %xmm0,%xmm0,%xmm0
vmaxpd (%rax),%xmm0,%xmm0
vmaxpd %xmm0,%xmm0,%xmm0
vmaxss (%rax),%xmm0,%xmm0
vmaxss %xmm0,%xmm0,%xmm0
vmaxsd (%rax),%xmm0,%xmm0
vmaxsd %xmm0,%xmm0,%xmm0
vpunpcklbw (%rax),%xmm0,%xmm0
vpunpcklbw %xmm0,%xmm0,%xmm0
vpunpcklwd (%rax),%xmm0,%xmm0
vpunpcklwd %xmm0,%xmm0,%xmm0
vpunpckldq (%rax),%xmm0,%xmm0
vpunpckldq %xmm0,%xmm0,%xmm0
vpacksswb (%rax),%xmm0,%xmm0
vpacksswb %xmm0,%xmm0,%xmm0
vpcmpgtb (%rax),%xmm0,%xmm0
vpcmpgtb %xmm0,%xmm0,%xmm0
vpcmpgtw (%rax),%xmm0,%xmm0
vpcmpgtw %xmm0,%xmm0,%xmm0
vpcmpgtd (%rax),%xmm0,%xmm0
vpcmpgtd %xmm0,%xmm0,%xmm0
vpackuswb (%rax),%xmm0,%xmm0
vpackuswb %xmm0,%xmm0,%xmm0
vpunpckhbw (%rax),%xmm0,%xmm0
vpunpckhbw %xmm0,%xmm0,%xmm0
vpunpckhwd (%rax),%xmm0,%xmm0
vpunpckhwd %xmm0,%xmm0,%xmm0
vpunpckhdq (%rax),%xmm0,%xmm0
vpunpckhdq %xmm0,%xmm0,%xmm0
vpackssdw (%rax),%xmm0,%xmm0
vpackssdw %xmm0,%xmm0,%xmm0
vpunpcklqdq (%rax),%xmm0,%xmm0
vpunpcklqdq %xmm0,%xmm0,%xmm0
vpunpckhqdq (%rax),%xmm0,%xmm0
vpunpckhqdq %xmm0,%xmm0,%xmm0
vmovd  (%rax),%xmm0
vmovq  0x11223344(%rip),%xmm0
vmovd  %eax,%xmm0
vmovq  %rax,%xmm0
vmovdqa (%rax),%xmm0
vmovdqa %xmm0,%xmm0
vmovdqu (%rax),%xmm0
vmovdqu %xmm0,%xmm0
vpshufd $0x12,(%rax),%xmm0
vpshufd $0x12,%xmm0,%xmm0
vpshufhw $0x12,(%rax),%xmm0
vpshufhw $0x12,%xmm0,%xmm0
vpshuflw $0x12,(%rax),%xmm0
vpshuflw $0x12,%xmm0,%xmm0
vpsrlw $0x12,%xmm0,%xmm0
vpsraw $0x12,%xmm0,%xmm0
vpsllw $0x12,%xmm0,%xmm0
vpsrld $0x12,%xmm0,%xmm0
vpsrad $0x12,%xmm0,%xmm0
vpslld $0x12,%xmm0,%xmm0
vpsrlq $0x12,%xmm0,%xmm0
vpsrldq $0x12,%xmm0,%xmm0
vpsllq $0x12,%xmm0,%xmm0
vpslldq $0x12,%xmm0,%xmm0
vpcmpeqb (%rax),%xmm0,%xmm0
vpcmpeqb %xmm0,%xmm0,%xmm0
vpcmpeqw (%rax),%xmm0,%xmm0
vpcmpeqw %xmm0,%xmm0,%xmm0
vpcmpeqd (%rax),%xmm0,%xmm0
vpcmpeqd %xmm0,%xmm0,%xmm0
vzeroupper
vzeroall
vhaddpd (%rax),%xmm0,%xmm0
vhaddpd %xmm0,%xmm0,%xmm0
vhaddps (%rax),%xmm0,%xmm0
vhaddps %xmm0,%xmm0,%xmm0
vhsubpd (%rax),%xmm0,%xmm0
vhsubpd %xmm0,%xmm0,%xmm0
vhsubps (%rax),%xmm0,%xmm0
vhsubps %xmm0,%xmm0,%xmm0
kmovw  (%rax),%k0
kmovq  0x11223344(%rip),%k0
kmovw  %k0,%k0
kmovq  %k0,%k0
kmovb  (%rax),%k0
kmovd  0x11223344(%rip),%k0
kmovb  %k0,%k0
kmovd  %k0,%k0
kortestw %k0,%k0
kortestq %k0,%k0
kortestb %k0,%k0
kortestd %k0,%k0
ktestw %k0,%k0
ktestq %k0,%k0
ktestb %k0,%k0
ktestd %k0,%k0
vldmxcsr (%rax)
vstmxcsr 0x11223344(%rip)
vcmple_oqps (%rax),%xmm0,%xmm0
vcmple_oqps %xmm0,%xmm0,%xmm0
vcmple_oqpd (%rax),%xmm0,%xmm0
vcmple_oqpd %xmm0,%xmm0,%xmm0
vcmple_oqss (%rax),%xmm0,%xmm0
vcmple_oqss %xmm0,%xmm0,%xmm0
vcmple_oqsd (%rax),%xmm0,%xmm0
vcmple_oqsd %xmm0,%xmm0,%xmm0
vpinsrw $0x12,(%rax),%xmm0,%xmm0
vpinsrw $0x12,%eax,%xmm0,%xmm0
vpextrw $0x12,%xmm0,%eax
vshufps $0x12,0x11223344(%rip),%xmm0,%xmm0
vshufps $0x12,%xmm0,%xmm0,%xmm0
vshufpd $0x12,0x11223344(%rip),%xmm0,%xmm0
vshufpd $0x12,%xmm0,%xmm0,%xmm0
vaddsubpd 0x11223344(%rip),%xmm0,%xmm0
vaddsubpd %xmm0,%xmm0,%xmm0
vaddsubps 0x11223344(%rip),%xmm0,%xmm0
vaddsubps %xmm0,%xmm0,%xmm0
vpsrlw 0x11223344(%rip),%xmm0,%xmm0
vpsrld (%rax),%xmm0,%xmm0
vpsrlq 0x11223344(%rip),%xmm0,%xmm0
vpaddq (%rax),%xmm0,%xmm0
vpaddq %xmm0,%xmm0,%xmm0
vpmullw (%rax),%xmm0,%xmm0
vpmullw %xmm0,%xmm0,%xmm0
vpmovmskb %xmm0,%eax
vpsubusb 0x11223344(%rip),%xmm0,%xmm0
vpsubusb %xmm0,%xmm0,%xmm0
vpsubusw 0x11223344(%rip),%xmm0,%xmm0
vpsubusw %xmm0,%xmm0,%xmm0
vpminub 0x11223344(%rip),%xmm0,%xmm0
vpminub %xmm0,%xmm0,%xmm0
vpand  0x11223344(%rip),%xmm0,%xmm0
vpand  %xmm0,%xmm0,%xmm0
vpaddusb 0x11223344(%rip),%xmm0,%xmm0
vpaddusb %xmm0,%xmm0,%xmm0
vpaddusw 0x11223344(%rip),%xmm0,%xmm0
vpaddusw %xmm0,%xmm0,%xmm0
vpmaxub 0x11223344(%rip),%xmm0,%xmm0
vpmaxub %xmm0,%xmm0,%xmm0
vpandn 0x11223344(%rip),%xmm0,%xmm0
vpandn %xmm0,%xmm0,%xmm0
vpavgb 0x11223344(%rip),%xmm0,%xmm0
vpavgb %xmm0,%xmm0,%xmm0
vpsraw 0x11223344(%rip),%xmm0,%xmm0
vpsrad (%rax),%xmm0,%xmm0
vpavgw 0x11223344(%rip),%xmm0,%xmm0
vpavgw %xmm0,%xmm0,%xmm0
vpmulhuw 0x11223344(%rip),%xmm0,%xmm0
vpmulhuw %xmm0,%xmm0,%xmm0
vpmulhw 0x11223344(%rip),%xmm0,%xmm0
vpmulhw %xmm0,%xmm0,%xmm0
vcvttpd2dqx 0x11223344(%rip),%xmm0
vcvttpd2dqy (%rax),%xmm0
vcvttpd2dq %xmm0,%xmm0
vcvtdq2pd (%rax),%xmm0
vcvtdq2pd %xmm0,%xmm0
vcvtpd2dqx (%rax),%xmm0
vcvtpd2dqy 0x11223344(%rip),%xmm0
vcvtpd2dq %xmm0,%xmm0
vmovntdq %xmm0,0x11223344(%rip)
vpsubsb (%rax),%xmm0,%xmm0
vpsubsb %xmm0,%xmm0,%xmm0
vpsubsw (%rax),%xmm0,%xmm0
vpsubsw %xmm0,%xmm0,%xmm0
vpminsw (%rax),%xmm0,%xmm0
vpminsw %xmm0,%xmm0,%xmm0
vpor   (%rax),%xmm0,%xmm0
vpor   %xmm0,%xmm0,%xmm0
vpaddsb (%rax),%xmm0,%xmm0
vpaddsb %xmm0,%xmm0,%xmm0
vpaddsw (%rax),%xmm0,%xmm0
vpaddsw %xmm0,%xmm0,%xmm0
vpmaxsw (%rax),%xmm0,%xmm0
vpmaxsw %xmm0,%xmm0,%xmm0
vpxor  (%rax),%xmm0,%xmm0
vpxor  %xmm0,%xmm0,%xmm0
vlddqu (%rax),%xmm0
vpsllw 0x11223344(%rip),%xmm0,%xmm0
vpslld (%rax),%xmm0,%xmm0
vpsllq 0x11223344(%rip),%xmm0,%xmm0
vpmuludq (%rax),%xmm0,%xmm0
vpmuludq %xmm0,%xmm0,%xmm0
vpmaddwd (%rax),%xmm0,%xmm0
vpmaddwd %xmm0,%xmm0,%xmm0
vpsadbw (%rax),%xmm0,%xmm0
vpsadbw %xmm0,%xmm0,%xmm0
vmaskmovdqu %xmm0,%xmm0
vpsubb 0x11223344(%rip),%xmm0,%xmm0
vpsubb %xmm0,%xmm0,%xmm0
vpsubw 0x11223344(%rip),%xmm0,%xmm0
vpsubw %xmm0,%xmm0,%xmm0
vpsubd 0x11223344(%rip),%xmm0,%xmm0
vpsubd %xmm0,%xmm0,%xmm0
vpsubq 0x11223344(%rip),%xmm0,%xmm0
vpsubq %xmm0,%xmm0,%xmm0
vpaddb 0x11223344(%rip),%xmm0,%xmm0
vpaddb %xmm0,%xmm0,%xmm0
vpaddw 0x11223344(%rip),%xmm0,%xmm0
vpaddw %xmm0,%xmm0,%xmm0
vpaddd 0x11223344(%rip),%xmm0,%xmm0
vpaddd %xmm0,%xmm0,%xmm0
vpshufb 0x11223344(%rip),%xmm0,%xmm0
vpshufb %xmm0,%xmm0,%xmm0
vphaddw 0x11223344(%rip),%xmm0,%xmm0
vphaddw %xmm0,%xmm0,%xmm0
vphaddd 0x11223344(%rip),%xmm0,%xmm0
vphaddd %xmm0,%xmm0,%xmm0
vphaddsw 0x11223344(%rip),%xmm0,%xmm0
vphaddsw %xmm0,%xmm0,%xmm0
vpmaddubsw 0x11223344(%rip),%xmm0,%xmm0
vpmaddubsw %xmm0,%xmm0,%xmm0
vphsubw 0x11223344(%rip),%xmm0,%xmm0
vphsubw %xmm0,%xmm0,%xmm0
vphsubd 0x11223344(%rip),%xmm0,%xmm0
vphsubd %xmm0,%xmm0,%xmm0
vphsubsw 0x11223344(%rip),%xmm0,%xmm0
vphsubsw %xmm0,%xmm0,%xmm0
vpsignb 0x11223344(%rip),%xmm0,%xmm0
vpsignb %xmm0,%xmm0,%xmm0
vpsignw 0x11223344(%rip),%xmm0,%xmm0
vpsignw %xmm0,%xmm0,%xmm0
vpsignd 0x11223344(%rip),%xmm0,%xmm0
vpsignd %xmm0,%xmm0,%xmm0
vpmulhrsw 0x11223344(%rip),%xmm0,%xmm0
vpmulhrsw %xmm0,%xmm0,%xmm0
vpermilps 0x11223344(%rip),%xmm0,%xmm0
vpermilps %xmm0,%xmm0,%xmm0
vpermilpd 0x11223344(%rip),%xmm0,%xmm0
vpermilpd %xmm0,%xmm0,%xmm0
vtestps 0x11223344(%rip),%xmm0
vtestps %xmm0,%xmm0
vtestpd 0x11223344(%rip),%xmm0
vtestpd %xmm0,%xmm0
vcvtph2ps 0x11223344(%rip),%xmm0
vcvtph2ps %xmm0,%xmm0
vpermps 0x11223344(%rip),%ymm0,%ymm0
vpermps %ymm0,%ymm0,%ymm0
vptest 0x11223344(%rip),%xmm0
vptest %xmm0,%xmm0
vbroadcastss 0x11223344(%rip),%xmm0
vbroadcastss %xmm0,%xmm0
vbroadcastsd 0x11223344(%rip),%ymm0
vbroadcastsd %xmm0,%ymm0
vbroadcastf128 0x11223344(%rip),%ymm0
vpabsb (%rax),%xmm0
vpabsb %xmm0,%xmm0
vpabsw (%rax),%xmm0
vpabsw %xmm0,%xmm0
vpabsd (%rax),%xmm0
vpabsd %xmm0,%xmm0
vpmovsxbw (%rax),%xmm0
vpmovsxbw %xmm0,%xmm0
vpmovsxbd (%rax),%xmm0
vpmovsxbd %xmm0,%xmm0
vpmovsxbq (%rax),%xmm0
vpmovsxbq %xmm0,%xmm0
vpmovsxwd (%rax),%xmm0
vpmovsxwd %xmm0,%xmm0
vpmovsxwq (%rax),%xmm0
vpmovsxwq %xmm0,%xmm0
vpmovsxdq (%rax),%xmm0
vpmovsxdq %xmm0,%xmm0
vpmuldq (%rax),%xmm0,%xmm0
vpmuldq %xmm0,%xmm0,%xmm0
vpcmpeqq (%rax),%xmm0,%xmm0
vpcmpeqq %xmm0,%xmm0,%xmm0
vmovntdqa (%rax),%xmm0
vpackusdw 0x11223344(%rip),%xmm0,%xmm0
vpackusdw %xmm0,%xmm0,%xmm0
vmaskmovps 0x11223344(%rip),%xmm0,%xmm0
vmaskmovpd (%rax),%xmm0,%xmm0
vpmovzxbw 0x11223344(%rip),%xmm0
vpmovzxbw %xmm0,%xmm0
vpmovzxbd 0x11223344(%rip),%xmm0
vpmovzxbd %xmm0,%xmm0
vpmovzxbq 0x11223344(%rip),%xmm0
vpmovzxbq %xmm0,%xmm0
vpmovzxwd 0x11223344(%rip),%xmm0
vpmovzxwd %xmm0,%xmm0
vpmovzxwq 0x11223344(%rip),%xmm0
vpmovzxwq %xmm0,%xmm0
vpmovzxdq 0x11223344(%rip),%xmm0
vpmovzxdq %xmm0,%xmm0
vpermd 0x11223344(%rip),%ymm0,%ymm0
vpermd %ymm0,%ymm0,%ymm0
vpcmpgtq 0x11223344(%rip),%xmm0,%xmm0
vpcmpgtq %xmm0,%xmm0,%xmm0
vpminsb 0x11223344(%rip),%xmm0,%xmm0
vpminsb %xmm0,%xmm0,%xmm0
vpminsd 0x11223344(%rip),%xmm0,%xmm0
vpminsd %xmm0,%xmm0,%xmm0
vpminuw 0x11223344(%rip),%xmm0,%xmm0
vpminuw %xmm0,%xmm0,%xmm0
vpminud 0x11223344(%rip),%xmm0,%xmm0
vpminud %xmm0,%xmm0,%xmm0
vpmaxsb 0x11223344(%rip),%xmm0,%xmm0
vpmaxsb %xmm0,%xmm0,%xmm0
vpmaxsd 0x11223344(%rip),%xmm0,%xmm0
vpmaxsd %xmm0,%xmm0,%xmm0
vpmaxuw 0x11223344(%rip),%xmm0,%xmm0
vpmaxuw %xmm0,%xmm0,%xmm0
vpmaxud 0x11223344(%rip),%xmm0,%xmm0
vpmaxud %xmm0,%xmm0,%xmm0
vpmulld 0x11223344(%rip),%xmm0,%xmm0
vpmulld %xmm0,%xmm0,%xmm0
vphminposuw 0x11223344(%rip),%xmm0
vphminposuw %xmm0,%xmm0
vpsrlvd 0x11223344(%rip),%xmm0,%xmm0
vpsrlvq (%rax),%xmm0,%xmm0
vpsrlvd %xmm0,%xmm0,%xmm0
vpsrlvq %xmm0,%xmm0,%xmm0
vpsravd 0x11223344(%rip),%xmm0,%xmm0
vpsravd %xmm0,%xmm0,%xmm0
vpsllvd 0x11223344(%rip),%xmm0,%xmm0
vpsllvq (%rax),%xmm0,%xmm0
vpsllvd %xmm0,%xmm0,%xmm0
vpsllvq %xmm0,%xmm0,%xmm0
ldtilecfg 0x11223344(%rip)
tilerelease
sttilecfg 0x11223344(%rip)
tilezero %tmm0
tileloaddt1 (%rax,%rcx,2),%tmm0
tilestored %tmm0,(%rax,%rcx,2)
tileloadd (%rax,%rcx,2),%tmm0
vpdpbuud (%rax),%xmm0,%xmm0
vpdpbuud %xmm0,%xmm0,%xmm0
{vex} vpdpbusd (%rax),%xmm0,%xmm0
{vex} vpdpbusd %xmm0,%xmm0,%xmm0
vpdpbsud (%rax),%xmm0,%xmm0
vpdpbsud %xmm0,%xmm0,%xmm0
vpdpbssd (%rax),%xmm0,%xmm0
vpdpbssd %xmm0,%xmm0,%xmm0
vpdpbuuds (%rax),%xmm0,%xmm0
vpdpbuuds %xmm0,%xmm0,%xmm0
{vex} vpdpbusds (%rax),%xmm0,%xmm0
{vex} vpdpbusds %xmm0,%xmm0,%xmm0
vpdpbsuds (%rax),%xmm0,%xmm0
vpdpbsuds %xmm0,%xmm0,%xmm0
vpdpbssds (%rax),%xmm0,%xmm0
vpdpbssds %xmm0,%xmm0,%xmm0
{vex} vpdpwssd (%rax),%xmm0,%xmm0
{vex} vpdpwssd %xmm0,%xmm0,%xmm0
{vex} vpdpwssds (%rax),%xmm0,%xmm0
{vex} vpdpwssds %xmm0,%xmm0,%xmm0
vpbroadcastd (%rax),%xmm0
vpbroadcastd %xmm0,%xmm0
vpbroadcastq (%rax),%xmm0
vpbroadcastq %xmm0,%xmm0
vbroadcasti128 (%rax),%ymm0
tdpbf16ps %tmm0,%tmm2,%tmm1
tdpfp16ps %tmm0,%tmm2,%tmm1
tdpbuud %tmm0,%tmm2,%tmm1
tdpbusd %tmm0,%tmm2,%tmm1
tdpbsud %tmm0,%tmm2,%tmm1
tdpbssd %tmm0,%tmm2,%tmm1
{vex} vcvtneps2bf16x 0x11223344(%rip),%xmm0
{vex} vcvtneps2bf16y (%rax),%xmm0
{vex} vcvtneps2bf16 %xmm0,%xmm0
vpbroadcastb (%rax),%xmm0
vpbroadcastb %xmm0,%xmm0
vpbroadcastw (%rax),%xmm0
vpbroadcastw %xmm0,%xmm0
vpmaskmovd (%rax),%xmm0,%xmm0
vpmaskmovq 0x11223344(%rip),%xmm0,%xmm0
vpgatherdd %xmm10,(%rax,%xmm1,2),%xmm0
vpgatherdq %xmm10,(%rax,%xmm1,2),%xmm0
vpgatherqd %xmm10,(%rax,%xmm1,2),%xmm0
vpgatherqq %xmm10,(%rax,%xmm1,2),%xmm0
vgatherdps %xmm10,(%rax,%xmm1,2),%xmm0
vgatherdpd %xmm10,(%rax,%xmm1,2),%xmm0
vgatherqps %xmm10,(%rax,%xmm1,2),%xmm0
vgatherqpd %xmm10,(%rax,%xmm1,2),%xmm0
vfmaddsub132ps (%rax),%xmm0,%xmm0
vfmaddsub132pd 0x11223344(%rip),%xmm0,%xmm0
vfmaddsub132ps %xmm0,%xmm0,%xmm0
vfmaddsub132pd %xmm0,%xmm0,%xmm0
vfmadd132ps (%rax),%xmm0,%xmm0
vfmadd132pd 0x11223344(%rip),%xmm0,%xmm0
vfmadd132ps %xmm0,%xmm0,%xmm0
vfmadd132pd %xmm0,%xmm0,%xmm0
vfmadd132ss (%rax),%xmm0,%xmm0
vfmadd132sd 0x11223344(%rip),%xmm0,%xmm0
vfmadd132ss %xmm0,%xmm0,%xmm0
vfmadd132sd %xmm0,%xmm0,%xmm0
vfmsub132ps (%rax),%xmm0,%xmm0
vfmsub132pd 0x11223344(%rip),%xmm0,%xmm0
vfmsub132ps %xmm0,%xmm0,%xmm0
vfmsub132pd %xmm0,%xmm0,%xmm0
vfmsub132ss (%rax),%xmm0,%xmm0
vfmsub132sd 0x11223344(%rip),%xmm0,%xmm0
vfmsub132ss %xmm0,%xmm0,%xmm0
vfmsub132sd %xmm0,%xmm0,%xmm0
vfnmadd132ps (%rax),%xmm0,%xmm0
vfnmadd132pd 0x11223344(%rip),%xmm0,%xmm0
vfnmadd132ps %xmm0,%xmm0,%xmm0
vfnmadd132pd %xmm0,%xmm0,%xmm0
vfnmadd132ss (%rax),%xmm0,%xmm0
vfnmadd132sd 0x11223344(%rip),%xmm0,%xmm0
vfnmadd132ss %xmm0,%xmm0,%xmm0
vfnmadd132sd %xmm0,%xmm0,%xmm0
vfnmsub132ps (%rax),%xmm0,%xmm0
vfnmsub132pd 0x11223344(%rip),%xmm0,%xmm0
vfnmsub132ps %xmm0,%xmm0,%xmm0
vfnmsub132pd %xmm0,%xmm0,%xmm0
vfnmsub132ss (%rax),%xmm0,%xmm0
vfnmsub132sd 0x11223344(%rip),%xmm0,%xmm0
vfnmsub132ss %xmm0,%xmm0,%xmm0
vfnmsub132sd %xmm0,%xmm0,%xmm0
vfmaddsub213ps (%rax),%xmm0,%xmm0
vfmaddsub213pd 0x11223344(%rip),%xmm0,%xmm0
vfmaddsub213ps %xmm0,%xmm0,%xmm0
vfmaddsub213pd %xmm0,%xmm0,%xmm0
vfmadd213ps (%rax),%xmm0,%xmm0
vfmadd213pd 0x11223344(%rip),%xmm0,%xmm0
vfmadd213ps %xmm0,%xmm0,%xmm0
vfmadd213pd %xmm0,%xmm0,%xmm0
vfmadd213ss (%rax),%xmm0,%xmm0
vfmadd213sd 0x11223344(%rip),%xmm0,%xmm0
vfmadd213ss %xmm0,%xmm0,%xmm0
vfmadd213sd %xmm0,%xmm0,%xmm0
vfmsub213ps (%rax),%xmm0,%xmm0
vfmsub213pd 0x11223344(%rip),%xmm0,%xmm0
vfmsub213ps %xmm0,%xmm0,%xmm0
vfmsub213pd %xmm0,%xmm0,%xmm0
vfmsub213ss (%rax),%xmm0,%xmm0
vfmsub213sd 0x11223344(%rip),%xmm0,%xmm0
vfmsub213ss %xmm0,%xmm0,%xmm0
vfmsub213sd %xmm0,%xmm0,%xmm0
vfnmadd213ps (%rax),%xmm0,%xmm0
vfnmadd213pd 0x11223344(%rip),%xmm0,%xmm0
vfnmadd213ps %xmm0,%xmm0,%xmm0
vfnmadd213pd %xmm0,%xmm0,%xmm0
vfnmadd213ss (%rax),%xmm0,%xmm0
vfnmadd213sd 0x11223344(%rip),%xmm0,%xmm0
vfnmadd213ss %xmm0,%xmm0,%xmm0
vfnmadd213sd %xmm0,%xmm0,%xmm0
vfnmsub213ps (%rax),%xmm0,%xmm0
vfnmsub213pd 0x11223344(%rip),%xmm0,%xmm0
vfnmsub213ps %xmm0,%xmm0,%xmm0
vfnmsub213pd %xmm0,%xmm0,%xmm0
vfnmsub213ss (%rax),%xmm0,%xmm0
vfnmsub213sd 0x11223344(%rip),%xmm0,%xmm0
vfnmsub213ss %xmm0,%xmm0,%xmm0
vfnmsub213sd %xmm0,%xmm0,%xmm0
vcvtneoph2ps (%rax),%xmm0
vcvtneeph2ps 0x11223344(%rip),%xmm0
vcvtneebf162ps (%rax),%xmm0
vcvtneobf162ps 0x11223344(%rip),%xmm0
vbcstnesh2ps (%rax),%xmm0
vbcstnebf162ps 0x11223344(%rip),%xmm0
{vex} vpmadd52luq (%rax),%xmm0,%xmm0
{vex} vpmadd52luq %xmm0,%xmm0,%xmm0
{vex} vpmadd52huq (%rax),%xmm0,%xmm0
{vex} vpmadd52huq %xmm0,%xmm0,%xmm0
vfmaddsub231ps (%rax),%xmm0,%xmm0
vfmaddsub231pd 0x11223344(%rip),%xmm0,%xmm0
vfmaddsub231ps %xmm0,%xmm0,%xmm0
vfmaddsub231pd %xmm0,%xmm0,%xmm0
vfmadd231ps (%rax),%xmm0,%xmm0
vfmadd231pd 0x11223344(%rip),%xmm0,%xmm0
vfmadd231ps %xmm0,%xmm0,%xmm0
vfmadd231pd %xmm0,%xmm0,%xmm0
vfmadd231ss (%rax),%xmm0,%xmm0
vfmadd231sd 0x11223344(%rip),%xmm0,%xmm0
vfmadd231ss %xmm0,%xmm0,%xmm0
vfmadd231sd %xmm0,%xmm0,%xmm0
vfmsub231ps (%rax),%xmm0,%xmm0
vfmsub231pd 0x11223344(%rip),%xmm0,%xmm0
vfmsub231ps %xmm0,%xmm0,%xmm0
vfmsub231pd %xmm0,%xmm0,%xmm0
vfmsub231ss (%rax),%xmm0,%xmm0
vfmsub231sd 0x11223344(%rip),%xmm0,%xmm0
vfmsub231ss %xmm0,%xmm0,%xmm0
vfmsub231sd %xmm0,%xmm0,%xmm0
vfnmadd231ps (%rax),%xmm0,%xmm0
vfnmadd231pd 0x11223344(%rip),%xmm0,%xmm0
vfnmadd231ps %xmm0,%xmm0,%xmm0
vfnmadd231pd %xmm0,%xmm0,%xmm0
vfnmadd231ss (%rax),%xmm0,%xmm0
vfnmadd231sd 0x11223344(%rip),%xmm0,%xmm0
vfnmadd231ss %xmm0,%xmm0,%xmm0
vfnmadd231sd %xmm0,%xmm0,%xmm0
vfnmsub231ps (%rax),%xmm0,%xmm0
vfnmsub231pd 0x11223344(%rip),%xmm0,%xmm0
vfnmsub231ps %xmm0,%xmm0,%xmm0
vfnmsub231pd %xmm0,%xmm0,%xmm0
vfnmsub231ss (%rax),%xmm0,%xmm0
vfnmsub231sd 0x11223344(%rip),%xmm0,%xmm0
vfnmsub231ss %xmm0,%xmm0,%xmm0
vfnmsub231sd %xmm0,%xmm0,%xmm0
vgf2p8mulb (%rax),%xmm0,%xmm0
vgf2p8mulb %xmm0,%xmm0,%xmm0
vaesimc (%rax),%xmm0
vaesimc %xmm0,%xmm0
vaesenc (%rax),%xmm0,%xmm0
vaesenc %xmm0,%xmm0,%xmm0
vaesenclast (%rax),%xmm0,%xmm0
vaesenclast %xmm0,%xmm0,%xmm0
vaesdec (%rax),%xmm0,%xmm0
vaesdec %xmm0,%xmm0,%xmm0
vaesdeclast (%rax),%xmm0,%xmm0
vaesdeclast %xmm0,%xmm0,%xmm0
cmpoxadd %eax,%eax,(%rax)
cmpnoxadd %eax,%eax,0x11223344(%rip)
cmpbxadd %eax,%eax,(%rax)
cmpnbxadd %eax,%eax,0x11223344(%rip)
cmpzxadd %eax,%eax,(%rax)
cmpnzxadd %eax,%eax,0x11223344(%rip)
cmpbexadd %eax,%eax,(%rax)
cmpnbexadd %eax,%eax,0x11223344(%rip)
cmpsxadd %eax,%eax,(%rax)
cmpnsxadd %eax,%eax,0x11223344(%rip)
cmppxadd %eax,%eax,(%rax)
cmpnpxadd %eax,%eax,0x11223344(%rip)
cmplxadd %eax,%eax,(%rax)
cmpnlxadd %eax,%eax,0x11223344(%rip)
cmplexadd %eax,%eax,(%rax)
cmpnlexadd %eax,%eax,0x11223344(%rip)
andn   (%rax),%eax,%eax
andn   %eax,%eax,%eax
blsr   (%rax),%eax
blsmsk 0x11223344(%rip),%eax
blsi   (%rax),%eax
blsr   %eax,%eax
blsmsk %eax,%eax
blsi   %eax,%eax
bzhi   %eax,(%rax),%eax
bzhi   %eax,%eax,%eax
pext   (%rax),%eax,%eax
pext   %eax,%eax,%eax
pdep   (%rax),%eax,%eax
pdep   %eax,%eax,%eax
mulx   (%rax),%eax,%eax
mulx   %eax,%eax,%eax
bextr  %eax,(%rax),%eax
bextr  %eax,%eax,%eax
shlx   %eax,(%rax),%eax
shlx   %eax,%eax,%eax
sarx   %eax,(%rax),%eax
sarx   %eax,%eax,%eax
shrx   %eax,(%rax),%eax
shrx   %eax,%eax,%eax
vpermq $0x12,(%rax),%ymm0
vpermq $0x12,%ymm0,%ymm0
vpermpd $0x12,(%rax),%ymm0
vpermpd $0x12,%ymm0,%ymm0
vpblendd $0x12,(%rax),%xmm0,%xmm0
vpblendd $0x12,%xmm0,%xmm0,%xmm0
vperm2f128 $0x12,(%rax),%ymm0,%ymm0
vperm2f128 $0x12,%ymm0,%ymm0,%ymm0
vroundps $0x12,(%rax),%xmm0
vroundps $0x12,%xmm0,%xmm0
vroundpd $0x12,(%rax),%xmm0
vroundpd $0x12,%xmm0,%xmm0
vroundss $0x12,(%rax),%xmm0,%xmm0
vroundss $0x12,%xmm0,%xmm0,%xmm0
vroundsd $0x12,(%rax),%xmm0,%xmm0
vroundsd $0x12,%xmm0,%xmm0,%xmm0
vblendps $0x12,(%rax),%xmm0,%xmm0
vblendps $0x12,%xmm0,%xmm0,%xmm0
vblendpd $0x12,(%rax),%xmm0,%xmm0
vblendpd $0x12,%xmm0,%xmm0,%xmm0
vpblendw $0x12,(%rax),%xmm0,%xmm0
vpblendw $0x12,%xmm0,%xmm0,%xmm0
vpalignr $0x12,(%rax),%xmm0,%xmm0
vpalignr $0x12,%xmm0,%xmm0,%xmm0
vpextrb $0x12,%xmm0,(%rax)
vpextrb $0x12,%xmm0,%eax
vpextrw $0x12,%xmm0,(%rax)
vpextrd $0x12,%xmm0,0x11223344(%rip)
vpextrq $0x12,%xmm0,(%rax)
vpextrd $0x12,%xmm0,%eax
vpextrq $0x12,%xmm0,%rax
vextractps $0x12,%xmm0,0x11223344(%rip)
vextractps $0x12,%xmm0,%eax
vinsertf128 $0x12,0x11223344(%rip),%ymm0,%ymm0
vinsertf128 $0x12,%xmm0,%ymm0,%ymm0
vextractf128 $0x12,%ymm0,0x11223344(%rip)
vextractf128 $0x12,%ymm0,%xmm0
vcvtps2ph $0x12,%xmm0,0x11223344(%rip)
vcvtps2ph $0x12,%xmm0,%xmm0
vpinsrb $0x12,0x11223344(%rip),%xmm0,%xmm0
vpinsrb $0x12,%eax,%xmm0,%xmm0
vinsertps $0x12,0x11223344(%rip),%xmm0,%xmm0
vinsertps $0x12,%xmm0,%xmm0,%xmm0
vpinsrd $0x12,0x11223344(%rip),%xmm0,%xmm0
vpinsrq $0x12,(%rax),%xmm0,%xmm0
vpinsrd $0x12,%eax,%xmm0,%xmm0
vpinsrq $0x12,%rax,%xmm0,%xmm0
kshiftrb $0x12,%k0,%k0
kshiftrw $0x12,%k0,%k0
kshiftrd $0x12,%k0,%k0
kshiftrq $0x12,%k0,%k0
kshiftlb $0x12,%k0,%k0
kshiftlw $0x12,%k0,%k0
kshiftld $0x12,%k0,%k0
kshiftlq $0x12,%k0,%k0
vinserti128 $0x12,0x11223344(%rip),%ymm0,%ymm0
vinserti128 $0x12,%xmm0,%ymm0,%ymm0
vextracti128 $0x12,%ymm0,0x11223344(%rip)
vextracti128 $0x12,%ymm0,%xmm0
vdpps  $0x12,0x11223344(%rip),%xmm0,%xmm0
vdpps  $0x12,%xmm0,%xmm0,%xmm0
vdppd  $0x12,0x11223344(%rip),%xmm0,%xmm0
vdppd  $0x12,%xmm0,%xmm0,%xmm0
vmpsadbw $0x12,0x11223344(%rip),%xmm0,%xmm0
vmpsadbw $0x12,%xmm0,%xmm0,%xmm0
vpclmulqdq $0x12,0x11223344(%rip),%xmm0,%xmm0
vpclmulqdq $0x12,%xmm0,%xmm0,%xmm0
vperm2i128 $0x12,0x11223344(%rip),%ymm0,%ymm0
vperm2i128 $0x12,%ymm0,%ymm0,%ymm0
vpermil2ps $0x2,%xmm1,0x11223344(%rip),%xmm0,%xmm0
vpermil2ps $0x2,%xmm1,%xmm0,%xmm0,%xmm0
vpermil2pd $0x2,%xmm1,0x11223344(%rip),%xmm0,%xmm0
vpermil2pd $0x2,%xmm1,%xmm0,%xmm0,%xmm0
vblendvps %xmm1,0x11223344(%rip),%xmm0,%xmm0
vblendvps %xmm1,%xmm0,%xmm0,%xmm0
vblendvpd %xmm1,0x11223344(%rip),%xmm0,%xmm0
vblendvpd %xmm1,%xmm0,%xmm0,%xmm0
vpblendvb %xmm1,0x11223344(%rip),%xmm0,%xmm0
vpblendvb %xmm1,%xmm0,%xmm0,%xmm0
vfmaddsubps %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfmaddsubps %xmm1,%xmm0,%xmm0,%xmm0
vfmaddsubpd %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfmaddsubpd %xmm1,%xmm0,%xmm0,%xmm0
vpcmpestrm $0x12,0x11223344(%rip),%xmm0
vpcmpestrmq $0x12,(%rax),%xmm0
vpcmpestrm $0x12,%xmm0,%xmm0
vpcmpestrmq $0x12,%xmm0,%xmm0
vpcmpestri $0x12,0x11223344(%rip),%xmm0
vpcmpestriq $0x12,(%rax),%xmm0
vpcmpestri $0x12,%xmm0,%xmm0
vpcmpestriq $0x12,%xmm0,%xmm0
vpcmpistrm $0x12,0x11223344(%rip),%xmm0
vpcmpistrm $0x12,%xmm0,%xmm0
vpcmpistri $0x12,0x11223344(%rip),%xmm0
vpcmpistri $0x12,%xmm0,%xmm0
vfmaddps %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfmaddps %xmm1,%xmm0,%xmm0,%xmm0
vfmaddpd %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfmaddpd %xmm1,%xmm0,%xmm0,%xmm0
vfmaddss %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfmaddss %xmm1,%xmm0,%xmm0,%xmm0
vfmaddsd %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfmaddsd %xmm1,%xmm0,%xmm0,%xmm0
vfmsubps %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfmsubps %xmm1,%xmm0,%xmm0,%xmm0
vfmsubpd %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfmsubpd %xmm1,%xmm0,%xmm0,%xmm0
vfmsubss %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfmsubss %xmm1,%xmm0,%xmm0,%xmm0
vfmsubsd %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfmsubsd %xmm1,%xmm0,%xmm0,%xmm0
vfnmaddps %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfnmaddps %xmm1,%xmm0,%xmm0,%xmm0
vfnmaddpd %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfnmaddpd %xmm1,%xmm0,%xmm0,%xmm0
vfnmaddss %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfnmaddss %xmm1,%xmm0,%xmm0,%xmm0
vfnmaddsd %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfnmaddsd %xmm1,%xmm0,%xmm0,%xmm0
vfnmsubps %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfnmsubps %xmm1,%xmm0,%xmm0,%xmm0
vfnmsubpd %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfnmsubpd %xmm1,%xmm0,%xmm0,%xmm0
vfnmsubss %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfnmsubss %xmm1,%xmm0,%xmm0,%xmm0
vfnmsubsd %xmm1,0x11223344(%rip),%xmm0,%xmm0
vfnmsubsd %xmm1,%xmm0,%xmm0,%xmm0
vgf2p8affineqb $0x12,0x11223344(%rip),%xmm0,%xmm0
vgf2p8affineqb $0x12,%xmm0,%xmm0,%xmm0
vgf2p8affineinvqb $0x12,0x11223344(%rip),%xmm0,%xmm0
vgf2p8affineinvqb $0x12,%xmm0,%xmm0,%xmm0
vaeskeygenassist $0x12,0x11223344(%rip),%xmm0
vaeskeygenassist $0x12,%xmm0,%xmm0
rorx   $0x12,0x11223344(%rip),%eax
rorx   $0x12,%eax,%eax
{evex} vmovups 0x11223344(%rip),%xmm0
{evex} vmovups (%rax),%xmm0{%k1}
{evex} vmovups %xmm0,%xmm0
{evex} vmovups %xmm0,%xmm0{%k1}
{evex} vmovupd 0x11223344(%rip),%xmm0
{evex} vmovupd (%rax),%xmm0{%k1}
{evex} vmovupd %xmm0,%xmm0
{evex} vmovupd %xmm0,%xmm0{%k1}
{evex} vmovss 0x11223344(%rip),%xmm0
{evex} vmovss (%rax),%xmm0{%k1}
{evex} vmovss %xmm0,%xmm0,%xmm0
{evex} vmovss %xmm0,%xmm0,%xmm0{%k1}
{evex} vmovsd 0x11223344(%rip),%xmm0
{evex} vmovsd (%rax),%xmm0{%k1}
{evex} vmovsd %xmm0,%xmm0,%xmm0
{evex} vmovsd %xmm0,%xmm0,%xmm0{%k1}
{evex} vmovlps 0x11223344(%rip),%xmm0,%xmm0
{evex} vmovhlps %xmm0,%xmm0,%xmm0
{evex} vmovlpd 0x11223344(%rip),%xmm0,%xmm0
{evex} vmovsldup 0x11223344(%rip),%xmm0
{evex} vmovsldup (%rax),%xmm0{%k1}
{evex} vmovsldup %xmm0,%xmm0
{evex} vmovsldup %xmm0,%xmm0{%k1}
{evex} vmovddup 0x11223344(%rip),%xmm0
{evex} vmovddup (%rax),%xmm0{%k1}
{evex} vmovddup %xmm0,%xmm0
{evex} vmovddup %xmm0,%xmm0{%k1}
{evex} vunpcklps 0x11223344(%rip),%xmm0,%xmm0
{evex} vunpcklps (%rax){1to4},%xmm0,%xmm0
{evex} vunpcklps %xmm0,%xmm0,%xmm0
{evex} vunpcklps %xmm0,%xmm0,%xmm0{%k1}
{evex} vunpcklpd 0x11223344(%rip),%xmm0,%xmm0
{evex} vunpcklpd (%rax){1to2},%xmm0,%xmm0
{evex} vunpcklpd %xmm0,%xmm0,%xmm0
{evex} vunpcklpd %xmm0,%xmm0,%xmm0{%k1}
{evex} vunpckhps 0x11223344(%rip),%xmm0,%xmm0
{evex} vunpckhps (%rax){1to4},%xmm0,%xmm0
{evex} vunpckhps %xmm0,%xmm0,%xmm0
{evex} vunpckhps %xmm0,%xmm0,%xmm0{%k1}
{evex} vunpckhpd 0x11223344(%rip),%xmm0,%xmm0
{evex} vunpckhpd (%rax){1to2},%xmm0,%xmm0
{evex} vunpckhpd %xmm0,%xmm0,%xmm0
{evex} vunpckhpd %xmm0,%xmm0,%xmm0{%k1}
{evex} vmovhps 0x11223344(%rip),%xmm0,%xmm0
{evex} vmovlhps %xmm0,%xmm0,%xmm0
{evex} vmovhpd 0x11223344(%rip),%xmm0,%xmm0
{evex} vmovshdup 0x11223344(%rip),%xmm0
{evex} vmovshdup (%rax),%xmm0{%k1}
{evex} vmovshdup %xmm0,%xmm0
{evex} vmovshdup %xmm0,%xmm0{%k1}
{evex} vmovaps 0x11223344(%rip),%xmm0
{evex} vmovaps %xmm0,%xmm0
{evex} vmovaps %xmm0,%xmm0{%k1}
{evex} vmovapd 0x11223344(%rip),%xmm0
{evex} vmovapd %xmm0,%xmm0
{evex} vmovapd %xmm0,%xmm0{%k1}
{evex} vcvtsi2ssl 0x11223344(%rip),%xmm0,%xmm0
{evex} vcvtsi2ssq 0x11223344(%rip),%xmm0,%xmm0
{evex} vcvtsi2ss %eax,%xmm0,%xmm0
{evex} vcvtsi2ss %eax,{rn-sae},%xmm0,%xmm0
{evex} vcvtsi2sdl 0x11223344(%rip),%xmm0,%xmm0
{evex} vcvtsi2sdq 0x11223344(%rip),%xmm0,%xmm0
{evex} vcvtsi2sd %eax,%xmm0,%xmm0
{evex} vmovntps %xmm0,0x11223344(%rip)
{evex} vmovntpd %xmm0,0x11223344(%rip)
{evex} vcvttss2si 0x11223344(%rip),%eax
{evex} vcvttss2si %xmm0,%eax
{evex} vcvttss2si {sae},%xmm0,%eax
{evex} vcvttsd2si 0x11223344(%rip),%eax
{evex} vcvttsd2si %xmm0,%eax
{evex} vcvttsd2si {sae},%xmm0,%eax
{evex} vcvtss2si 0x11223344(%rip),%eax
{evex} vcvtss2si %xmm0,%eax
{evex} vcvtss2si {rn-sae},%xmm0,%eax
{evex} vcvtsd2si 0x11223344(%rip),%eax
{evex} vcvtsd2si %xmm0,%eax
{evex} vcvtsd2si {rn-sae},%xmm0,%eax
{evex} vucomiss 0x11223344(%rip),%xmm0
{evex} vucomiss %xmm0,%xmm0
{evex} vucomiss {sae},%xmm0,%xmm0
{evex} vucomisd 0x11223344(%rip),%xmm0
{evex} vucomisd %xmm0,%xmm0
{evex} vucomisd {sae},%xmm0,%xmm0
{evex} vcomiss 0x11223344(%rip),%xmm0
{evex} vcomiss %xmm0,%xmm0
{evex} vcomiss {sae},%xmm0,%xmm0
{evex} vcomisd 0x11223344(%rip),%xmm0
{evex} vcomisd %xmm0,%xmm0
{evex} vcomisd {sae},%xmm0,%xmm0
{evex} vsqrtps 0x11223344(%rip),%xmm0
{evex} vsqrtps (%rax){1to4},%xmm0
{evex} vsqrtps %xmm0,%xmm0
{evex} vsqrtps {rn-sae},%zmm0,%zmm0
{evex} vsqrtpd 0x11223344(%rip),%xmm0
{evex} vsqrtpd %xmm0,%xmm0
{evex} vsqrtpd {rn-sae},%zmm0,%zmm0
{evex} vsqrtss 0x11223344(%rip),%xmm0,%xmm0
{evex} vsqrtss (%rax),%xmm0,%xmm0{%k1}
{evex} vsqrtss %xmm0,%xmm0,%xmm0
{evex} vsqrtss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vsqrtsd 0x11223344(%rip),%xmm0,%xmm0
{evex} vsqrtsd (%rax),%xmm0,%xmm0{%k1}
{evex} vsqrtsd %xmm0,%xmm0,%xmm0
{evex} vsqrtsd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vandps 0x11223344(%rip),%xmm0,%xmm0
{evex} vandps (%rax){1to4},%xmm0,%xmm0
{evex} vandps %xmm0,%xmm0,%xmm0
{evex} vandps %xmm0,%xmm0,%xmm0{%k1}
{evex} vandpd 0x11223344(%rip),%xmm0,%xmm0
{evex} vandpd (%rax){1to2},%xmm0,%xmm0
{evex} vandpd %xmm0,%xmm0,%xmm0
{evex} vandpd %xmm0,%xmm0,%xmm0{%k1}
{evex} vandnps 0x11223344(%rip),%xmm0,%xmm0
{evex} vandnps (%rax){1to4},%xmm0,%xmm0
{evex} vandnps %xmm0,%xmm0,%xmm0
{evex} vandnps %xmm0,%xmm0,%xmm0{%k1}
{evex} vandnpd 0x11223344(%rip),%xmm0,%xmm0
{evex} vandnpd (%rax){1to2},%xmm0,%xmm0
{evex} vandnpd %xmm0,%xmm0,%xmm0
{evex} vandnpd %xmm0,%xmm0,%xmm0{%k1}
{evex} vorps 0x11223344(%rip),%xmm0,%xmm0
{evex} vorps  (%rax){1to4},%xmm0,%xmm0
{evex} vorps %xmm0,%xmm0,%xmm0
{evex} vorps  %xmm0,%xmm0,%xmm0{%k1}
{evex} vorpd 0x11223344(%rip),%xmm0,%xmm0
{evex} vorpd  (%rax){1to2},%xmm0,%xmm0
{evex} vorpd %xmm0,%xmm0,%xmm0
{evex} vorpd  %xmm0,%xmm0,%xmm0{%k1}
{evex} vxorps 0x11223344(%rip),%xmm0,%xmm0
{evex} vxorps (%rax){1to4},%xmm0,%xmm0
{evex} vxorps %xmm0,%xmm0,%xmm0
{evex} vxorps %xmm0,%xmm0,%xmm0{%k1}
{evex} vxorpd 0x11223344(%rip),%xmm0,%xmm0
{evex} vxorpd (%rax){1to2},%xmm0,%xmm0
{evex} vxorpd %xmm0,%xmm0,%xmm0
{evex} vxorpd %xmm0,%xmm0,%xmm0{%k1}
{evex} vaddps 0x11223344(%rip),%xmm0,%xmm0
{evex} vaddps (%rax){1to4},%xmm0,%xmm0
{evex} vaddps %xmm0,%xmm0,%xmm0
{evex} vaddps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vaddpd 0x11223344(%rip),%xmm0,%xmm0
{evex} vaddpd %xmm0,%xmm0,%xmm0
{evex} vaddpd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vaddss 0x11223344(%rip),%xmm0,%xmm0
{evex} vaddss (%rax),%xmm0,%xmm0{%k1}
{evex} vaddss %xmm0,%xmm0,%xmm0
{evex} vaddss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vaddsd 0x11223344(%rip),%xmm0,%xmm0
{evex} vaddsd (%rax),%xmm0,%xmm0{%k1}
{evex} vaddsd %xmm0,%xmm0,%xmm0
{evex} vaddsd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vmulps 0x11223344(%rip),%xmm0,%xmm0
{evex} vmulps (%rax){1to4},%xmm0,%xmm0
{evex} vmulps %xmm0,%xmm0,%xmm0
{evex} vmulps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vmulpd 0x11223344(%rip),%xmm0,%xmm0
{evex} vmulpd %xmm0,%xmm0,%xmm0
{evex} vmulpd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vmulss 0x11223344(%rip),%xmm0,%xmm0
{evex} vmulss (%rax),%xmm0,%xmm0{%k1}
{evex} vmulss %xmm0,%xmm0,%xmm0
{evex} vmulss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vmulsd 0x11223344(%rip),%xmm0,%xmm0
{evex} vmulsd (%rax),%xmm0,%xmm0{%k1}
{evex} vmulsd %xmm0,%xmm0,%xmm0
{evex} vmulsd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vcvtps2pd 0x11223344(%rip),%xmm0
{evex} vcvtps2pd (%rax){1to2},%xmm0
{evex} vcvtps2pd %xmm0,%xmm0
{evex} vcvtps2pd {sae},%ymm0,%zmm0
{evex} vcvtpd2psx 0x11223344(%rip),%xmm0
{evex} vcvtpd2ps (%rax){1to2},%xmm0
{evex} vcvtpd2psx 0x11223344(%rip),%xmm0{%k1}
{evex} vcvtpd2psy (%rax),%xmm0
{evex} vcvtpd2psy 0x11223344(%rip),%xmm0{%k1}
{evex} vcvtpd2ps %xmm0,%xmm0
{evex} vcvtpd2ps {rn-sae},%zmm0,%ymm0
{evex} vcvtss2sd (%rax),%xmm0,%xmm0
{evex} vcvtss2sd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vcvtss2sd %xmm0,%xmm0,%xmm0
{evex} vcvtss2sd {sae},%xmm0,%xmm0,%xmm0
{evex} vcvtsd2ss (%rax),%xmm0,%xmm0
{evex} vcvtsd2ss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vcvtsd2ss %xmm0,%xmm0,%xmm0
{evex} vcvtsd2ss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vcvtdq2ps (%rax),%xmm0
{evex} vcvtdq2ps 0x11223344(%rip){1to4},%xmm0
{evex} vcvtqq2psx (%rax),%xmm0
{evex} vcvtqq2ps 0x11223344(%rip){1to2},%xmm0
{evex} vcvtqq2psy (%rax),%xmm0
{evex} vcvtdq2ps %xmm0,%xmm0
{evex} vcvtdq2ps {rn-sae},%zmm0,%zmm0
{evex} vcvtqq2ps %xmm0,%xmm0
{evex} vcvtps2dq (%rax),%xmm0
{evex} vcvtps2dq 0x11223344(%rip){1to4},%xmm0
{evex} vcvtps2dq %xmm0,%xmm0
{evex} vcvtps2dq {rn-sae},%zmm0,%zmm0
{evex} vcvttps2dq (%rax),%xmm0
{evex} vcvttps2dq 0x11223344(%rip){1to4},%xmm0
{evex} vcvttps2dq %xmm0,%xmm0
{evex} vcvttps2dq {sae},%zmm0,%zmm0
{evex} vsubps (%rax),%xmm0,%xmm0
{evex} vsubps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vsubps %xmm0,%xmm0,%xmm0
{evex} vsubps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vsubpd (%rax),%xmm0,%xmm0
{evex} vsubpd %xmm0,%xmm0,%xmm0
{evex} vsubpd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vsubss (%rax),%xmm0,%xmm0
{evex} vsubss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vsubss %xmm0,%xmm0,%xmm0
{evex} vsubss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vsubsd (%rax),%xmm0,%xmm0
{evex} vsubsd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vsubsd %xmm0,%xmm0,%xmm0
{evex} vsubsd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vminps (%rax),%xmm0,%xmm0
{evex} vminps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vminps %xmm0,%xmm0,%xmm0
{evex} vminps {sae},%zmm0,%zmm0,%zmm0
{evex} vminpd (%rax),%xmm0,%xmm0
{evex} vminpd %xmm0,%xmm0,%xmm0
{evex} vminpd {sae},%zmm0,%zmm0,%zmm0
{evex} vminss (%rax),%xmm0,%xmm0
{evex} vminss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vminss %xmm0,%xmm0,%xmm0
{evex} vminss {sae},%xmm0,%xmm0,%xmm0
{evex} vminsd (%rax),%xmm0,%xmm0
{evex} vminsd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vminsd %xmm0,%xmm0,%xmm0
{evex} vminsd {sae},%xmm0,%xmm0,%xmm0
{evex} vdivps (%rax),%xmm0,%xmm0
{evex} vdivps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vdivps %xmm0,%xmm0,%xmm0
{evex} vdivps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vdivpd (%rax),%xmm0,%xmm0
{evex} vdivpd %xmm0,%xmm0,%xmm0
{evex} vdivpd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vdivss (%rax),%xmm0,%xmm0
{evex} vdivss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vdivss %xmm0,%xmm0,%xmm0
{evex} vdivss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vdivsd (%rax),%xmm0,%xmm0
{evex} vdivsd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vdivsd %xmm0,%xmm0,%xmm0
{evex} vdivsd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vmaxps (%rax),%xmm0,%xmm0
{evex} vmaxps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vmaxps %xmm0,%xmm0,%xmm0
{evex} vmaxps {sae},%zmm0,%zmm0,%zmm0
{evex} vmaxpd (%rax),%xmm0,%xmm0
{evex} vmaxpd %xmm0,%xmm0,%xmm0
{evex} vmaxpd {sae},%zmm0,%zmm0,%zmm0
{evex} vmaxss (%rax),%xmm0,%xmm0
{evex} vmaxss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vmaxss %xmm0,%xmm0,%xmm0
{evex} vmaxss {sae},%xmm0,%xmm0,%xmm0
{evex} vmaxsd (%rax),%xmm0,%xmm0
{evex} vmaxsd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vmaxsd %xmm0,%xmm0,%xmm0
{evex} vmaxsd {sae},%xmm0,%xmm0,%xmm0
{evex} vpunpcklbw (%rax),%xmm0,%xmm0
{evex} vpunpcklbw %xmm0,%xmm0,%xmm0
{evex} vpunpcklbw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpunpcklwd (%rax),%xmm0,%xmm0
{evex} vpunpcklwd %xmm0,%xmm0,%xmm0
{evex} vpunpcklwd %xmm0,%xmm0,%xmm0{%k1}
{evex} vpunpckldq (%rax),%xmm0,%xmm0
{evex} vpunpckldq 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vpunpckldq %xmm0,%xmm0,%xmm0
{evex} vpunpckldq %xmm0,%xmm0,%xmm0{%k1}
{evex} vpacksswb (%rax),%xmm0,%xmm0
{evex} vpacksswb %xmm0,%xmm0,%xmm0
{evex} vpacksswb %xmm0,%xmm0,%xmm0{%k1}
{evex} vpcmpgtb (%rax),%xmm0,%k0
{evex} vpcmpgtb %xmm0,%xmm0,%k0
{evex} vpcmpgtw (%rax),%xmm0,%k0
{evex} vpcmpgtw %xmm0,%xmm0,%k0
{evex} vpcmpgtd (%rax),%xmm0,%k0
{evex} vpcmpgtd %xmm0,%xmm0,%k0
{evex} vpackuswb (%rax),%xmm0,%xmm0
{evex} vpackuswb %xmm0,%xmm0,%xmm0
{evex} vpackuswb %xmm0,%xmm0,%xmm0{%k1}
{evex} vpunpckhbw (%rax),%xmm0,%xmm0
{evex} vpunpckhbw %xmm0,%xmm0,%xmm0
{evex} vpunpckhbw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpunpckhwd (%rax),%xmm0,%xmm0
{evex} vpunpckhwd %xmm0,%xmm0,%xmm0
{evex} vpunpckhwd %xmm0,%xmm0,%xmm0{%k1}
{evex} vpunpckhdq (%rax),%xmm0,%xmm0
{evex} vpunpckhdq 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vpunpckhdq %xmm0,%xmm0,%xmm0
{evex} vpunpckhdq %xmm0,%xmm0,%xmm0{%k1}
{evex} vpackssdw (%rax),%xmm0,%xmm0
{evex} vpackssdw 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vpackssdw %xmm0,%xmm0,%xmm0
{evex} vpackssdw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpunpcklqdq (%rax),%xmm0,%xmm0
{evex} vpunpcklqdq 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vpunpcklqdq %xmm0,%xmm0,%xmm0
{evex} vpunpcklqdq %xmm0,%xmm0,%xmm0{%k1}
{evex} vpunpckhqdq (%rax),%xmm0,%xmm0
{evex} vpunpckhqdq 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vpunpckhqdq %xmm0,%xmm0,%xmm0
{evex} vpunpckhqdq %xmm0,%xmm0,%xmm0{%k1}
{evex} vmovd (%rax),%xmm0
{evex} vmovq (%rax),%xmm0
{evex} vmovd %eax,%xmm0
{evex} vmovq %rax,%xmm0
{evex} vmovdqa32 (%rax),%xmm0
{evex} vmovdqa64 0x11223344(%rip),%xmm0
{evex} vmovdqa32 %xmm0,%xmm0
{evex} vmovdqa64 %xmm0,%xmm0
{evex} vmovdqu32 (%rax),%xmm0
{evex} vmovdqu64 0x11223344(%rip),%xmm0
{evex} vmovdqu32 %xmm0,%xmm0
{evex} vmovdqu64 %xmm0,%xmm0
{evex} vmovdqu8 (%rax),%xmm0
{evex} vmovdqu16 0x11223344(%rip),%xmm0
{evex} vmovdqu8 %xmm0,%xmm0
{evex} vmovdqu16 %xmm0,%xmm0
{evex} vpshufd $0x12,(%rax),%xmm0
{evex} vpshufd $0x12,0x11223344(%rip){1to4},%xmm0
{evex} vpshufd $0x12,%xmm0,%xmm0
{evex} vpshufd $0x12,%xmm0,%xmm0{%k1}
{evex} vpshufhw $0x12,(%rax),%xmm0
{evex} vpshufhw $0x12,%xmm0,%xmm0
{evex} vpshufhw $0x12,%xmm0,%xmm0{%k1}
{evex} vpshuflw $0x12,(%rax),%xmm0
{evex} vpshuflw $0x12,%xmm0,%xmm0
{evex} vpshuflw $0x12,%xmm0,%xmm0{%k1}
{evex} vpsrlw $0x12,(%rax),%xmm0
{evex} vpsraw $0x12,(%rax),%xmm0
{evex} vpsllw $0x12,(%rax),%xmm0
{evex} vpsrlw $0x12,%xmm0,%xmm0
{evex} vpsrlw $0x12,%xmm0,%xmm0{%k1}
{evex} vpsraw $0x12,%xmm0,%xmm0
{evex} vpsraw $0x12,%xmm0,%xmm0{%k1}
{evex} vpsllw $0x12,%xmm0,%xmm0
{evex} vpsllw $0x12,%xmm0,%xmm0{%k1}
{evex} vprord $0x12,(%rax),%xmm0
{evex} vprorq $0x12,0x11223344(%rip),%xmm0
{evex} vprold $0x12,(%rax),%xmm0
{evex} vprolq $0x12,0x11223344(%rip),%xmm0
{evex} vpsrld $0x12,(%rax),%xmm0
{evex} vpsrld $0x12,0x11223344(%rip){1to4},%xmm0
{evex} vpsrad $0x12,(%rax),%xmm0
{evex} vpsrad $0x12,0x11223344(%rip){1to4},%xmm0
{evex} vpsraq $0x12,(%rax),%xmm0
{evex} vpslld $0x12,0x11223344(%rip),%xmm0
{evex} vpslld $0x12,(%rax){1to4},%xmm0
{evex} vprord $0x12,%xmm0,%xmm0
{evex} vprorq $0x12,%xmm0,%xmm0
{evex} vprold $0x12,%xmm0,%xmm0
{evex} vprolq $0x12,%xmm0,%xmm0
{evex} vpsrld $0x12,%xmm0,%xmm0
{evex} vpsrld $0x12,%xmm0,%xmm0{%k1}
{evex} vpsrad $0x12,%xmm0,%xmm0
{evex} vpsrad $0x12,%xmm0,%xmm0{%k1}
{evex} vpsraq $0x12,%xmm0,%xmm0
{evex} vpslld $0x12,%xmm0,%xmm0
{evex} vpslld $0x12,%xmm0,%xmm0{%k1}
{evex} vpsrlq $0x12,(%rax),%xmm0
{evex} vpsrlq $0x12,0x11223344(%rip){1to2},%xmm0
{evex} vpsrldq $0x12,(%rax),%xmm0
{evex} vpsllq $0x12,(%rax),%xmm0
{evex} vpsllq $0x12,0x11223344(%rip){1to2},%xmm0
{evex} vpslldq $0x12,(%rax),%xmm0
{evex} vpsrlq $0x12,%xmm0,%xmm0
{evex} vpsrlq $0x12,%xmm0,%xmm0{%k1}
{evex} vpsrldq $0x12,%xmm0,%xmm0
{evex} vpsllq $0x12,%xmm0,%xmm0
{evex} vpsllq $0x12,%xmm0,%xmm0{%k1}
{evex} vpslldq $0x12,%xmm0,%xmm0
{evex} vpcmpeqb (%rax),%xmm0,%k0
{evex} vpcmpeqb %xmm0,%xmm0,%k0
{evex} vpcmpeqw (%rax),%xmm0,%k0
{evex} vpcmpeqw %xmm0,%xmm0,%k0
{evex} vpcmpeqd (%rax),%xmm0,%k0
{evex} vpcmpeqd %xmm0,%xmm0,%k0
{evex} vcvttps2udq (%rax),%xmm0
{evex} vcvttpd2udqx 0x11223344(%rip),%xmm0
{evex} vcvttpd2udq (%rax){1to2},%xmm0
{evex} vcvttpd2udqy 0x11223344(%rip),%xmm0
{evex} vcvttps2udq %xmm0,%xmm0
{evex} vcvttpd2udq %xmm0,%xmm0
{evex} vcvttps2uqq (%rax),%xmm0
{evex} vcvttpd2uqq 0x11223344(%rip),%xmm0
{evex} vcvttps2uqq %xmm0,%xmm0
{evex} vcvttpd2uqq %xmm0,%xmm0
{evex} vcvttss2usi (%rax),%eax
{evex} vcvttss2usi %xmm0,%eax
{evex} vcvttsd2usi (%rax),%eax
{evex} vcvttsd2usi %xmm0,%eax
{evex} vcvtps2udq (%rax),%xmm0
{evex} vcvtpd2udqx 0x11223344(%rip),%xmm0
{evex} vcvtpd2udq (%rax){1to2},%xmm0
{evex} vcvtpd2udqy 0x11223344(%rip),%xmm0
{evex} vcvtps2udq %xmm0,%xmm0
{evex} vcvtpd2udq %xmm0,%xmm0
{evex} vcvtps2uqq (%rax),%xmm0
{evex} vcvtpd2uqq 0x11223344(%rip),%xmm0
{evex} vcvtps2uqq %xmm0,%xmm0
{evex} vcvtpd2uqq %xmm0,%xmm0
{evex} vcvtss2usi (%rax),%eax
{evex} vcvtss2usi %xmm0,%eax
{evex} vcvtsd2usi (%rax),%eax
{evex} vcvtsd2usi %xmm0,%eax
{evex} vcvttps2qq (%rax),%xmm0
{evex} vcvttpd2qq 0x11223344(%rip),%xmm0
{evex} vcvttps2qq %xmm0,%xmm0
{evex} vcvttpd2qq %xmm0,%xmm0
{evex} vcvtudq2pd (%rax),%xmm0
{evex} vcvtuqq2pd 0x11223344(%rip),%xmm0
{evex} vcvtudq2pd %xmm0,%xmm0
{evex} vcvtuqq2pd %xmm0,%xmm0
{evex} vcvtudq2ps (%rax),%xmm0
{evex} vcvtuqq2psx 0x11223344(%rip),%xmm0
{evex} vcvtuqq2ps (%rax){1to2},%xmm0
{evex} vcvtuqq2psy 0x11223344(%rip),%xmm0
{evex} vcvtudq2ps %xmm0,%xmm0
{evex} vcvtuqq2ps %xmm0,%xmm0
{evex} vcvtps2qq (%rax),%xmm0
{evex} vcvtpd2qq 0x11223344(%rip),%xmm0
{evex} vcvtps2qq %xmm0,%xmm0
{evex} vcvtpd2qq %xmm0,%xmm0
{evex} vcvtusi2ssl (%rax),%xmm0,%xmm0
{evex} vcvtusi2ssq 0x11223344(%rip),%xmm0,%xmm0
{evex} vcvtusi2ss %eax,%xmm0,%xmm0
{evex} vcvtusi2sdl 0x11223344(%rip),%xmm0,%xmm0
{evex} vcvtusi2sdq (%rax),%xmm0,%xmm0
{evex} vcvtusi2sd %eax,%xmm0,%xmm0
{evex} vcmple_oqps (%rax),%xmm0,%k0
{evex} vcmple_oqps %xmm0,%xmm0,%k0
{evex} vcmple_oqpd (%rax),%xmm0,%k0
{evex} vcmple_oqpd %xmm0,%xmm0,%k0
{evex} vcmple_oqss (%rax),%xmm0,%k0
{evex} vcmple_oqss %xmm0,%xmm0,%k0
{evex} vcmple_oqsd (%rax),%xmm0,%k0
{evex} vcmple_oqsd %xmm0,%xmm0,%k0
{evex} vpinsrw $0x12,(%rax),%xmm0,%xmm0
{evex} vpinsrw $0x12,%eax,%xmm0,%xmm0
{evex} vpextrw $0x12,%xmm0,%eax
{evex} vshufps $0x12,(%rax),%xmm0,%xmm0
{evex} vshufps $0x12,0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vshufps $0x12,%xmm0,%xmm0,%xmm0
{evex} vshufps $0x12,%xmm0,%xmm0,%xmm0{%k1}
{evex} vshufpd $0x12,(%rax),%xmm0,%xmm0
{evex} vshufpd $0x12,0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vshufpd $0x12,%xmm0,%xmm0,%xmm0
{evex} vshufpd $0x12,%xmm0,%xmm0,%xmm0{%k1}
{evex} vpaddq (%rax),%xmm0,%xmm0
{evex} vpaddq 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vpaddq %xmm0,%xmm0,%xmm0
{evex} vpaddq %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmullw (%rax),%xmm0,%xmm0
{evex} vpmullw %xmm0,%xmm0,%xmm0
{evex} vpmullw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpsubusb (%rax),%xmm0,%xmm0
{evex} vpsubusb %xmm0,%xmm0,%xmm0
{evex} vpsubusb %xmm0,%xmm0,%xmm0{%k1}
{evex} vpsubusw (%rax),%xmm0,%xmm0
{evex} vpsubusw %xmm0,%xmm0,%xmm0
{evex} vpsubusw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpminub (%rax),%xmm0,%xmm0
{evex} vpminub %xmm0,%xmm0,%xmm0
{evex} vpminub %xmm0,%xmm0,%xmm0{%k1}
{evex} vpandd (%rax),%xmm0,%xmm0
{evex} vpandq 0x11223344(%rip),%xmm0,%xmm0
{evex} vpandd %xmm0,%xmm0,%xmm0
{evex} vpandq %xmm0,%xmm0,%xmm0
{evex} vpaddusb (%rax),%xmm0,%xmm0
{evex} vpaddusb %xmm0,%xmm0,%xmm0
{evex} vpaddusb %xmm0,%xmm0,%xmm0{%k1}
{evex} vpaddusw (%rax),%xmm0,%xmm0
{evex} vpaddusw %xmm0,%xmm0,%xmm0
{evex} vpaddusw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmaxub (%rax),%xmm0,%xmm0
{evex} vpmaxub %xmm0,%xmm0,%xmm0
{evex} vpmaxub %xmm0,%xmm0,%xmm0{%k1}
{evex} vpandnd (%rax),%xmm0,%xmm0
{evex} vpandnq 0x11223344(%rip),%xmm0,%xmm0
{evex} vpandnd %xmm0,%xmm0,%xmm0
{evex} vpandnq %xmm0,%xmm0,%xmm0
{evex} vpavgb (%rax),%xmm0,%xmm0
{evex} vpavgb %xmm0,%xmm0,%xmm0
{evex} vpavgb %xmm0,%xmm0,%xmm0{%k1}
{evex} vpavgw (%rax),%xmm0,%xmm0
{evex} vpavgw %xmm0,%xmm0,%xmm0
{evex} vpavgw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmulhuw (%rax),%xmm0,%xmm0
{evex} vpmulhuw %xmm0,%xmm0,%xmm0
{evex} vpmulhuw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmulhw (%rax),%xmm0,%xmm0
{evex} vpmulhw %xmm0,%xmm0,%xmm0
{evex} vpmulhw %xmm0,%xmm0,%xmm0{%k1}
{evex} vcvttpd2dqx (%rax),%xmm0
{evex} vcvttpd2dq 0x11223344(%rip){1to2},%xmm0
{evex} vcvttpd2dqx (%rax),%xmm0{%k1}
{evex} vcvttpd2dqy 0x11223344(%rip),%xmm0
{evex} vcvttpd2dqy (%rax),%xmm0{%k1}
{evex} vcvttpd2dq %xmm0,%xmm0
{evex} vcvttpd2dq {sae},%zmm0,%ymm0
{evex} vcvtdq2pd 0x11223344(%rip),%xmm0
{evex} vcvtdq2pd (%rax){1to2},%xmm0
{evex} vcvtqq2pd 0x11223344(%rip),%xmm0
{evex} vcvtdq2pd %xmm0,%xmm0
{evex} vcvtdq2pd %xmm0,%xmm0{%k1}
{evex} vcvtqq2pd %xmm0,%xmm0
{evex} vcvtpd2dqx 0x11223344(%rip),%xmm0
{evex} vcvtpd2dq (%rax){1to2},%xmm0
{evex} vcvtpd2dqx 0x11223344(%rip),%xmm0{%k1}
{evex} vcvtpd2dqy (%rax),%xmm0
{evex} vcvtpd2dqy 0x11223344(%rip),%xmm0{%k1}
{evex} vcvtpd2dq %xmm0,%xmm0
{evex} vcvtpd2dq {rn-sae},%zmm0,%ymm0
{evex} vmovntdq %xmm0,(%rax)
{evex} vpsubsb (%rax),%xmm0,%xmm0
{evex} vpsubsb %xmm0,%xmm0,%xmm0
{evex} vpsubsb %xmm0,%xmm0,%xmm0{%k1}
{evex} vpsubsw (%rax),%xmm0,%xmm0
{evex} vpsubsw %xmm0,%xmm0,%xmm0
{evex} vpsubsw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpminsw (%rax),%xmm0,%xmm0
{evex} vpminsw %xmm0,%xmm0,%xmm0
{evex} vpminsw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpord  (%rax),%xmm0,%xmm0
{evex} vporq  0x11223344(%rip),%xmm0,%xmm0
{evex} vpord  %xmm0,%xmm0,%xmm0
{evex} vporq  %xmm0,%xmm0,%xmm0
{evex} vpaddsb (%rax),%xmm0,%xmm0
{evex} vpaddsb %xmm0,%xmm0,%xmm0
{evex} vpaddsb %xmm0,%xmm0,%xmm0{%k1}
{evex} vpaddsw (%rax),%xmm0,%xmm0
{evex} vpaddsw %xmm0,%xmm0,%xmm0
{evex} vpaddsw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmaxsw (%rax),%xmm0,%xmm0
{evex} vpmaxsw %xmm0,%xmm0,%xmm0
{evex} vpmaxsw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpxord (%rax),%xmm0,%xmm0
{evex} vpxorq 0x11223344(%rip),%xmm0,%xmm0
{evex} vpxord %xmm0,%xmm0,%xmm0
{evex} vpxorq %xmm0,%xmm0,%xmm0
{evex} vpmuludq (%rax),%xmm0,%xmm0
{evex} vpmuludq 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vpmuludq %xmm0,%xmm0,%xmm0
{evex} vpmuludq %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmaddwd (%rax),%xmm0,%xmm0
{evex} vpmaddwd %xmm0,%xmm0,%xmm0
{evex} vpmaddwd %xmm0,%xmm0,%xmm0{%k1}
{evex} vpsadbw (%rax),%xmm0,%xmm0
{evex} vpsadbw %xmm0,%xmm0,%xmm0
{evex} vpsubb (%rax),%xmm0,%xmm0
{evex} vpsubb %xmm0,%xmm0,%xmm0
{evex} vpsubb %xmm0,%xmm0,%xmm0{%k1}
{evex} vpsubw (%rax),%xmm0,%xmm0
{evex} vpsubw %xmm0,%xmm0,%xmm0
{evex} vpsubw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpsubd (%rax),%xmm0,%xmm0
{evex} vpsubd 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vpsubd %xmm0,%xmm0,%xmm0
{evex} vpsubd %xmm0,%xmm0,%xmm0{%k1}
{evex} vpsubq (%rax),%xmm0,%xmm0
{evex} vpsubq 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vpsubq %xmm0,%xmm0,%xmm0
{evex} vpsubq %xmm0,%xmm0,%xmm0{%k1}
{evex} vpaddb (%rax),%xmm0,%xmm0
{evex} vpaddb %xmm0,%xmm0,%xmm0
{evex} vpaddb %xmm0,%xmm0,%xmm0{%k1}
{evex} vpaddw (%rax),%xmm0,%xmm0
{evex} vpaddw %xmm0,%xmm0,%xmm0
{evex} vpaddw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpaddd (%rax),%xmm0,%xmm0
{evex} vpaddd 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vpaddd %xmm0,%xmm0,%xmm0
{evex} vpaddd %xmm0,%xmm0,%xmm0{%k1}
{evex} vpshufb (%rax),%xmm0,%xmm0
{evex} vpshufb %xmm0,%xmm0,%xmm0
{evex} vpshufb %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmaddubsw (%rax),%xmm0,%xmm0
{evex} vpmaddubsw %xmm0,%xmm0,%xmm0
{evex} vpmaddubsw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmulhrsw (%rax),%xmm0,%xmm0
{evex} vpmulhrsw %xmm0,%xmm0,%xmm0
{evex} vpmulhrsw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpermilps (%rax),%xmm0,%xmm0
{evex} vpermilps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vpermilps %xmm0,%xmm0,%xmm0
{evex} vpermilps %xmm0,%xmm0,%xmm0{%k1}
{evex} vpermilpd (%rax),%xmm0,%xmm0
{evex} vpermilpd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vpermilpd %xmm0,%xmm0,%xmm0
{evex} vpermilpd %xmm0,%xmm0,%xmm0{%k1}
{evex} vpsrlvw (%rax),%xmm0,%xmm0
{evex} vpsrlvw %xmm0,%xmm0,%xmm0
{evex} vpmovuswb %xmm0,(%rax)
{evex} vpmovuswb %xmm0,%xmm0
{evex} vpsravw (%rax),%xmm0,%xmm0
{evex} vpsravw %xmm0,%xmm0,%xmm0
{evex} vpmovusdb %xmm0,(%rax)
{evex} vpmovusdb %xmm0,%xmm0
{evex} vpsllvw (%rax),%xmm0,%xmm0
{evex} vpsllvw %xmm0,%xmm0,%xmm0
{evex} vpmovusqb %xmm0,(%rax)
{evex} vpmovusqb %xmm0,%xmm0
{evex} vcvtph2ps (%rax),%xmm0
{evex} vcvtph2ps 0x11223344(%rip),%xmm0{%k1}
{evex} vcvtph2ps %xmm0,%xmm0
{evex} vcvtph2ps {sae},%ymm0,%zmm0
{evex} vpmovusdw %xmm0,(%rax)
{evex} vpmovusdw %xmm0,%xmm0
{evex} vprorvd (%rax),%xmm0,%xmm0
{evex} vprorvq 0x11223344(%rip),%xmm0,%xmm0
{evex} vprorvd %xmm0,%xmm0,%xmm0
{evex} vprorvq %xmm0,%xmm0,%xmm0
{evex} vpmovusqw %xmm0,(%rax)
{evex} vpmovusqw %xmm0,%xmm0
{evex} vprolvd (%rax),%xmm0,%xmm0
{evex} vprolvq 0x11223344(%rip),%xmm0,%xmm0
{evex} vprolvd %xmm0,%xmm0,%xmm0
{evex} vprolvq %xmm0,%xmm0,%xmm0
{evex} vpmovusqd %xmm0,(%rax)
{evex} vpmovusqd %xmm0,%xmm0
{evex} vpermps (%rax),%ymm0,%ymm0
{evex} vpermps 0x11223344(%rip){1to8},%ymm0,%ymm0
{evex} vpermpd (%rax),%ymm0,%ymm0
{evex} vpermpd 0x11223344(%rip){1to4},%ymm0,%ymm0
{evex} vpermps %ymm0,%ymm0,%ymm0
{evex} vpermps %ymm0,%ymm0,%ymm0{%k1}
{evex} vpermpd %ymm0,%ymm0,%ymm0
{evex} vpermpd %ymm0,%ymm0,%ymm0{%k1}
{evex} vbroadcastss (%rax),%xmm0
{evex} vbroadcastss 0x11223344(%rip),%xmm0{%k1}
{evex} vbroadcastss %xmm0,%xmm0
{evex} vbroadcastss %xmm0,%xmm0{%k1}
{evex} vbroadcastf32x2 (%rax),%ymm0
{evex} vbroadcastsd 0x11223344(%rip),%ymm0
{evex} vbroadcastsd (%rax),%ymm0{%k1}
{evex} vbroadcastf32x2 %xmm0,%ymm0
{evex} vbroadcastsd %xmm0,%ymm0
{evex} vbroadcastsd %xmm0,%ymm0{%k1}
{evex} vbroadcastf32x4 (%rax),%ymm0
{evex} vbroadcastf64x2 0x11223344(%rip),%ymm0
{evex} vbroadcastf32x8 (%rax),%zmm0
{evex} vbroadcastf64x4 0x11223344(%rip),%zmm0
{evex} vpabsb (%rax),%xmm0
{evex} vpabsb %xmm0,%xmm0
{evex} vpabsb %xmm0,%xmm0{%k1}
{evex} vpabsw (%rax),%xmm0
{evex} vpabsw %xmm0,%xmm0
{evex} vpabsw %xmm0,%xmm0{%k1}
{evex} vpabsd (%rax),%xmm0
{evex} vpabsd 0x11223344(%rip){1to4},%xmm0
{evex} vpabsd %xmm0,%xmm0
{evex} vpabsd %xmm0,%xmm0{%k1}
{evex} vpabsq (%rax),%xmm0
{evex} vpabsq %xmm0,%xmm0
{evex} vpmovsxbw (%rax),%xmm0
{evex} vpmovsxbw 0x11223344(%rip),%xmm0{%k1}
{evex} vpmovsxbw %xmm0,%xmm0
{evex} vpmovsxbw %xmm0,%xmm0{%k1}
{evex} vpmovswb %xmm0,(%rax)
{evex} vpmovswb %xmm0,%xmm0
{evex} vpmovsxbd (%rax),%xmm0
{evex} vpmovsxbd 0x11223344(%rip),%xmm0{%k1}
{evex} vpmovsxbd %xmm0,%xmm0
{evex} vpmovsxbd %xmm0,%xmm0{%k1}
{evex} vpmovsdb %xmm0,(%rax)
{evex} vpmovsdb %xmm0,%xmm0
{evex} vpmovsxbq (%rax),%xmm0
{evex} vpmovsxbq 0x11223344(%rip),%xmm0{%k1}
{evex} vpmovsxbq %xmm0,%xmm0
{evex} vpmovsxbq %xmm0,%xmm0{%k1}
{evex} vpmovsqb %xmm0,(%rax)
{evex} vpmovsqb %xmm0,%xmm0
{evex} vpmovsxwd (%rax),%xmm0
{evex} vpmovsxwd 0x11223344(%rip),%xmm0{%k1}
{evex} vpmovsxwd %xmm0,%xmm0
{evex} vpmovsxwd %xmm0,%xmm0{%k1}
{evex} vpmovsdw %xmm0,(%rax)
{evex} vpmovsdw %xmm0,%xmm0
{evex} vpmovsxwq (%rax),%xmm0
{evex} vpmovsxwq 0x11223344(%rip),%xmm0{%k1}
{evex} vpmovsxwq %xmm0,%xmm0
{evex} vpmovsxwq %xmm0,%xmm0{%k1}
{evex} vpmovsqw %xmm0,(%rax)
{evex} vpmovsqw %xmm0,%xmm0
{evex} vpmovsxdq (%rax),%xmm0
{evex} vpmovsxdq 0x11223344(%rip),%xmm0{%k1}
{evex} vpmovsxdq %xmm0,%xmm0
{evex} vpmovsxdq %xmm0,%xmm0{%k1}
{evex} vpmovsqd %xmm0,(%rax)
{evex} vpmovsqd %xmm0,%xmm0
{evex} vptestmb (%rax),%xmm0,%k0
{evex} vptestmw 0x11223344(%rip),%xmm0,%k0
{evex} vptestmb %xmm0,%xmm0,%k0
{evex} vptestmw %xmm0,%xmm0,%k0
{evex} vptestnmb (%rax),%xmm0,%k0
{evex} vptestnmw 0x11223344(%rip),%xmm0,%k0
{evex} vptestnmb %xmm0,%xmm0,%k0
{evex} vptestnmw %xmm0,%xmm0,%k0
{evex} vptestmd (%rax),%xmm0,%k0
{evex} vptestmq 0x11223344(%rip),%xmm0,%k0
{evex} vptestmd %xmm0,%xmm0,%k0
{evex} vptestmq %xmm0,%xmm0,%k0
{evex} vptestnmd (%rax),%xmm0,%k0
{evex} vptestnmq 0x11223344(%rip),%xmm0,%k0
{evex} vptestnmd %xmm0,%xmm0,%k0
{evex} vptestnmq %xmm0,%xmm0,%k0
{evex} vpmuldq (%rax),%xmm0,%xmm0
{evex} vpmuldq 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vpmuldq %xmm0,%xmm0,%xmm0
{evex} vpmuldq %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmovm2b %k0,%xmm0
{evex} vpmovm2w %k0,%xmm0
{evex} vpcmpeqq (%rax),%xmm0,%k0
{evex} vpcmpeqq %xmm0,%xmm0,%k0
{evex} vpmovb2m %xmm0,%k0
{evex} vpmovw2m %xmm0,%k0
{evex} vmovntdqa (%rax),%xmm0
{evex} vpbroadcastmb2q %k0,%xmm0
{evex} vpackusdw 0x11223344(%rip),%xmm0,%xmm0
{evex} vpackusdw (%rax){1to4},%xmm0,%xmm0
{evex} vpackusdw %xmm0,%xmm0,%xmm0
{evex} vpackusdw %xmm0,%xmm0,%xmm0{%k1}
{evex} vscalefps 0x11223344(%rip),%xmm0,%xmm0
{evex} vscalefpd (%rax),%xmm0,%xmm0
{evex} vscalefps %xmm0,%xmm0,%xmm0
{evex} vscalefpd %xmm0,%xmm0,%xmm0
{evex} vscalefss 0x11223344(%rip),%xmm0,%xmm0
{evex} vscalefsd (%rax),%xmm0,%xmm0
{evex} vscalefss %xmm0,%xmm0,%xmm0
{evex} vscalefsd %xmm0,%xmm0,%xmm0
{evex} vpmovzxbw 0x11223344(%rip),%xmm0
{evex} vpmovzxbw (%rax),%xmm0{%k1}
{evex} vpmovzxbw %xmm0,%xmm0
{evex} vpmovzxbw %xmm0,%xmm0{%k1}
{evex} vpmovwb %xmm0,0x11223344(%rip)
{evex} vpmovwb %xmm0,%xmm0
{evex} vpmovzxbd 0x11223344(%rip),%xmm0
{evex} vpmovzxbd (%rax),%xmm0{%k1}
{evex} vpmovzxbd %xmm0,%xmm0
{evex} vpmovzxbd %xmm0,%xmm0{%k1}
{evex} vpmovdb %xmm0,0x11223344(%rip)
{evex} vpmovdb %xmm0,%xmm0
{evex} vpmovzxbq 0x11223344(%rip),%xmm0
{evex} vpmovzxbq (%rax),%xmm0{%k1}
{evex} vpmovzxbq %xmm0,%xmm0
{evex} vpmovzxbq %xmm0,%xmm0{%k1}
{evex} vpmovqb %xmm0,0x11223344(%rip)
{evex} vpmovqb %xmm0,%xmm0
{evex} vpmovzxwd 0x11223344(%rip),%xmm0
{evex} vpmovzxwd (%rax),%xmm0{%k1}
{evex} vpmovzxwd %xmm0,%xmm0
{evex} vpmovzxwd %xmm0,%xmm0{%k1}
{evex} vpmovdw %xmm0,0x11223344(%rip)
{evex} vpmovdw %xmm0,%xmm0
{evex} vpmovzxwq 0x11223344(%rip),%xmm0
{evex} vpmovzxwq (%rax),%xmm0{%k1}
{evex} vpmovzxwq %xmm0,%xmm0
{evex} vpmovzxwq %xmm0,%xmm0{%k1}
{evex} vpmovqw %xmm0,0x11223344(%rip)
{evex} vpmovqw %xmm0,%xmm0
{evex} vpmovzxdq 0x11223344(%rip),%xmm0
{evex} vpmovzxdq (%rax),%xmm0{%k1}
{evex} vpmovzxdq %xmm0,%xmm0
{evex} vpmovzxdq %xmm0,%xmm0{%k1}
{evex} vpmovqd %xmm0,0x11223344(%rip)
{evex} vpmovqd %xmm0,%xmm0
{evex} vpermd 0x11223344(%rip),%ymm0,%ymm0
{evex} vpermd (%rax){1to8},%ymm0,%ymm0
{evex} vpermq 0x11223344(%rip),%ymm0,%ymm0
{evex} vpermd %ymm0,%ymm0,%ymm0
{evex} vpermd %ymm0,%ymm0,%ymm0{%k1}
{evex} vpermq %ymm0,%ymm0,%ymm0
{evex} vpcmpgtq 0x11223344(%rip),%xmm0,%k0
{evex} vpcmpgtq %xmm0,%xmm0,%k0
{evex} vpminsb 0x11223344(%rip),%xmm0,%xmm0
{evex} vpminsb %xmm0,%xmm0,%xmm0
{evex} vpminsb %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmovm2d %k0,%xmm0
{evex} vpmovm2q %k0,%xmm0
{evex} vpminsd 0x11223344(%rip),%xmm0,%xmm0
{evex} vpminsd (%rax){1to4},%xmm0,%xmm0
{evex} vpminsq 0x11223344(%rip),%xmm0,%xmm0
{evex} vpminsd %xmm0,%xmm0,%xmm0
{evex} vpminsd %xmm0,%xmm0,%xmm0{%k1}
{evex} vpminsq %xmm0,%xmm0,%xmm0
{evex} vpmovd2m %xmm0,%k0
{evex} vpmovq2m %xmm0,%k0
{evex} vpminuw 0x11223344(%rip),%xmm0,%xmm0
{evex} vpminuw %xmm0,%xmm0,%xmm0
{evex} vpminuw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpbroadcastmw2d %k0,%xmm0
{evex} vpminud (%rax),%xmm0,%xmm0
{evex} vpminud 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vpminuq (%rax),%xmm0,%xmm0
{evex} vpminud %xmm0,%xmm0,%xmm0
{evex} vpminud %xmm0,%xmm0,%xmm0{%k1}
{evex} vpminuq %xmm0,%xmm0,%xmm0
{evex} vpmaxsb (%rax),%xmm0,%xmm0
{evex} vpmaxsb %xmm0,%xmm0,%xmm0
{evex} vpmaxsb %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmaxsd (%rax),%xmm0,%xmm0
{evex} vpmaxsd 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vpmaxsq (%rax),%xmm0,%xmm0
{evex} vpmaxsd %xmm0,%xmm0,%xmm0
{evex} vpmaxsd %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmaxsq %xmm0,%xmm0,%xmm0
{evex} vpmaxuw (%rax),%xmm0,%xmm0
{evex} vpmaxuw %xmm0,%xmm0,%xmm0
{evex} vpmaxuw %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmaxud (%rax),%xmm0,%xmm0
{evex} vpmaxud 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vpmaxuq (%rax),%xmm0,%xmm0
{evex} vpmaxud %xmm0,%xmm0,%xmm0
{evex} vpmaxud %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmaxuq %xmm0,%xmm0,%xmm0
{evex} vpmulld (%rax),%xmm0,%xmm0
{evex} vpmulld 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vpmullq (%rax),%xmm0,%xmm0
{evex} vpmulld %xmm0,%xmm0,%xmm0
{evex} vpmulld %xmm0,%xmm0,%xmm0{%k1}
{evex} vpmullq %xmm0,%xmm0,%xmm0
{evex} vgetexpps (%rax),%xmm0
{evex} vgetexppd 0x11223344(%rip),%xmm0
{evex} vgetexpps %xmm0,%xmm0
{evex} vgetexppd %xmm0,%xmm0
{evex} vgetexpss (%rax),%xmm0,%xmm0
{evex} vgetexpsd 0x11223344(%rip),%xmm0,%xmm0
{evex} vgetexpss %xmm0,%xmm0,%xmm0
{evex} vgetexpsd %xmm0,%xmm0,%xmm0
{evex} vplzcntd (%rax),%xmm0
{evex} vplzcntq 0x11223344(%rip),%xmm0
{evex} vplzcntd %xmm0,%xmm0
{evex} vplzcntq %xmm0,%xmm0
{evex} vpsrlvd (%rax),%xmm0,%xmm0
{evex} vpsrlvq 0x11223344(%rip),%xmm0,%xmm0
{evex} vpsrlvd %xmm0,%xmm0,%xmm0
{evex} vpsrlvq %xmm0,%xmm0,%xmm0
{evex} vpsravd (%rax),%xmm0,%xmm0
{evex} vpsravq 0x11223344(%rip),%xmm0,%xmm0
{evex} vpsravd %xmm0,%xmm0,%xmm0
{evex} vpsravq %xmm0,%xmm0,%xmm0
{evex} vpsllvd (%rax),%xmm0,%xmm0
{evex} vpsllvq 0x11223344(%rip),%xmm0,%xmm0
{evex} vpsllvd %xmm0,%xmm0,%xmm0
{evex} vpsllvq %xmm0,%xmm0,%xmm0
{evex} vrcp14ps (%rax),%xmm0
{evex} vrcp14pd 0x11223344(%rip),%xmm0
{evex} vrcp14ps %xmm0,%xmm0
{evex} vrcp14pd %xmm0,%xmm0
{evex} vrcp14ss (%rax),%xmm0,%xmm0
{evex} vrcp14sd 0x11223344(%rip),%xmm0,%xmm0
{evex} vrcp14ss %xmm0,%xmm0,%xmm0
{evex} vrcp14sd %xmm0,%xmm0,%xmm0
{evex} vrsqrt14ps (%rax),%xmm0
{evex} vrsqrt14pd 0x11223344(%rip),%xmm0
{evex} vrsqrt14ps %xmm0,%xmm0
{evex} vrsqrt14pd %xmm0,%xmm0
{evex} vrsqrt14ss (%rax),%xmm0,%xmm0
{evex} vrsqrt14sd 0x11223344(%rip),%xmm0,%xmm0
{evex} vrsqrt14ss %xmm0,%xmm0,%xmm0
{evex} vrsqrt14sd %xmm0,%xmm0,%xmm0
{evex} vpdpbusd (%rax),%xmm0,%xmm0
{evex} vpdpbusd %xmm0,%xmm0,%xmm0
{evex} vpdpbusds (%rax),%xmm0,%xmm0
{evex} vpdpbusds %xmm0,%xmm0,%xmm0
{evex} vpdpwssd (%rax),%xmm0,%xmm0
{evex} vpdpwssd %xmm0,%xmm0,%xmm0
{evex} vdpbf16ps (%rax),%xmm0,%xmm0
{evex} vdpbf16ps %xmm0,%xmm0,%xmm0
{evex} vpdpwssds 0x11223344(%rip),%xmm0,%xmm0
{evex} vpdpwssds %xmm0,%xmm0,%xmm0
{evex} vpopcntb (%rax),%xmm0
{evex} vpopcntw 0x11223344(%rip),%xmm0
{evex} vpopcntb %xmm0,%xmm0
{evex} vpopcntw %xmm0,%xmm0
{evex} vpopcntd (%rax),%xmm0
{evex} vpopcntq 0x11223344(%rip),%xmm0
{evex} vpopcntd %xmm0,%xmm0
{evex} vpopcntq %xmm0,%xmm0
{evex} vpbroadcastd (%rax),%xmm0
{evex} vpbroadcastd 0x11223344(%rip),%xmm0{%k1}
{evex} vpbroadcastd %xmm0,%xmm0
{evex} vpbroadcastd %xmm0,%xmm0{%k1}
{evex} vbroadcasti32x2 (%rax),%xmm0
{evex} vpbroadcastq 0x11223344(%rip),%xmm0
{evex} vpbroadcastq (%rax),%xmm0{%k1}
{evex} vbroadcasti32x2 %xmm0,%xmm0
{evex} vpbroadcastq %xmm0,%xmm0
{evex} vpbroadcastq %xmm0,%xmm0{%k1}
{evex} vbroadcasti32x4 (%rax),%ymm0
{evex} vbroadcasti64x2 0x11223344(%rip),%ymm0
{evex} vbroadcasti32x8 (%rax),%zmm0
{evex} vbroadcasti64x4 0x11223344(%rip),%zmm0
{evex} vpexpandb (%rax),%xmm0
{evex} vpexpandw 0x11223344(%rip),%xmm0
{evex} vpexpandb %xmm0,%xmm0
{evex} vpexpandw %xmm0,%xmm0
{evex} vpcompressb %xmm0,(%rax)
{evex} vpcompressw %xmm0,0x11223344(%rip)
{evex} vpcompressb %xmm0,%xmm0
{evex} vpcompressw %xmm0,%xmm0
{evex} vpblendmd (%rax),%xmm0,%xmm0
{evex} vpblendmq 0x11223344(%rip),%xmm0,%xmm0
{evex} vpblendmd %xmm0,%xmm0,%xmm0
{evex} vpblendmq %xmm0,%xmm0,%xmm0
{evex} vblendmps (%rax),%xmm0,%xmm0
{evex} vblendmpd 0x11223344(%rip),%xmm0,%xmm0
{evex} vblendmps %xmm0,%xmm0,%xmm0
{evex} vblendmpd %xmm0,%xmm0,%xmm0
{evex} vpblendmb (%rax),%xmm0,%xmm0
{evex} vpblendmw 0x11223344(%rip),%xmm0,%xmm0
{evex} vpblendmb %xmm0,%xmm0,%xmm0
{evex} vpblendmw %xmm0,%xmm0,%xmm0
{evex} vp2intersectd (%rax),%xmm0,%k0
{evex} vp2intersectq 0x11223344(%rip),%xmm0,%k0
{evex} vp2intersectd %xmm0,%xmm0,%k0
{evex} vp2intersectq %xmm0,%xmm0,%k0
{evex} vpshldvw (%rax),%xmm0,%xmm0
{evex} vpshldvw %xmm0,%xmm0,%xmm0
{evex} vpshldvd (%rax),%xmm0,%xmm0
{evex} vpshldvq 0x11223344(%rip),%xmm0,%xmm0
{evex} vpshldvd %xmm0,%xmm0,%xmm0
{evex} vpshldvq %xmm0,%xmm0,%xmm0
{evex} vpshrdvw (%rax),%xmm0,%xmm0
{evex} vpshrdvw %xmm0,%xmm0,%xmm0
{evex} vcvtneps2bf16x (%rax),%xmm0
{evex} vcvtneps2bf16 0x11223344(%rip){1to4},%xmm0
{evex} vcvtneps2bf16y (%rax),%xmm0
{evex} vcvtneps2bf16 %xmm0,%xmm0
{evex} vcvtne2ps2bf16 (%rax),%xmm0,%xmm0
{evex} vcvtne2ps2bf16 %xmm0,%xmm0,%xmm0
{evex} vpshrdvd (%rax),%xmm0,%xmm0
{evex} vpshrdvq 0x11223344(%rip),%xmm0,%xmm0
{evex} vpshrdvd %xmm0,%xmm0,%xmm0
{evex} vpshrdvq %xmm0,%xmm0,%xmm0
{evex} vpermi2b (%rax),%xmm0,%xmm0
{evex} vpermi2w 0x11223344(%rip),%xmm0,%xmm0
{evex} vpermi2b %xmm0,%xmm0,%xmm0
{evex} vpermi2w %xmm0,%xmm0,%xmm0
{evex} vpermi2d (%rax),%xmm0,%xmm0
{evex} vpermi2q 0x11223344(%rip),%xmm0,%xmm0
{evex} vpermi2d %xmm0,%xmm0,%xmm0
{evex} vpermi2q %xmm0,%xmm0,%xmm0
{evex} vpermi2ps (%rax),%xmm0,%xmm0
{evex} vpermi2pd 0x11223344(%rip),%xmm0,%xmm0
{evex} vpermi2ps %xmm0,%xmm0,%xmm0
{evex} vpermi2pd %xmm0,%xmm0,%xmm0
{evex} vpbroadcastb (%rax),%xmm0
{evex} vpbroadcastb 0x11223344(%rip),%xmm0{%k1}
{evex} vpbroadcastb %xmm0,%xmm0
{evex} vpbroadcastb %xmm0,%xmm0{%k1}
{evex} vpbroadcastw (%rax),%xmm0
{evex} vpbroadcastw 0x11223344(%rip),%xmm0{%k1}
{evex} vpbroadcastw %xmm0,%xmm0
{evex} vpbroadcastw %xmm0,%xmm0{%k1}
{evex} vpermt2b (%rax),%xmm0,%xmm0
{evex} vpermt2w 0x11223344(%rip),%xmm0,%xmm0
{evex} vpermt2b %xmm0,%xmm0,%xmm0
{evex} vpermt2w %xmm0,%xmm0,%xmm0
{evex} vpermt2d (%rax),%xmm0,%xmm0
{evex} vpermt2q 0x11223344(%rip),%xmm0,%xmm0
{evex} vpermt2d %xmm0,%xmm0,%xmm0
{evex} vpermt2q %xmm0,%xmm0,%xmm0
{evex} vpermt2ps (%rax),%xmm0,%xmm0
{evex} vpermt2pd 0x11223344(%rip),%xmm0,%xmm0
{evex} vpermt2ps %xmm0,%xmm0,%xmm0
{evex} vpermt2pd %xmm0,%xmm0,%xmm0
{evex} vpmultishiftqb (%rax),%xmm0,%xmm0
{evex} vpmultishiftqb %xmm0,%xmm0,%xmm0
{evex} vexpandps (%rax),%xmm0
{evex} vexpandpd 0x11223344(%rip),%xmm0
{evex} vexpandps %xmm0,%xmm0
{evex} vexpandpd %xmm0,%xmm0
{evex} vpexpandd (%rax),%xmm0
{evex} vpexpandq 0x11223344(%rip),%xmm0
{evex} vpexpandd %xmm0,%xmm0
{evex} vpexpandq %xmm0,%xmm0
{evex} vcompressps %xmm0,(%rax)
{evex} vcompresspd %xmm0,0x11223344(%rip)
{evex} vcompressps %xmm0,%xmm0
{evex} vcompresspd %xmm0,%xmm0
{evex} vpcompressd %xmm0,(%rax)
{evex} vpcompressq %xmm0,0x11223344(%rip)
{evex} vpcompressd %xmm0,%xmm0
{evex} vpcompressq %xmm0,%xmm0
{evex} vpermb (%rax),%xmm0,%xmm0
{evex} vpermw 0x11223344(%rip),%xmm0,%xmm0
{evex} vpermb %xmm0,%xmm0,%xmm0
{evex} vpermw %xmm0,%xmm0,%xmm0
{evex} vpshufbitqmb (%rax),%xmm0,%k0
{evex} vpshufbitqmb %xmm0,%xmm0,%k0
{evex} vpgatherdd (%rax,%xmm1,2),%xmm0{%k1}
{evex} vpgatherdq (%rax,%xmm1,2),%xmm0{%k1}
{evex} vpgatherqd (%rax,%xmm1,2),%xmm0{%k1}
{evex} vpgatherqq (%rax,%xmm1,2),%xmm0{%k1}
{evex} vgatherdps (%rax,%xmm1,2),%xmm0{%k1}
{evex} vgatherdpd (%rax,%xmm1,2),%xmm0{%k1}
{evex} vgatherqps (%rax,%xmm1,2),%xmm0{%k1}
{evex} vgatherqpd (%rax,%xmm1,2),%xmm0{%k1}
{evex} vfmaddsub132ps (%rax),%xmm0,%xmm0
{evex} vfmaddsub132ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfmaddsub132pd (%rax),%xmm0,%xmm0
{evex} vfmaddsub132pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfmaddsub132ps %xmm0,%xmm0,%xmm0
{evex} vfmaddsub132ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmaddsub132pd %xmm0,%xmm0,%xmm0
{evex} vfmaddsub132pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmadd132ps (%rax),%xmm0,%xmm0
{evex} vfmadd132ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfmadd132pd (%rax),%xmm0,%xmm0
{evex} vfmadd132pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfmadd132ps %xmm0,%xmm0,%xmm0
{evex} vfmadd132ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmadd132pd %xmm0,%xmm0,%xmm0
{evex} vfmadd132pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmadd132ss (%rax),%xmm0,%xmm0
{evex} vfmadd132ss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfmadd132sd (%rax),%xmm0,%xmm0
{evex} vfmadd132sd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfmadd132ss %xmm0,%xmm0,%xmm0
{evex} vfmadd132ss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfmadd132sd %xmm0,%xmm0,%xmm0
{evex} vfmadd132sd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfmsub132ps (%rax),%xmm0,%xmm0
{evex} vfmsub132ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfmsub132pd (%rax),%xmm0,%xmm0
{evex} vfmsub132pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfmsub132ps %xmm0,%xmm0,%xmm0
{evex} vfmsub132ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmsub132pd %xmm0,%xmm0,%xmm0
{evex} vfmsub132pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmsub132ss 0x11223344(%rip),%xmm0,%xmm0
{evex} vfmsub132ss (%rax),%xmm0,%xmm0{%k1}
{evex} vfmsub132sd 0x11223344(%rip),%xmm0,%xmm0
{evex} vfmsub132sd (%rax),%xmm0,%xmm0{%k1}
{evex} vfmsub132ss %xmm0,%xmm0,%xmm0
{evex} vfmsub132ss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfmsub132sd %xmm0,%xmm0,%xmm0
{evex} vfmsub132sd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} v4fmaddss 0x11223344(%rip),%xmm0,%xmm0
{evex} vfnmadd132ps (%rax),%xmm0,%xmm0
{evex} vfnmadd132ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfnmadd132pd (%rax),%xmm0,%xmm0
{evex} vfnmadd132pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfnmadd132ps %xmm0,%xmm0,%xmm0
{evex} vfnmadd132ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfnmadd132pd %xmm0,%xmm0,%xmm0
{evex} vfnmadd132pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfnmadd132ss (%rax),%xmm0,%xmm0
{evex} vfnmadd132ss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfnmadd132sd (%rax),%xmm0,%xmm0
{evex} vfnmadd132sd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfnmadd132ss %xmm0,%xmm0,%xmm0
{evex} vfnmadd132ss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfnmadd132sd %xmm0,%xmm0,%xmm0
{evex} vfnmadd132sd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfnmsub132ps (%rax),%xmm0,%xmm0
{evex} vfnmsub132ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfnmsub132pd (%rax),%xmm0,%xmm0
{evex} vfnmsub132pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfnmsub132ps %xmm0,%xmm0,%xmm0
{evex} vfnmsub132ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfnmsub132pd %xmm0,%xmm0,%xmm0
{evex} vfnmsub132pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfnmsub132ss (%rax),%xmm0,%xmm0
{evex} vfnmsub132ss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfnmsub132sd (%rax),%xmm0,%xmm0
{evex} vfnmsub132sd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfnmsub132ss %xmm0,%xmm0,%xmm0
{evex} vfnmsub132ss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfnmsub132sd %xmm0,%xmm0,%xmm0
{evex} vfnmsub132sd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vpscatterdd %xmm0,(%rax,%xmm1,2){%k1}
{evex} vpscatterdq %xmm0,(%rax,%xmm1,2){%k1}
{evex} vpscatterqd %xmm0,(%rax,%xmm1,2){%k1}
{evex} vpscatterqq %xmm0,(%rax,%xmm1,2){%k1}
{evex} vscatterdps %xmm0,(%rax,%xmm1,2){%k1}
{evex} vscatterdpd %xmm0,(%rax,%xmm1,2){%k1}
{evex} vscatterqps %xmm0,(%rax,%xmm1,2){%k1}
{evex} vscatterqpd %xmm0,(%rax,%xmm1,2){%k1}
{evex} vfmaddsub213ps (%rax),%xmm0,%xmm0
{evex} vfmaddsub213ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfmaddsub213pd (%rax),%xmm0,%xmm0
{evex} vfmaddsub213pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfmaddsub213ps %xmm0,%xmm0,%xmm0
{evex} vfmaddsub213ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmaddsub213pd %xmm0,%xmm0,%xmm0
{evex} vfmaddsub213pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmadd213ps (%rax),%xmm0,%xmm0
{evex} vfmadd213ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfmadd213pd (%rax),%xmm0,%xmm0
{evex} vfmadd213pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfmadd213ps %xmm0,%xmm0,%xmm0
{evex} vfmadd213ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmadd213pd %xmm0,%xmm0,%xmm0
{evex} vfmadd213pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmadd213ss (%rax),%xmm0,%xmm0
{evex} vfmadd213ss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfmadd213sd (%rax),%xmm0,%xmm0
{evex} vfmadd213sd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfmadd213ss %xmm0,%xmm0,%xmm0
{evex} vfmadd213ss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfmadd213sd %xmm0,%xmm0,%xmm0
{evex} vfmadd213sd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfmsub213ps (%rax),%xmm0,%xmm0
{evex} vfmsub213ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfmsub213pd (%rax),%xmm0,%xmm0
{evex} vfmsub213pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfmsub213ps %xmm0,%xmm0,%xmm0
{evex} vfmsub213ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmsub213pd %xmm0,%xmm0,%xmm0
{evex} vfmsub213pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmsub213ss 0x11223344(%rip),%xmm0,%xmm0
{evex} vfmsub213ss (%rax),%xmm0,%xmm0{%k1}
{evex} vfmsub213sd 0x11223344(%rip),%xmm0,%xmm0
{evex} vfmsub213sd (%rax),%xmm0,%xmm0{%k1}
{evex} vfmsub213ss %xmm0,%xmm0,%xmm0
{evex} vfmsub213ss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfmsub213sd %xmm0,%xmm0,%xmm0
{evex} vfmsub213sd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} v4fnmaddss 0x11223344(%rip),%xmm0,%xmm0
{evex} vfnmadd213ps (%rax),%xmm0,%xmm0
{evex} vfnmadd213ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfnmadd213pd (%rax),%xmm0,%xmm0
{evex} vfnmadd213pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfnmadd213ps %xmm0,%xmm0,%xmm0
{evex} vfnmadd213ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfnmadd213pd %xmm0,%xmm0,%xmm0
{evex} vfnmadd213pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfnmadd213ss (%rax),%xmm0,%xmm0
{evex} vfnmadd213ss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfnmadd213sd (%rax),%xmm0,%xmm0
{evex} vfnmadd213sd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfnmadd213ss %xmm0,%xmm0,%xmm0
{evex} vfnmadd213ss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfnmadd213sd %xmm0,%xmm0,%xmm0
{evex} vfnmadd213sd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfnmsub213ps (%rax),%xmm0,%xmm0
{evex} vfnmsub213ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfnmsub213pd (%rax),%xmm0,%xmm0
{evex} vfnmsub213pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfnmsub213ps %xmm0,%xmm0,%xmm0
{evex} vfnmsub213ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfnmsub213pd %xmm0,%xmm0,%xmm0
{evex} vfnmsub213pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfnmsub213ss (%rax),%xmm0,%xmm0
{evex} vfnmsub213ss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfnmsub213sd (%rax),%xmm0,%xmm0
{evex} vfnmsub213sd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfnmsub213ss %xmm0,%xmm0,%xmm0
{evex} vfnmsub213ss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfnmsub213sd %xmm0,%xmm0,%xmm0
{evex} vfnmsub213sd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vpmadd52luq (%rax),%xmm0,%xmm0
{evex} vpmadd52luq %xmm0,%xmm0,%xmm0
{evex} vpmadd52huq (%rax),%xmm0,%xmm0
{evex} vpmadd52huq %xmm0,%xmm0,%xmm0
{evex} vfmaddsub231ps (%rax),%xmm0,%xmm0
{evex} vfmaddsub231ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfmaddsub231pd (%rax),%xmm0,%xmm0
{evex} vfmaddsub231pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfmaddsub231ps %xmm0,%xmm0,%xmm0
{evex} vfmaddsub231ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmaddsub231pd %xmm0,%xmm0,%xmm0
{evex} vfmaddsub231pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmadd231ps (%rax),%xmm0,%xmm0
{evex} vfmadd231ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfmadd231pd (%rax),%xmm0,%xmm0
{evex} vfmadd231pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfmadd231ps %xmm0,%xmm0,%xmm0
{evex} vfmadd231ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmadd231pd %xmm0,%xmm0,%xmm0
{evex} vfmadd231pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmadd231ss (%rax),%xmm0,%xmm0
{evex} vfmadd231ss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfmadd231sd (%rax),%xmm0,%xmm0
{evex} vfmadd231sd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfmadd231ss %xmm0,%xmm0,%xmm0
{evex} vfmadd231ss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfmadd231sd %xmm0,%xmm0,%xmm0
{evex} vfmadd231sd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfmsub231ps (%rax),%xmm0,%xmm0
{evex} vfmsub231ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfmsub231pd (%rax),%xmm0,%xmm0
{evex} vfmsub231pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfmsub231ps %xmm0,%xmm0,%xmm0
{evex} vfmsub231ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmsub231pd %xmm0,%xmm0,%xmm0
{evex} vfmsub231pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfmsub231ss (%rax),%xmm0,%xmm0
{evex} vfmsub231ss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfmsub231sd (%rax),%xmm0,%xmm0
{evex} vfmsub231sd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfmsub231ss %xmm0,%xmm0,%xmm0
{evex} vfmsub231ss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfmsub231sd %xmm0,%xmm0,%xmm0
{evex} vfmsub231sd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfnmadd231ps (%rax),%xmm0,%xmm0
{evex} vfnmadd231ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfnmadd231pd (%rax),%xmm0,%xmm0
{evex} vfnmadd231pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfnmadd231ps %xmm0,%xmm0,%xmm0
{evex} vfnmadd231ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfnmadd231pd %xmm0,%xmm0,%xmm0
{evex} vfnmadd231pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfnmadd231ss (%rax),%xmm0,%xmm0
{evex} vfnmadd231ss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfnmadd231sd (%rax),%xmm0,%xmm0
{evex} vfnmadd231sd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfnmadd231ss %xmm0,%xmm0,%xmm0
{evex} vfnmadd231ss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfnmadd231sd %xmm0,%xmm0,%xmm0
{evex} vfnmadd231sd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfnmsub231ps (%rax),%xmm0,%xmm0
{evex} vfnmsub231ps 0x11223344(%rip){1to4},%xmm0,%xmm0
{evex} vfnmsub231pd (%rax),%xmm0,%xmm0
{evex} vfnmsub231pd 0x11223344(%rip){1to2},%xmm0,%xmm0
{evex} vfnmsub231ps %xmm0,%xmm0,%xmm0
{evex} vfnmsub231ps {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfnmsub231pd %xmm0,%xmm0,%xmm0
{evex} vfnmsub231pd {rn-sae},%zmm0,%zmm0,%zmm0
{evex} vfnmsub231ss (%rax),%xmm0,%xmm0
{evex} vfnmsub231ss 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfnmsub231sd (%rax),%xmm0,%xmm0
{evex} vfnmsub231sd 0x11223344(%rip),%xmm0,%xmm0{%k1}
{evex} vfnmsub231ss %xmm0,%xmm0,%xmm0
{evex} vfnmsub231ss {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vfnmsub231sd %xmm0,%xmm0,%xmm0
{evex} vfnmsub231sd {rn-sae},%xmm0,%xmm0,%xmm0
{evex} vpconflictd (%rax),%xmm0
{evex} vpconflictq 0x11223344(%rip),%xmm0
{evex} vpconflictd %xmm0,%xmm0
{evex} vpconflictq %xmm0,%xmm0
{evex} vgatherpf0dps (%rax,%zmm1,2){%k1}
{evex} vgatherpf0dpd (%rax,%ymm1,2){%k1}
{evex} vgatherpf1dps (%rax,%zmm1,2){%k1}
{evex} vgatherpf1dpd (%rax,%ymm1,2){%k1}
{evex} vscatterpf0dps (%rax,%zmm1,2){%k1}
{evex} vscatterpf0dpd (%rax,%ymm1,2){%k1}
{evex} vscatterpf1dps (%rax,%zmm1,2){%k1}
{evex} vscatterpf1dpd (%rax,%ymm1,2){%k1}
{evex} vgatherpf0qps (%rax,%zmm1,2){%k1}
{evex} vgatherpf0qpd (%rax,%zmm1,2){%k1}
{evex} vgatherpf1qps (%rax,%zmm1,2){%k1}
{evex} vgatherpf1qpd (%rax,%zmm1,2){%k1}
{evex} vscatterpf0qps (%rax,%zmm1,2){%k1}
{evex} vscatterpf0qpd (%rax,%zmm1,2){%k1}
{evex} vscatterpf1qps (%rax,%zmm1,2){%k1}
{evex} vscatterpf1qpd (%rax,%zmm1,2){%k1}
{evex} vrcp28ss (%rax),%xmm0,%xmm0
{evex} vrcp28sd 0x11223344(%rip),%xmm0,%xmm0
{evex} vrcp28ss %xmm0,%xmm0,%xmm0
{evex} vrcp28sd %xmm0,%xmm0,%xmm0
{evex} vrsqrt28ss (%rax),%xmm0,%xmm0
{evex} vrsqrt28sd 0x11223344(%rip),%xmm0,%xmm0
{evex} vrsqrt28ss %xmm0,%xmm0,%xmm0
{evex} vrsqrt28sd %xmm0,%xmm0,%xmm0
{evex} vgf2p8mulb (%rax),%xmm0,%xmm0
{evex} vgf2p8mulb %xmm0,%xmm0,%xmm0
{evex} vgf2p8mulb %xmm0,%xmm0,%xmm0{%k1}
{evex} vaesenc (%rax),%xmm0,%xmm0
{evex} vaesenc %xmm0,%xmm0,%xmm0
{evex} vaesenclast (%rax),%xmm0,%xmm0
{evex} vaesenclast %xmm0,%xmm0,%xmm0
{evex} vaesdec (%rax),%xmm0,%xmm0
{evex} vaesdec %xmm0,%xmm0,%xmm0
{evex} vaesdeclast (%rax),%xmm0,%xmm0
{evex} vaesdeclast %xmm0,%xmm0,%xmm0
{evex} vpermq $0x12,(%rax),%ymm0
{evex} vpermq $0x12,%ymm0,%ymm0
{evex} valignd $0x12,(%rax),%xmm0,%xmm0
{evex} valignq $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} valignd $0x12,%xmm0,%xmm0,%xmm0
{evex} valignq $0x12,%xmm0,%xmm0,%xmm0
{evex} vrndscaleph $0x12,(%rax),%xmm0
{evex} vrndscaleph $0x12,%xmm0,%xmm0
{evex} vrndscaleps $0x12,(%rax),%xmm0
{evex} vrndscaleps $0x12,%xmm0,%xmm0
{evex} vrndscalepd $0x12,(%rax),%xmm0
{evex} vrndscalepd $0x12,%xmm0,%xmm0
{evex} vrndscalesh $0x12,(%rax),%xmm0,%xmm0
{evex} vrndscalesh $0x12,%xmm0,%xmm0,%xmm0
{evex} vrndscaless $0x12,(%rax),%xmm0,%xmm0
{evex} vrndscaless $0x12,%xmm0,%xmm0,%xmm0
{evex} vrndscalesd $0x12,(%rax),%xmm0,%xmm0
{evex} vrndscalesd $0x12,%xmm0,%xmm0,%xmm0
{evex} vpalignr $0x12,(%rax),%xmm0,%xmm0
{evex} vpalignr $0x12,%xmm0,%xmm0,%xmm0
{evex} vpalignr $0x12,%xmm0,%xmm0,%xmm0{%k1}
{evex} vpextrb $0x12,%xmm0,(%rax)
{evex} vpextrb $0x12,%xmm0,%eax
{evex} vpextrw $0x12,%xmm0,(%rax)
{evex} vpextrd $0x12,%xmm0,(%rax)
{evex} vpextrq $0x12,%xmm0,(%rax)
{evex} vpextrd $0x12,%xmm0,%eax
{evex} vpextrq $0x12,%xmm0,%rax
{evex} vextractps $0x12,%xmm0,(%rax)
{evex} vextractps $0x12,%xmm0,%eax
{evex} vinsertf32x4 $0x12,(%rax),%ymm0,%ymm0
{evex} vinsertf64x2 $0x12,0x11223344(%rip),%ymm0,%ymm0
{evex} vinsertf32x4 $0x12,%xmm0,%ymm0,%ymm0
{evex} vinsertf64x2 $0x12,%xmm0,%ymm0,%ymm0
{evex} vextractf32x4 $0x12,%ymm0,(%rax)
{evex} vextractf64x2 $0x12,%ymm0,0x11223344(%rip)
{evex} vextractf32x4 $0x12,%ymm0,%xmm0
{evex} vextractf64x2 $0x12,%ymm0,%xmm0
{evex} vinsertf32x8 $0x12,(%rax),%zmm0,%zmm0
{evex} vinsertf64x4 $0x12,0x11223344(%rip),%zmm0,%zmm0
{evex} vinsertf32x8 $0x12,%ymm0,%zmm0,%zmm0
{evex} vinsertf64x4 $0x12,%ymm0,%zmm0,%zmm0
{evex} vextractf32x8 $0x12,%zmm0,(%rax)
{evex} vextractf64x4 $0x12,%zmm0,0x11223344(%rip)
{evex} vextractf32x8 $0x12,%zmm0,%ymm0
{evex} vextractf64x4 $0x12,%zmm0,%ymm0
{evex} vcvtps2ph $0x12,%xmm0,(%rax)
{evex} vcvtps2ph $0x12,%xmm0,0x11223344(%rip){%k1}
{evex} vcvtps2ph $0x12,%xmm0,%xmm0
{evex} vcvtps2ph $0x12,{sae},%zmm0,%ymm0
{evex} vpcmpud $0x12,(%rax),%xmm0,%k0
{evex} vpcmpuq $0x12,0x11223344(%rip),%xmm0,%k0
{evex} vpcmpud $0x12,%xmm0,%xmm0,%k0
{evex} vpcmpuq $0x12,%xmm0,%xmm0,%k0
{evex} vpcmpd $0x12,(%rax),%xmm0,%k0
{evex} vpcmpq $0x12,0x11223344(%rip),%xmm0,%k0
{evex} vpcmpd $0x12,%xmm0,%xmm0,%k0
{evex} vpcmpq $0x12,%xmm0,%xmm0,%k0
{evex} vpinsrb $0x12,(%rax),%xmm0,%xmm0
{evex} vpinsrb $0x12,%eax,%xmm0,%xmm0
{evex} vinsertps $0x12,(%rax),%xmm0,%xmm0
{evex} vinsertps $0x12,%xmm0,%xmm0,%xmm0
{evex} vpinsrd $0x12,(%rax),%xmm0,%xmm0
{evex} vpinsrq $0x12,(%rax),%xmm0,%xmm0
{evex} vpinsrd $0x12,%eax,%xmm0,%xmm0
{evex} vpinsrq $0x12,%rax,%xmm0,%xmm0
{evex} vshuff32x4 $0x12,(%rax),%ymm0,%ymm0
{evex} vshuff64x2 $0x12,0x11223344(%rip),%ymm0,%ymm0
{evex} vshuff32x4 $0x12,%ymm0,%ymm0,%ymm0
{evex} vshuff64x2 $0x12,%ymm0,%ymm0,%ymm0
{evex} vpternlogd $0x12,(%rax),%xmm0,%xmm0
{evex} vpternlogq $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} vpternlogd $0x12,%xmm0,%xmm0,%xmm0
{evex} vpternlogq $0x12,%xmm0,%xmm0,%xmm0
{evex} vgetmantph $0x12,(%rax),%xmm0
{evex} vgetmantph $0x12,%xmm0,%xmm0
{evex} vgetmantps $0x12,(%rax),%xmm0
{evex} vgetmantpd $0x12,0x11223344(%rip),%xmm0
{evex} vgetmantps $0x12,%xmm0,%xmm0
{evex} vgetmantpd $0x12,%xmm0,%xmm0
{evex} vgetmantsh $0x12,(%rax),%xmm0,%xmm0
{evex} vgetmantsh $0x12,%xmm0,%xmm0,%xmm0
{evex} vgetmantss $0x12,(%rax),%xmm0,%xmm0
{evex} vgetmantsd $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} vgetmantss $0x12,%xmm0,%xmm0,%xmm0
{evex} vgetmantsd $0x12,%xmm0,%xmm0,%xmm0
{evex} vinserti32x4 $0x12,(%rax),%ymm0,%ymm0
{evex} vinserti64x2 $0x12,0x11223344(%rip),%ymm0,%ymm0
{evex} vinserti32x4 $0x12,%xmm0,%ymm0,%ymm0
{evex} vinserti64x2 $0x12,%xmm0,%ymm0,%ymm0
{evex} vextracti32x4 $0x12,%ymm0,(%rax)
{evex} vextracti64x2 $0x12,%ymm0,0x11223344(%rip)
{evex} vextracti32x4 $0x12,%ymm0,%xmm0
{evex} vextracti64x2 $0x12,%ymm0,%xmm0
{evex} vinserti32x8 $0x12,(%rax),%zmm0,%zmm0
{evex} vinserti64x4 $0x12,0x11223344(%rip),%zmm0,%zmm0
{evex} vinserti32x8 $0x12,%ymm0,%zmm0,%zmm0
{evex} vinserti64x4 $0x12,%ymm0,%zmm0,%zmm0
{evex} vextracti32x8 $0x12,%zmm0,(%rax)
{evex} vextracti64x4 $0x12,%zmm0,0x11223344(%rip)
{evex} vextracti32x8 $0x12,%zmm0,%ymm0
{evex} vextracti64x4 $0x12,%zmm0,%ymm0
{evex} vpcmpub $0x12,(%rax),%xmm0,%k0
{evex} vpcmpuw $0x12,0x11223344(%rip),%xmm0,%k0
{evex} vpcmpub $0x12,%xmm0,%xmm0,%k0
{evex} vpcmpuw $0x12,%xmm0,%xmm0,%k0
{evex} vpcmpb $0x12,(%rax),%xmm0,%k0
{evex} vpcmpw $0x12,0x11223344(%rip),%xmm0,%k0
{evex} vpcmpb $0x12,%xmm0,%xmm0,%k0
{evex} vpcmpw $0x12,%xmm0,%xmm0,%k0
{evex} vdbpsadbw $0x12,(%rax),%xmm0,%xmm0
{evex} vdbpsadbw $0x12,%xmm0,%xmm0,%xmm0
{evex} vshufi32x4 $0x12,(%rax),%ymm0,%ymm0
{evex} vshufi64x2 $0x12,0x11223344(%rip),%ymm0,%ymm0
{evex} vshufi32x4 $0x12,%ymm0,%ymm0,%ymm0
{evex} vshufi64x2 $0x12,%ymm0,%ymm0,%ymm0
{evex} vpclmulqdq $0x12,(%rax),%xmm0,%xmm0
{evex} vpclmulqdq $0x12,%xmm0,%xmm0,%xmm0
{evex} vrangeps $0x12,(%rax),%xmm0,%xmm0
{evex} vrangepd $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} vrangeps $0x12,%xmm0,%xmm0,%xmm0
{evex} vrangepd $0x12,%xmm0,%xmm0,%xmm0
{evex} vrangess $0x12,(%rax),%xmm0,%xmm0
{evex} vrangesd $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} vrangess $0x12,%xmm0,%xmm0,%xmm0
{evex} vrangesd $0x12,%xmm0,%xmm0,%xmm0
{evex} vfixupimmps $0x12,(%rax),%xmm0,%xmm0
{evex} vfixupimmpd $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} vfixupimmps $0x12,%xmm0,%xmm0,%xmm0
{evex} vfixupimmpd $0x12,%xmm0,%xmm0,%xmm0
{evex} vfixupimmss $0x12,(%rax),%xmm0,%xmm0
{evex} vfixupimmsd $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} vfixupimmss $0x12,%xmm0,%xmm0,%xmm0
{evex} vfixupimmsd $0x12,%xmm0,%xmm0,%xmm0
{evex} vreduceph $0x12,(%rax),%xmm0
{evex} vreduceph $0x12,%xmm0,%xmm0
{evex} vreduceps $0x12,(%rax),%xmm0
{evex} vreducepd $0x12,0x11223344(%rip),%xmm0
{evex} vreduceps $0x12,%xmm0,%xmm0
{evex} vreducepd $0x12,%xmm0,%xmm0
{evex} vreducesh $0x12,(%rax),%xmm0,%xmm0
{evex} vreducesh $0x12,%xmm0,%xmm0,%xmm0
{evex} vreducess $0x12,(%rax),%xmm0,%xmm0
{evex} vreducesd $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} vreducess $0x12,%xmm0,%xmm0,%xmm0
{evex} vreducesd $0x12,%xmm0,%xmm0,%xmm0
{evex} vfpclassphx $0x12,(%rax),%k0
{evex} vfpclassph $0x12,0x11223344(%rip){1to8},%k0
{evex} vfpclassphy $0x12,(%rax),%k0
{evex} vfpclassphz $0x12,0x11223344(%rip),%k0
{evex} vfpclassph $0x12,%xmm0,%k0
{evex} vfpclasspsx $0x12,0x11223344(%rip),%k0
{evex} vfpclassps $0x12,(%rax){1to4},%k0
{evex} vfpclasspsy $0x12,0x11223344(%rip),%k0
{evex} vfpclasspsz $0x12,(%rax),%k0
{evex} vfpclasspdx $0x12,0x11223344(%rip),%k0
{evex} vfpclasspd $0x12,(%rax){1to2},%k0
{evex} vfpclasspdy $0x12,0x11223344(%rip),%k0
{evex} vfpclasspdz $0x12,(%rax),%k0
{evex} vfpclassps $0x12,%xmm0,%k0
{evex} vfpclasspd $0x12,%xmm0,%k0
{evex} vfpclasssh $0x12,0x11223344(%rip),%k0
{evex} vfpclasssh $0x12,%xmm0,%k0
{evex} vfpclassss $0x12,0x11223344(%rip),%k0
{evex} vfpclasssd $0x12,(%rax),%k0
{evex} vfpclassss $0x12,%xmm0,%k0
{evex} vfpclasssd $0x12,%xmm0,%k0
{evex} vpshldw $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} vpshldw $0x12,%xmm0,%xmm0,%xmm0
{evex} vpshldd $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} vpshldq $0x12,(%rax),%xmm0,%xmm0
{evex} vpshldd $0x12,%xmm0,%xmm0,%xmm0
{evex} vpshldq $0x12,%xmm0,%xmm0,%xmm0
{evex} vpshrdw $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} vpshrdw $0x12,%xmm0,%xmm0,%xmm0
{evex} vpshrdd $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} vpshrdq $0x12,(%rax),%xmm0,%xmm0
{evex} vpshrdd $0x12,%xmm0,%xmm0,%xmm0
{evex} vpshrdq $0x12,%xmm0,%xmm0,%xmm0
{evex} vcmple_oqph 0x11223344(%rip),%xmm0,%k0
{evex} vcmple_oqph %xmm0,%xmm0,%k0
{evex} vcmple_oqsh 0x11223344(%rip),%xmm0,%k0
{evex} vcmple_oqsh %xmm0,%xmm0,%k0
{evex} vgf2p8affineqb $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} vgf2p8affineqb $0x12,(%rax){1to2},%xmm0,%xmm0
{evex} vgf2p8affineqb $0x12,%xmm0,%xmm0,%xmm0
{evex} vgf2p8affineqb $0x12,%xmm0,%xmm0,%xmm0{%k1}
{evex} vgf2p8affineinvqb $0x12,0x11223344(%rip),%xmm0,%xmm0
{evex} vgf2p8affineinvqb $0x12,(%rax){1to2},%xmm0,%xmm0
{evex} vgf2p8affineinvqb $0x12,%xmm0,%xmm0,%xmm0
{evex} vgf2p8affineinvqb $0x12,%xmm0,%xmm0,%xmm0{%k1}
{evex} vmovsh 0x11223344(%rip),%xmm0
{evex} vmovsh %xmm0,%xmm0,%xmm0
{evex} vcvtss2sh 0x11223344(%rip),%xmm0,%xmm0
{evex} vcvtss2sh %xmm0,%xmm0,%xmm0
{evex} vcvtps2phxx 0x11223344(%rip),%xmm0
{evex} vcvtps2phx (%rax){1to4},%xmm0
{evex} vcvtps2phxy 0x11223344(%rip),%xmm0
{evex} vcvtps2phx %xmm0,%xmm0
{evex} vcvtsi2shl 0x11223344(%rip),%xmm0,%xmm0
{evex} vcvtsi2shq (%rax),%xmm0,%xmm0
{evex} vcvtsi2sh %eax,%xmm0,%xmm0
{evex} vcvttsh2si (%rax),%eax
{evex} vcvttsh2si %xmm0,%eax
{evex} vcvtsh2si (%rax),%eax
{evex} vcvtsh2si %xmm0,%eax
{evex} vucomish (%rax),%xmm0
{evex} vucomish %xmm0,%xmm0
{evex} vcomish (%rax),%xmm0
{evex} vcomish %xmm0,%xmm0
{evex} vsqrtph (%rax),%xmm0
{evex} vsqrtph %xmm0,%xmm0
{evex} vsqrtsh (%rax),%xmm0,%xmm0
{evex} vsqrtsh %xmm0,%xmm0,%xmm0
{evex} vaddph (%rax),%xmm0,%xmm0
{evex} vaddph %xmm0,%xmm0,%xmm0
{evex} vaddsh (%rax),%xmm0,%xmm0
{evex} vaddsh %xmm0,%xmm0,%xmm0
{evex} vmulph (%rax),%xmm0,%xmm0
{evex} vmulph %xmm0,%xmm0,%xmm0
{evex} vmulsh (%rax),%xmm0,%xmm0
{evex} vmulsh %xmm0,%xmm0,%xmm0
{evex} vcvtph2pd (%rax),%xmm0
{evex} vcvtph2pd %xmm0,%xmm0
{evex} vcvtpd2phx (%rax),%xmm0
{evex} vcvtpd2ph 0x11223344(%rip){1to2},%xmm0
{evex} vcvtpd2phy (%rax),%xmm0
{evex} vcvtpd2phz 0x11223344(%rip),%xmm0
{evex} vcvtpd2ph %xmm0,%xmm0
{evex} vcvtsh2sd 0x11223344(%rip),%xmm0,%xmm0
{evex} vcvtsh2sd %xmm0,%xmm0,%xmm0
{evex} vcvtsd2sh 0x11223344(%rip),%xmm0,%xmm0
{evex} vcvtsd2sh %xmm0,%xmm0,%xmm0
{evex} vcvtdq2phx 0x11223344(%rip),%xmm0
{evex} vcvtdq2ph (%rax){1to4},%xmm0
{evex} vcvtdq2phy 0x11223344(%rip),%xmm0
{evex} vcvtqq2phx (%rax),%xmm0
{evex} vcvtqq2ph 0x11223344(%rip){1to2},%xmm0
{evex} vcvtqq2phy (%rax),%xmm0
{evex} vcvtqq2phz 0x11223344(%rip),%xmm0
{evex} vcvtdq2ph %xmm0,%xmm0
{evex} vcvtqq2ph %xmm0,%xmm0
{evex} vcvtph2dq (%rax),%xmm0
{evex} vcvtph2dq %xmm0,%xmm0
{evex} vcvttph2dq (%rax),%xmm0
{evex} vcvttph2dq %xmm0,%xmm0
{evex} vsubph (%rax),%xmm0,%xmm0
{evex} vsubph %xmm0,%xmm0,%xmm0
{evex} vsubsh (%rax),%xmm0,%xmm0
{evex} vsubsh %xmm0,%xmm0,%xmm0
{evex} vminph (%rax),%xmm0,%xmm0
{evex} vminph %xmm0,%xmm0,%xmm0
{evex} vminsh (%rax),%xmm0,%xmm0
{evex} vminsh %xmm0,%xmm0,%xmm0
{evex} vdivph (%rax),%xmm0,%xmm0
{evex} vdivph %xmm0,%xmm0,%xmm0
{evex} vdivsh (%rax),%xmm0,%xmm0
{evex} vdivsh %xmm0,%xmm0,%xmm0
{evex} vmaxph (%rax),%xmm0,%xmm0
{evex} vmaxph %xmm0,%xmm0,%xmm0
{evex} vmaxsh (%rax),%xmm0,%xmm0
{evex} vmaxsh %xmm0,%xmm0,%xmm0
{evex} vmovw  (%rax),%xmm0
{evex} vmovw  %eax,%xmm0
{evex} vcvttph2udq (%rax),%xmm0
{evex} vcvttph2udq %xmm0,%xmm0
{evex} vcvttph2uqq (%rax),%xmm0
{evex} vcvttph2uqq %xmm0,%xmm0
{evex} vcvttsh2usi (%rax),%eax
{evex} vcvttsh2usi %xmm0,%eax
{evex} vcvtph2udq (%rax),%xmm0
{evex} vcvtph2udq %xmm0,%xmm0
{evex} vcvtph2uqq (%rax),%xmm0
{evex} vcvtph2uqq %xmm0,%xmm0
{evex} vcvtsh2usi (%rax),%eax
{evex} vcvtsh2usi %xmm0,%eax
{evex} vcvttph2qq (%rax),%xmm0
{evex} vcvttph2qq %xmm0,%xmm0
{evex} vcvtudq2phx (%rax),%xmm0
{evex} vcvtudq2ph 0x11223344(%rip){1to4},%xmm0
{evex} vcvtudq2phy (%rax),%xmm0
{evex} vcvtuqq2phx 0x11223344(%rip),%xmm0
{evex} vcvtuqq2ph (%rax){1to2},%xmm0
{evex} vcvtuqq2phy 0x11223344(%rip),%xmm0
{evex} vcvtuqq2phz (%rax),%xmm0
{evex} vcvtudq2ph %xmm0,%xmm0
{evex} vcvtuqq2ph %xmm0,%xmm0
{evex} vcvtph2qq 0x11223344(%rip),%xmm0
{evex} vcvtph2qq %xmm0,%xmm0
{evex} vcvtusi2shl 0x11223344(%rip),%xmm0,%xmm0
{evex} vcvtusi2shq (%rax),%xmm0,%xmm0
{evex} vcvtusi2sh %eax,%xmm0,%xmm0
{evex} vcvttph2uw (%rax),%xmm0
{evex} vcvttph2uw %xmm0,%xmm0
{evex} vcvttph2w (%rax),%xmm0
{evex} vcvttph2w %xmm0,%xmm0
{evex} vcvtph2uw (%rax),%xmm0
{evex} vcvtph2uw %xmm0,%xmm0
{evex} vcvtph2w (%rax),%xmm0
{evex} vcvtph2w %xmm0,%xmm0
{evex} vcvtw2ph (%rax),%xmm0
{evex} vcvtw2ph %xmm0,%xmm0
{evex} vcvtuw2ph (%rax),%xmm0
{evex} vcvtuw2ph %xmm0,%xmm0
{evex} vcvtsh2ss (%rax),%xmm0,%xmm0
{evex} vcvtsh2ss %xmm0,%xmm0,%xmm0
{evex} vcvtph2psx (%rax),%xmm0
{evex} vcvtph2psx %xmm0,%xmm0
{evex} vscalefph (%rax),%xmm0,%xmm0
{evex} vscalefph %xmm0,%xmm0,%xmm0
{evex} vscalefsh (%rax),%xmm0,%xmm0
{evex} vscalefsh %xmm0,%xmm0,%xmm0
{evex} vgetexpph (%rax),%xmm0
{evex} vgetexpph %xmm0,%xmm0
{evex} vgetexpsh (%rax),%xmm0,%xmm0
{evex} vgetexpsh %xmm0,%xmm0,%xmm0
{evex} vrcpph (%rax),%xmm0
{evex} vrcpph %xmm0,%xmm0
{evex} vrcpsh (%rax),%xmm0,%xmm0
{evex} vrcpsh %xmm0,%xmm0,%xmm0
{evex} vrsqrtph (%rax),%xmm0
{evex} vrsqrtph %xmm0,%xmm0
{evex} vrsqrtsh (%rax),%xmm0,%xmm0
{evex} vrsqrtsh %xmm0,%xmm0,%xmm0
{evex} vfmaddcph (%rax),%xmm10,%xmm0
{evex} vfmaddcph %xmm0,%xmm0,%xmm1
{evex} vfcmaddcph (%rax),%xmm10,%xmm0
{evex} vfcmaddcph %xmm0,%xmm0,%xmm1
{evex} vfmaddcsh (%rax),%xmm10,%xmm0
{evex} vfmaddcsh %xmm0,%xmm0,%xmm1
{evex} vfcmaddcsh (%rax),%xmm10,%xmm0
{evex} vfcmaddcsh %xmm0,%xmm0,%xmm1
{evex} vfmaddsub132ph (%rax),%xmm0,%xmm0
{evex} vfmaddsub132ph %xmm0,%xmm0,%xmm0
{evex} vfmadd132ph (%rax),%xmm0,%xmm0
{evex} vfmadd132ph %xmm0,%xmm0,%xmm0
{evex} vfmadd132sh (%rax),%xmm0,%xmm0
{evex} vfmadd132sh %xmm0,%xmm0,%xmm0
{evex} vfmsub132ph (%rax),%xmm0,%xmm0
{evex} vfmsub132ph %xmm0,%xmm0,%xmm0
{evex} vfmsub132sh (%rax),%xmm0,%xmm0
{evex} vfmsub132sh %xmm0,%xmm0,%xmm0
{evex} vfnmadd132ph (%rax),%xmm0,%xmm0
{evex} vfnmadd132ph %xmm0,%xmm0,%xmm0
{evex} vfnmadd132sh (%rax),%xmm0,%xmm0
{evex} vfnmadd132sh %xmm0,%xmm0,%xmm0
{evex} vfnmsub132ph (%rax),%xmm0,%xmm0
{evex} vfnmsub132ph %xmm0,%xmm0,%xmm0
{evex} vfnmsub132sh (%rax),%xmm0,%xmm0
{evex} vfnmsub132sh %xmm0,%xmm0,%xmm0
{evex} vfmaddsub213ph (%rax),%xmm0,%xmm0
{evex} vfmaddsub213ph %xmm0,%xmm0,%xmm0
{evex} vfmadd213ph (%rax),%xmm0,%xmm0
{evex} vfmadd213ph %xmm0,%xmm0,%xmm0
{evex} vfmadd213sh (%rax),%xmm0,%xmm0
{evex} vfmadd213sh %xmm0,%xmm0,%xmm0
{evex} vfmsub213ph (%rax),%xmm0,%xmm0
{evex} vfmsub213ph %xmm0,%xmm0,%xmm0
{evex} vfmsub213sh (%rax),%xmm0,%xmm0
{evex} vfmsub213sh %xmm0,%xmm0,%xmm0
{evex} vfnmadd213ph (%rax),%xmm0,%xmm0
{evex} vfnmadd213ph %xmm0,%xmm0,%xmm0
{evex} vfnmadd213sh (%rax),%xmm0,%xmm0
{evex} vfnmadd213sh %xmm0,%xmm0,%xmm0
{evex} vfnmsub213ph (%rax),%xmm0,%xmm0
{evex} vfnmsub213ph %xmm0,%xmm0,%xmm0
{evex} vfnmsub213sh (%rax),%xmm0,%xmm0
{evex} vfnmsub213sh %xmm0,%xmm0,%xmm0
{evex} vfmaddsub231ph (%rax),%xmm0,%xmm0
{evex} vfmaddsub231ph %xmm0,%xmm0,%xmm0
{evex} vfmadd231ph (%rax),%xmm0,%xmm0
{evex} vfmadd231ph %xmm0,%xmm0,%xmm0
{evex} vfmadd231sh (%rax),%xmm0,%xmm0
{evex} vfmadd231sh %xmm0,%xmm0,%xmm0
{evex} vfmsub231ph (%rax),%xmm0,%xmm0
{evex} vfmsub231ph %xmm0,%xmm0,%xmm0
{evex} vfmsub231sh (%rax),%xmm0,%xmm0
{evex} vfmsub231sh %xmm0,%xmm0,%xmm0
{evex} vfnmadd231ph (%rax),%xmm0,%xmm0
{evex} vfnmadd231ph %xmm0,%xmm0,%xmm0
{evex} vfnmadd231sh (%rax),%xmm0,%xmm0
{evex} vfnmadd231sh %xmm0,%xmm0,%xmm0
{evex} vfnmsub231ph (%rax),%xmm0,%xmm0
{evex} vfnmsub231ph %xmm0,%xmm0,%xmm0
{evex} vfnmsub231sh (%rax),%xmm0,%xmm0
{evex} vfnmsub231sh %xmm0,%xmm0,%xmm0
{evex} vfmulcph (%rax),%xmm10,%xmm0
{evex} vfmulcph %xmm0,%xmm0,%xmm1
{evex} vfcmulcph (%rax),%xmm10,%xmm0
{evex} vfcmulcph %xmm0,%xmm0,%xmm1
{evex} vfmulcsh (%rax),%xmm10,%xmm0
{evex} vfmulcsh %xmm0,%xmm0,%xmm1
{evex} vfcmulcsh (%rax),%xmm10,%xmm0
{evex} vfcmulcsh %xmm0,%xmm0,%xmm1
vpmacssww %xmm1,(%rax),%xmm0,%xmm0
vpmacssww %xmm1,%xmm0,%xmm0,%xmm0
vpmacsswd %xmm1,(%rax),%xmm0,%xmm0
vpmacsswd %xmm1,%xmm0,%xmm0,%xmm0
vpmacssdql %xmm1,(%rax),%xmm0,%xmm0
vpmacssdql %xmm1,%xmm0,%xmm0,%xmm0
vpmacssdd %xmm1,(%rax),%xmm0,%xmm0
vpmacssdd %xmm1,%xmm0,%xmm0,%xmm0
vpmacssdqh %xmm1,(%rax),%xmm0,%xmm0
vpmacssdqh %xmm1,%xmm0,%xmm0,%xmm0
vpmacsww %xmm1,(%rax),%xmm0,%xmm0
vpmacsww %xmm1,%xmm0,%xmm0,%xmm0
vpmacswd %xmm1,(%rax),%xmm0,%xmm0
vpmacswd %xmm1,%xmm0,%xmm0,%xmm0
vpmacsdql %xmm1,(%rax),%xmm0,%xmm0
vpmacsdql %xmm1,%xmm0,%xmm0,%xmm0
vpmacsdd %xmm1,(%rax),%xmm0,%xmm0
vpmacsdd %xmm1,%xmm0,%xmm0,%xmm0
vpmacsdqh %xmm1,(%rax),%xmm0,%xmm0
vpmacsdqh %xmm1,%xmm0,%xmm0,%xmm0
vpcmov %xmm1,(%rax),%xmm0,%xmm0
vpcmov %xmm1,%xmm0,%xmm0,%xmm0
vpperm %xmm1,(%rax),%xmm0,%xmm0
vpperm %xmm1,%xmm0,%xmm0,%xmm0
vpmadcsswd %xmm1,(%rax),%xmm0,%xmm0
vpmadcsswd %xmm1,%xmm0,%xmm0,%xmm0
vpmadcswd %xmm1,(%rax),%xmm0,%xmm0
vpmadcswd %xmm1,%xmm0,%xmm0,%xmm0
vprotb $0x12,(%rax),%xmm0
vprotb $0x12,%xmm0,%xmm0
vprotw $0x12,(%rax),%xmm0
vprotw $0x12,%xmm0,%xmm0
vprotd $0x12,(%rax),%xmm0
vprotd $0x12,%xmm0,%xmm0
vprotq $0x12,(%rax),%xmm0
vprotq $0x12,%xmm0,%xmm0
vpcomb $0x12,(%rax),%xmm0,%xmm0
vpcomb $0x12,%xmm0,%xmm0,%xmm0
vpcomw $0x12,(%rax),%xmm0,%xmm0
vpcomw $0x12,%xmm0,%xmm0,%xmm0
vpcomd $0x12,(%rax),%xmm0,%xmm0
vpcomd $0x12,%xmm0,%xmm0,%xmm0
vpcomq $0x12,(%rax),%xmm0,%xmm0
vpcomq $0x12,%xmm0,%xmm0,%xmm0
vpcomub $0x12,(%rax),%xmm0,%xmm0
vpcomub $0x12,%xmm0,%xmm0,%xmm0
vpcomuw $0x12,(%rax),%xmm0,%xmm0
vpcomuw $0x12,%xmm0,%xmm0,%xmm0
vpcomud $0x12,(%rax),%xmm0,%xmm0
vpcomud $0x12,%xmm0,%xmm0,%xmm0
vpcomuq $0x12,(%rax),%xmm0,%xmm0
vpcomuq $0x12,%xmm0,%xmm0,%xmm0
blcfill (%rax),%eax
blsfill 0x11223344(%rip),%eax
blcs   (%rax),%eax
tzmsk  0x11223344(%rip),%eax
blcic  (%rax),%eax
blsic  0x11223344(%rip),%eax
t1mskc (%rax),%eax
blcfill %eax,%eax
blsfill %eax,%eax
blcs   %eax,%eax
tzmsk  %eax,%eax
blcic  %eax,%eax
blsic  %eax,%eax
t1mskc %eax,%eax
blcmsk (%rax),%eax
blci   0x11223344(%rip),%eax
blcmsk %eax,%eax
blci   %eax,%eax
llwpcb %eax
slwpcb %eax
vfrczps (%rax),%xmm0
vfrczps %xmm0,%xmm0
vfrczpd (%rax),%xmm0
vfrczpd %xmm0,%xmm0
vfrczss (%rax),%xmm0
vfrczss %xmm0,%xmm0
vfrczsd (%rax),%xmm0
vfrczsd %xmm0,%xmm0
vpshlb %xmm0,(%rax),%xmm0
vpshlb %xmm0,%xmm0,%xmm0
vpshlw %xmm0,(%rax),%xmm0
vpshlw %xmm0,%xmm0,%xmm0
vpshld %xmm0,(%rax),%xmm0
vpshld %xmm0,%xmm0,%xmm0
vpshlq %xmm0,(%rax),%xmm0
vpshlq %xmm0,%xmm0,%xmm0
vpshab %xmm0,(%rax),%xmm0
vpshab %xmm0,%xmm0,%xmm0
vpshaw %xmm0,(%rax),%xmm0
vpshaw %xmm0,%xmm0,%xmm0
vpshad %xmm0,(%rax),%xmm0
vpshad %xmm0,%xmm0,%xmm0
vpshaq %xmm0,(%rax),%xmm0
vpshaq %xmm0,%xmm0,%xmm0
vphaddbw (%rax),%xmm0
vphaddbw %xmm0,%xmm0
vphaddbd (%rax),%xmm0
vphaddbd %xmm0,%xmm0
vphaddbq (%rax),%xmm0
vphaddbq %xmm0,%xmm0
vphaddwd (%rax),%xmm0
vphaddwd %xmm0,%xmm0
vphaddwq (%rax),%xmm0
vphaddwq %xmm0,%xmm0
vphadddq (%rax),%xmm0
vphadddq %xmm0,%xmm0
vphaddubw (%rax),%xmm0
vphaddubw %xmm0,%xmm0
vphaddubd (%rax),%xmm0
vphaddubd %xmm0,%xmm0
vphaddubq (%rax),%xmm0
vphaddubq %xmm0,%xmm0
vphadduwd (%rax),%xmm0
vphadduwd %xmm0,%xmm0
vphadduwq (%rax),%xmm0
vphadduwq %xmm0,%xmm0
vphaddudq (%rax),%xmm0
vphaddudq %xmm0,%xmm0
vphsubbw (%rax),%xmm0
vphsubbw %xmm0,%xmm0
vphsubwd (%rax),%xmm0
vphsubwd %xmm0,%xmm0
vphsubdq (%rax),%xmm0
vphsubdq %xmm0,%xmm0
bextr  $0x12,(%rax),%eax
bextr  $0x12,%eax,%eax
lwpins $0x12,(%rax),%eax
lwpval $0x12,0x11223344(%rip),%eax
lwpins $0x12,%eax,%eax
lwpval $0x12,%eax,%eax
pshufb (%rax),%mm0
pshufb %mm0,%mm0
phaddw (%rax),%mm0
phaddw %mm0,%mm0
phaddd (%rax),%mm0
phaddd %mm0,%mm0
phaddsw (%rax),%mm0
phaddsw %mm0,%mm0
pmaddubsw (%rax),%mm0
pmaddubsw %mm0,%mm0
phsubw (%rax),%mm0
phsubw %mm0,%mm0
phsubd (%rax),%mm0
phsubd %mm0,%mm0
phsubsw (%rax),%mm0
phsubsw %mm0,%mm0
psignb (%rax),%mm0
psignb %mm0,%mm0
psignw (%rax),%mm0
psignw %mm0,%mm0
psignd (%rax),%mm0
psignd %mm0,%mm0
pmulhrsw (%rax),%mm0
pmulhrsw %mm0,%mm0
pblendvb %xmm0,(%rax),%xmm0
pblendvb %xmm0,%xmm0,%xmm0
blendvps %xmm0,(%rax),%xmm0
blendvps %xmm0,%xmm0,%xmm0
blendvpd %xmm0,(%rax),%xmm0
blendvpd %xmm0,%xmm0,%xmm0
ptest  (%rax),%xmm0
ptest  %xmm0,%xmm0
pabsb  (%rax),%mm0
pabsb  %mm0,%mm0
pabsw  (%rax),%mm0
pabsw  %mm0,%mm0
pabsd  (%rax),%mm0
pabsd  %mm0,%mm0
pmovsxbw (%rax),%xmm0
pmovsxbw %xmm0,%xmm0
pmovsxbd (%rax),%xmm0
pmovsxbd %xmm0,%xmm0
pmovsxbq (%rax),%xmm0
pmovsxbq %xmm0,%xmm0
pmovsxwd (%rax),%xmm0
pmovsxwd %xmm0,%xmm0
pmovsxwq (%rax),%xmm0
pmovsxwq %xmm0,%xmm0
pmovsxdq (%rax),%xmm0
pmovsxdq %xmm0,%xmm0
pmuldq (%rax),%xmm0
pmuldq %xmm0,%xmm0
pcmpeqq (%rax),%xmm0
pcmpeqq %xmm0,%xmm0
movntdqa (%rax),%xmm0
packusdw 0x11223344(%rip),%xmm0
packusdw %xmm0,%xmm0
pmovzxbw 0x11223344(%rip),%xmm0
pmovzxbw %xmm0,%xmm0
pmovzxbd 0x11223344(%rip),%xmm0
pmovzxbd %xmm0,%xmm0
pmovzxbq 0x11223344(%rip),%xmm0
pmovzxbq %xmm0,%xmm0
pmovzxwd 0x11223344(%rip),%xmm0
pmovzxwd %xmm0,%xmm0
pmovzxwq 0x11223344(%rip),%xmm0
pmovzxwq %xmm0,%xmm0
pmovzxdq 0x11223344(%rip),%xmm0
pmovzxdq %xmm0,%xmm0
pcmpgtq 0x11223344(%rip),%xmm0
pcmpgtq %xmm0,%xmm0
pminsb 0x11223344(%rip),%xmm0
pminsb %xmm0,%xmm0
pminsd 0x11223344(%rip),%xmm0
pminsd %xmm0,%xmm0
pminuw 0x11223344(%rip),%xmm0
pminuw %xmm0,%xmm0
pminud 0x11223344(%rip),%xmm0
pminud %xmm0,%xmm0
pmaxsb 0x11223344(%rip),%xmm0
pmaxsb %xmm0,%xmm0
pmaxsd 0x11223344(%rip),%xmm0
pmaxsd %xmm0,%xmm0
pmaxuw 0x11223344(%rip),%xmm0
pmaxuw %xmm0,%xmm0
pmaxud 0x11223344(%rip),%xmm0
pmaxud %xmm0,%xmm0
pmulld 0x11223344(%rip),%xmm0
pmulld %xmm0,%xmm0
phminposuw 0x11223344(%rip),%xmm0
phminposuw %xmm0,%xmm0
invept 0x11223344(%rip),%rax
invvpid (%rax),%rax
invpcid 0x11223344(%rip),%rax
sha1nexte (%rax),%xmm0
sha1nexte %xmm0,%xmm0
sha1msg1 (%rax),%xmm0
sha1msg1 %xmm0,%xmm0
sha1msg2 (%rax),%xmm0
sha1msg2 %xmm0,%xmm0
sha256rnds2 %xmm0,(%rax),%xmm0
sha256rnds2 %xmm0,%xmm0,%xmm0
sha256msg1 (%rax),%xmm0
sha256msg1 %xmm0,%xmm0
sha256msg2 (%rax),%xmm0
sha256msg2 %xmm0,%xmm0
gf2p8mulb (%rax),%xmm0
gf2p8mulb %xmm0,%xmm0
aesencwide128kl (%rax)
aesdecwide128kl 0x11223344(%rip)
aesencwide256kl (%rax)
aesdecwide256kl 0x11223344(%rip)
aesimc (%rax),%xmm0
aesimc %xmm0,%xmm0
aesenc (%rax),%xmm0
aesenc %xmm0,%xmm0
aesenc128kl (%rax),%xmm0
loadiwkey %xmm0,%xmm0
aesenclast (%rax),%xmm0
aesenclast %xmm0,%xmm0
aesdec128kl (%rax),%xmm0
aesdec 0x11223344(%rip),%xmm0
aesdec %xmm0,%xmm0
aesenc256kl 0x11223344(%rip),%xmm0
aesdeclast (%rax),%xmm0
aesdeclast %xmm0,%xmm0
aesdec256kl (%rax),%xmm0
movbe  0x11223344(%rip),%eax
crc32b (%rax),%eax
crc32  %al,%eax
crc32l (%rax),%eax
crc32q 0x11223344(%rip),%rax
wrussd %eax,(%rax)
wrussq %rax,0x11223344(%rip)
wrssd  %eax,(%rax)
wrssq  %rax,0x11223344(%rip)
adcx   (%rax),%eax
adcx   %eax,%eax
adox   (%rax),%eax
adox   %eax,%eax
movdir64b (%rax),%rax
enqcmds 0x11223344(%rip),%rax
enqcmd (%rax),%rax
movdiri %eax,0x11223344(%rip)
encodekey128 %eax,%eax
encodekey256 %eax,%eax
aadd   %eax,(%rax)
aand   %eax,0x11223344(%rip)
axor   %eax,(%rax)
aor    %eax,0x11223344(%rip)
roundps $0x12,(%rax),%xmm0
roundps $0x12,%xmm0,%xmm0
roundpd $0x12,(%rax),%xmm0
roundpd $0x12,%xmm0,%xmm0
roundss $0x12,(%rax),%xmm0
roundss $0x12,%xmm0,%xmm0
roundsd $0x12,(%rax),%xmm0
roundsd $0x12,%xmm0,%xmm0
blendps $0x12,(%rax),%xmm0
blendps $0x12,%xmm0,%xmm0
blendpd $0x12,(%rax),%xmm0
blendpd $0x12,%xmm0,%xmm0
pblendw $0x12,(%rax),%xmm0
pblendw $0x12,%xmm0,%xmm0
palignr $0x12,(%rax),%mm0
palignr $0x12,%mm0,%mm0
pextrb $0x12,%xmm0,(%rax)
pextrb $0x12,%xmm0,%eax
pextrw $0x12,%xmm0,(%rax)
pextrw $0x12,%xmm0,%eax
pextrd $0x12,%xmm0,(%rax)
pextrq $0x12,%xmm0,0x11223344(%rip)
pextrd $0x12,%xmm0,%eax
pextrq $0x12,%xmm0,%rax
extractps $0x12,%xmm0,(%rax)
extractps $0x12,%xmm0,%eax
pinsrb $0x12,(%rax),%xmm0
pinsrb $0x12,%eax,%xmm0
insertps $0x12,(%rax),%xmm0
insertps $0x12,%xmm0,%xmm0
pinsrd $0x12,(%rax),%xmm0
pinsrq $0x12,0x11223344(%rip),%xmm0
pinsrd $0x12,%eax,%xmm0
pinsrq $0x12,%rax,%xmm0
dpps   $0x12,(%rax),%xmm0
dpps   $0x12,%xmm0,%xmm0
dppd   $0x12,(%rax),%xmm0
dppd   $0x12,%xmm0,%xmm0
mpsadbw $0x12,(%rax),%xmm0
mpsadbw $0x12,%xmm0,%xmm0
pclmulqdq $0x12,(%rax),%xmm0
pclmulqdq $0x12,%xmm0,%xmm0
pcmpestrm $0x12,(%rax),%xmm0
pcmpestrmq $0x12,0x11223344(%rip),%xmm0
pcmpestrm $0x12,%xmm0,%xmm0
pcmpestrmq $0x12,%xmm0,%xmm0
pcmpestri $0x12,(%rax),%xmm0
pcmpestriq $0x12,0x11223344(%rip),%xmm0
pcmpestri $0x12,%xmm0,%xmm0
pcmpestriq $0x12,%xmm0,%xmm0
pcmpistrm $0x12,(%rax),%xmm0
pcmpistrm $0x12,%xmm0,%xmm0
pcmpistri $0x12,(%rax),%xmm0
pcmpistri $0x12,%xmm0,%xmm0
sha1rnds4 $0x12,(%rax),%xmm0
sha1rnds4 $0x12,%xmm0,%xmm0
gf2p8affineqb $0x12,(%rax),%xmm0
gf2p8affineqb $0x12,%xmm0,%xmm0
gf2p8affineinvqb $0x12,(%rax),%xmm0
gf2p8affineinvqb $0x12,%xmm0,%xmm0
aeskeygenassist $0x12,(%rax),%xmm0
aeskeygenassist $0x12,%xmm0,%xmm0
hreset $0x12
