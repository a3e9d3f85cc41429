/*
 * recursion DEPTH: every round recurses DEPTH deep, in a thread with a stack for it, directly
 * and through two functions that call each other.
 */
#include "victim.h"

#define FUNCS(X) X(work_deep) X(work_ping) X(work_pong)
enum { FUNCS(FUNC_NUMBER) N_FUNCS };
static const char *const names[] = { FUNCS(FUNC_NAME) };

static long depth;

NOINLINE long work_deep(long n)
{
	COUNT(I_work_deep);
	volatile long here = n;
	return n == 0 ? 0 : work_deep(n - 1) + (here == n);
}

long work_pong(long n);

NOINLINE long work_ping(long n)
{
	COUNT(I_work_ping);
	volatile long here = n;
	return n == 0 ? 0 : work_pong(n - 1) + (here == n);
}

NOINLINE long work_pong(long n)
{
	COUNT(I_work_pong);
	volatile long here = n;
	return n == 0 ? 0 : work_ping(n - 1) + 2 * (here == n);
}

static void *round_(void *arg)
{
	slot_claim();
	for (long r = (long)arg; r > 0; r--) {
		CHECK("deep", work_deep(depth), depth);
		CHECK("ping", work_ping(depth), depth + depth / 2);
	}
	slot_release();
	return NULL;
}

static void run(long rounds)
{
	pthread_attr_t attr;
	pthread_t th;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (depth + 1000) * 128);
	if (pthread_create(&th, &attr, round_, (void *)rounds))
		die("pthread_create: %s", strerror(errno));
	pthread_join(th, NULL);
}

static void report(void)
{
	report_counts(names, N_FUNCS);
}

int main(int argc, char **argv)
{
	depth = argc > 1 ? atol(argv[1]) : 100000;
	serve(&(struct victim){ .run = run, .report = report });
}
