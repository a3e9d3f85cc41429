/*
 * unwind THREADS: exceptions, cancellation and backtraces through calls that the test has
 * wrapped. A round throws through 1, 10 and now and then 1,000 of them. Destructors are
 * counted; a wrong number is an error.
 */
#include "unwind.h"

#include <link.h>
#include <signal.h>
#include <ucontext.h>

#include <exception>
#include <initializer_list>
#include <stdexcept>

#ifndef NO_BACKTRACE
#include <execinfo.h>
#endif

extern "C" {
CALL_BODY(body_called0)
CALL_BODY(body_called1)
CALL_BODY(body_called2)
NOINLINE long body_tailed(fn f, long x) { return THROUGH(CALLED0, f, x); }
NOINLINE long body_leaf(fn, long x) { return x + 1; }
}

static thread_local long destroyed;

struct Guard {
	~Guard() { destroyed++; }
};

/* throws when it has called itself n times */
static long deep(long n)
{
	Guard guard;
	if (n == 0)
		throw std::runtime_error("deep");
	return THROUGH(CALLED0, deep, n - 1) + 1;
}

/* has a handler, for something else */
static long other(long n)
{
	Guard guard;
	try {
		return THROUGH(CALLED1, deep, n);
	} catch (int) {
		return 5;
	}
}

enum { RETHROWN = 1000000 };

static long rethrows(long n)
{
	Guard guard;
	try {
		return THROUGH(CALLED2, other, n);
	} catch (const std::runtime_error &) {
		destroyed += RETHROWN;
		throw;
	}
}

static void throw_through(int by, fn f, long n, long want)
{
	destroyed = 0;
	try {
		THROUGH(by, f, n);
		die("nothing was thrown");
	} catch (const std::exception &e) {
		if (strcmp(e.what(), "deep"))
			die("caught %s", e.what());
	}
	CHECK("destructors", destroyed, want);
}

/* While an exception is on its way, its destructor throws and catches another. */
struct Nested {
	~Nested()
	{
		long outer = destroyed;
		throw_through(CALLED1, deep, 7, 8);
		destroyed = outer + 1;
	}
};

static long nested(long n)
{
	Nested guard;
	return THROUGH(CALLED0, deep, n);
}

/* ---- while an exception is on its way, all that the test has written goes ---- */

struct Waiting {
	~Waiting()
	{
		char line[256];
		unsigned long at, size;
		say("unwinding");
		if (!read_line(line, sizeof line) || sscanf(line, "unmap %lx %lx", &at, &size) != 2)
			die("%s in place of unmap", line);
		call_slots = (void *volatile *)own_slots;
		if (munmap((void *)at, size))
			die("unmapping: %s", strerror(errno));
		destroyed++;
	}
};

static long waiting(long n)
{
	Waiting guard;
	return THROUGH(CALLED0, deep, n);
}

static long outside(long n)
{
	Guard guard;
	return THROUGH(TAILED, waiting, n);
}

static void round(int)
{
	static thread_local int rounds;
	throw_through(CALLED0, rethrows, 0, 3 + RETHROWN);
	throw_through(CALLED0, rethrows, 9, 12 + RETHROWN);
	throw_through(TAILED, deep, 3, 4);
	throw_through(CALLED2, nested, 5, 7);
	if (rounds++ % 50 == 0)
		throw_through(CALLED0, rethrows, 999, 1002 + RETHROWN);
}

/* ---- noexcept ends the program, where it should and not before ---- */

static void ended()
{
	_exit(42);
}

static long forbids(long n) noexcept
{
	return THROUGH(CALLED1, deep, n);
}

static void in_child(void (*what)(), int status)
{
	int got;
	pid_t pid = fork();
	if (pid == 0) {
		what();
		_exit(1);
	}
	waitpid(pid, &got, 0);
	CHECK("exit status", WIFEXITED(got) ? WEXITSTATUS(got) : -1, status);
}

static void noexcept_child()
{
	std::set_terminate(ended);
	destroyed = 0;
	THROUGH(CALLED0, forbids, 3);
}

/* ---- threads that are cancelled, or end themselves, below wrapped calls ---- */

static int cleaned, destroyed_there;

struct Counted {
	~Counted() { __atomic_add_fetch(&destroyed_there, 1, __ATOMIC_RELAXED); }
};

static void clean(void *) { cleaned++; }

static long waits(long n)
{
	Counted guard;
	if (n > 0)
		return THROUGH(CALLED2, waits, n - 1);
	for (;;)
		pause();
}

static long leaves(long n)
{
	Counted guard;
	if (n > 0)
		return THROUGH(CALLED1, leaves, n - 1) + 1;
	pthread_exit((void *)77);
}

static long cleans_up(long n)
{
	Counted guard;
	long r;
	pthread_cleanup_push(clean, NULL);
	r = THROUGH(CALLED0, n < 0 ? leaves : waits, n < 0 ? -n : n);
	pthread_cleanup_pop(0);
	return r;
}

static void *thread(void *n)
{
	Counted guard;
	THROUGH(CALLED0, cleans_up, (long)n);
	return NULL;
}

static void cancel(long n)
{
	void *result;
	cleaned = destroyed_there = 0;
	pthread_t t = thread_start(thread, (void *)n);
	usleep(30000);
	pthread_cancel(t);
	pthread_join(t, &result);
	CHECK("cancelled", result == PTHREAD_CANCELED, 1);
	CHECK("cleanups", cleaned, 1);
	CHECK("destructors", destroyed_there, n + 3);
}

static void thread_exits(long n)
{
	void *result;
	cleaned = destroyed_there = 0;
	pthread_t t = thread_start(thread, (void *)-n);
	pthread_join(t, &result);
	CHECK("exit value", result, 77);
	CHECK("cleanups", cleaned, 1);
	CHECK("destructors", destroyed_there, n + 3);
}

/* ---- backtraces ---- */

#ifndef NO_BACKTRACE
/* traces, body_called0, and the program that wraps the call; more where more is wrapped */
static long per_level = 3;

static void *trace[512];

static long traces(long n)
{
	if (n == 0)
		return backtrace(trace, 512);
	long r = THROUGH(CALLED0, traces, n - 1);
	__asm__ volatile("" : "+r"(r));
	return r;
}

static void backtraces()
{
	long plain = traces(0);
	void *outermost = trace[plain - 1];
	for (long n : { 1, 5, 100 }) {
		long got = traces(n);
		CHECK("frames", got, plain + per_level * n);
		CHECK("outermost frame", trace[got - 1], outermost);
	}
}

/* A backtrace at every single instruction. */

static void *outermost_step;
static volatile long steps;
static volatile int steps_end; /* what follows pushes, and the compiler does not know it */

static void on_trap(int, siginfo_t *, void *context)
{
	void *pcs[64];
	if (steps_end)
		return;
	int n = backtrace(pcs, 64);
	steps++;
	if (n < 64 && pcs[n - 1] == outermost_step)
		return;
	die("step %ld at %#llx: the backtrace ends after %d frames at %p", (long)steps,
	    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP], n, n ? pcs[n - 1] : NULL);
}

static void stepping(int on)
{
	if (on)
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
	else
		__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
}

static int count_objects(struct dl_phdr_info *, size_t, void *n)
{
	++*(int *)n;
	return 0;
}

static NOINLINE void stepped()
{
	int objects = 0;
	stepping(1);
	long r = THROUGH(LEAF, NULL, 4);
	r += THROUGH(TAILED, [](long x) { return x; }, 5);
	dl_iterate_phdr(count_objects, &objects);
	steps_end = 1;
	stepping(0);
	CHECK("result", r, 10);
}

static void steps_through()
{
	struct sigaction act = {};
	act.sa_sigaction = on_trap;
	act.sa_flags = SA_SIGINFO;
	sigaction(SIGTRAP, &act, NULL);
	void *pcs[64];
	outermost_step = pcs[backtrace(pcs, 64) - 1];
	steps = steps_end = 0;
	stepped();
	if (steps < 200)
		die("only %ld steps", (long)steps);
}
#else
static long per_level;
static void backtraces() { }
static void steps_through() { }
#endif

/* ---- what is iterated ---- */

struct seen {
	int n, first, ours;
	unsigned long long adds, subs;
};

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct seen *s = (struct seen *)arg;
	s->n++;
	if (s->n == 1) {
		s->adds = info->dlpi_adds;
		s->subs = info->dlpi_subs;
	}
	CHECK("size", size, sizeof *info);
	if (strcmp(info->dlpi_name, "[functap]"))
		return 0;
	if (s->ours++ == 0)
		s->first = s->n;
	CHECK("headers", info->dlpi_phnum, 2);
	CHECK("adds", info->dlpi_adds, s->adds);
	CHECK("subs", info->dlpi_subs, s->subs);
	CHECK("tls", info->dlpi_tls_modid, 0);
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_flags & PF_W)
			die("a writable segment");
	return 0;
}

static int stops(struct dl_phdr_info *, size_t, void *arg)
{
	return ++*(int *)arg == 2 ? 99 : 0;
}

static int throws(struct dl_phdr_info *, size_t, void *arg)
{
	if (++*(int *)arg == 2)
		throw std::runtime_error("deep");
	return 0;
}

static void iterates()
{
	struct seen s = {};
	CHECK("result", dl_iterate_phdr(look, &s), 0);
	CHECK("our first object", s.first, 2);
	CHECK("our objects", s.ours, 2);
	int n = 0;
	CHECK("stopped", dl_iterate_phdr(stops, &n), 99);
	CHECK("objects", n, 2);
}

static void iterates_and_throws()
{
	for (int i = 0; i < 3; i++) { /* the loader's lock must be free again */
		int n = 0;
		try {
			dl_iterate_phdr(throws, &n);
			die("nothing was thrown");
		} catch (const std::exception &) {
		}
	}
}

/* ---- a callback that takes its time ---- */

static int waits_for_go(struct dl_phdr_info *, size_t, void *arg)
{
	char line[64];
	if (++*(int *)arg != 3)
		return 0;
	say("iterating");
	if (!read_line(line, sizeof line) || strcmp(line, "go on"))
		die("%s in place of go on", line);
	return 0;
}

static void iterates_slowly()
{
	int n = 0;
	dl_iterate_phdr(waits_for_go, &n);
	CHECK("enough objects", n > 3, 1);
}

static int command(const char *line)
{
	if (arena_command(line))
		return 1;
	if (!strncmp(line, "fails ", 6))
		fails(command, line + 6);
	else if (!strcmp(line, "noexcept"))
		in_child(noexcept_child, 42);
	else if (!strcmp(line, "throw and wait"))
		throw_through(CALLED1, outside, 5, 8);
	else if (!strcmp(line, "cancel"))
		for (long n : { 0, 5, 100 })
			cancel(n);
	else if (!strcmp(line, "exit"))
		for (long n : { 1, 5, 100 })
			thread_exits(n);
	else if (!strcmp(line, "backtrace"))
		backtraces();
	else if (!strncmp(line, "per level ", 10))
		per_level = atol(line + 10);
	else if (!strcmp(line, "step"))
		steps_through();
	else if (!strcmp(line, "iterate"))
		iterates();
	else if (!strcmp(line, "iterate slowly"))
		iterates_slowly();
	else if (!strcmp(line, "iterate throw"))
		iterates_and_throws();
	else
		return 0;
	say("done");
	return 1;
}

int main(int argc, char **argv)
{
	victim v = { pool_run, pool_start, pool_stop, report_bodies, command };
	pool_init(argc > 1 ? atoi(argv[1]) : 1, round);
	serve(&v);
}
