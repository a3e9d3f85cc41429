/* The same short function at 8 places within a cache line: work_align_0 .. work_align_7. */
	.macro place n
	.p2align 6
	.if \n
	.skip 8*\n, 0xcc
	.endif
	.globl work_align_\n
	.type work_align_\n, @function
work_align_\n:
	lea 1(%rdi), %rax
	xor %edx, %edx
	ret
	.size work_align_\n, .-work_align_\n
	.skip 16, 0xcc
	/* long time_align_N(long calls): a chain of calls, each of the last one's result */
	.p2align 6
	.globl time_align_\n
	.type time_align_\n, @function
time_align_\n:
	push %rbx
	mov %rdi, %rbx
	xor %edi, %edi
1:	call work_align_\n
	mov %rax, %rdi
	dec %rbx
	jnz 1b
	mov %rdi, %rax
	pop %rbx
	ret
	.size time_align_\n, .-time_align_\n
	.endm

	.text
	place 0
	place 1
	place 2
	place 3
	place 4
	place 5
	place 6
	place 7
	.section .note.GNU-stack,"",@progbits
