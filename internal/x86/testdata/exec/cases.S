# Functions whose first instructions the relocator copies: from the case's
# label to the end label, a window. Each leaves what it computed in registers
# and memory; r15 tells the paths apart. On entry: rdi = data, rsi = data+64,
# r12 = table, rcx one of 0, 1, 2, 1<<32, rdx below 16, r15 below 8, any
# flags, fs base = data, gs base = data+64.

	.macro case name
	.balign 16
	.globl case_\name
case_\name:
	.endm

	.macro end name
	.globl end_\name
end_\name:
	.endm

	.text
	.globl stop
stop:	int3

# Conditional branches, rel8, to behind the window.
	.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	case jcc8_\cc
	j\cc 1f
	mov $1, %r15d
	end jcc8_\cc
	lea 3(%rax), %rax
	ret
1:	mov $2, %r15d
	ret
	.endr

# The same with rel32, and to code in front of the function.
before:	mov $77, %r15d
	ret
	.skip 200, 0xcc
	.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	.skip 200, 0xcc
	case jcc32_\cc
	j\cc before
	mov $1, %r15d
	end jcc32_\cc
	ret
	.endr

# rel8 backwards out of the window.
just_before:
	mov $78, %r15d
	ret
	case jcc8_before
	jb just_before
	mov $1, %r15d
	end jcc8_before
	ret

# A branch to the end of the window.
	case jcc8_to_end
	jne 1f
	mov $1, %r15d
	end jcc8_to_end
1:	lea 5(%rax, %rcx), %rax
	ret

# A branch over one instruction, inside the window.
	case jcc8_inside
	mov %rdx, %rax
	jl 1f
	mov $1, %r15d
1:	lea 2(%rax), %rax
	end jcc8_inside
	ret

# A loop whose branch goes back into the window.
	case back_jcc
	mov $3, %ecx
1:	lea 7(%rax), %rax
	dec %ecx
	jne 1b
	end back_jcc
	ret

	case back_loop
	mov $3, %ecx
1:	lea 5(%rax), %rax
	loop 1b
	end back_loop
	ret

	case back_jmp
	and $7, %edi
	jmp 2f
1:	lea 9(%rax), %rax
	dec %edi
2:	test %edi, %edi
	js 3f
	jmp 1b
	end back_jmp
3:	ret

# The window's own first byte as a target.
	case self_jcc
	and $7, %r15d
	dec %r15d
	jg case_self_jcc
	end self_jcc
	ret

	case self_jmp
	sub $1, %r15d
	js 1f
	jmp case_self_jmp
	end self_jmp
1:	ret

	case self_loop
	lea 2(%rax), %rax
	and $3, %ecx
	jrcxz 1f
	loop case_self_loop
	end self_loop
1:	ret

# Unconditional jumps.
	case jmp8
	jmp 1f
	mov $1, %r15d
	end jmp8
	ud2
1:	mov $2, %eax
	ret

	case jmp32
	lea 1(%rax), %rax
	jmp before
	end jmp32

	case jmp8_zero
	jmp 1f
1:	mov $1, %eax
	end jmp8_zero
	ret

	case jmp8_inside
	jmp 1f
	mov $5, %r15d
	mov $5, %r15d
1:	mov $1, %eax
	end jmp8_inside
	ret

# Branches on rcx.
	.irp in, loop, loope, loopne, jrcxz, jecxz
	case cx_\in
	\in 1f
	mov $1, %r15d
	end cx_\in
	ret
1:	mov $2, %r15d
	ret
	.endr

	case cx_loopl
	addr32 loop 1f
	mov $1, %r15d
	end cx_loopl
	ret
1:	mov $2, %r15d
	ret

	case cx_inside
	jrcxz 1f
	mov $1, %r15d
1:	lea 4(%rcx), %rax
	end cx_inside
	ret

	case cx_before
	mov %rcx, %rax
	nop
	loopne just_before_cx
	end cx_before
	ret
just_before_cx:
	mov $79, %r15d
	ret

# RIP-relative operands, without an immediate and with each width of one.
	.macro one name insn:vararg
	case \name
	\insn
	nop
	nop
	nop
	end \name
	ret
	.endm

	.macro many name insns
	case \name
	\insns
	nop
	nop
	nop
	end \name
	ret
	.endm

	one rip_load mov data+8(%rip), %rax
	one rip_load32 mov data+8(%rip), %r9d
	one rip_store mov %rdx, data+16(%rip)
	one rip_store_imm8 movb $0x5a, data+3(%rip)
	one rip_store_imm16 movw $0x5aa5, data+3(%rip)
	one rip_store_imm32 movl $0x12345678, data+3(%rip)
	one rip_store_imm64 movq $-2, data+8(%rip)
	one rip_cmp_imm8 cmpl $0x44, data+4(%rip)
	one rip_cmp_imm32 cmpl $0x07060504, data+4(%rip)
	one rip_cmpb cmpb $5, data+5(%rip)
	one rip_cmpw cmpw $0x1234, data+5(%rip)
	one rip_cmpq cmpq $0x1234567, data+8(%rip)
	one rip_cmp_reg cmp %rax, data+8(%rip)
	one rip_test_imm32 testl $0x80000001, data+12(%rip)
	one rip_testb testb $0x10, data+12(%rip)
	one rip_imul8 imul $7, data+8(%rip), %eax
	one rip_imul32 imul $70000, data+8(%rip), %rax
	one rip_imul16 imulw $7000, data+8(%rip), %ax
	one rip_shift shll $3, data+8(%rip)
	one rip_shift1 shrl data+8(%rip)
	one rip_bts btsl $5, data+8(%rip)
	one rip_add add %rax, data+24(%rip)
	one rip_not notq data+24(%rip)
	one rip_neg negq data+24(%rip)
	one rip_mul mull data+24(%rip)
	one rip_lea lea data+40(%rip), %r15
	one rip_lea_self lea case_rip_lea_self(%rip), %rax
	many rip_push "pushq data+8(%rip) ; pop %rax"
	many rip_pop "push %rdx ; popq data+8(%rip)"
	one rip_movzx movzbl data+9(%rip), %eax
	one rip_movsxd movslq data+9(%rip), %r13
	one rip_cmov cmovb data+9(%rip), %rax
	one rip_setcc setb data+9(%rip)
	one rip_xchg xchg %rax, data+8(%rip)
	one rip_lock_add lock addl $1, data+8(%rip)
	one rip_lock_add32 lock addq $100000, data+8(%rip)
	one rip_lock_xadd lock xadd %rax, data+8(%rip)
	one rip_lock_cmpxchg lock cmpxchg %rdx, data+8(%rip)
	one rip_lock_inc lock incl data+8(%rip)
	one rip_cmpxchg16b lock cmpxchg16b data+16(%rip)
	one rip_shld shld $5, %rax, data+8(%rip)
	one rip_crc32 crc32q data+8(%rip), %rax
	one rip_movbe movbe data+8(%rip), %rax
	one rip_prefetch prefetcht0 data(%rip)
	one rip_nop nopl data(%rip)

	one sse_movaps movaps data+16(%rip), %xmm1
	one sse_store movdqu %xmm9, data+17(%rip)
	one sse_pshufd pshufd $0x1b, data+16(%rip), %xmm2
	one sse_pshufb pshufb data+16(%rip), %xmm10
	one sse_palignr palignr $5, data+32(%rip), %xmm3
	one sse_cvt cvtsi2sdq data+16(%rip), %xmm4
	one sse_cmp ucomisd data+16(%rip), %xmm4
	one sse_pinsrw pinsrw $3, data+16(%rip), %xmm5
	one vex_load vmovdqu data+1(%rip), %ymm1
	one vex_shufd vpshufd $0x4e, data(%rip), %ymm2
	one vex_blendv vpblendvb %ymm1, data(%rip), %ymm2, %ymm3
	one vex_permq vpermq $0x1b, data(%rip), %ymm12
	one vex_insert vinserti128 $1, data(%rip), %ymm2, %ymm4
	one vex_bmi andn data(%rip), %rax, %rbx
	one vex_rorx rorx $9, data(%rip), %rax
	one vex_store vmovups %ymm13, data+32(%rip)
	one evex_load vmovdqu32 data(%rip), %zmm16
	one evex_ternlog vpternlogd $0x96, data(%rip){1to16}, %zmm1, %zmm2
	one evex_cmp vpcmpud $2, data(%rip), %zmm1, %k3
	one evex_rot vprolq $9, data+64(%rip), %ymm7
	one evex_store vmovdqu8 %zmm1, data+8(%rip)
	one evex_align valignq $3, data(%rip), %zmm1, %zmm20

# Nothing depends on the address.
	one plain_imm16 movw $0x1234, %ax
	one plain_addw addw $0x1234, 8(%rdi)
	one plain_imm64 movabs $0x123456789abcdef0, %r15
	one plain_fs mov %fs:8, %rax
	one plain_gs addq $1000, %gs:8
	one plain_gs_index mov %gs:8(, %rdx, 2), %rax
	one plain_moffs movabs data+8, %rax
	one plain_moffs_store movabs %al, data+8
	one plain_abs mov %rsp, %rbp
	many plain_push "push $0x1234567 ; pop %r15"
	many plain_red_zone "mov %rdx, -8(%rsp) ; mov -8(%rsp), %r15"
	many plain_string "mov $16, %ecx ; rep movsb"
	many plain_std "std ; lodsb ; cld"
	many plain_endbr "endbr64 ; sub $8, %rsp ; add $8, %rsp"
	one plain_nops nopw 0x0(%rax, %rax, 1)
	many plain_enter "enter $16, $0 ; leave"
	many plain_xlat "mov %rdi, %rbx ; mov %dl, %al ; xlat"
	many plain_flags "lahf ; sahf ; adc $1, %rax"
	many plain_x87 "fldpi ; fstpl 8(%rdi)"

	case plain_prologue
	push %rbp
	mov %rsp, %rbp
	push %rbx
	sub $0x18, %rsp
	end plain_prologue
	mov %rdx, -0x20(%rbp)
	mov -0x20(%rbp), %r15
	add $0x18, %rsp
	pop %rbx
	pop %rbp
	ret

# Returns.
	case ret
	mov $9, %eax
	ret
	end ret

	case ret_imm
	pushq (%rsp)
	mov $9, %eax
	ret $8
	end ret_imm

# Calls. The callee keeps its return address in r15: it must be the original's.
	.balign 16
callee:	mov (%rsp), %r15
	lea 1(%rax, %rdx), %rax
	ret

	case call_first
	call callee
	end call_first
	mov %r15, 8(%rdi)
	ret

	case call_sub
	sub $8, %rsp
	call callee
	end call_sub
	add $8, %rsp
	ret

	case call_flags
	mov %rdx, %rax
	call 1f
	end call_flags
	ret
1:	mov (%rsp), %r15
	setb %al
	ret

	case call_middle
	call callee
	lea 5(%rax), %rax
	ret
	end call_middle

# The copied code behind a call is only reached by a branch.
	case call_jumped_over
	jb 1f
	call callee
1:	lea 5(%rax), %rax
	end call_jumped_over
	ret

	case call_next
	call 1f
1:	pop %r15
	end call_next
	ret

	case call_inside
	call 1f
	jmp 2f
1:	mov (%rsp), %r15
	ret
	end call_inside
2:	lea 5(%rax), %rax
	ret

	case call_self
	dec %rdx
	jle 1f
	call case_call_self
	end call_self
	add $1, %r14
1:	ret

	case call_tls
	data16 rex.W call callee
	end call_tls
	ret

	case call_rip
	call *table(%rip)
	end call_rip
	ret

	case call_reg
	mov (%r12), %r11
	call *%r11
	end call_reg
	ret

	case call_r12
	mov (%r12), %r12
	call *%r12
	end call_r12
	ret

	case call_notrack
	mov (%r12), %r11
	notrack call *%r11
	end call_notrack
	ret

	case call_mem
	call *(%r12)
	end call_mem
	ret

	case call_mem8
	lea -8(%r12), %rbx
	call *8(%rbx)
	end call_mem8
	ret

	case call_mem_index
	xor %eax, %eax
	call *(%r12, %rax, 8)
	end call_mem_index
	ret

	case call_fs
	call *%fs:table - data
	end call_fs
	ret

	case call_stack
	push (%r12)
	call *(%rsp)
	end call_stack
	pop %rax
	ret

	case call_stack8
	push (%r12)
	call *0x8(%rsp)
	end call_stack8
	ud2

	case call_stack_grow
	mov (%r12), %rax
	mov %rax, 0x78(%rsp)
	call *0x78(%rsp)
	end call_stack_grow
	ret

	case call_stack_shrink
	mov (%r12), %rax
	mov %rax, 0x100(%rsp)
	call *0x100(%rsp)
	end call_stack_shrink
	ret

	case call_stack_disp32
	mov (%r12), %rax
	mov %rax, -0x84(%rsp)
	call *-0x84(%rsp)
	end call_stack_disp32
	ret

	case call_stack_red
	mov (%r12), %rax
	mov %rax, -16(%rsp)
	call *-16(%rsp)
	end call_stack_red
	ret

	case call_rbp
	mov %r12, %rbp
	nop
	call *(%rbp)
	end call_rbp
	ret

# Indirect jumps.
	case jmp_rip
	lea 1(%rax), %rax
	jmp *table(%rip)
	end jmp_rip

	case jmp_reg
	mov (%r12), %r11
	jmp *%r11
	end jmp_reg

	case jmp_mem
	lea 1(%rax), %rax
	notrack jmp *(%r12)
	end jmp_mem

	case jmp_stack
	push (%r12)
	jmp *(%rsp)
	end jmp_stack

	.data
	.balign 64
	.globl data, table
data:	.byte 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.quad 0x0123456789abcdef, 0x40091eb851eb851f, -1, 0x8000000000000000
	.fill 80, 1, 0x3c
	.quad 1, 2, 3, 4, 5, 6, 7, 8
	.balign 8
	.quad 0
table:	.quad callee
