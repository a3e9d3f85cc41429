/*
 * latency [THREADS]: what a call costs. Each thread is pinned to a CPU of its own as long as
 * there are enough. A report measures, all threads at once, and gives for each of 8
 * places of the function in its cache line "info ps_N": picoseconds a call, the median
 * of 15 measurements of the slowest thread; "info ps" is the median of the places.
 * "info calls" is how many calls of each function a report makes.
 */
#include "victim.h"

#include <sched.h>
#include <time.h>

#define PLACES(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
enum { N_PLACES = 8, REPEATS = 15, CALLS = 200000, MAX_THREADS = 64 };

#define DECLARE(n) long time_align_##n(long);
PLACES(DECLARE)
#define ENTRY(n) time_align_##n,
static long (*const places[])(long) = { PLACES(ENTRY) };

static uint64_t calls[N_PLACES];
static long picoseconds[N_PLACES][MAX_THREADS];
static pthread_barrier_t barrier;

static long ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;
	return (x > y) - (x < y);
}

static long median(long *values, int n)
{
	qsort(values, n, sizeof *values, ascending);
	return values[n / 2];
}

static long measure(int place)
{
	long results[REPEATS];
	for (int i = 0; i < REPEATS; i++) {
		long start = ns();
		CHECK("chain", places[place](CALLS), CALLS);
		results[i] = (ns() - start) * 1000 / CALLS;
	}
	__atomic_fetch_add(&calls[place], (uint64_t)REPEATS * CALLS, __ATOMIC_RELAXED);
	return median(results, REPEATS);
}

static void pin(int id)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(id % (int)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof set, &set);
}

static void round_(int id)
{
	pin(id);
	for (int place = 0; place < N_PLACES; place++) {
		pthread_barrier_wait(&barrier);
		picoseconds[place][id] = measure(place);
	}
}

static void report(void)
{
	long all[N_PLACES];
	pool_run(1);
	for (int place = 0; place < N_PLACES; place++) {
		qsort(picoseconds[place], pool.threads, sizeof(long), ascending);
		all[place] = picoseconds[place][pool.threads - 1];
		say("info ps_%d %ld", place, all[place]);
		say("count work_align_%d %lu", place, calls[place]);
	}
	say("info ps %ld", median(all, N_PLACES));
	say("info calls %ld", (long)REPEATS * CALLS * pool.threads);
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	if (threads < 1 || threads > MAX_THREADS)
		die("1 to %d threads", MAX_THREADS);
	pthread_barrier_init(&barrier, NULL, threads);
	pool_init(threads, round_);
	serve(&(struct victim){ .report = report });
}
