/*
 * signals: receives queued real-time signals with ascending values while it works.
 *
 * "tid" answers the receiving thread's id; "count" the number of signals received.
 * A value that is not the next one, or a siginfo that is not the sender's, aborts.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile long received, tid;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (sig != SIGRTMIN + 2 || info->si_code != SI_QUEUE || info->si_value.sival_int != received) {
		printf("error signal %d code %d value %d after %ld\n", sig, info->si_code, info->si_value.sival_int, received);
		abort();
	}
	received++;
}

static void *receive(void *arg)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	sigaction(SIGRTMIN + 2, &sa, 0);
	tid = syscall(SYS_gettid);
	for (volatile unsigned i = 0;; i++)
		if (i % 1000000 == 0)
			usleep(10);
	return arg;
}

int main(void)
{
	char line[16];
	pthread_t t;
	setlinebuf(stdout);
	pthread_create(&t, 0, receive, 0);
	while (!tid)
		usleep(100);
	printf("ready\n");
	while (fgets(line, sizeof line, stdin))
		printf("%ld\n", line[0] == 't' ? tid : received);
	return 0;
}
