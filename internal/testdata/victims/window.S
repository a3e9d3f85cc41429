/*
 * Functions whose first instructions are as short as can be, so that threads stand
 * between them when a jump is written over them. Each instruction counts: one that is
 * left out or made twice changes the result. They take x and y in rdi and rsi.
 */
	.macro fn name
	.p2align 4
	.globl \name
	.type \name, @function
\name:
	.endm
	.macro end name
	.size \name, .-\name
	.endm

	.text
	/* Five bytes, five instructions: x + 2y. */
	fn w_bytes
	push %rdi
	push %rsi
	pop %rax
	pop %rcx
	xchg %eax, %edx
	lea (%rcx,%rdx,2), %rax
	ret
	end w_bytes

	/* The fifth of fifteen bytes begins an instruction with an address and a number: x + 4y + 77. */
	fn w_long
	push %rdi
	push %rsi
	pop %rdx
	pop %rcx
	movq $77, w_value(%rip)
	lea (%rcx,%rdx,4), %rax
	add w_value(%rip), %rax
	ret
	end w_long

	/* Starts with a call: a thread in the displaced one has its return address to be put right. x + y + 3. */
	fn w_call
	push %rdi
	push %rsi
	call w_helper
	pop %rsi
	pop %rdi
	add %rdi, %rax
	add %rsi, %rax
	ret
	end w_call

	fn w_helper
	xor %eax, %eax
	inc %eax
	add $2, %eax
	ret
	end w_helper

	/* In the middle of its window the flags decide: x < y ? x : y. */
	fn w_flags
	push %rsi
	cmp %rsi, %rdi
	pop %rax
	cmovl %rdi, %rax
	ret
	end w_flags

	/* read(fd, buffer, n) + 7: a thread sleeps two bytes behind the entry. */
	fn w_read
	xor %eax, %eax
	syscall
	add $7, %rax
	ret
	end w_read

	/* Refers to what is almost 2 GiB away, and out of reach from most places: x + 1. */
	fn w_far
	lea 0x7fffff00(%rip), %rdx
	lea 1(%rdi), %rax
	ret
	end w_far

	.data
	.p2align 3
w_value:
	.quad 0
	.section .note.GNU-stack,"",@progbits
