/*
 * crowded: has no free memory near its code, or needs what is there. Further commands,
 * each answered by "ok":
 *
 *	fill KIB AT  takes all memory within 2 GiB + 64 MiB of its code, except a hole of KIB
 *	             that begins AT MiB behind the code's start (before it, if negative)
 *	grow MIB     moves the break up, and uses that memory here and there
 *	deep KIB     uses so much of the main thread's stack
 */
#include "work.h"

#include <fcntl.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

extern char __executable_start;

enum { PAGE = 4096 };

/* take maps what is free from lo to hi; what cannot be had is nobody's to have. */
static void take(uintptr_t lo, uintptr_t hi)
{
	if (lo < hi)
		(void)mmap((void *)lo, hi - lo, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

static void take_except(uintptr_t lo, uintptr_t hi, uintptr_t from, uintptr_t to)
{
	if (to <= lo || from >= hi) {
		take(lo, hi);
		return;
	}
	take(lo, from);
	take(to, hi);
}

static struct range {
	uintptr_t lo, hi;
} used[4096];

/* read_maps allocates nothing: the heap shall not be there before it must. */
static int read_maps(void)
{
	static char text[1 << 20];
	int fd = open("/proc/self/maps", O_RDONLY), n = 0;
	size_t len = 0;
	ssize_t r;
	while ((r = read(fd, text + len, sizeof text - 1 - len)) > 0)
		len += r;
	close(fd);
	for (char *line = text; *line && n < 4096; line = strchr(line, '\n') + 1)
		if (sscanf(line, "%lx-%lx", &used[n].lo, &used[n].hi) == 2)
			n++;
	return n;
}

/* leave_break keeps what was taken off the break: the kernel calls it [heap] there. */
static void leave_break(int n)
{
	uintptr_t at = ((uintptr_t)sbrk(0) + PAGE - 1) & -(uintptr_t)PAGE;
	int before = 0;
	for (int i = 0; i < n; i++)
		before |= used[i].hi == at;
	at -= before ? 0 : PAGE;
	(void)munmap((void *)at, 2 * PAGE);
}

static void fill(long kib, long at)
{
	const intptr_t reach = (2L << 30) + (64 << 20), start = (intptr_t)&__executable_start;
	uintptr_t lo = start > reach + 16 * PAGE ? start - reach : 16 * PAGE, hi = start + reach;
	uintptr_t hole = start + at * (1L << 20);
	int n = read_maps();
	for (int i = 0; i <= n; i++) {
		uintptr_t end = i < n && used[i].lo < hi ? used[i].lo : hi;
		take_except(lo, end, hole, hole + kib * 1024);
		if (i < n && used[i].hi > lo)
			lo = used[i].hi;
	}
	leave_break(n);
}

static void grow(long mib)
{
	char *p = sbrk(mib << 20);
	if (p == (void *)-1)
		die("moving the break by %ld MiB: %s", mib, strerror(errno));
	for (long i = 0; i < mib; i++)
		p[i << 20] = 1;
}

static NOINLINE long deep(long kib)
{
	volatile char here[1000];
	here[0] = 1;
	return kib > 0 ? deep(kib - 1) + here[0] : 0;
}

static int command(const char *line)
{
	long a, b;
	if (sscanf(line, "fill %ld %ld", &a, &b) == 2)
		fill(a, b);
	else if (sscanf(line, "grow %ld", &a) == 1)
		grow(a);
	else if (sscanf(line, "deep %ld", &a) == 1)
		CHECK("deep", deep(a), a);
	else
		return 0;
	say("ok");
	return 1;
}

int main(void)
{
	slot_claim();
	serve(&(struct victim){ .run = work_here, .report = work_report, .command = command });
}
