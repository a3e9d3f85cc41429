/*
 * dlopen
 *
 * Further commands: "load PATH FACTOR" opens a plugin, "call N" calls its plugin_work N
 * times and checks the results, "unload" closes it; each answers "ok". The calls are
 * counted as plugin_work.
 */
#include "work.h"

#include <dlfcn.h>

static void *handle;
static long (*plugin_work)(long), factor;
static uint64_t calls;

static void load(const char *args)
{
	char path[4000];
	if (sscanf(args, "%3999s %ld", path, &factor) != 2)
		die("load %s", args);
	handle = dlopen(path, RTLD_NOW);
	if (!handle)
		die("dlopen: %s", dlerror());
	plugin_work = (long (*)(long))dlsym(handle, "plugin_work");
	if (!plugin_work)
		die("dlsym: %s", dlerror());
}

static void call(long n)
{
	for (long i = 0; i < n; i++) {
		calls++;
		CHECK("plugin_work", plugin_work(i), i * factor + 1);
	}
}

static int command(const char *line)
{
	if (!strncmp(line, "load ", 5))
		load(line + 5);
	else if (!strncmp(line, "call ", 5))
		call(atol(line + 5));
	else if (!strcmp(line, "unload"))
		dlclose(handle);
	else
		return 0;
	say("ok");
	return 1;
}

static void report(void)
{
	work_report();
	say("count plugin_work %lu", calls);
	say("info plugin_work_at %lu", (unsigned long)plugin_work);
}

int main(void)
{
	pool_init(2, work_round);
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = report, .command = command });
}
