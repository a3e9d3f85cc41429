/*
 * calls [THREADS [FUNCTIONS MS]]: what calls cost that are 1, 4, 8 and 16 deep. A report measures, all
 * threads at once, each on a CPU of its own as long as there are enough: "info ps_1" to
 * "ps_16" are picoseconds a function (so of a chain of 16, the 16th part), "info ps_rdtsc" those
 * of two readings of the time stamp counter. Each is the median of 15 measurements of the
 * slowest thread. FUNCTIONS: so many functions are called in one measurement, and MS
 * milliseconds go by before the next, in which events can be read.
 */
#include "victim.h"

#include <sched.h>
#include <time.h>

enum { REPEATS = 15, CALLS = 50000, MAX_THREADS = 64, KINDS = 5 };

long time_chain_1(long), time_chain_4(long), time_chain_8(long), time_chain_16(long), time_rdtsc(long);
static long (*const kinds[KINDS])(long) = { time_chain_1, time_chain_4, time_chain_8, time_chain_16, time_rdtsc };
static const int depth[KINDS] = { 1, 4, 8, 16, 1 };
static const char *const kind_names[KINDS] = { "ps_1", "ps_4", "ps_8", "ps_16", "ps_rdtsc" };

static uint64_t calls;
static long functions, pause_ms;
static long picoseconds[KINDS][MAX_THREADS];
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

static long measure(int kind)
{
	long results[REPEATS], n = functions ? functions / depth[kind] : CALLS;
	for (int i = 0; i < REPEATS; i++) {
		usleep(pause_ms * 1000);
		long start = ns();
		CHECK("chain", kinds[kind](n), n);
		results[i] = (ns() - start) * 1000 / n / depth[kind];
	}
	qsort(results, REPEATS, sizeof *results, ascending);
	return results[REPEATS / 2];
}

static void round_(int id)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(id % (int)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof set, &set);
	for (int kind = 0; kind < KINDS; kind++) {
		pthread_barrier_wait(&barrier);
		picoseconds[kind][id] = measure(kind);
	}
	__atomic_fetch_add(&calls, (uint64_t)REPEATS * CALLS, __ATOMIC_RELAXED);
}

static void report(void)
{
	pool_run(1);
	for (int kind = 0; kind < KINDS; kind++) {
		qsort(picoseconds[kind], pool.threads, sizeof(long), ascending);
		say("info %s %ld", kind_names[kind], picoseconds[kind][pool.threads - 1]);
	}
	say("count work_chain_1 %lu", 4 * calls);
	say("count work_chain_16 %lu", calls);
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	functions = argc > 2 ? atol(argv[2]) : 0;
	pause_ms = argc > 3 ? atol(argv[3]) : 0;
	if (threads < 1 || threads > MAX_THREADS)
		die("1 to %d threads", MAX_THREADS);
	pthread_barrier_init(&barrier, NULL, threads);
	pool_init(threads, round_);
	serve(&(struct victim){ .report = report });
}
