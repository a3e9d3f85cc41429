/*
 * exiter MAX_US SEED THREADS: works at once, and some thread ends the program with status
 * 7 after a random time of at most MAX_US microseconds from the command "start".
 */
#include "work.h"

static long max_us;

static void *ender(void *arg)
{
	(void)arg;
	usleep(rand() % (max_us + 1));
	_exit(7);
}

static void start(void)
{
	pool_start();
	thread_start(ender, NULL);
}

int main(int argc, char **argv)
{
	max_us = argc > 1 ? atol(argv[1]) : 20000;
	srand(argc > 2 ? atoi(argv[2]) : 1);
	pool_init(argc > 3 ? atoi(argv[3]) : 2, work_round);
	serve(&(struct victim){ .run = pool_run, .start = start, .report = work_report });
}
