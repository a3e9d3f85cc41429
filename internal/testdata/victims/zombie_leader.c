/* zombie_leader: the main thread ends, the others go on. */
#include "work.h"

static void *server(void *arg)
{
	(void)arg;
	char path[64], text[128];
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
	do {
		usleep(1000);
		FILE *f = fopen(path, "r");
		if (!f || !fgets(text, sizeof text, f))
			die("%s: %s", path, strerror(errno));
		fclose(f);
	} while (!strstr(text, ") Z "));
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = work_report });
	return NULL;
}

int main(void)
{
	pool_init(2, work_round);
	thread_start(server, NULL);
	pthread_exit(NULL);
}
