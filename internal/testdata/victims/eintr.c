/*
 * eintr [--expect]
 *
 * One thread sits in each kind of blocking system call, and calls it again whenever it
 * returns. EINTR is an error: nobody sends this program a signal. With --expect it
 * is counted instead, and SIGUSR1 has a handler without SA_RESTART.
 *
 * report: "count KIND N" finished calls, "info tid KIND TID", "info eintr KIND N".
 * Kinds that this user or kernel does not have are left out.
 */
#include "victim.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

enum { TIMEOUT_S = 2, TIMEOUT_MS = 2000 };

static const struct timespec timeout = { TIMEOUT_S, 0 };

/* ok accepts an errno that a timeout gives. */
static long ok(long r, int expected)
{
	return r < 0 && errno == expected ? 0 : r;
}

static int need(int fd, const char *what)
{
	if (fd < 0)
		die("%s: %s", what, strerror(errno));
	return fd;
}

static int empty_pipe(void)
{
	int fds[2];
	need(pipe(fds), "pipe");
	return fds[0];
}

static int full_pipe(void)
{
	int fds[2];
	char page[4096] = { 0 };
	need(pipe(fds), "pipe");
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	while (write(fds[1], page, sizeof page) > 0)
		;
	fcntl(fds[1], F_SETFL, 0);
	return fds[1];
}

static int silent_socket(int type)
{
	int fds[2];
	need(socketpair(AF_UNIX, type, 0, fds), "socketpair");
	return fds[0];
}

/* An abstract address: nothing is left in the file system. */
static int listener(struct sockaddr_un *addr, socklen_t *len, int backlog)
{
	int fd = need(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	need(bind(fd, (struct sockaddr *)addr, sizeof addr->sun_family), "bind");
	*len = sizeof *addr;
	need(getsockname(fd, (struct sockaddr *)addr, len), "getsockname");
	need(listen(fd, backlog), "listen");
	return fd;
}

static int plain_listener(void)
{
	struct sockaddr_un addr;
	socklen_t len;
	return listener(&addr, &len, 4);
}

static void receive_timeout(int fd)
{
	struct timeval tv = { TIMEOUT_S, 0 };
	need(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv), "SO_RCVTIMEO");
}

static int one_epoll(void)
{
	static int fd;
	static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&mu);
	if (!fd) {
		struct epoll_event ev = { .events = EPOLLIN };
		fd = need(epoll_create1(0), "epoll_create1");
		need(epoll_ctl(fd, EPOLL_CTL_ADD, empty_pipe(), &ev), "epoll_ctl");
	}
	pthread_mutex_unlock(&mu);
	return fd;
}

static sigset_t *unused_signal(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGRTMIN + 5);
	return set;
}

/* A child that sleeps until its parent dies or kills it. */
static pid_t sleeping_child(void)
{
	pid_t parent = getpid(), child = fork();
	if (child == 0) {
		int status = 0;
		while (getppid() == parent)
			nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
		_exit(status);
	}
	return need(child, "fork");
}

static int temporary_file(void)
{
	FILE *f = tmpfile();
	if (!f)
		die("tmpfile: %s", strerror(errno));
	return fileno(f);
}

static int locked_fd; /* flock and F_OFD_SETLK are held on this open file */

static int other_description(int fd)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return need(open(path, O_RDWR), path);
}

/* ---- the kinds: each makes one blocking call; < 0 with errno for a failure ---- */

#define KIND(name) static long name(void)
#define ONCE(type, var, init)                                                                   \
	static type var;                                                                        \
	static int var##_made;                                                                  \
	if (!var##_made) {                                                                      \
		var = init;                                                                     \
		var##_made = 1;                                                                 \
	}

KIND(k_epoll_wait) { struct epoll_event e; return epoll_wait(one_epoll(), &e, 1, -1); }
KIND(k_epoll_wait_timeout) { struct epoll_event e; return epoll_wait(one_epoll(), &e, 1, TIMEOUT_MS); }
KIND(k_epoll_pwait) { struct epoll_event e; sigset_t s; sigemptyset(&s); return epoll_pwait(one_epoll(), &e, 1, TIMEOUT_MS, &s); }
KIND(k_epoll_pwait2) { struct epoll_event e; return syscall(SYS_epoll_pwait2, one_epoll(), &e, 1, &timeout, NULL, 0); }

static int semaphores = -1, queue = -1;
KIND(k_semop) { struct sembuf b = { 0, -1, 0 }; return semop(semaphores, &b, 1); }
KIND(k_semtimedop) { struct sembuf b = { 1, -1, 0 }; return ok(semtimedop(semaphores, &b, 1, &timeout), EAGAIN); }
KIND(k_msgrcv) { char b[64]; return msgrcv(queue, b, 8, 1, 0); }

KIND(k_io_getevents)
{
	static aio_context_t ctx;
	struct io_event e;
	if (!ctx)
		need(syscall(SYS_io_setup, 4, &ctx), "io_setup");
	return syscall(SYS_io_getevents, ctx, 1, 1, &e, &timeout);
}

KIND(k_io_pgetevents)
{
	static aio_context_t ctx;
	struct io_event e;
	if (!ctx)
		need(syscall(SYS_io_setup, 4, &ctx), "io_setup");
	return syscall(SYS_io_pgetevents, ctx, 1, 1, &e, &timeout, NULL);
}

static int ring = -1;
KIND(k_io_uring_enter) { return syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0); }

KIND(k_sigtimedwait) { sigset_t s; return ok(sigtimedwait(unused_signal(&s), NULL, &timeout), EAGAIN); }
KIND(k_sigwaitinfo) { sigset_t s; return sigwaitinfo(unused_signal(&s), NULL); }
KIND(k_sigwait)
{
	sigset_t s;
	int sig, err = sigwait(unused_signal(&s), &sig);
	errno = err;
	return err ? -1 : 0;
}

KIND(k_accept_timeout)
{
	ONCE(int, fd, plain_listener());
	receive_timeout(fd);
	return ok(accept(fd, NULL, NULL), EAGAIN);
}

KIND(k_recv_timeout)
{
	char b;
	ONCE(int, fd, silent_socket(SOCK_STREAM));
	receive_timeout(fd);
	return ok(recv(fd, &b, 1, 0), EAGAIN);
}

KIND(k_poll) { ONCE(struct pollfd, p, ((struct pollfd){ empty_pipe(), POLLIN, 0 })); return poll(&p, 1, TIMEOUT_MS); }
KIND(k_ppoll) { ONCE(struct pollfd, p, ((struct pollfd){ empty_pipe(), POLLIN, 0 })); return ppoll(&p, 1, &timeout, NULL); }
KIND(k_poll_forever) { return poll(NULL, 0, -1); }

KIND(k_select)
{
	fd_set set;
	struct timeval tv = { TIMEOUT_S, 0 };
	ONCE(int, fd, empty_pipe());
	FD_ZERO(&set);
	FD_SET(fd, &set);
	return select(fd + 1, &set, NULL, NULL, &tv);
}

KIND(k_pselect) { sigset_t s; sigemptyset(&s); return pselect(0, NULL, NULL, NULL, &timeout, &s); }
KIND(k_nanosleep) { return nanosleep(&timeout, NULL); }
KIND(k_clock_nanosleep) { errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &timeout, NULL); return errno ? -1 : 0; }

KIND(k_clock_nanosleep_abs)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += TIMEOUT_S;
	errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	return errno ? -1 : 0;
}

KIND(k_usleep) { return usleep(900000); }
KIND(k_sleep) { errno = EINTR; return sleep(TIMEOUT_S) ? -1 : 0; }

static struct timespec soon(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += TIMEOUT_S;
	return t;
}

KIND(k_futex) { static int word; return ok(syscall(SYS_futex, &word, 0 /* FUTEX_WAIT */, 0, &timeout), ETIMEDOUT); }
KIND(k_futex_forever) { static int word; return syscall(SYS_futex, &word, 0, 0, NULL); }

KIND(k_sem_wait) { static sem_t s; return sem_wait(&s); }
KIND(k_sem_timedwait) { static sem_t s; struct timespec t = soon(); return ok(sem_timedwait(&s, &t), ETIMEDOUT); }

KIND(k_cond_timedwait)
{
	static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec t = soon();
	pthread_mutex_lock(&mu);
	errno = pthread_cond_timedwait(&cond, &mu, &t);
	pthread_mutex_unlock(&mu);
	return ok(errno ? -1 : 0, ETIMEDOUT);
}

static long read_some(int fd) { char b[256]; return read(fd, b, sizeof b); }

KIND(k_read_pipe) { ONCE(int, fd, empty_pipe()); return read_some(fd); }
KIND(k_read_eventfd) { ONCE(int, fd, eventfd(0, 0)); return read_some(fd); }
KIND(k_read_inotify) { ONCE(int, fd, inotify_init1(0)); return read_some(fd); }

KIND(k_read_timerfd)
{
	struct itimerspec in = { { 0, 0 }, { TIMEOUT_S, 0 } };
	ONCE(int, fd, timerfd_create(CLOCK_MONOTONIC, 0));
	need(timerfd_settime(fd, 0, &in, NULL), "timerfd_settime");
	return read_some(fd);
}

KIND(k_read_signalfd)
{
	sigset_t s;
	ONCE(int, fd, signalfd(-1, unused_signal(&s), 0));
	return read_some(fd);
}

KIND(k_read_tty)
{
	ONCE(int, fd, open("/dev/ptmx", O_RDWR | O_NOCTTY));
	return read_some(need(fd, "/dev/ptmx"));
}

KIND(k_write_pipe) { ONCE(int, fd, full_pipe()); return write(fd, "x", 1); }

KIND(k_open_fifo)
{
	static char path[64];
	if (!path[0]) {
		char dir[] = "/tmp/ft-eintr-XXXXXX";
		if (!mkdtemp(dir))
			die("mkdtemp: %s", strerror(errno));
		snprintf(path, sizeof path, "%s/fifo", dir);
		need(mkfifo(path, 0600), path);
		/* A descriptor keeps the FIFO; the names go at once. */
		int fd = need(open(path, O_PATH), path);
		unlink(path);
		rmdir(dir);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	}
	return open(path, O_RDONLY);
}

KIND(k_accept) { ONCE(int, fd, plain_listener()); return accept(fd, NULL, NULL); }
KIND(k_accept4) { ONCE(int, fd, plain_listener()); return accept4(fd, NULL, NULL, SOCK_CLOEXEC); }

/* The listener's queue is full, so that the next connection waits for ever. */
KIND(k_connect)
{
	static struct sockaddr_un addr;
	static socklen_t len;
	static int fd;
	if (!fd) {
		listener(&addr, &len, 0);
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		need(connect(fd, (struct sockaddr *)&addr, len), "connect");
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
	}
	return connect(fd, (struct sockaddr *)&addr, len);
}

KIND(k_recv) { char b; ONCE(int, fd, silent_socket(SOCK_STREAM)); return recv(fd, &b, 1, 0); }
KIND(k_recvfrom) { char b; ONCE(int, fd, silent_socket(SOCK_DGRAM)); return recvfrom(fd, &b, 1, 0, NULL, NULL); }

KIND(k_recvmsg)
{
	struct msghdr m = { 0 };
	ONCE(int, fd, silent_socket(SOCK_DGRAM));
	return recvmsg(fd, &m, 0);
}

KIND(k_recvmmsg)
{
	struct mmsghdr m = { { 0 }, 0 };
	ONCE(int, fd, silent_socket(SOCK_DGRAM));
	return recvmmsg(fd, &m, 1, 0, NULL);
}

static mqd_t new_mq(void)
{
	static int serial;
	char name[64];
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	snprintf(name, sizeof name, "/ft-eintr-%d-%d", getpid(), __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED));
	mqd_t q = need(mq_open(name, O_CREAT | O_RDWR, 0600, &attr), "mq_open");
	mq_unlink(name);
	return q;
}

KIND(k_mq_receive) { char b[8]; ONCE(mqd_t, q, new_mq()); return mq_receive(q, b, sizeof b, NULL); }

KIND(k_mq_timedreceive)
{
	char b[8];
	struct timespec t = soon();
	ONCE(mqd_t, q, new_mq());
	return ok(mq_timedreceive(q, b, sizeof b, NULL, &t), ETIMEDOUT);
}

KIND(k_pause) { return pause(); }
KIND(k_sigsuspend) { sigset_t s; sigemptyset(&s); return sigsuspend(&s); }
KIND(k_wait4) { ONCE(pid_t, child, sleeping_child()); return wait4(child, NULL, 0, NULL); }
KIND(k_waitid) { ONCE(pid_t, child, sleeping_child()); return waitid(P_PID, child, NULL, WEXITED); }
KIND(k_flock) { ONCE(int, fd, other_description(locked_fd)); return flock(fd, LOCK_EX); }

KIND(k_setlkw)
{
	struct flock l = { .l_type = F_WRLCK };
	ONCE(int, fd, other_description(locked_fd));
	return fcntl(fd, F_OFD_SETLKW, &l);
}

#define ALWAYS(X)                                                                                 \
	X(epoll_wait) X(epoll_wait_timeout) X(epoll_pwait) X(epoll_pwait2) X(io_getevents)        \
	X(io_pgetevents) X(sigtimedwait) X(sigwaitinfo) X(sigwait) X(accept_timeout)              \
	X(recv_timeout) X(poll) X(ppoll) X(poll_forever) X(select) X(pselect) X(nanosleep)        \
	X(clock_nanosleep) X(clock_nanosleep_abs) X(usleep) X(sleep) X(futex) X(futex_forever)    \
	X(sem_wait) X(sem_timedwait) X(cond_timedwait) X(read_pipe) X(read_eventfd)               \
	X(read_inotify) X(read_timerfd) X(read_signalfd) X(read_tty) X(write_pipe) X(open_fifo)   \
	X(accept) X(accept4) X(connect) X(recv) X(recvfrom) X(recvmsg) X(recvmmsg)                \
	X(mq_receive) X(mq_timedreceive) X(pause) X(sigsuspend) X(wait4) X(waitid) X(flock)       \
	X(setlkw)

struct kind {
	const char *name;
	long (*call)(void);
	long tid, calls, eintr;
};

#define ROW(name) { #name, k_##name, 0, 0, 0 },
static struct kind kinds[64] = { ALWAYS(ROW) };
static int n_kinds = 0, expect;

static void add_kind(const char *name, long (*call)(void))
{
	kinds[n_kinds++] = (struct kind){ name, call, 0, 0, 0 };
}

static void *blocked(void *arg)
{
	struct kind *k = arg;
	__atomic_store_n(&k->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	for (;;) {
		long r = k->call();
		if (r < 0 && errno != EINTR)
			die("%s: %s", k->name, strerror(errno));
		if (r < 0 && !expect)
			die("%s returned EINTR", k->name);
		if (r < 0)
			__atomic_fetch_add(&k->eintr, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&k->calls, 1, __ATOMIC_RELAXED);
	}
}

/* System V objects outlive their maker, so they live in a namespace that does not. */
static void system_v(void)
{
	if (unshare(CLONE_NEWIPC))
		return;
	semaphores = need(semget(IPC_PRIVATE, 2, 0600), "semget");
	queue = need(msgget(IPC_PRIVATE, 0600), "msgget");
	add_kind("semop", k_semop);
	add_kind("semtimedop", k_semtimedop);
	add_kind("msgrcv", k_msgrcv);
}

static void uring(void)
{
	struct io_uring_params p = { 0 };
	ring = syscall(SYS_io_uring_setup, 4, &p);
	if (ring >= 0)
		add_kind("io_uring_enter", k_io_uring_enter);
}

static void on_usr1(int sig) { (void)sig; }

static void report(void)
{
	for (struct kind *k = kinds; k < kinds + n_kinds; k++) {
		say("count %s %ld", k->name, __atomic_load_n(&k->calls, __ATOMIC_RELAXED));
		say("info tid %s %ld", k->name, k->tid);
		say("info eintr %s %ld", k->name, __atomic_load_n(&k->eintr, __ATOMIC_RELAXED));
	}
}

int main(int argc, char **argv)
{
	struct sigaction sa = { 0 };
	sigset_t set;
	sa.sa_handler = on_usr1;
	expect = argc > 1 && !strcmp(argv[1], "--expect");
	sigaction(SIGUSR1, &sa, NULL);
	pthread_sigmask(SIG_BLOCK, unused_signal(&set), NULL);
	while (kinds[n_kinds].name)
		n_kinds++;
	locked_fd = temporary_file();
	struct flock l = { .l_type = F_WRLCK };
	need(flock(locked_fd, LOCK_EX), "flock");
	need(fcntl(locked_fd, F_OFD_SETLK, &l), "F_OFD_SETLK");
	system_v();
	uring();
	for (struct kind *k = kinds; k < kinds + n_kinds; k++)
		thread_start(blocked, k);
	/* Ready means blocked: creating things is over. */
	usleep(200000);
	serve(&(struct victim){ .report = report });
}
