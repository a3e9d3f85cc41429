/*
 * faults: threads that cause SIGSEGV, SIGTRAP and SIGFPE without pause and count their
 * handler's calls: a fault that is lost or seen twice is an error. "count" answers the
 * number of faults.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

static __thread volatile long caught;
static volatile long total;

static void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	(void)info;
	caught++;
	if (sig == SIGSEGV)
		u->uc_mcontext.gregs[REG_RIP] += 3; /* mov %eax,0(%rbx) */
	else if (sig == SIGFPE)
		u->uc_mcontext.gregs[REG_RIP] += 2; /* div %ecx */
}

static void *run(void *arg)
{
	for (long n = 0;; n++) {
		caught = 0;
		if (n % 3 == 0)
			__asm__ volatile("xor %%ebx, %%ebx\n.byte 0x89, 0x43, 0x00\n" ::: "rbx", "memory");
		else if (n % 3 == 1)
			__asm__ volatile("int3" ::: "memory");
		else
			__asm__ volatile("xor %%ecx, %%ecx\nxor %%edx, %%edx\ndiv %%ecx\n" ::: "rax", "rcx", "rdx", "memory");
		if (caught != 1) {
			printf("error fault %ld caught %ld times\n", n % 3, caught);
			abort();
		}
		__atomic_add_fetch(&total, 1, __ATOMIC_RELAXED);
	}
	return arg;
}

int main(void)
{
	char line[16];
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	sigaction(SIGSEGV, &sa, 0);
	sigaction(SIGTRAP, &sa, 0);
	sigaction(SIGFPE, &sa, 0);
	setlinebuf(stdout);
	for (int i = 0; i < 3; i++) {
		pthread_t t;
		pthread_create(&t, 0, run, 0);
	}
	printf("ready\n");
	while (fgets(line, sizeof line, stdin))
		printf("%ld\n", total);
	return 0;
}
