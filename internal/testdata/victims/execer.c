/*
 * execer MAX_US SEED [N]: on "start" the threads work, and one that is not the leader executes
 * this program anew after a random time of at most MAX_US microseconds. The new one says
 * "ready PID" again, with N one greater; N is "info generation" of the report.
 */
#include "work.h"

static char **args;

static void *executor(void *arg)
{
	char generation[16];
	(void)arg;
	usleep(rand() % (atol(args[1]) + 1));
	snprintf(generation, sizeof generation, "%d", (args[3] ? atoi(args[3]) : 0) + 1);
	execl("/proc/self/exe", args[0], args[1], args[2], generation, NULL);
	die("exec: %s", strerror(errno));
}

static void start(void)
{
	pool_start();
	thread_start(executor, NULL);
}

static void report(void)
{
	work_report();
	say("info generation %s", args[3] ? args[3] : "0");
}

int main(int argc, char **argv)
{
	static char *defaults[] = { "execer", "20000", "1", NULL };
	args = argc > 2 ? argv : defaults;
	srand(atoi(args[2]));
	pool_init(2, work_round);
	serve(&(struct victim){ .run = pool_run, .start = start, .stop = pool_stop, .report = report });
}
