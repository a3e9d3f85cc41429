/*
 * A 32-bit program without any library: says "ready PID", waits for the end of its
 * input, and ends. It has functions to hook, none of which may be.
 */
	.text
	.globl _start
	.type _start, @function
_start:
	mov $20, %eax		/* getpid */
	int $0x80
	mov $end, %edi
	movb $'\n', (%edi)
	call work_digits
	sub $6, %edi
	mov $prefix, %esi
	mov (%esi), %eax
	mov %eax, (%edi)
	mov 4(%esi), %ax
	mov %ax, 4(%edi)
	mov $4, %eax		/* write */
	mov $1, %ebx
	mov %edi, %ecx
	mov $end+1, %edx
	sub %edi, %edx
	int $0x80
1:	mov $3, %eax		/* read */
	xor %ebx, %ebx
	mov $end, %ecx
	mov $1, %edx
	int $0x80
	test %eax, %eax
	jg 1b
	mov $1, %eax		/* exit */
	xor %ebx, %ebx
	int $0x80
	.size _start, .-_start

	/* Writes eax in decimal below edi, which ends at the first digit. */
	.globl work_digits
	.type work_digits, @function
work_digits:
	mov $10, %ecx
1:	xor %edx, %edx
	div %ecx
	add $'0', %dl
	dec %edi
	mov %dl, (%edi)
	test %eax, %eax
	jnz 1b
	ret
	.size work_digits, .-work_digits

	.section .rodata
prefix:	.ascii "ready "
	.bss
	.skip 64
end:	.skip 4
	.section .note.GNU-stack,"",@progbits
