/*
 * frames MODE [N]: ways in which calls end, or do not.
 *
 *   longjmp    every thread leaves 1 and 100 calls by longjmp, and makes others in between
 *   fibers     64 contexts move between 2 threads, each suspended inside three calls
 *   end        a thread a round ends inside three calls
 *   block      N threads (8) are inside three calls that end when told: the commands
 *              "block", which is answered when all are, and "unblock"
 *   tail       calls that are made by jumps, in chains longer than any list
 *   deep       recursion N (100000) calls deep
 */
#include "victim.h"

#include <setjmp.h>
#ifdef __GLIBC__ /* musl has no contexts */
#include <ucontext.h>
#endif

#define FUNCS(X)                                                                          \
	X(work_leaf) X(work_jump) X(work_down) X(work_outer) X(work_middle) X(work_inner) \
	X(work_even) X(work_odd) X(work_loop) X(work_deep)
enum { FUNCS(FUNC_NUMBER) N_FUNCS };
static const char *const names[] = { FUNCS(FUNC_NAME) };

#define NOTAIL __attribute__((optimize("no-optimize-sibling-calls")))

NOINLINE long work_leaf(long x)
{
	COUNT(I_work_leaf);
	return x * 3 + 1;
}

/* ---- longjmp ---- */

NOINLINE void work_jump(jmp_buf env, int value)
{
	COUNT(I_work_jump);
	longjmp(env, value);
}

NOTAIL NOINLINE long work_down(jmp_buf env, long n)
{
	COUNT(I_work_down);
	if (n == 0) {
		work_jump(env, 7);
		return 0;
	}
	return work_down(env, n - 1) + work_leaf(n);
}

static void longjmp_round(int id)
{
	jmp_buf env;
	volatile long x = id;
	for (volatile int depth = 1; depth <= 100; depth += 99) {
		int value = setjmp(env);
		if (value == 0)
			work_down(env, depth - 1);
		CHECK("longjmp", value, 7);
		CHECK("leaf", work_leaf(x), x * 3 + 1);
	}
}

/* ---- nested calls that something happens in ---- */

static void (*happen)(void *);

NOINLINE long work_inner(void *arg)
{
	COUNT(I_work_inner);
	happen(arg);
	return work_leaf(2) + 1;
}

NOTAIL NOINLINE long work_middle(void *arg)
{
	COUNT(I_work_middle);
	return work_inner(arg) + 1;
}

NOTAIL NOINLINE long work_outer(void *arg)
{
	COUNT(I_work_outer);
	return work_middle(arg) + 1;
}

enum { OUTER = 10 };

#ifdef __GLIBC__

/* ---- fibers ---- */

enum { FIBERS = 64, STACK = 64 << 10 };

struct fiber {
	ucontext_t context, *home;
	long turns;
	struct slot *counts;
};

static struct fiber fibers[FIBERS];
static int queue[FIBERS + 1], head, tail;
static pthread_mutex_t queue_mu = PTHREAD_MUTEX_INITIALIZER;

/* Not inlined: the address of a thread's variable is to be taken anew on each thread. */
NOINLINE static void yield(void *arg)
{
	struct fiber *f = arg;
	swapcontext(&f->context, f->home);
}

static void fiber_main(int i)
{
	for (;;) {
		CHECK("outer", work_outer(&fibers[i]), OUTER);
		fibers[i].turns++;
		yield(&fibers[i]);
	}
}

static int take(void)
{
	int i = -1;
	pthread_mutex_lock(&queue_mu);
	if (head != tail) {
		i = queue[head];
		head = (head + 1) % (FIBERS + 1);
	}
	pthread_mutex_unlock(&queue_mu);
	return i;
}

static void put(int i)
{
	pthread_mutex_lock(&queue_mu);
	queue[tail] = i;
	tail = (tail + 1) % (FIBERS + 1);
	pthread_mutex_unlock(&queue_mu);
}

static void fibers_round(int id)
{
	(void)id;
	for (int k = 0; k < FIBERS; k++) {
		ucontext_t here;
		int i = take();
		if (i < 0)
			continue;
		fibers[i].home = &here;
		swapcontext(&here, &fibers[i].context);
		put(i);
	}
}

static void make_fibers(void)
{
	for (int i = 0; i < FIBERS; i++) {
		getcontext(&fibers[i].context);
		fibers[i].context.uc_stack.ss_sp = malloc(STACK);
		fibers[i].context.uc_stack.ss_size = STACK;
		makecontext(&fibers[i].context, (void (*)(void))fiber_main, 1, i);
		put(i);
	}
}

#endif

/* ---- the end of a thread ---- */

static void end_here(void *arg)
{
	(void)arg;
	slot_release();
	pthread_exit(NULL);
}

static void *short_life(void *arg)
{
	slot_claim();
	work_outer(arg);
	die("a thread has survived its end");
}

static void end_round(int id)
{
	pthread_join(thread_start(short_life, (void *)(intptr_t)id), NULL);
}

/* ---- blocked calls ---- */

static int gate[2], blocked;

static void wait_at_gate(void *arg)
{
	char c;
	(void)arg;
	__atomic_fetch_add(&blocked, 1, __ATOMIC_SEQ_CST);
	while (read(gate[0], &c, 1) < 0)
		;
}

static void block_round(int id)
{
	(void)id;
	CHECK("outer", work_outer(NULL), OUTER);
}

static int block_command(const char *line)
{
	char c[64] = { 0 };
	if (!strcmp(line, "block")) {
		blocked = 0;
		pool_go(1);
		while (__atomic_load_n(&blocked, __ATOMIC_SEQ_CST) < pool.threads)
			usleep(100);
		say("blocked");
		return 1;
	}
	if (strcmp(line, "unblock"))
		return 0;
	if (write(gate[1], c, pool.threads) != pool.threads)
		die("opening the gate");
	pool_wait();
	say("unblocked");
	return 1;
}

/* ---- jumps ---- */

long work_odd(long n);

NOINLINE long work_even(long n)
{
	COUNT(I_work_even);
	return n == 0 ? 1 : work_odd(n - 1);
}

NOINLINE long work_odd(long n)
{
	COUNT(I_work_odd);
	return n == 0 ? 0 : work_even(n - 1);
}

/* Jumps to its own first byte. */
__asm__(".pushsection .text\n.p2align 4\n.globl work_loop\n.type work_loop,@function\nwork_loop:\n"
	"mov %rdi, %rax\nsub $1, %rdi\njg work_loop\nret\n.size work_loop,.-work_loop\n.popsection\n");
long work_loop(long n);

static void tail_round(int id)
{
	static const long lengths[] = { 0, 1, 2, 10, 62, 63, 64, 65, 1000, 100001 };
	for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
		CHECK("even", work_even(lengths[i]), !(lengths[i] & 1));
	for (int i = 0; i < 5; i++)
		COUNT(I_work_loop);
	CHECK("loop", work_loop(5), 1);
	CHECK("leaf", work_leaf(id), id * 3 + 1);
}

/* ---- recursion ---- */

static long depth = 100000;

NOTAIL NOINLINE long work_deep(long n)
{
	COUNT(I_work_deep);
	return n == 0 ? 0 : work_deep(n - 1) + 1;
}

static void deep_round(int id)
{
	(void)id;
	CHECK("deep", work_deep(depth - 1), depth - 1);
	CHECK("leaf", work_leaf(3), 10);
}

static void report(void)
{
	report_counts(names, N_FUNCS);
}

static void here(long rounds)
{
	while (rounds-- > 0)
		deep_round(0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "longjmp";
	long n = argc > 2 ? atol(argv[2]) : 0;
	struct victim v = { .run = pool_run, .start = pool_start, .stop = pool_stop, .report = report };
	if (!strcmp(mode, "longjmp")) {
		pool_init(4, longjmp_round);
#ifdef __GLIBC__
	} else if (!strcmp(mode, "fibers")) {
		happen = yield;
		make_fibers();
		pool_init(2, fibers_round);
#endif
	} else if (!strcmp(mode, "end")) {
		happen = end_here;
		pool_init(4, end_round);
	} else if (!strcmp(mode, "block")) {
		happen = wait_at_gate;
		v.command = block_command;
		if (pipe(gate))
			die("pipe: %s", strerror(errno));
		pool_init(n ? n : 8, block_round);
	} else if (!strcmp(mode, "tail")) {
		pool_init(2, tail_round);
	} else if (!strcmp(mode, "deep")) {
		depth = n ? n : depth;
		slot_claim();
		v.run = here;
		v.start = v.stop = NULL;
	} else {
		die("no mode %s", mode);
	}
	serve(&v);
}
