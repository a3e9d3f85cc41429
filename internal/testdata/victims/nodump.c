/* nodump: not dumpable, so that only a tracer with CAP_SYS_PTRACE may look at it. */
#include "work.h"

#include <sys/prctl.h>

int main(void)
{
	if (prctl(PR_SET_DUMPABLE, 0))
		die("PR_SET_DUMPABLE: %s", strerror(errno));
	pool_init(2, work_round);
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = work_report });
}
