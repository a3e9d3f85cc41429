/*
 * ifunc N: calls a function that is an IFUNC of glibc N times, and before that 10 times
 * from a constructor. The C library itself does not call it meanwhile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static volatile long calls;
static const char *volatile text = "functap";

static void compare(long n)
{
	for (long i = 0; i < n; i++, calls++)
		if (strcasecmp(text, "FUNCTAP") != 0)
			abort();
}

__attribute__((constructor)) static void before_main(void) { compare(10); }

int main(int argc, char **argv)
{
	compare(argc > 1 ? atol(argv[1]) : 1);
	printf("strcasecmp %ld\n", calls);
	return 0;
}
