/* strict_seccomp: after its start the program may only read, write and end. */
#include "work.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>

int main(void)
{
	slot_claim();
	strict_pid = getpid();
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		die("seccomp: %s", strerror(errno));
	serve(&(struct victim){ .run = work_here, .report = work_report });
}
