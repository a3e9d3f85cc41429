/*
 * healing: threads that notice every change made to them.
 *
 * Prints "threads SPIN ABS REL READ", their ids:
 *   SPIN  holds patterns in 15 general registers, 16 ymm registers, the x87 stack, mxcsr,
 *         the carry flag and the red zone, and compares them again and again
 *   ABS   sleeps until moments 50 ms apart and must never wake early or see EINTR
 *   REL   sleeps 50 ms and may wake early
 *   READ  reads from a pipe and must never see EINTR
 * Every thread keeps SIGUSR2 blocked and checks that it still is, alone.
 * "check" feeds the pipe and answers "ok" when every thread has made progress.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile long rounds[4], tids[4];
static int pipe_fds[2];

static void fail(const char *what)
{
	printf("error %s\n", what);
	abort();
}

static void check_mask(void)
{
	sigset_t s;
	pthread_sigmask(SIG_SETMASK, 0, &s);
	for (int sig = 1; sig < 65; sig++)
		if (sig != 32 && sig != 33 && sigismember(&s, sig) != (sig == SIGUSR2))
			fail("signal mask");
}

/* spin_once returns 0, or the number of what was wrong. */
long spin_once(void);
long spin_count;
char spin_pattern[16 * 32] __attribute__((aligned(32)));
unsigned spin_mxcsr = 0x9fc0;
__asm__(".text\n.globl spin_once\nspin_once:\n"
	"push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"ldmxcsr spin_mxcsr(%rip)\n"
	"fldpi\nfldl2e\n"
	".macro load n\nvmovdqa spin_pattern+32*\\n(%rip), %ymm\\n\n.endm\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nload \\n\n.endr\n"
	"movabs $0x1111111122222222, %rax\n"
	".irp o,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120,128\nmov %rax, -\\o(%rsp)\n.endr\n"
	"mov $101, %rbx\nmov $102, %rcx\nmov $103, %rdx\nmov $104, %rsi\nmov $105, %rdi\nmov $106, %rbp\n"
	"mov $108, %r8\nmov $109, %r9\nmov $110, %r10\nmov $111, %r11\nmov $112, %r12\nmov $113, %r13\nmov $114, %r14\nmov $115, %r15\n"
	"stc\n"
	"1: decq spin_count(%rip)\njnz 1b\n"
	"jnc 90f\n"
	".macro want reg, value, code\ncmp $\\value, \\reg\njne \\code\n.endm\n"
	"want %rbx,101,91f\nwant %rcx,102,91f\nwant %rdx,103,91f\nwant %rsi,104,91f\nwant %rdi,105,91f\nwant %rbp,106,91f\n"
	"want %r8,108,91f\nwant %r9,109,91f\nwant %r10,110,91f\nwant %r11,111,91f\nwant %r12,112,91f\nwant %r13,113,91f\nwant %r14,114,91f\nwant %r15,115,91f\n"
	"movabs $0x1111111122222222, %rcx\ncmp %rcx, %rax\njne 91f\n"
	".irp o,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120,128\ncmp %rax, -\\o(%rsp)\njne 92f\n.endr\n"
	".macro same n\nvpcmpeqd spin_pattern+32*\\n(%rip), %ymm\\n, %ymm\\n\nvpmovmskb %ymm\\n, %eax\ncmp $-1, %eax\njne 93f\n.endm\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nsame \\n\n.endr\n"
	"fldl2e\nfucomip %st(1), %st\nfstp %st(0)\njne 94f\n"
	"fldpi\nfucomip %st(1), %st\nfstp %st(0)\njne 94f\n"
	"stmxcsr -8(%rsp)\nmov -8(%rsp), %eax\ncmp spin_mxcsr(%rip), %eax\njne 95f\n"
	"xor %eax, %eax\njmp 99f\n"
	"90: mov $1, %eax\njmp 99f\n91: mov $2, %eax\njmp 99f\n92: mov $3, %eax\njmp 99f\n"
	"93: mov $4, %eax\njmp 99f\n94: mov $5, %eax\njmp 99f\n95: mov $6, %eax\n"
	"99: vzeroupper\npop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n");

static void *spin(void *arg)
{
	static const char *wrong[] = { 0, "carry flag", "general register", "red zone", "ymm register", "x87 stack", "mxcsr" };
	tids[0] = syscall(SYS_gettid);
	for (unsigned i = 0; i < sizeof spin_pattern; i++)
		spin_pattern[i] = i * 7 + 1;
	for (;; rounds[0]++) {
		spin_count = 100000;
		long bad = spin_once();
		if (bad)
			fail(wrong[bad]);
		check_mask();
	}
	return arg;
}

static void *sleep_abs(void *arg)
{
	struct timespec t, now;
	tids[1] = syscall(SYS_gettid);
	for (;; rounds[1]++) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		t.tv_nsec += 50000000;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0))
			fail("absolute sleep");
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec < t.tv_sec || (now.tv_sec == t.tv_sec && now.tv_nsec < t.tv_nsec))
			fail("woken early");
		check_mask();
	}
	return arg;
}

static void *sleep_rel(void *arg)
{
	tids[2] = syscall(SYS_gettid);
	for (;; rounds[2]++) {
		struct timespec t = { 0, 50000000 };
		if (nanosleep(&t, 0) && errno != EINTR)
			fail("relative sleep");
		check_mask();
	}
	return arg;
}

static void *read_pipe(void *arg)
{
	char b;
	tids[3] = syscall(SYS_gettid);
	for (;; rounds[3]++) {
		b = 0;
		if (read(pipe_fds[0], &b, 1) != 1 || b != 'x')
			fail("read");
		check_mask();
	}
	return arg;
}

int main(void)
{
	static void *(*const f[4])(void *) = { spin, sleep_abs, sleep_rel, read_pipe };
	char line[16];
	sigset_t s;
	pthread_t t;
	setlinebuf(stdout);
	sigemptyset(&s);
	sigaddset(&s, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &s, 0);
	if (pipe(pipe_fds))
		return 1;
	for (int i = 0; i < 4; i++) {
		pthread_create(&t, 0, f[i], 0);
		while (!tids[i])
			usleep(100);
	}
	usleep(10000);
	printf("threads %ld %ld %ld %ld\n", tids[0], tids[1], tids[2], tids[3]);
	while (fgets(line, sizeof line, stdin)) {
		long before[4];
		memcpy(before, (void *)rounds, sizeof before);
		if (write(pipe_fds[1], "x", 1) != 1)
			return 1;
		for (int i = 0; i < 4; i++)
			while (rounds[i] < before[i] + 1)
				usleep(1000);
		printf("ok\n");
	}
	return 0;
}
