/*
 * A shop with a few clerks, for functap demo: each takes an order now and then, and
 * handles it. There is some recursion, a way in which it fails, and something slow.
 * It ends when its standard input does.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define CLERKS 3
#define FUNCTION __attribute__((noinline, noclone))

static void nap(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
	nanosleep(&t, NULL);
}

/* shop_count counts what is in a box, in which there are two smaller ones. */
FUNCTION long shop_count(int box)
{
	long n = 1;
	for (int i = 0; i < 2 && box > 1; i++)
		n += shop_count(box - 1);
	return n;
}

FUNCTION int shop_parse(int id)
{
	int sum = 0;
	for (int i = 0; i < 2000; i++)
		__asm__ volatile("" : "+r"(sum) : "r"(id + i));
	return sum + id;
}

FUNCTION int shop_in_stock(int id)
{
	return shop_count(2 + id % 2) > 2 && id % 4 != 3;
}

FUNCTION void shop_flush(void)
{
	nap(3);
}

FUNCTION void shop_save(int id)
{
	shop_flush();
	if (id % 3 == 0)
		shop_flush();
}

FUNCTION int shop_reject(int id)
{
	return -shop_parse(id);
}

FUNCTION int shop_order(int id)
{
	id = shop_parse(id);
	if (!shop_in_stock(id))
		return shop_reject(id) - 1;
	shop_save(id);
	return id;
}

static void *clerk(void *arg)
{
	char name[16];
	int first = (int)(long)arg;
	snprintf(name, sizeof name, "clerk-%d", first + 1);
	pthread_setname_np(pthread_self(), name);
	for (int id = first;; id += CLERKS) {
		nap(300 + 100 * first);
		shop_order(id);
	}
	return NULL;
}

int main(void)
{
	pthread_t t;
	char c;
	for (long i = 0; i < CLERKS; i++)
		if (pthread_create(&t, NULL, clerk, (void *)i))
			return 1;
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
