/*
 * What the victims of internal/unwind share: memory in which the test writes generated
 * code, and calls that go through words of it.
 *
 * The functions called0 to called3 and tailed stand for hooked ones. Whoever calls them does
 * so through a slot, which holds their own address, or that of a program which the test has
 * written to wrap the call.
 */
#ifndef UNWIND_H
#define UNWIND_H

#include "victim.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

typedef long (*fn)(long);
typedef long (*caller)(fn, long);

enum { CALLED0, CALLED1, CALLED2, TAILED, LEAF, N_BODIES };

#ifdef __cplusplus
extern "C" {
#endif
long body_called0(fn f, long x);
long body_called1(fn f, long x);
long body_called2(fn f, long x);
long body_tailed(fn f, long x);
long body_leaf(fn f, long x);
#ifdef __cplusplus
}
#endif

#ifndef UNWIND_PLUGIN
static UNUSED void *own_slots[N_BODIES] = { (void *)body_called0, (void *)body_called1,
	(void *)body_called2, (void *)body_tailed, (void *)body_leaf };
static UNUSED void *volatile *call_slots = (void *volatile *)own_slots;
#else
static UNUSED void *volatile *call_slots; /* the program's */
#endif

#define THROUGH(i, f, x) (((caller)call_slots[i])(f, x))

/* Not inlined, no tail calls: each is a frame of its own. */
#define CALL_BODY(name)                             \
	NOINLINE long name(fn f, long x)            \
	{                                           \
		long r = f(x);                      \
		__asm__ volatile("" : "+r"(r));     \
		return r;                           \
	}

#ifndef UNWIND_PLUGIN
static UNUSED void report_bodies(void)
{
	for (int i = 0; i < N_BODIES; i++)
		say("info body%d %lu", i, (unsigned long)own_slots[i]);
}

#endif

static UNUSED void map_at(unsigned long at, size_t size, int prot, int flags, int fd, off_t off)
{
	void *p = mmap((void *)at, size, prot, flags | MAP_FIXED_NOREPLACE, fd, off);
	if (p != (void *)at)
		die("mapping %#lx: %p, %s", at, p, strerror(errno));
}

/*
 * arena FILE ADDRESS CODE SIZE FRAMES FRAMESIZE: maps CODE bytes of the file read-execute and
 * the rest up to SIZE read-write, and private memory for frames.
 * slots ADDRESS: from now on calls go through the words there.
 */
static UNUSED int arena_command(const char *line)
{
	char file[2048];
	unsigned long at, code, size, frames, frames_size;
	if (sscanf(line, "arena %2047s %lx %lx %lx %lx %lx", file, &at, &code, &size, &frames,
		   &frames_size) == 6) {
		FILE *f = fopen(file, "r+");
		if (!f)
			die("%s: %s", file, strerror(errno));
		map_at(at, code, PROT_READ | PROT_EXEC, MAP_SHARED, fileno(f), 0);
		map_at(at + code, size - code, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), code);
		map_at(frames, frames_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		fclose(f);
		say("mapped");
		return 1;
	}
	if (sscanf(line, "slots %lx", &at) == 1) {
		call_slots = (void *volatile *)at;
		say("set");
		return 1;
	}
	return 0;
}

/* A command that must end in an abort: so do the checks here, and terminate. */
static UNUSED void fails(int (*command)(const char *), const char *line)
{
	int got;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), 1);
		command(line);
		_exit(0);
	}
	waitpid(pid, &got, 0);
	CHECK("signal", WIFSIGNALED(got) ? WTERMSIG(got) : 0, SIGABRT);
}

#endif
