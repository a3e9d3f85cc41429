/*
 * tids MAKERS: each round a maker starts a thread that lives for some calls of work_me and
 * is then joined, so that the next one gets its stack. A report says, as "info tid N", how
 * many calls thread N has made.
 */
#include "victim.h"

#define FUNCS(X) X(work_me) X(work_called)
enum { FUNCS(FUNC_NUMBER) N_FUNCS };
static const char *const names[] = { FUNCS(FUNC_NAME) };

enum { MOST = 4096 };
static struct {
	long tid, calls;
} threads[MOST];
static int made;

NOINLINE long work_called(long x)
{
	COUNT(I_work_called);
	return x ^ 3;
}

NOINLINE long work_me(long x)
{
	COUNT(I_work_me);
	return work_called(x) + 1;
}

static void *live(void *arg)
{
	long calls = (long)arg;
	slot_claim();
	int me = __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
	if (me >= MOST)
		die("more than %d threads", MOST);
	for (long i = 0; i < calls; i++)
		CHECK("work_me", work_me(i), (i ^ 3) + 1);
	threads[me].tid = syscall(SYS_gettid);
	threads[me].calls = calls;
	slot_release();
	return NULL;
}

static void round_(int id)
{
	static __thread long n;
	pthread_join(thread_start(live, (void *)(1 + (id + n++) % 7)), NULL);
}

static void report(void)
{
	report_counts(names, N_FUNCS);
	for (int i = 0; i < made; i++)
		say("info tid %ld %ld", threads[i].tid, threads[i].calls);
}

int main(int argc, char **argv)
{
	slot_claim();
	pool_init(argc > 1 ? atoi(argv[1]) : 1, round_);
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = report });
}
