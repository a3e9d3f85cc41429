/*
 * filter_seccomp ACTION CALL...: ACTION is kill, errno (EPERM) or trap, for the system
 * calls named: mmap, mprotect, memfd_create, membarrier, or every one with "all" (then
 * only those that serving needs are left).
 */
#include "work.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

static const struct call {
	const char *name;
	int nr;
} calls[] = {
	{ "mmap", SYS_mmap },
	{ "mprotect", SYS_mprotect },
	{ "memfd_create", SYS_memfd_create },
	{ "membarrier", SYS_membarrier },
};

static const int needed[] = { SYS_read, SYS_write, SYS_exit, SYS_exit_group, SYS_futex, SYS_rt_sigreturn,
			      SYS_restart_syscall, SYS_getpid, SYS_gettid, SYS_rt_sigprocmask, SYS_tgkill };

static struct sock_filter program[64];
static int length;

static void emit(struct sock_filter f)
{
	program[length++] = f;
}

static void on_call(int nr, uint32_t action)
{
	emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1));
	emit((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static uint32_t action_named(const char *name)
{
	if (!strcmp(name, "kill"))
		return SECCOMP_RET_KILL_PROCESS;
	return !strcmp(name, "trap") ? SECCOMP_RET_TRAP : SECCOMP_RET_ERRNO | EPERM;
}

static int call_named(const char *name)
{
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (!strcmp(calls[i].name, name))
			return calls[i].nr;
	die("unknown system call %s", name);
}

static void build(int argc, char **argv)
{
	uint32_t action = action_named(argv[1]), other = SECCOMP_RET_ALLOW;
	emit((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0 /* the number */));
	if (!strcmp(argv[2], "all")) {
		for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
			on_call(needed[i], SECCOMP_RET_ALLOW);
		other = action;
	} else {
		for (int i = 2; i < argc; i++)
			on_call(call_named(argv[i]), action);
	}
	emit((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, other));
}

int main(int argc, char **argv)
{
	if (argc < 3)
		die("usage: filter_seccomp ACTION CALL...");
	build(argc, argv);
	pool_init(2, work_round);
	pool_run(1); /* so that the threads have everything they need */
	struct sock_fprog prog = { length, program };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		die("no_new_privs: %s", strerror(errno));
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog))
		die("seccomp: %s", strerror(errno));
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = work_report });
}
