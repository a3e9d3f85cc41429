/*
 * rawclone THREADS [--late]: threads made by clone itself, without CLONE_SETTLS and with
 * fs = 0, so that nothing of libc works in them. They call functions in assembly and
 * count with locked instructions. --late: they are made at the first run. The main
 * thread works too. With KEEP_FS (clonefs.c) they all share the main thread's fs.
 */
#include "victim.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>

#define FUNCS(X) X(work_raw) X(work_raw_tiny)
enum { FUNCS(FUNC_NUMBER) N_FUNCS };
static const char *const names[] = { FUNCS(FUNC_NAME) };

static uint64_t truth[N_FUNCS];
static int threads, made, busy, rounds, generation, wrong;

long work_raw(long x);
long work_raw_tiny(long x);
__asm__(".text\n.p2align 4\n.globl work_raw\n.type work_raw,@function\nwork_raw:\n"
	"lea (%rdi,%rdi,2), %rax\nadd $1, %rax\nret\n.size work_raw,.-work_raw\n"
	".p2align 4\n.globl work_raw_tiny\n.type work_raw_tiny,@function\nwork_raw_tiny:\n"
	"mov %edi, %eax\nret\n.size work_raw_tiny,.-work_raw_tiny\n.p2align 4\n");

/* No libc below: it finds its data by fs. */
static long raw4(long nr, const void *a, long b, long c)
{
	long r;
	register long none __asm__("r10") = 0;
	__asm__ volatile("syscall" : "=a"(r) : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(none) : "rcx", "r11", "memory");
	return r;
}

static void count(int func)
{
	__atomic_fetch_add(&truth[func], 1, __ATOMIC_RELAXED);
}

__attribute__((optimize("no-stack-protector"))) static void work(void)
{
	for (long i = 0; i != rounds; i++) {
		count(I_work_raw);
		count(I_work_raw_tiny);
		if (work_raw(i) != 3 * i + 1 || work_raw_tiny(i) != (long)(uint32_t)i)
			__atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
	}
}

__attribute__((optimize("no-stack-protector"))) static int raw_thread(void *arg)
{
	int seen = 0;
#ifndef KEEP_FS
	raw4(SYS_arch_prctl, (void *)0x1002 /* ARCH_SET_FS */, 0, 0);
#endif
	for (;;) {
		while (__atomic_load_n(&generation, __ATOMIC_ACQUIRE) == seen)
			raw4(SYS_futex, &generation, FUTEX_WAIT, seen);
		seen++;
		work();
		if (__atomic_sub_fetch(&busy, 1, __ATOMIC_RELEASE) == 0)
			raw4(SYS_futex, &busy, FUTEX_WAKE, 1);
	}
	return (int)(intptr_t)arg;
}

static void report(void)
{
	for (int i = 0; i < N_FUNCS; i++)
		say("count %s %lu", names[i], truth[i]);
}

static void start_raw(void)
{
	enum { SIZE = 64 << 10 };
	char *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	if (stack == MAP_FAILED || clone(raw_thread, stack + SIZE, flags, NULL) < 0)
		die("clone: %s", strerror(errno));
}

static void run(long n)
{
	rounds = n;
	for (; made < threads; made++)
		start_raw();
	__atomic_store_n(&busy, threads, __ATOMIC_RELAXED);
	__atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE);
	raw4(SYS_futex, &generation, FUTEX_WAKE, threads);
	work();
	for (int b; (b = __atomic_load_n(&busy, __ATOMIC_ACQUIRE)) > 0;)
		raw4(SYS_futex, &busy, FUTEX_WAIT, b);
	if (wrong)
		die("a result in a thread without fs was wrong");
}

int main(int argc, char **argv)
{
	threads = argc > 1 ? atoi(argv[1]) : 4;
	int late = argc > 2 && !strcmp(argv[2], "--late");
	for (; made < threads && !late; made++)
		start_raw();
	serve(&(struct victim){ .run = run, .report = report });
}
