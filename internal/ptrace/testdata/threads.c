/*
 * threads spin N | sleep N | churn N
 *
 * N threads that spin, sleep in short naps, or create and join short-lived threads.
 * Prints "ready"; then answers "count" with the number of rounds made so far.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long rounds;

static void tick(void) { __atomic_add_fetch(&rounds, 1, __ATOMIC_RELAXED); }

static void *spin(void *arg)
{
	for (;;)
		tick();
	return arg;
}

static void *nap(void *arg)
{
	for (;;) {
		usleep(1000);
		tick();
	}
	return arg;
}

static void *once(void *arg)
{
	tick();
	return arg;
}

static void *churn(void *arg)
{
	for (;;) {
		pthread_t t[2];
		for (int i = 0; i < 2; i++)
			if (pthread_create(&t[i], 0, once, 0))
				abort();
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], 0);
		usleep(100);
	}
	return arg;
}

int main(int argc, char **argv)
{
	char line[16];
	void *(*f)(void *) = argv[1][0] == 's' ? (argv[1][1] == 'p' ? spin : nap) : churn;
	if (argc != 3)
		return 1;
	setlinebuf(stdout);
	for (int i = 0; i < atoi(argv[2]); i++) {
		pthread_t t;
		if (pthread_create(&t, 0, f, 0))
			abort();
	}
	usleep(50000);
	printf("ready\n");
	while (fgets(line, sizeof line, stdin))
		printf("%ld\n", __atomic_load_n(&rounds, __ATOMIC_RELAXED));
	return 0;
}
