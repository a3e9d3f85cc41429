/*
 * iterate THREADS: asks for the objects of the process all the time, as unwinders do, and
 * checks that it is shown the same ones in the same order each time, but for functap's.
 */
#include "victim.h"

#include <link.h>

#define FUNCS(X) X(work_callback) X(work_iterate)
enum { FUNCS(FUNC_NUMBER) N_FUNCS };
static const char *const names[] = { FUNCS(FUNC_NAME) };

enum { MAX_OBJECTS = 64, SEEN_ALL = 77 };

struct seen {
	int n;
	const void *headers[MAX_OBJECTS];
};

static struct seen objects; /* as they were before anybody hooked anything */

/* returns what it is to return for the last one */
NOINLINE int work_callback(struct dl_phdr_info *info, size_t size, void *arg)
{
	COUNT(I_work_callback);
	struct seen *s = arg;
	CHECK("size", size, sizeof *info);
	if (!strcmp(info->dlpi_name, "[functap]"))
		return 0;
	if (s->n == MAX_OBJECTS)
		die("more than %d objects", s->n);
	s->headers[s->n++] = info->dlpi_phdr;
	return s != &objects && s->n == objects.n ? SEEN_ALL : 0;
}

NOINLINE int work_iterate(struct seen *s)
{
	COUNT(I_work_iterate);
	volatile int got = dl_iterate_phdr(work_callback, s); /* no tail call */
	return got;
}

static void round_(int id UNUSED)
{
	struct seen s = { 0 };
	CHECK("result", work_iterate(&s), SEEN_ALL);
	CHECK("objects", s.n, objects.n);
	if (memcmp(s.headers, objects.headers, s.n * sizeof *s.headers))
		die("other objects than before");
}

static void report(void)
{
	report_counts(names, N_FUNCS);
}

int main(int argc, char **argv)
{
	slot_claim();
	if (work_iterate(&objects) || objects.n == 0)
		die("%d objects at first", objects.n);
	pool_init(argc > 1 ? atoi(argv[1]) : 1, round_);
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = report });
}
