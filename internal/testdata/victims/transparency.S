/*
 * transparent_call_*: load every register with the caller's pattern, call a function, and
 * save every register just before the call and just after it. work_observe_* saves
 * every register at its own entry. Saving changes no register and no flag, so
 * that the three copies must be equal, byte by byte.
 *
 * Layout of a state (struct state in transparency.c):
 *   0    rax rcx rdx rbx rsp rbp rsi rdi r8..r15
 *   128  rflags
 *   192  fxsave64 area, 512 bytes (x87 or mm registers, MXCSR, xmm0-15)
 *   704  zmm0-31, 64 bytes each
 *   2752 k0-7, 8 bytes each
 */
#define RFLAGS 128
#define FXSAVE 192
#define VECTOR 704
#define MASK 2752

	.macro save_gprs to
	mov %rax, \to+0(%rip)
	mov %rcx, \to+8(%rip)
	mov %rdx, \to+16(%rip)
	mov %rbx, \to+24(%rip)
	mov %rsp, \to+32(%rip)
	mov %rbp, \to+40(%rip)
	mov %rsi, \to+48(%rip)
	mov %rdi, \to+56(%rip)
	mov %r8, \to+64(%rip)
	mov %r9, \to+72(%rip)
	mov %r10, \to+80(%rip)
	mov %r11, \to+88(%rip)
	mov %r12, \to+96(%rip)
	mov %r13, \to+104(%rip)
	mov %r14, \to+112(%rip)
	mov %r15, \to+120(%rip)
	fxsave64 \to+FXSAVE(%rip)
	.endm

	.macro load_gprs from
	mov \from+0(%rip), %rax
	mov \from+8(%rip), %rcx
	mov \from+16(%rip), %rdx
	mov \from+24(%rip), %rbx
	mov \from+40(%rip), %rbp
	mov \from+48(%rip), %rsi
	mov \from+56(%rip), %rdi
	mov \from+64(%rip), %r8
	mov \from+72(%rip), %r9
	mov \from+80(%rip), %r10
	mov \from+88(%rip), %r11
	mov \from+96(%rip), %r12
	mov \from+104(%rip), %r13
	mov \from+112(%rip), %r14
	mov \from+120(%rip), %r15
	.endm

	.macro save_sse to
	.endm
	.macro load_sse from
	.endm

	.macro save_avx to
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovdqu %ymm\n, \to+VECTOR+64*\n(%rip)
	.endr
	.endm
	.macro load_avx from
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovdqu \from+VECTOR+64*\n(%rip), %ymm\n
	.endr
	.endm

	.macro save_avx512 to
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vmovdqu64 %zmm\n, \to+VECTOR+64*\n(%rip)
	.endr
	.irp n, 0,1,2,3,4,5,6,7
	kmovq %k\n, \to+MASK+8*\n(%rip)
	.endr
	.endm
	.macro load_avx512 from
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vmovdqu64 \from+VECTOR+64*\n(%rip), %zmm\n
	.endr
	.irp n, 0,1,2,3,4,5,6,7
	kmovq \from+MASK+8*\n(%rip), %k\n
	.endr
	.endm

	.macro function name
	.p2align 4
	.globl \name
	.type \name, @function
\name:
	.endm

	.macro level vec
	/* void transparent_call(void (*fn)(void)), with pattern, before and after */
	function transparent_call_\vec
	push %rbx
	push %rbp
	push %r12
	push %r13
	push %r14
	push %r15
	mov %rdi, callee(%rip)
	fxsave64 caller_fx(%rip)
	fxrstor64 pattern+FXSAVE(%rip)
	load_\vec pattern
	push pattern+RFLAGS(%rip)
	popfq
	load_gprs pattern
	save_gprs before
	save_\vec before
	pushfq
	pop before+RFLAGS(%rip)
	call *callee(%rip)
	pushfq
	pop after+RFLAGS(%rip)
	save_gprs after
	save_\vec after
	cld
	fxrstor64 caller_fx(%rip)
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbp
	pop %rbx
	ret
	.size transparent_call_\vec, .-transparent_call_\vec

	/* Its first instruction reads the flags, so that a hook must keep them. */
	function work_observe_\vec
	pushfq
	pop entry+RFLAGS(%rip)
	save_gprs entry
	save_\vec entry
	ret
	.size work_observe_\vec, .-work_observe_\vec
	.endm

	.text
	level sse
	level avx
	level avx512

	/* Functions that change nothing. */
	function work_empty
	nopl 0(%rax,%rax,1)
	ret
	.size work_empty, .-work_empty

	function work_empty_tiny
	ret
	.size work_empty_tiny, .-work_empty_tiny

	function work_empty_mov
	mov %rax, %rax
	mov %r15, %r15
	ret
	.size work_empty_mov, .-work_empty_mov

	/*
	 * long work_redzone(long loops, long first, long pattern): fills the red zone, jumps to
	 * its own first byte and checks it there. Returns 0, or 1 if a byte was lost.
	 */
	function work_redzone
	test %esi, %esi
	jz 1f
	.irp n, 8,16,24,32,40,48,56,64,72,80,88,96,104,112,120,128
	lea \n(%rdx), %rax
	cmp %rax, -\n(%rsp)
	jne 2f
	.endr
1:
	add $0x1000, %rdx
	.irp n, 8,16,24,32,40,48,56,64,72,80,88,96,104,112,120,128
	lea \n(%rdx), %rax
	mov %rax, -\n(%rsp)
	.endr
	mov $1, %esi
	dec %rdi
	jnz work_redzone
	xor %eax, %eax
	ret
2:
	mov $1, %eax
	ret
	.size work_redzone, .-work_redzone

	.bss
	.balign 64
	.globl pattern, before, after, entry
pattern: .skip 2816
before:	.skip 2816
after:	.skip 2816
entry:	.skip 2816
caller_fx: .skip 512
callee:	.skip 8

	.section .note.GNU-stack,"",@progbits
