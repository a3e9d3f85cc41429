/*
 * gsuser: a program that uses the GS base itself, as Wine does. Each thread keeps a value
 * of its own behind it and checks it all the time.
 */
#include "work.h"

enum { SET_GS = 0x1001 };

static void take_gs(int id)
{
	static __thread uint64_t area[2];
	area[0] = 0x600dul + id;
	if (syscall(SYS_arch_prctl, SET_GS, area))
		die("ARCH_SET_GS: %s", strerror(errno));
}

static void round_(int id)
{
	uint64_t value;
	work_round(id);
	__asm__ volatile("mov %%gs:0, %0" : "=r"(value));
	CHECK("the value at gs:0", value, 0x600d + id);
}

int main(void)
{
	pool_init(4, round_);
	pool.enter = take_gs;
	pool_run(1); /* ready means that every thread uses GS */
	pool.enter = NULL;
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = work_report });
}
