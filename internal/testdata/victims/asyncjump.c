/*
 * asyncjump THREADS: makes short calls all the time, out of which the handler of a timer
 * jumps, at whatever instruction it comes. One thread's timer at a time leaves a call.
 */
#include "victim.h"

#include <setjmp.h>
#include <signal.h>
#include <time.h>

#define FUNCS(X) X(work_leaf) X(work_outer)
enum { FUNCS(FUNC_NUMBER) N_FUNCS };
static const char *const names[] = { FUNCS(FUNC_NAME) };

static __thread sigjmp_buf back;
static __thread volatile int armed;
static uint64_t jumps;

static void on_timer(int sig)
{
	(void)sig;
	if (!armed)
		return;
	armed = 0;
	__atomic_fetch_add(&jumps, 1, __ATOMIC_RELAXED);
	siglongjmp(back, 1);
}

/* These two do not count themselves: nobody knows at which instruction they are left. */
NOINLINE long work_leaf(long x)
{
	__asm__ volatile("");
	return x * 3 + 1;
}

NOINLINE long work_outer(long x)
{
	return work_leaf(x) + work_leaf(x + 1);
}

static void round_(int id)
{
	static __thread int started;
	if (!started++) {
		struct sigevent se = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2 };
		struct itimerspec every = { { 0, 137000 + 1000 * id }, { 0, 137000 + 1000 * id } };
		timer_t t;
		se._sigev_un._tid = syscall(SYS_gettid);
		if (timer_create(CLOCK_MONOTONIC, &se, &t) || timer_settime(t, 0, &every, NULL))
			die("timer: %s", strerror(errno));
	}
	if (sigsetjmp(back, 1) == 0) {
		armed = 1;
		for (long x = 0; x < 20000; x++)
			CHECK("work_outer", work_outer(x), 6 * x + 5);
	}
	armed = 0;
}

static void report(void)
{
	report_counts(names, N_FUNCS);
	say("info jumps %llu", (unsigned long long)__atomic_load_n(&jumps, __ATOMIC_RELAXED));
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
	sigaction(SIGUSR2, &sa, NULL);
	slot_claim();
	pool_init(argc > 1 ? atoi(argv[1]) : 1, round_);
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = report });
}
