/*
 * unwind_c: a program that has no unwinder, until libc loads one to cancel a thread, to end
 * it, or for a backtrace, or a plugin in C++ brings one along.
 */
#include "unwind.h"

#include <dlfcn.h>
#include <link.h>

#ifdef __GLIBC__
#include <execinfo.h>
#endif

CALL_BODY(body_called0)
CALL_BODY(body_called1)
CALL_BODY(body_called2)
NOINLINE long body_tailed(fn f, long x) { return THROUGH(CALLED0, f, x); }
NOINLINE long body_leaf(fn f, long x) { return x + 1; }

/* ---- threads that are cancelled, or end themselves, below wrapped calls ---- */

static int cleaned;

static void clean(void *arg) { cleaned++; }

static long waits(long n)
{
	long r = 0;
	pthread_cleanup_push(clean, NULL);
	if (n > 0)
		r = THROUGH(CALLED2, waits, n - 1);
	else
		for (;;)
			pause();
	pthread_cleanup_pop(0);
	return r;
}

static long leaves(long n)
{
	long r = 0;
	pthread_cleanup_push(clean, NULL);
	if (n > 0)
		r = THROUGH(CALLED1, leaves, n - 1);
	else
		pthread_exit((void *)77);
	pthread_cleanup_pop(0);
	return r;
}

static void *waiter(void *n)
{
	THROUGH(TAILED, waits, (long)n);
	return NULL;
}

static void *leaver(void *n)
{
	THROUGH(TAILED, leaves, (long)n);
	return NULL;
}

static void cancel(long n)
{
	void *result;
	cleaned = 0;
	pthread_t t = thread_start(waiter, (void *)n);
	usleep(30000);
	pthread_cancel(t);
	pthread_join(t, &result);
	CHECK("cancelled", result == PTHREAD_CANCELED, 1);
	CHECK("cleanups", cleaned, n + 1);
}

static void thread_exits(long n)
{
	void *result;
	cleaned = 0;
	pthread_t t = thread_start(leaver, (void *)n);
	pthread_join(t, &result);
	CHECK("exit value", result, 77);
	CHECK("cleanups", cleaned, n + 1);
}

/* ---- backtraces ---- */

#ifdef __GLIBC__
static void *trace[512];
static long per_level = 3;

static long traces(long n)
{
	if (n == 0)
		return backtrace(trace, 512);
	long r = THROUGH(CALLED0, traces, n - 1);
	__asm__ volatile("" : "+r"(r));
	return r;
}

static void backtraces(void)
{
	long plain = traces(0);
	void *outermost = trace[plain - 1];
	for (long n = 1; n < 150; n *= 5) {
		long got = traces(n);
		CHECK("frames", got, plain + per_level * n);
		CHECK("outermost frame", trace[got - 1], outermost);
	}
}
#else
static long per_level;
static void backtraces(void) { }
#endif

/* ---- what is iterated ---- */

static int first, ours, objects;

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	objects++;
	if (info->dlpi_name && !strcmp(info->dlpi_name, "[functap]") && ours++ == 0)
		first = objects;
	return objects == (long)arg ? 99 : 0;
}

static void iterates(void)
{
	first = ours = objects = 0;
	CHECK("result", dl_iterate_phdr(look, NULL), 0);
	CHECK("our first object", first, 2);
	CHECK("our objects", ours, 2);
	for (long stop = 1; stop < 3; stop++) {
		objects = 0;
		CHECK("result", dl_iterate_phdr(look, (void *)stop), 99);
		CHECK("objects", objects, stop);
	}
}

/* ---- a plugin ---- */

static void plugin(const char *file)
{
	void *lib = dlopen(file, RTLD_NOW);
	if (!lib)
		die("%s", dlerror());
	void (*run)(void *volatile *) = (void (*)(void *volatile *))dlsym(lib, "plugin_run");
	run(call_slots);
	dlclose(lib);
}

static int command(const char *line)
{
	if (arena_command(line))
		return 1;
	if (!strncmp(line, "fails ", 6))
		fails(command, line + 6);
	else if (!strcmp(line, "cancel"))
		for (long n = 0; n < 150; n = n * 5 + 1)
			cancel(n);
	else if (!strcmp(line, "exit"))
		for (long n = 0; n < 150; n = n * 5 + 1)
			thread_exits(n);
	else if (!strcmp(line, "backtrace"))
		backtraces();
	else if (!strncmp(line, "per level ", 10))
		per_level = atol(line + 10);
	else if (!strcmp(line, "iterate"))
		iterates();
	else if (!strncmp(line, "plugin ", 7))
		plugin(line + 7);
#ifdef __GLIBC__
	else if (!strcmp(line, "namespace")) {
		if (!dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW))
			die("%s", dlerror());
	}
#endif
	else
		return 0;
	say("done");
	return 1;
}

int main(void)
{
	struct victim v = { .report = report_bodies, .command = command };
	serve(&v);
}
