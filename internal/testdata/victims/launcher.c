/*
 * launcher [COMMAND [ARG...]]: executes a command in its place. With FIRST=1 in the
 * environment it calls work_first before. Without a command it waits for a moment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int work_first(int x)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return x * 3 + 1;
}

/* A name that the executed program has too, and that is never called here. */
__attribute__((noinline, noclone)) int work_leaf(int x)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return x * 5 + 1;
}

int main(int argc, char **argv)
{
	if (argc > 1000)
		return work_leaf(argc);
	if (getenv("FIRST"))
		printf("first %d\n", work_first(2));
	fflush(stdout);
	if (argc == 1) {
		usleep(600000);
		return puts("done") < 0;
	}
	execvp(argv[1], argv + 1);
	return 127;
}
