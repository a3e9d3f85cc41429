/*
 * A library whose constructor does what CTOR in the environment says, before the entry of
 * the program: "trap": it takes a SIGTRAP of its own; "exec": it executes the program
 * again, once; "sleep": it takes three seconds.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void handler(int sig) { (void)sig; }

static void trap(void)
{
	signal(SIGTRAP, handler);
	__asm__ volatile("int3");
	signal(SIGTRAP, SIG_DFL);
}

__attribute__((constructor)) static void before_entry(int argc, char **argv)
{
	const char *what = getenv("CTOR");
	(void)argc;
	if (what == NULL)
		return;
	if (strcmp(what, "trap") == 0)
		trap();
	if (strcmp(what, "sleep") == 0)
		sleep(3);
	if (strcmp(what, "exec") == 0) {
		unsetenv("CTOR");
		execv("/proc/self/exe", argv);
	}
}
