/*
 * preempt [CONTEXTS [MIB]]: preemptive threads of the program's own making, all on one
 * kernel thread. Each has a stack from malloc; a timer's handler switches round robin by
 * swapcontext, so that all but one are suspended inside that handler, with what they will
 * return to in a signal frame on a stack that no kernel thread is on. The one that serves is
 * among them: its read is begun anew whenever its turn comes. MIB is how much heap to fill
 * besides. Further commands: grow MIB, shrink.
 */
#include "victim.h"

#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

/* Functions that begin with several short instructions, and count themselves after them. */
#define FUNCS(X) X(work_mix) X(work_pause)
enum { FUNCS(FUNC_NUMBER) N_FUNCS };
static const char *const names[] = { FUNCS(FUNC_NAME) };

enum { MAX_CONTEXTS = 64, STACK = 64 << 10, TICK_US = 500 };

/* There is one kernel thread, and so one slot: no load of its address before the count. */
#define COUNT_AFTER(z, func)                                           \
	do {                                                           \
		__asm__ volatile("" : "+r"(z));                        \
		__asm__ volatile("incq %0" : "+m"(slots[0].n[func]) : : "cc"); \
	} while (0)

NOINLINE long work_mix(long x, long y)
{
	long z = x * y;
	z ^= x << 3;
	z += y >> 2;
	z *= 7;
	z -= x;
	COUNT_AFTER(z, I_work_mix);
	return z;
}

NOINLINE long work_pause(long x, long y)
{
	/* Most of the time is spent here, between the first instructions. */
	__asm__ volatile("pause; pause; pause" : "+r"(x), "+r"(y));
	long z = ~((x << 2) - y);
	z ^= y;
	COUNT_AFTER(z, I_work_pause);
	return z;
}

static ucontext_t contexts[MAX_CONTEXTS + 1]; /* the last serves */
static int n_contexts = 8;
static volatile int current;
static volatile long todo[MAX_CONTEXTS]; /* rounds; -1: until stopped */
static volatile unsigned long switches;

/* The timer's signal is blocked in here. */
static void on_tick(int sig)
{
	int saved = errno, from = current, to = (from + 1) % (n_contexts + 1);
	(void)sig;
	current = to;
	switches++;
	swapcontext(&contexts[from], &contexts[to]);
	errno = saved;
}

static void yield(void)
{
	raise(SIGALRM);
}

static void round_(long me)
{
	for (long i = 0; i < 100; i++) {
		CHECK("mix", work_mix(me, i), (((me * i) ^ (me << 3)) + (i >> 2)) * 7 - me);
		CHECK("pause", work_pause(me, i), ~((me << 2) - i) ^ i);
	}
}

static void work(int me)
{
	for (;;) {
		if (todo[me] == 0) {
			yield();
			continue;
		}
		round_(me);
		if (todo[me] > 0)
			todo[me]--;
	}
}

static void tick(int us)
{
	struct itimerval it = { { 0, us }, { 0, us } };
	if (setitimer(ITIMER_REAL, &it, NULL))
		die("setitimer: %s", strerror(errno));
}

static void begin(long rounds)
{
	for (int i = 0; i < n_contexts; i++)
		todo[i] = rounds;
	tick(TICK_US);
}

/* All have seen it when it is their turn no more. */
static void wait_idle(void)
{
	for (int i = 0; i < n_contexts; i++)
		while (todo[i])
			yield();
	yield();
	tick(0);
}

static void run(long rounds)
{
	begin(rounds);
	wait_idle();
}

static void start(void)
{
	begin(-1);
}

/* One that works reads 1 for "the last round". */
static void stop(void)
{
	for (int i = 0; i < n_contexts; i++)
		todo[i] = 1;
	wait_idle();
}

static void report(void)
{
	report_counts(names, N_FUNCS);
	say("info switches %lu", switches);
}

static char *heap;

/* One block, which free gives back to the system. */
static void grow(long mib)
{
	if (mib && !(heap = malloc((size_t)mib << 20)))
		die("no memory");
	if (mib)
		memset(heap, 0x5a, (size_t)mib << 20);
}

static int command(const char *line)
{
	if (!strncmp(line, "grow ", 5)) {
		grow(atol(line + 5));
	} else if (!strcmp(line, "shrink")) {
		free(heap);
		heap = NULL;
	} else {
		return 0;
	}
	say("ok");
	return 1;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
	n_contexts = argc > 1 ? atoi(argv[1]) : n_contexts;
	if (n_contexts < 1 || n_contexts > MAX_CONTEXTS)
		die("%d contexts", n_contexts);
	for (int i = 0; i < n_contexts; i++) {
		ucontext_t *c = &contexts[i];
		getcontext(c);
		c->uc_stack.ss_size = STACK;
		if (!(c->uc_stack.ss_sp = malloc(STACK)))
			die("no memory");
		makecontext(c, (void (*)(void))work, 1, i);
	}
	grow(argc > 2 ? atol(argv[2]) : 0);
	sigaction(SIGALRM, &sa, NULL);
	current = n_contexts;
	run(1);
	serve(&(struct victim){ .run = run, .start = start, .stop = stop, .report = report, .command = command });
}
