/*
 * forkexec FILE COMMAND [ARG...]: forks a child that waits until FILE is gone, writes its
 * id there, and executes a command. A function is never called.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int work_leaf(int x)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return x * 5 + 1;
}

int main(int argc, char **argv)
{
	if (argc > 1000)
		return work_leaf(argc);
	FILE *f = fopen(argv[1], "w");
	pid_t child = fork();
	if (child == 0) {
		close(0);
		close(1);
		close(2);
		while (access(argv[1], F_OK) == 0)
			usleep(10000);
		_exit(0);
	}
	fprintf(f, "%d\n", child);
	fclose(f);
	execvp(argv[2], argv + 2);
	return 127;
}
