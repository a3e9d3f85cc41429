/*
 * What the C and C++ victims share: the line protocol, counters, checks, and a pool
 * of threads. See the Victim type in internal/testutils for the protocol.
 *
 * Counters are per thread and not hooked. A function counts itself with COUNT, in its
 * own body, by one instruction that a signal handler on the same thread cannot split.
 * Functions in assembly and those too short for it are counted by their callers.
 *
 * Input and output use read and write only, so that a victim also runs under strict
 * seccomp.
 */
#ifndef VICTIM_H
#define VICTIM_H

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define UNUSED __attribute__((unused))

/* ---- messages ---- */

static void vsay(const char *prefix, const char *format, va_list args)
{
	char line[512];
	int n = snprintf(line, sizeof line, "%s", prefix);
	n += vsnprintf(line + n, sizeof line - n - 1, format, args);
	if (n > (int)sizeof line - 2)
		n = sizeof line - 2;
	line[n++] = '\n';
	for (char *p = line; n > 0;) {
		ssize_t w = write(1, p, n);
		if (w < 0)
			_exit(3);
		p += w;
		n -= w;
	}
}

/* say prints one line. */
__attribute__((format(printf, 1, 2))) static UNUSED void say(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsay("", format, args);
	va_end(args);
}

/* die reports that something is wrong, and aborts. */
__attribute__((format(printf, 1, 2), noreturn)) static UNUSED void die(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsay("error ", format, args);
	va_end(args);
	abort();
}

#define CHECK(what, got, want)                                                                  \
	do {                                                                                    \
		long got_ = (long)(got), want_ = (long)(want);                                  \
		if (got_ != want_)                                                              \
			die("%s: got %ld (%#lx), want %ld", what, got_, (unsigned long)got_, want_); \
	} while (0)

/* ---- counters ---- */

enum { MAX_SLOTS = 2048, MAX_FUNCS = 64 };

struct slot {
	uint64_t n[MAX_FUNCS];
	int used;
} __attribute__((aligned(64)));

static UNUSED struct slot slots[MAX_SLOTS];
static UNUSED __thread struct slot *self;

static inline __attribute__((always_inline)) UNUSED void COUNT(int func)
{
	__asm__ volatile("incq %0" : "+m"(self->n[func]) : : "cc");
}

/* slot_claim gives the thread a slot. Counts in it stay when a thread leaves it to the
 * next one. */
static UNUSED void slot_claim(void)
{
	for (int i = 0; i < MAX_SLOTS; i++)
		if (!__atomic_exchange_n(&slots[i].used, 1, __ATOMIC_ACQUIRE)) {
			self = &slots[i];
			return;
		}
	die("no free slot");
}

static UNUSED void slot_release(void)
{
	struct slot *s = self;
	self = NULL;
	__atomic_store_n(&s->used, 0, __ATOMIC_RELEASE);
}

static UNUSED uint64_t count_of(int func)
{
	uint64_t sum = 0;
	for (int i = 0; i < MAX_SLOTS; i++)
		sum += *(volatile uint64_t *)&slots[i].n[func];
	return sum;
}

static UNUSED void report_counts(const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		say("count %s %llu", names[i], (unsigned long long)count_of(i));
}

/* FUNCS(X) of a victim lists its functions; these make the numbers and the names. */
#define FUNC_NUMBER(name) I_##name,
#define FUNC_NAME(name) #name,

/* ---- the protocol ---- */

struct victim {
	void (*run)(long rounds);
	void (*start)(void);
	void (*stop)(void);
	void (*report)(void);
	int (*command)(const char *line); /* others; returns 0 if unknown */
};

static int read_line(char *line, size_t size)
{
	size_t n = 0;
	while (n < size - 1) {
		ssize_t r = read(0, line + n, 1);
		if (r < 0)
			die("reading a command: %s", strerror(errno));
		if (r == 0)
			return 0;
		if (line[n] == '\n') {
			line[n] = 0;
			return 1;
		}
		n++;
	}
	die("command too long");
}

static void obey(const struct victim *v, const char *line)
{
	if (!strncmp(line, "run ", 4) && v->run) {
		v->run(atol(line + 4));
		say("done");
	} else if (!strcmp(line, "start") && v->start) {
		v->start();
		say("started");
	} else if (!strcmp(line, "stop") && v->stop) {
		v->stop();
		say("stopped");
	} else if (!strcmp(line, "report")) {
		v->report();
		say("end");
	} else if (!v->command || !v->command(line)) {
		die("unknown command: %s", line);
	}
}

/* Set before strict seccomp, which forbids to ask for the PID and to end all threads. */
static UNUSED int strict_pid;

/* serve says ready and obeys until the end of the input. */
static UNUSED void serve(const struct victim *v)
{
	char line[4096];
	say("ready %d", strict_pid ? strict_pid : (int)getpid());
	while (read_line(line, sizeof line)) {
		if (!strcmp(line, "quit")) {
			say("bye");
			break;
		}
		obey(v, line);
	}
	if (strict_pid)
		syscall(SYS_exit, 0);
	_exit(0);
}

/* ---- a pool of threads ---- */

struct pool {
	int threads;
	void (*enter)(int id); /* before work; may be NULL */
	void (*round)(int id);
	void (*leave)(int id); /* after work; may be NULL */
	pthread_mutex_t mu;
	pthread_cond_t go, idle;
	long rounds; /* -1: until stopped */
	unsigned generation;
	int busy, stopping;
};

static UNUSED struct pool pool;

static void pool_work(int id, long rounds)
{
	if (pool.enter)
		pool.enter(id);
	for (long r = 0; r != rounds && !__atomic_load_n(&pool.stopping, __ATOMIC_RELAXED); r++)
		pool.round(id);
	if (pool.leave)
		pool.leave(id);
}

static void *pool_thread(void *arg)
{
	unsigned seen = 0;
	slot_claim();
	pthread_mutex_lock(&pool.mu);
	if (--pool.busy == 0)
		pthread_cond_signal(&pool.idle);
	for (;;) {
		while (pool.generation == seen)
			pthread_cond_wait(&pool.go, &pool.mu);
		seen = pool.generation;
		long rounds = pool.rounds;
		pthread_mutex_unlock(&pool.mu);
		pool_work((int)(intptr_t)arg, rounds);
		pthread_mutex_lock(&pool.mu);
		if (--pool.busy == 0)
			pthread_cond_signal(&pool.idle);
	}
	return NULL;
}

static void pool_go(long rounds)
{
	pthread_mutex_lock(&pool.mu);
	pool.rounds = rounds;
	pool.stopping = 0;
	pool.busy = pool.threads;
	pool.generation++;
	pthread_cond_broadcast(&pool.go);
	pthread_mutex_unlock(&pool.mu);
}

static void pool_wait(void)
{
	pthread_mutex_lock(&pool.mu);
	while (pool.busy)
		pthread_cond_wait(&pool.idle, &pool.mu);
	pthread_mutex_unlock(&pool.mu);
}

static UNUSED void pool_run(long rounds)
{
	pool_go(rounds);
	pool_wait();
}

static UNUSED void pool_start(void)
{
	pool_go(-1);
}

static UNUSED void pool_stop(void)
{
	__atomic_store_n(&pool.stopping, 1, __ATOMIC_RELAXED);
	pool_wait();
}

static UNUSED pthread_t thread_start(void *(*fn)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t th;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	if (pthread_create(&th, &attr, fn, arg))
		die("pthread_create: %s", strerror(errno));
	pthread_attr_destroy(&attr);
	return th;
}

static UNUSED void pool_init(int threads, void (*round)(int id))
{
	pool.threads = threads;
	pool.round = round;
	pthread_mutex_init(&pool.mu, NULL);
	pthread_cond_init(&pool.go, NULL);
	pthread_cond_init(&pool.idle, NULL);
	/* Ready means that libc has done with starting all of them. */
	pool.busy = threads;
	for (int i = 0; i < threads; i++)
		thread_start(pool_thread, (void *)(intptr_t)i);
	pool_wait();
}

#endif
