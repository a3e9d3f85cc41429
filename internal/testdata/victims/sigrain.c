/*
 * sigrain SIGNAL [HANDLED]: three threads block in calls that return EINTR when a signal
 * interrupts them, while a child sends one every 200 us to the process, which ignores it
 * by default or, with an argument, has a restarting handler for it. "info eintr" is how
 * often a call returned EINTR on a thread on which no handler has run.
 */
#include "work.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <time.h>

static _Atomic long eintr;
static __thread volatile sig_atomic_t hit;

static void handler(int sig)
{
	(void)sig;
	hit = 1;
}

/* Each call takes 5 ms if nobody interrupts it. */
static long in_epoll(int fd)
{
	struct epoll_event e;
	return epoll_wait(fd, &e, 1, 5);
}

static long in_semop(int id)
{
	struct sembuf wait = { 0, -1, 0 };
	struct timespec t = { 0, 5000000 };
	return semtimedop(id, &wait, 1, &t);
}

static long in_sigwait(int unused)
{
	sigset_t set;
	struct timespec t = { 0, 5000000 };
	(void)unused;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &t);
}

struct blocked {
	long (*call)(int);
	int on;
};

static void *block(void *arg)
{
	struct blocked *b = arg;
	for (;;) {
		hit = 0;
		if (b->call(b->on) < 0 && errno == EINTR && !hit)
			eintr++;
	}
	return NULL;
}

static void rain(int sig)
{
	pid_t parent = getpid();
	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(sig, SIG_IGN);
	while (getppid() == parent) {
		kill(parent, sig);
		usleep(200);
	}
	_exit(0);
}

static void report(void)
{
	work_report();
	say("info eintr %ld", (long)eintr);
}

int main(int argc, char **argv)
{
	static struct blocked all[3] = { { in_epoll }, { in_semop }, { in_sigwait } };
	int sig = atoi(argv[1]);
	sigset_t usr2;
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	sigprocmask(SIG_BLOCK, &usr2, NULL);
	if (argc > 2)
		sigaction(sig, &(struct sigaction){ .sa_handler = handler, .sa_flags = SA_RESTART }, NULL);
	all[0].on = epoll_create1(0);
	all[1].on = semget(IPC_PRIVATE, 1, 0600);
	rain(sig);
	slot_claim();
	for (int i = 0; i < 3; i++)
		thread_start(block, &all[i]);
	serve(&(struct victim){ .run = work_here, .report = report });
	semctl(all[1].on, 0, IPC_RMID);
}
