/*
 * twice: has a page of its own text mapped a second time, as V8 has its builtins, right in
 * front of other memory.
 */
#include "work.h"

#include <fcntl.h>
#include <sys/mman.h>

int main(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || p == MAP_FAILED)
		die("own text: %s", strerror(errno));
	memset(p, 0x5a, 1 << 20);
	if (mmap(p, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0x1000) == MAP_FAILED)
		die("own text again: %s", strerror(errno));
	close(fd);
	pool_init(2, work_round);
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = work_report });
}
