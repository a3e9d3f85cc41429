/*
 * sharers vfork|clone MS [exec]: a child shares the memory for MS milliseconds, made by
 * vfork in a thread of its own, or by clone with CLONE_VM alone. Prints "ready" when the
 * child runs; "count" answers how many children have ended. uring: no child, but io_uring
 * workers: one waits in a read of a pipe, one polls the submission queue.
 */
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int ended;
static int ms;

static int child(void *arg)
{
	usleep(ms * 1000);
	_exit(0);
}

static void *with_vfork(void *arg)
{
	pid_t pid = vfork();
	if (pid == 0)
		child(0);
	waitpid(pid, 0, 0);
	ended++;
	return arg;
}

static void *with_clone(void *arg)
{
	static char stack[1 << 16];
	pid_t pid = clone(child, stack + sizeof stack, CLONE_VM | SIGCHLD, 0);
	if (pid < 0)
		abort();
	waitpid(pid, 0, 0);
	ended++;
	return arg;
}

/* ring makes a ring and submits a read that never ends, in a worker. */
static void ring(unsigned flags)
{
	struct io_uring_params p = { .flags = flags, .sq_thread_idle = 100000 };
	int fds[2], fd = syscall(SYS_io_uring_setup, 4, &p);
	static char buf[16];
	if (fd < 0 || pipe(fds))
		abort();
	char *sq = mmap(0, p.sq_off.array + 4 * p.sq_entries, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	struct io_uring_sqe *e = mmap(0, 4 * sizeof *e, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	*e = (struct io_uring_sqe){ .opcode = IORING_OP_READ, .fd = fds[0], .addr = (long)buf, .len = 1, .flags = IOSQE_ASYNC };
	*(unsigned *)(sq + p.sq_off.array) = 0;
	__atomic_store_n((unsigned *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (!flags && syscall(SYS_io_uring_enter, fd, 1, 0, 0, 0, 0) != 1)
		abort();
}

int main(int argc, char **argv)
{
	char line[16];
	pthread_t t;
	setlinebuf(stdout);
	if (!strcmp(argv[1], "uring")) {
		ring(0);
		ring(IORING_SETUP_SQPOLL);
	} else {
		ms = atoi(argv[2]);
		pthread_create(&t, 0, argv[1][0] == 'v' ? with_vfork : with_clone, 0);
	}
	usleep(100000);
	printf("ready\n");
	while (fgets(line, sizeof line, stdin))
		printf("%d\n", ended);
	return 0;
}
