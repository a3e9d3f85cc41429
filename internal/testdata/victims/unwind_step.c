/*
 * unwind_step: walks its own stack, with _Unwind_Backtrace of the unwinder that it is linked
 * with, or, with NONGNU defined, with nongnu libunwind, whose header another package would
 * have to bring: hence the declarations.
 */
#include "unwind.h"

CALL_BODY(body_called0)
CALL_BODY(body_called1)
CALL_BODY(body_called2)
NOINLINE long body_tailed(fn f, long x) { return THROUGH(CALLED0, f, x); }
NOINLINE long body_leaf(fn f, long x) { return x + 1; }

enum { MAX_WALK = 600 };

static void *trace[MAX_WALK];
static int walked;

#ifdef NONGNU
#define CONTEXT _Ux86_64_getcontext
#define INIT _ULx86_64_init_local
#define STEP _ULx86_64_step
#define GET _ULx86_64_get_reg
enum { REGISTER_IP = 16 };

extern int CONTEXT(void *context), INIT(void *cursor, void *context), STEP(void *cursor);
extern int GET(void *cursor, int reg, uintptr_t *value);
extern int unw_backtrace(void **pcs, int size);

static NOINLINE void walk(void)
{
	uintptr_t context[256], cursor[256], ip;
	CONTEXT(context);
	INIT(cursor, context);
	walked = 0;
	int more;
	do {
		GET(cursor, REGISTER_IP, &ip);
		trace[walked++] = (void *)ip;
	} while ((more = STEP(cursor)) > 0 && walked < MAX_WALK);
	CHECK("the end of the walk", more, 0);
}

static NOINLINE void walk_fast(void)
{
	walked = unw_backtrace(trace, MAX_WALK);
}
#else
#include <unwind.h>

#ifndef __GLIBC__
/* LLVM's static library was compiled for glibc. */
int __fprintf_chk(FILE *f, int flag, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vfprintf(f, format, args);
	va_end(args);
	return n;
}
#endif

static _Unwind_Reason_Code on_frame(struct _Unwind_Context *context, void *arg)
{
	if (walked == MAX_WALK)
		return _URC_END_OF_STACK;
	trace[walked++] = (void *)_Unwind_GetIP(context);
	return _URC_NO_REASON;
}

static NOINLINE void walk(void)
{
	walked = 0;
	_Unwind_Backtrace(on_frame, NULL);
}

#define walk_fast walk
#endif

static long walks(long n)
{
	if (n == 0) {
		walk();
		return walked;
	}
	long r = THROUGH(CALLED0, walks, n - 1);
	__asm__ volatile("" : "+r"(r));
	return r;
}

static long walks_fast(long n)
{
	if (n == 0) {
		walk_fast();
		return walked;
	}
	long r = THROUGH(TAILED, walks_fast, n - 1);
	__asm__ volatile("" : "+r"(r));
	return r;
}

static void compare(fn f)
{
	long plain = f(0);
	void *outermost = trace[plain - 1];
	for (long n = 1; n < 150; n *= 5) {
		long got = f(n);
		CHECK("frames", got, plain + 3 * n);
		CHECK("outermost frame", trace[got - 1], outermost);
	}
}

/* ---- a walk at every single instruction ---- */

static void *outermost;
static volatile int steps, steps_end, broken;

static void on_trap(int sig)
{
	if (steps_end) /* what follows pushes, and the compiler does not know it */
		return;
	walk();
	steps++;
	if (walked == 0 || trace[walked - 1] != outermost)
		broken++;
}

static NOINLINE long stepped(void)
{
	long r;
	steps = steps_end = broken = 0;
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
	r = THROUGH(TAILED, (fn)body_leaf, 4);
	steps_end = 1;
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
	return r;
}

static void steps_through(void)
{
	signal(SIGTRAP, on_trap);
	walk();
	outermost = trace[walked - 1];
	CHECK("result", stepped(), 5);
	if (steps < 50 || broken)
		die("of %d walks %d end elsewhere than at %p", steps, broken, outermost);
}

static int command(const char *line)
{
	if (arena_command(line))
		return 1;
	if (!strncmp(line, "fails ", 6))
		fails(command, line + 6);
	else if (!strcmp(line, "walk"))
		compare(walks);
	else if (!strcmp(line, "step"))
		steps_through();
	else if (!strcmp(line, "walk fast"))
		compare(walks_fast);
	else
		return 0;
	say("done");
	return 1;
}

int main(void)
{
	struct victim v = { .report = report_bodies, .command = command };
	serve(&v);
}
