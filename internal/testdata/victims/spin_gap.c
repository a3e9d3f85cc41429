/*
 * spin_gap CPU BLOCKED: one thread pinned to CPU spins and measures, with rdtsc, its
 * longest gap; BLOCKED others wait for ever. A report gives "info gap_ns" since the
 * report before it, and starts anew. The spinning thread works now and then.
 */
#include "work.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <x86intrin.h>

static uint64_t longest; /* in ticks */
static unsigned long beats;
static double ns_per_tick;

static void *spin(void *arg)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET((int)(intptr_t)arg, &set);
	if (sched_setaffinity(0, sizeof set, &set))
		die("sched_setaffinity: %s", strerror(errno));
	/* Where allowed, so that other programs' work makes no gaps of its own. */
	(void)setpriority(PRIO_PROCESS, syscall(SYS_gettid), -20);
	slot_claim();
	uint64_t last = __rdtsc();
	for (unsigned long i = 0;; i++) {
		if (i % 4096 == 0)
			work_round(1);
		uint64_t now = __rdtsc();
		if (now - last > __atomic_load_n(&longest, __ATOMIC_RELAXED))
			__atomic_store_n(&longest, now - last, __ATOMIC_RELAXED);
		last = now;
		__atomic_store_n(&beats, i, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void *block(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static uint64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void calibrate(void)
{
	uint64_t ns = monotonic_ns(), ticks = __rdtsc();
	usleep(50000);
	uint64_t ticks2 = __rdtsc(), ns2 = monotonic_ns();
	ns_per_tick = (double)(ns2 - ns) / (ticks2 - ticks);
}

/* A gap that has just ended counts only when the thread has run again. */
static void wait_beats(void)
{
	unsigned long start = __atomic_load_n(&beats, __ATOMIC_ACQUIRE);
	while (__atomic_load_n(&beats, __ATOMIC_ACQUIRE) - start < 2)
		usleep(100);
}

static void report(void)
{
	wait_beats();
	work_report();
	uint64_t ticks = __atomic_exchange_n(&longest, 0, __ATOMIC_RELAXED);
	say("info gap_ns %lu", (unsigned long)(ticks * ns_per_tick));
}

int main(int argc, char **argv)
{
	calibrate();
	thread_start(spin, (void *)(intptr_t)(argc > 1 ? atoi(argv[1]) : 0));
	for (int i = argc > 2 ? atoi(argv[2]) : 15; i > 0; i--)
		thread_start(block, NULL);
	serve(&(struct victim){ .report = report });
}
