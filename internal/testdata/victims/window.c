/*
 * window THREADS [--altstack | --above] [--faults]: calls the functions of window.S, whose entries
 * are several instructions long, all the time. With --faults it reads from address 0
 * before every call, which a handler of SIGSEGV undoes.
 *
 * SIGUSR1 has a handler that says "handling" and waits until the command "release",
 * answered by "released", lets one go on. With --altstack it has a stack of its own;
 * with --above one that lies above the functions' stack, where a frame stays until the next.
 *
 * "block" makes a thread read two bytes behind an entry, "unblock" ends that; "fork"
 * makes a child that waits, "child" lets it make a round, "reap" ends it; all answer "ok",
 * and a report has its "info child".
 */
#include "victim.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define FUNCS(X) X(w_bytes) X(w_long) X(w_call) X(w_flags) X(w_read) X(w_far)
enum { FUNCS(FUNC_NUMBER) N_FUNCS };
static const char *const names[] = { FUNCS(FUNC_NAME) };

long w_bytes(long, long), w_long(long, long), w_call(long, long), w_flags(long, long), w_read(long, char *, long), w_far(long);

#define CALLED(name) (COUNT(I_##name), name)

static int faults;
static __thread sigjmp_buf undo;

static void on_fault(int sig)
{
	siglongjmp(undo, sig);
}

static void fault(void)
{
	if (!sigsetjmp(undo, 1)) {
		(void)*(volatile char *)0;
		die("address 0 can be read");
	}
}

static void round_(int id)
{
	for (long x = 0; x < 64; x++) {
		if (faults)
			fault();
		CHECK("w_bytes", CALLED(w_bytes)(x, id), x + 2 * id);
		CHECK("w_long", CALLED(w_long)(x, id), x + 4 * id + 77);
		CHECK("w_call", CALLED(w_call)(x, id), x + id + 3);
		CHECK("w_far", CALLED(w_far)(x), x + 1);
		CHECK("w_flags", CALLED(w_flags)(x, 32), x < 32 ? x : 32);
	}
}

static int gate[2];

static void on_signal(int sig)
{
	char c;
	(void)sig;
	int saved = errno;
	say("handling");
	while (read(gate[0], &c, 1) != 1)
		if (errno != EINTR)
			die("waiting in a handler: %s", strerror(errno));
	errno = saved;
}

static void set_altstack(void *at, size_t size)
{
	stack_t st = { .ss_sp = at, .ss_size = size };
	if (sigaltstack(&st, NULL))
		die("sigaltstack: %s", strerror(errno));
}

static void make_altstack(int id)
{
	static __thread int made;
	(void)id;
	if (made)
		return;
	made = 1;
	size_t size = 64 << 10;
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	set_altstack(at, size);
}

static NOINLINE void round_below(int id)
{
	static __thread int made;
	char above[64 << 10];
	if (!made++)
		set_altstack(above, sizeof above);
	round_(id);
	__asm__ volatile("" : : "r"(above) : "memory");
}

static int door[2];
static pthread_t reader;

static void *read_one(void *arg)
{
	char c;
	slot_claim();
	CHECK("w_read", CALLED(w_read)(door[0], &c, 1), 1 + 7);
	slot_release();
	return arg;
}

static int leash[2], answer[2];
static pid_t child;

/* The child ends when nobody holds the other end any more. */
static void make_child(void)
{
	char c;
	if (pipe(leash) || pipe(answer))
		die("pipe: %s", strerror(errno));
	child = fork();
	if (child < 0)
		die("fork: %s", strerror(errno));
	if (child == 0) {
		close(leash[1]);
		slot_claim();
		while (read(leash[0], &c, 1) > 0) {
			round_(7);
			if (write(answer[1], &c, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(leash[0]);
	close(answer[1]);
}

static void reap_child(void)
{
	close(leash[1]);
	close(answer[0]);
	if (waitpid(child, NULL, 0) != child)
		die("waitpid: %s", strerror(errno));
}

static void let(int fd)
{
	if (write(fd, "x", 1) != 1)
		die("write: %s", strerror(errno));
}

static int command(const char *line)
{
	if (!strcmp(line, "release")) {
		let(gate[1]);
		say("released");
	} else if (!strcmp(line, "block")) {
		reader = thread_start(read_one, NULL);
		say("ok");
	} else if (!strcmp(line, "unblock")) {
		let(door[1]);
		pthread_join(reader, NULL);
		say("ok");
	} else if (!strcmp(line, "fork")) {
		make_child();
		say("ok");
	} else if (!strcmp(line, "reap")) {
		reap_child();
		say("ok");
	} else if (!strcmp(line, "child")) {
		char c;
		let(leash[1]);
		if (read(answer[0], &c, 1) != 1)
			die("the child does not answer");
		say("ok");
	} else {
		return 0;
	}
	return 1;
}

static void report(void)
{
	report_counts(names, N_FUNCS);
	say("info child %d", (int)child);
}

int main(int argc, char **argv)
{
	int threads = 4;
	void (*round)(int) = round_;
	struct sigaction sa = { .sa_flags = SA_RESTART };
	sa.sa_handler = on_signal;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--altstack")) {
			sa.sa_flags |= SA_ONSTACK;
			pool.enter = make_altstack;
		} else if (!strcmp(argv[i], "--above")) {
			sa.sa_flags |= SA_ONSTACK;
			round = round_below;
		} else if (!strcmp(argv[i], "--faults")) {
			faults = 1;
			signal(SIGSEGV, on_fault);
		} else {
			threads = atoi(argv[i]);
		}
	}
	if (pipe(gate) || pipe(door) || sigaction(SIGUSR1, &sa, NULL))
		die("starting: %s", strerror(errno));
	pool_init(threads, round);
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = report, .command = command });
}
