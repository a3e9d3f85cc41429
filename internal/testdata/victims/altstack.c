/*
 * altstack: a signal handler on the smallest possible alternate stack, with a page
 * below it that must not be touched, calls functions and leaves by siglongjmp in every
 * second case. One signal a round, on each of two threads.
 */
#include "work.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>

enum { PAGE = 4096, FOR_US = 2048 };

static __thread sigjmp_buf env;
static __thread unsigned long turn;
static unsigned long handled;

static void on_signal(int sig)
{
	(void)sig;
	work_round(2);
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
	if (turn++ % 2)
		siglongjmp(env, 1);
}

static void enter(int id)
{
	(void)id;
	size_t min = getauxval(AT_MINSIGSTKSZ);
	size_t size = ((min ? min : MINSIGSTKSZ) + FOR_US + PAGE - 1) & ~(size_t)(PAGE - 1);
	char *p = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || mprotect(p, PAGE, PROT_NONE))
		die("mmap: %s", strerror(errno));
	stack_t st = { .ss_sp = p + PAGE, .ss_size = size };
	if (sigaltstack(&st, NULL))
		die("sigaltstack: %s", strerror(errno));
}

static void round_(int id)
{
	if (!sigsetjmp(env, 1))
		pthread_kill(pthread_self(), SIGUSR2);
	work_round(id);
}

static void report(void)
{
	work_report();
	say("info handled %lu", handled);
}

int main(void)
{
	struct sigaction sa = { .sa_flags = SA_ONSTACK };
	sa.sa_handler = on_signal;
	sigaction(SIGUSR2, &sa, NULL);
	pool_init(2, round_);
	pool.enter = enter;
	pool_run(1);
	pool.enter = NULL;
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = report });
}
