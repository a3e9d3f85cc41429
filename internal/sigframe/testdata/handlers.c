/*
 * Threads that are each in a signal handler blocked on a pipe, having interrupted a
 * loop whose registers hold known values.
 *
 *   here TID normal|alternate|nested   printed by each thread from its handler
 *   go                                 read: lets the handlers return
 *   left TID FIRST|SECOND R12          how the loop was left
 *
 * The loop spins for ever at "loop"; it ends only if the return address saved by the
 * kernel is changed to "first_exit" or "second_exit".
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int gate[2];
static __thread int depth;
static __thread const char *kind;

static long tid(void) { return syscall(SYS_gettid); }

static void handler(int sig)
{
	char b;
	(void)sig;
	if (kind[0] == 'n' && kind[1] == 'e' && depth++ == 0) { /* nested */
		raise(SIGUSR2);
		return;
	}
	printf("here %ld %s\n", tid(), kind);
	if (read(gate[0], &b, 1) < 0)
		abort();
}

/* spin returns 1 or 2, the exit taken, and the r12 it saw. */
long spin(unsigned long *r12);
extern char loop[], first_exit[], second_exit[];
__asm__(".text\n.globl spin\nspin:\n"
	"push %r12\n"
	"mov $0x1234567, %r12\n"
	".globl loop\nloop: pause\njmp loop\n"
	".globl first_exit\nfirst_exit: mov $1, %eax\njmp 1f\n"
	".globl second_exit\nsecond_exit: mov $2, %eax\n"
	"1: mov %r12, (%rdi)\npop %r12\nret\n");

static void *thread(void *arg)
{
	unsigned long r12;
	kind = arg;
	if (kind[0] == 'a') {
		stack_t s = { .ss_size = 1 << 16 };
		s.ss_sp = mmap(0, s.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (sigaltstack(&s, 0))
			abort();
	}
	printf("spinning %ld\n", tid());
	long how = spin(&r12);
	printf("left %ld %ld %lx\n", tid(), how, r12);
	return 0;
}

int main(void)
{
	char line[16];
	pthread_t t[3];
	static char *kinds[] = { "normal", "alternate", "nested" };
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_ONSTACK | SA_NODEFER };
	setlinebuf(stdout);
	sigaction(SIGUSR1, &sa, 0);
	sigaction(SIGUSR2, &sa, 0);
	if (pipe(gate))
		return 1;
	printf("labels %lx %lx %lx\n", (long)loop, (long)first_exit, (long)second_exit);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, thread, kinds[i]);
	if (!fgets(line, sizeof line, stdin)) /* go */
		return 1;
	if (write(gate[1], "xyz", 3) != 3)
		return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	printf("bye\n");
	return 0;
}
