/* notime: reading the time stamp counter kills it. */
#include "work.h"

#include <sys/prctl.h>

int main(void)
{
	slot_claim();
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		die("PR_SET_TSC: %s", strerror(errno));
	serve(&(struct victim){ .run = work_here, .report = work_report });
}
