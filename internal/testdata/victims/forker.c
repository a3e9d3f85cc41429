/*
 * forker THREADS [fork|vfork|spawn]...
 *
 * The threads work; besides, one thread for each named way makes children without
 * pause, about 1,000 a second. Children call the same functions and end with status 0 if
 * every result was right. A fork child's calls are in no count; a vfork child shares
 * its parent's memory and counts with it. Default: all three ways.
 */
#include "work.h"

#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>

extern char **environ;

static int running;
static long made[3];
static char *const self_args[] = { "/proc/self/exe", "--child", NULL };

static void reap(pid_t child, const char *how)
{
	int status;
	if (waitpid(child, &status, 0) != child)
		die("%s: waitpid: %s", how, strerror(errno));
	if (status)
		die("%s: a child ended with status %#x", how, status);
}

static void by_fork(void)
{
	pid_t parent = getpid(), child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
		work_here(20);
		_exit(0);
	}
	reap(child, "fork");
}

static void by_vfork(void)
{
	pid_t child = vfork();
	if (child == 0) {
		work_round(3);
		execv("/proc/self/exe", self_args);
		_exit(9);
	}
	reap(child, "vfork");
}

static void by_spawn(void)
{
	pid_t child;
	int err = posix_spawn(&child, "/proc/self/exe", NULL, NULL, self_args, environ);
	if (err)
		die("posix_spawn: %s", strerror(err));
	reap(child, "spawn");
}

static const struct way {
	const char *name;
	void (*make)(void);
} ways[] = { { "fork", by_fork }, { "vfork", by_vfork }, { "spawn", by_spawn } };

/* One per maker, held while it makes a child, so that stop can wait for all of them. */
static pthread_mutex_t gates[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static void *maker(void *arg)
{
	int way = (int)(intptr_t)arg;
	slot_claim();
	for (;;) {
		usleep(500);
		pthread_mutex_lock(&gates[way]);
		if (__atomic_load_n(&running, __ATOMIC_SEQ_CST)) {
			ways[way].make();
			made[way]++;
		}
		pthread_mutex_unlock(&gates[way]);
	}
	return NULL;
}

static void set_running(int on)
{
	__atomic_store_n(&running, on, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&gates[i]);
		pthread_mutex_unlock(&gates[i]);
	}
}

static void start(void)
{
	set_running(1);
	pool_start();
}

static void stop(void)
{
	set_running(0);
	pool_stop();
}

static void report(void)
{
	work_report();
	for (int i = 0; i < 3; i++)
		say("info %s %ld", ways[i].name, made[i]);
}

static int wanted(int argc, char **argv, const char *way)
{
	int found = argc <= 2;
	for (int i = 2; i < argc; i++)
		found |= !strcmp(argv[i], way);
	return found;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--child")) {
		slot_claim();
		work_here(5);
		return 0;
	}
	pool_init(argc > 1 ? atoi(argv[1]) : 1, work_round);
	for (int i = 0; i < 3; i++)
		if (wanted(argc, argv, ways[i].name))
			thread_start(maker, (void *)(intptr_t)i);
	serve(&(struct victim){ .run = pool_run, .start = start, .stop = stop, .report = report });
}
