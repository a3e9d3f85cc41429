/*
 * A function for every shape of first instructions that a hook may have to displace.
 * Each takes two numbers in rdi and rsi and returns one; pclass.c has the list, with
 * what they compute and which of them need a feature of the CPU.
 */
	.macro fn name
	.p2align 4
	.globl p_\name
	.type p_\name, @function
p_\name:
	.endm
	.macro end name
	.size p_\name, .-p_\name
	.endm

	.macro jcc8 cc
	fn j\cc
	cmp %rsi, %rdi
	j\cc 1f
	mov $1, %eax
	ret
1:	mov $2, %eax
	ret
	end j\cc
	.endm

	.text
	/* ---- frames and plain data ---- */
	fn push_rbp
	push %rbp
	mov %rsp, %rbp
	lea (%rdi,%rsi), %rax
	pop %rbp
	ret
	end push_rbp

	fn five_singles
	push %rbx
	push %rbp
	pop %rbp
	pop %rbx
	nop
	lea (%rdi,%rsi), %rax
	ret
	end five_singles

	fn endbr
	endbr64
	lea (%rdi,%rsi), %rax
	ret
	end endbr

	fn sub_imm8
	sub $24, %rsp
	mov %rdi, 8(%rsp)
	mov 8(%rsp), %rax
	add %rsi, %rax
	add $24, %rsp
	ret
	end sub_imm8

	fn sub_imm32
	sub $0x1000, %rsp
	mov %rdi, 8(%rsp)
	mov 8(%rsp), %rax
	add %rsi, %rax
	add $0x1000, %rsp
	ret
	end sub_imm32

	fn enter
	enter $16, $0
	lea (%rdi,%rsi), %rax
	leave
	ret
	end enter

	fn pushfq
	pushfq
	lea (%rdi,%rsi), %rax
	popfq
	ret
	end pushfq

	fn sib_disp32
	lea 0x100(,%rdi,4), %rax
	add %rsi, %rax
	ret
	end sib_disp32

	fn movabs
	movabs $0x1122334455667788, %rax
	add %rdi, %rax
	ret
	end movabs

	fn long_nop
	.byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	lea (%rdi,%rsi), %rax
	ret
	end long_nop

	fn fifteen
	/* add $imm32, disp32(base,index) with prefixes: the longest instruction there is */
	push %rdi
	.byte 0x2e, 0x2e, 0x2e, 0x48, 0x81, 0x84, 0x24, 0, 0, 0, 0, 0x21, 0x43, 0x65, 0x07
	pop %rax
	ret
	end fifteen

	fn rep_stos
	mov %rsi, %rax
	mov $3, %ecx
	push %rdi
	lea scratch(%rip), %rdi
	rep stosq
	pop %rdi
	mov scratch+16(%rip), %rax
	add %rdi, %rax
	ret
	end rep_stos

	fn setcc_cmov
	cmp %rsi, %rdi
	cmovl %rsi, %rdi
	mov %rdi, %rax
	ret
	end setcc_cmov

	/* ---- RIP-relative ---- */
	fn rip_lea
	lea value(%rip), %rax
	mov (%rax), %rax
	add %rdi, %rax
	ret
	end rip_lea

	fn rip_load
	mov value(%rip), %rax
	add %rdi, %rax
	ret
	end rip_load

	fn rip_cmp_imm8
	cmpb $0x78, value(%rip)
	sete %al
	movzbl %al, %eax
	add %rdi, %rax
	ret
	end rip_cmp_imm8

	fn rip_cmp_imm32
	cmpq $0x12345678, value(%rip)
	sete %al
	movzbl %al, %eax
	add %rdi, %rax
	ret
	end rip_cmp_imm32

	fn rip_store_imm
	movl $77, scratch+32(%rip)
	mov scratch+32(%rip), %eax
	add %rdi, %rax
	ret
	end rip_store_imm

	fn rip_test16
	testw $0x5678, value(%rip)
	setne %al
	movzbl %al, %eax
	add %rdi, %rax
	ret
	end rip_test16

	fn rip_imul
	imul $7, value(%rip), %rax
	add %rdi, %rax
	ret
	end rip_imul

	fn rip_bt
	btl $3, value(%rip)
	setc %al
	movzbl %al, %eax
	add %rdi, %rax
	ret
	end rip_bt

	fn rip_lock
	lock addq $0, value(%rip)
	mov value(%rip), %rax
	add %rdi, %rax
	ret
	end rip_lock

	fn rip_push
	push value(%rip)
	pop %rax
	add %rdi, %rax
	ret
	end rip_push

	fn rip_call
	call *p_helper_at(%rip)
	inc %rax
	ret
	end rip_call

	fn rip_jmp
	jmp *p_helper_at(%rip)
	end rip_jmp

	fn rip_fild
	fildq value(%rip)
	fistpq -8(%rsp)
	mov -8(%rsp), %rax
	add %rdi, %rax
	ret
	end rip_fild

	fn rip_sse
	movq value(%rip), %xmm0
	movq %xmm0, %rax
	add %rdi, %rax
	ret
	end rip_sse

	fn rip_pshufd
	pshufd $0x44, vector(%rip), %xmm0
	movq %xmm0, %rax
	add %rdi, %rax
	ret
	end rip_pshufd

	fn rip_avx
	vmovq value(%rip), %xmm0
	vmovq %xmm0, %rax
	add %rdi, %rax
	ret
	end rip_avx

	fn rip_avx_imm
	vpermilpd $0, vector(%rip), %xmm0
	vmovq %xmm0, %rax
	add %rdi, %rax
	ret
	end rip_avx_imm

	fn rip_rorx
	rorx $0, value(%rip), %rax
	add %rdi, %rax
	ret
	end rip_rorx

	fn rip_evex
	vmovdqu64 vector(%rip), %zmm0
	vmovq %xmm0, %rax
	vzeroupper
	add %rdi, %rax
	ret
	end rip_evex

	fn vzeroupper
	vzeroupper
	lea (%rdi,%rsi), %rax
	ret
	end vzeroupper

	fn adx
	xor %eax, %eax
	adcx %rdi, %rax
	add %rsi, %rax
	ret
	end adx

	/* ---- calls and jumps ---- */
	fn helper
	lea 5(%rdi,%rsi), %rax
	ret
	end helper

	fn call
	call p_helper
	inc %rax
	ret
	end call

	fn sub_call
	sub $8, %rsp
	call p_helper
	add $8, %rsp
	inc %rax
	ret
	end sub_call

	fn jmp8
	jmp 1f
	ud2
	ud2
	ud2
1:	lea (%rdi,%rsi), %rax
	ret
	end jmp8

	fn jmp32
	{disp32} jmp p_helper
	end jmp32

	/* Both arms of a short jump, the first one before the function. */
	.p2align 4
9:	mov $2, %eax
	ret
	fn jcc_before
	cmp %rsi, %rdi
	je 9b
	mov $1, %eax
	ret
	end jcc_before

	fn jcc32
	cmp %rsi, %rdi
	{disp32} je 1f
	mov $1, %eax
	ret
1:	mov $2, %eax
	ret
	end jcc32

	jcc8 o
	jcc8 no
	jcc8 b
	jcc8 ae
	jcc8 e
	jcc8 ne
	jcc8 be
	jcc8 a
	jcc8 s
	jcc8 ns
	jcc8 p
	jcc8 np
	jcc8 l
	jcc8 ge
	jcc8 le
	jcc8 g

	fn jrcxz
	mov %rdi, %rcx
	jrcxz 1f
	mov $1, %eax
	ret
1:	mov $2, %eax
	ret
	end jrcxz

	fn jecxz
	mov %edi, %ecx
	jecxz 1f
	mov $1, %eax
	ret
1:	mov $2, %eax
	ret
	end jecxz

	fn loop
	mov %rdi, %rcx
	loop 1f
	mov $1, %eax
	ret
1:	mov $2, %eax
	ret
	end loop

	fn loope
	mov %edi, %ecx
	cmp %esi, %esi
	loope 1f
	mov $1, %eax
	ret
1:	mov $2, %eax
	ret
	end loope

	fn switch
	mov %edi, %eax
	and $3, %eax
	lea table(%rip), %rdx
	movslq (%rdx,%rax,4), %rax
	add %rdx, %rax
	jmp *%rax
s0:	lea 10(%rsi), %rax
	ret
s1:	lea 20(%rsi), %rax
	ret
s2:	lea 30(%rsi), %rax
	ret
s3:	lea 40(%rsi), %rax
	ret
	end switch
	.section .rodata
	.balign 4
table:	.long s0-table, s1-table, s2-table, s3-table
	.text

	/* ---- not to be hooked at byte 0, or with care ---- */
	/* Its own loop goes to +3. */
	fn into_window
	xor %rax, %rax
1:	inc %rax
	cmp %rdi, %rax
	jb 1b
	ret
	end into_window

	/* Another function enters at +3. */
	fn entered
	mov %rdi, %rax
1:	add %rsi, %rax
	inc %rax
	ret
	end entered
	fn enters
	mov $100, %eax
	jmp 1b
	end enters

	/* A jump table of its own has an entry at +4. */
	fn table_into_window
	mov %edi, %ecx
	xor %eax, %eax
3:	inc %eax
	dec %ecx
	jle 4f
	lea table2(%rip), %rdx
	movslq (%rdx), %r8
	add %rdx, %r8
	jmp *%r8
4:	ret
	end table_into_window
	.section .rodata
	.balign 4
table2:	.long 3b-table2
	.text

	/* Neighbours without room: 2 bytes of code each, and data or code behind. */
	fn tight_a
	mov %edi, %eax
	ret
	.size p_tight_a, .-p_tight_a
	.globl p_tight_b
	.type p_tight_b, @function
p_tight_b:
	mov %esi, %eax
	ret
	end tight_b
	.byte 0x90, 0x90, 0x12, 0x34

	.p2align 4
	.data
	.balign 8
	.globl p_helper_at
p_helper_at: .quad p_helper
	.globl value
	.balign 8
value:	.quad 0x12345678
	.balign 64
vector:	.quad 0x12345678, 2, 3, 4, 5, 6, 7, 8
scratch: .skip 64

	.section .note.GNU-stack,"",@progbits
