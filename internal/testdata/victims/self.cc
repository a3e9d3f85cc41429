/*
 * self MODE THREADS: calls whose self times are told apart. All are below work_top.
 *
 *   plain      nested calls, recursion, and calls that spin for a known time; a handler of
 *              SIGUSR2 is on a stack of its own
 *   step       the same, and it is on the thread's
 *   signals    the same, with 20,000 signals a second on each thread, while it is below
 *              work_top, whose handler calls functions, too
 *   altstack   and the handler is on a stack of its own
 *   longjmp    work_top is returned to by longjmp from three calls below
 *   throw      it catches an exception from there
 *   handler    as longjmp, by a signal handler on a stack of its own
 *   jump       the last call below work_top is made by a jump
 */
#include "victim.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#define FUNCS(X) X(work_top) X(work_nest) X(work_down) X(work_spin2) X(work_spin1) X(work_leaf) X(work_once) X(work_handler)
enum { FUNCS(FUNC_NUMBER) N_FUNCS };
static const char *const names[] = { FUNCS(FUNC_NAME) };

#define NOTAIL __attribute__((optimize("no-optimize-sibling-calls")))

enum mode { PLAIN, STEP, SIGNALS, ALTSTACK, LONGJMP, THROW, HANDLER, JUMP };
static const char *const modes[] = { "plain", "step", "signals", "altstack", "longjmp", "throw", "handler", "jump", NULL };
static enum mode mode;
static __thread sigjmp_buf env;
static __thread int timer, leaves;
static unsigned long handled;

static void spin(long ns)
{
	struct timespec start, now;
	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < ns);
}

extern "C" {

NOINLINE long work_leaf(long x)
{
	COUNT(I_work_leaf);
	return x * 3 + 1;
}

NOINLINE long work_once(long x)
{
	COUNT(I_work_once);
	return x;
}

NOTAIL NOINLINE long work_handler(long x)
{
	COUNT(I_work_handler);
	return work_leaf(x) + work_leaf(x + 1);
}

NOTAIL NOINLINE long work_nest(long n)
{
	COUNT(I_work_nest);
	return n == 0 ? work_leaf(0) : work_nest(n - 1) + work_leaf(n);
}

NOINLINE void work_spin1(void)
{
	COUNT(I_work_spin1);
	spin(100000);
}

NOTAIL NOINLINE void work_spin2(void)
{
	COUNT(I_work_spin2);
	spin(200000);
	work_spin1();
	work_leaf(1);
}

/* leaves three calls in the way that the mode wants. */
NOTAIL NOINLINE long work_down(long n)
{
	COUNT(I_work_down);
	if (n > 0)
		return work_down(n - 1) + work_leaf(n);
	if (mode == LONGJMP)
		siglongjmp(env, 1);
	if (mode == THROW)
		throw 1;
	leaves = 1;
	pthread_kill(pthread_self(), SIGUSR2);
	return 0;
}

static NOINLINE void leave(void)
{
	if (mode == THROW) {
		try {
			work_down(2);
		} catch (int) {
			return;
		}
	} else if (sigsetjmp(env, 1)) {
		return;
	} else {
		work_down(2);
	}
	die("not left");
}

static void block(int how)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	pthread_sigmask(how, &set, NULL);
}

NOINLINE long work_top(long n)
{
	COUNT(I_work_top);
	block(SIG_UNBLOCK);
	long sum = work_once(work_nest(n));
	work_spin2();
	if (mode == LONGJMP || mode == THROW || mode == HANDLER)
		leave();
	block(SIG_BLOCK);
	if (mode == JUMP)
		return work_leaf(sum);
	__asm__ volatile("" : "+r"(sum));
	return sum;
}

} /* extern "C" */

static void on_signal(int)
{
	CHECK("handler", work_handler(2), 17);
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
	if (leaves) {
		leaves = 0;
		siglongjmp(env, 1);
	}
}

static void set_timer(long ns)
{
	struct {
		long interval_s, interval_ns, value_s, value_ns;
	} t = { 0, ns, 0, ns };
	if (mode != SIGNALS && mode != ALTSTACK)
		return;
	if (syscall(SYS_timer_settime, timer, 0, &t, NULL))
		die("timer_settime: %s", strerror(errno));
}

static void arm(int)
{
	static __thread int made;
	struct {
		long value;
		int signo, notify, tid, pad[11];
	} event = { 0, SIGPROF, 4 /* SIGEV_THREAD_ID */, (int)syscall(SYS_gettid), { 0 } };
	block(SIG_BLOCK);
	if (!made) {
		stack_t st = {};
		st.ss_size = 64 << 10;
		st.ss_sp = mmap(NULL, st.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (st.ss_sp == MAP_FAILED || sigaltstack(&st, NULL))
			die("sigaltstack: %s", strerror(errno));
		if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer))
			die("timer_create: %s", strerror(errno));
	}
	made = 1;
	set_timer(50000);
}

static void disarm(int) { set_timer(0); }

static void round_(int)
{
	long want = mode == JUMP ? 529 : 176;
	CHECK("top", work_top(10), want);
}

static void report(void)
{
	report_counts(names, N_FUNCS);
	say("info handled %lu", handled);
}

int main(int argc, char **argv)
{
	while (argc > 1 && modes[mode] && strcmp(argv[1], modes[mode]))
		mode = (enum mode)(mode + 1);
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	if (!modes[mode] || threads < 1)
		die("no such mode");
	struct sigaction sa = {};
	sa.sa_flags = SA_RESTART | (mode == SIGNALS || mode == STEP ? 0 : SA_ONSTACK);
	sa.sa_handler = on_signal;
	if (sigaction(SIGPROF, &sa, NULL) || sigaction(SIGUSR2, &sa, NULL))
		die("sigaction: %s", strerror(errno));
	pool_init(threads, round_);
	pool.enter = arm;
	pool.leave = disarm;
	struct victim v = {};
	v.run = pool_run;
	v.start = pool_start;
	v.stop = pool_stop;
	v.report = report;
	serve(&v);
}
