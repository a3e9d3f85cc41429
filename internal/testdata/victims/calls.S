/* work_chain_1 .. work_chain_16: each calls the one before it; work_chain_1 calls nobody. */
	.text
	.macro chain n, below
	.p2align 6
	.globl work_chain_\n
	.type work_chain_\n, @function
work_chain_\n:
	sub $8, %rsp
	call work_chain_\below
	add $8, %rsp
	ret
	.size work_chain_\n, .-work_chain_\n
	.endm

	.p2align 6
	.globl work_chain_1
	.type work_chain_1, @function
work_chain_1:
	lea 1(%rdi), %rax
	xor %edx, %edx
	ret
	.size work_chain_1, .-work_chain_1
	.skip 16, 0xcc

	chain 2, 1
	chain 3, 2
	chain 4, 3
	chain 5, 4
	chain 6, 5
	chain 7, 6
	chain 8, 7
	chain 9, 8
	chain 10, 9
	chain 11, 10
	chain 12, 11
	chain 13, 12
	chain 14, 13
	chain 15, 14
	chain 16, 15

	/* long time_chain_1(long calls) and so on: a call each of the last one's result */
	.macro timed n
	.p2align 6
	.globl time_chain_\n
	.type time_chain_\n, @function
time_chain_\n:
	push %rbx
	mov %rdi, %rbx
	xor %edi, %edi
1:	call work_chain_\n
	mov %rax, %rdi
	dec %rbx
	jnz 1b
	mov %rdi, %rax
	pop %rbx
	ret
	.size time_chain_\n, .-time_chain_\n
	.endm

	timed 1
	timed 4
	timed 8
	timed 16

	/* long time_rdtsc(long times): two readings of the time stamp counter, a chain too */
	.p2align 6
	.globl time_rdtsc
	.type time_rdtsc, @function
time_rdtsc:
	xor %ecx, %ecx
1:	rdtsc
	shl $32, %rdx
	or %rdx, %rax
	mov %rax, %r8
	rdtsc
	shl $32, %rdx
	or %rdx, %rax
	sub %r8, %rax
	add $1, %rcx
	dec %rdi
	jnz 1b
	mov %rcx, %rax
	ret
	.size time_rdtsc, .-time_rdtsc
	.section .note.GNU-stack,"",@progbits
