/*
 * count THREADS [--churn] [--sig HZ] [--altstack]
 *
 * Every thread calls functions of every shape that a C compiler makes, and checks
 * the results. --churn: the calls are made by threads that live for one round.
 * --sig: a timer signal at HZ on every working thread, whose handler calls the same
 * functions; --altstack: on a stack of its own.
 */
#include "victim.h"

#include <immintrin.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#define FUNCS(X)                                                                                  \
	X(work_leaf) X(work_recursive) X(work_tail) X(work_tailed) X(work_even) X(work_odd)       \
	X(work_varargs) X(work_many_args) X(work_struct) X(work_big_struct) X(work_longdouble)    \
	X(work_doubles) X(work_ymm) X(work_static) X(work_pointer_a) X(work_pointer_b)            \
	X(work_setjmp) X(work_longjmp) X(work_switch) X(work_memory) X(work_nested)               \
	X(work_tiny_ret) X(work_tiny_mov) X(work_tiny_zero) X(work_riprel) X(work_ripimm)         \
	X(work_jccfirst) X(work_jcc8) X(work_callfirst) X(work_called) X(work_jmpfirst)           \
	X(work_jumped) X(work_selfloop) X(work_msabi) X(work_chain)

enum { FUNCS(FUNC_NUMBER) N_FUNCS };
static const char *const names[] = { FUNCS(FUNC_NAME) };

/* ---- functions that count themselves ---- */

NOINLINE long work_leaf(long x)
{
	COUNT(I_work_leaf);
	return x * 3 + 1;
}

/* Every call is to be a call: gcc would make a loop of the second one. */
__attribute__((optimize("no-optimize-sibling-calls"))) NOINLINE long work_recursive(long n)
{
	COUNT(I_work_recursive);
	return n <= 1 ? n : work_recursive(n - 1) + work_recursive(n - 2);
}

NOINLINE long work_tailed(long x)
{
	COUNT(I_work_tailed);
	return x ^ 0x55;
}

NOINLINE long work_tail(long x)
{
	COUNT(I_work_tail);
	return work_tailed(x + 7);
}

long work_odd(long n);

NOINLINE long work_even(long n)
{
	COUNT(I_work_even);
	return n == 0 ? 1 : work_odd(n - 1);
}

NOINLINE long work_odd(long n)
{
	COUNT(I_work_odd);
	return n == 0 ? 0 : work_even(n - 1);
}

NOINLINE double work_varargs(int n, ...)
{
	COUNT(I_work_varargs);
	double sum = 0;
	va_list args;
	va_start(args, n);
	for (int i = 0; i < n; i++)
		sum += i % 2 ? va_arg(args, double) : (double)va_arg(args, long);
	va_end(args);
	return sum;
}

NOINLINE long work_many_args(long a, long b, long c, long d, long e, long f, long g, long h, int i, char j)
{
	COUNT(I_work_many_args);
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

struct pair {
	long a;
	double b;
};

NOINLINE struct pair work_struct(struct pair p)
{
	COUNT(I_work_struct);
	return (struct pair){ p.a + 1, p.b * 2 };
}

struct big {
	long a[6];
};

NOINLINE struct big work_big_struct(struct big b, long x)
{
	COUNT(I_work_big_struct);
	for (int i = 0; i < 6; i++)
		b.a[i] += x * i;
	return b;
}

NOINLINE long double work_longdouble(long double a, double b, float c)
{
	COUNT(I_work_longdouble);
	return a * 2 + b + c;
}

NOINLINE double work_doubles(double a, double b, double c, double d, double e, double f, double g, double h, double i)
{
	COUNT(I_work_doubles);
	return a - b + c - d + e - f + g - h + i;
}

__attribute__((target("avx"))) NOINLINE __m256d work_ymm(__m256d a, __m256d b)
{
	COUNT(I_work_ymm);
	return _mm256_add_pd(_mm256_mul_pd(a, b), b);
}

static NOINLINE long work_static(long x)
{
	COUNT(I_work_static);
	return x - 11;
}

NOINLINE long work_pointer_a(long x)
{
	COUNT(I_work_pointer_a);
	return x + 100;
}

NOINLINE long work_pointer_b(long x)
{
	COUNT(I_work_pointer_b);
	return x + 200;
}

static long (*volatile pointers[2])(long) = { work_pointer_a, work_pointer_b };

NOINLINE void work_longjmp(jmp_buf env, int value)
{
	COUNT(I_work_longjmp);
	longjmp(env, value);
}

NOINLINE long work_setjmp(long x)
{
	COUNT(I_work_setjmp);
	jmp_buf env;
	volatile long kept = x;
	int value = setjmp(env);
	if (value == 0)
		work_longjmp(env, 42);
	return kept + value;
}

NOINLINE long work_switch(long x)
{
	COUNT(I_work_switch);
	switch (x & 7) {
	case 0: return x + 5;
	case 1: return x * x;
	case 2: return x ^ 0xff;
	case 3: return -x;
	case 4: return x << 3;
	case 5: return x >> 1;
	case 6: return x % 13;
	default: return x | 64;
	}
}

static long switch_want(long x)
{
	long want[8] = { x + 5, x * x, x ^ 0xff, -x, x << 3, x >> 1, x % 13, x | 64 };
	return want[x & 7];
}

NOINLINE long work_memory(const long *p, int n)
{
	COUNT(I_work_memory);
	long sum = 0;
	for (int i = 0; i < n; i++)
		sum += p[i] * i;
	return sum;
}

NOINLINE long work_nested(long x)
{
	COUNT(I_work_nested);
	return work_leaf(x) + work_static(x) + work_tail(x);
}

/* Windows' convention: other argument registers, others that are preserved, and 32 bytes
 * above the return address that belong to the callee. */
__attribute__((ms_abi)) NOINLINE double work_msabi(long a, double b, long c, double d, long e)
{
	COUNT(I_work_msabi);
	return a + b * 2 + c * 3 + d * 4 + e * 5;
}

/* Its inner function gets the address of these variables in r10. */
NOINLINE long work_chain(long x)
{
	long n = x, sum = 0;
	NOINLINE long inner(long y)
	{
		sum += y * n;
		return y ? inner(y - 1) + 1 : sum;
	}
	COUNT(I_work_chain);
	return inner(3);
}

/* ---- functions in assembly, counted by their callers ---- */

#define ASM_FUNC(name, body)                                                                    \
	__asm__(".pushsection .text\n.p2align 4\n.globl " #name "\n.type " #name ",@function\n" \
		#name ":\n" body "\n.size " #name ",.-" #name "\n.p2align 4\n.popsection\n")

ASM_FUNC(work_tiny_ret, "ret");
ASM_FUNC(work_tiny_mov, "mov %edi, %eax\nret");
ASM_FUNC(work_tiny_zero, "xor %eax, %eax\nret");
ASM_FUNC(work_riprel, "mov asm_value(%rip), %rax\nadd %rdi, %rax\nret");
ASM_FUNC(work_ripimm, "cmpq $0x1234567, asm_value(%rip)\nsete %al\nmovzbl %al, %eax\nadd %rdi, %rax\nret");
/* Reads flags that its caller set: nothing in the psABI, but real code does it. */
ASM_FUNC(work_jccfirst, "jne 1f\nmov $1, %eax\nret\n1: mov $2, %eax\nret");
ASM_FUNC(work_jcc8, "test %rdi, %rdi\njs 1f\nmov $3, %eax\nret\n1: mov $4, %eax\nret");
ASM_FUNC(work_called, "lea 9(%rdi), %rax\nret");
ASM_FUNC(work_callfirst, "call work_called\nadd $1, %rax\nret");
ASM_FUNC(work_jumped, "lea 10(%rdi), %rax\nret");
ASM_FUNC(work_jmpfirst, "jmp work_jumped");
/* Jumps to its own first byte, every time an entry; keeps data in the red zone. */
ASM_FUNC(work_selfloop,
	 "lea 1(%rsi), %rsi\nmov %rsi, -8(%rsp)\nmov %rdi, -128(%rsp)\ndec %rdi\n"
	 "je 1f\ncmp %rsi, -8(%rsp)\njne 2f\nlea 1(%rdi), %rax\ncmp %rax, -128(%rsp)\njne 2f\n"
	 "jmp work_selfloop\n1: mov %rsi, %rax\nret\n2: mov $-1, %rax\nret");
ASM_FUNC(call_jccfirst, "test %edi, %edi\ncall work_jccfirst\nret");

__attribute__((used, visibility("hidden"))) long asm_value = 0x1234567;

void work_tiny_ret(void);
long work_tiny_mov(long), work_tiny_zero(void), work_riprel(long), work_ripimm(long);
long work_jcc8(long), work_callfirst(long), work_jmpfirst(long), work_selfloop(long, long);
long call_jccfirst(long);

#define CALLED(name) (COUNT(I_##name), name)

static void tiny_round(long x)
{
	CALLED(work_tiny_ret)();
	CHECK("tiny_mov", CALLED(work_tiny_mov)(x), (uint32_t)x);
	CHECK("tiny_zero", CALLED(work_tiny_zero)(), 0);
}

static void asm_round(long x)
{
	tiny_round(x);
	CHECK("riprel", CALLED(work_riprel)(x), 0x1234567 + x);
	CHECK("ripimm", CALLED(work_ripimm)(x), 1 + x);
	COUNT(I_work_jccfirst);
	CHECK("jccfirst", call_jccfirst(x & 1), x & 1 ? 2 : 1);
	CHECK("jcc8", CALLED(work_jcc8)(x - 500), x < 500 ? 4 : 3);
	COUNT(I_work_called);
	CHECK("callfirst", CALLED(work_callfirst)(x), x + 10);
	COUNT(I_work_jumped);
	CHECK("jmpfirst", CALLED(work_jmpfirst)(x), x + 10);
	for (int i = 0; i < 3; i++)
		COUNT(I_work_selfloop);
	CHECK("selfloop", work_selfloop(3, x), x + 3);
}

/* ---- rounds ---- */

__attribute__((target("avx"))) static void ymm_round(long x)
{
	double out[4];
	__m256d a = _mm256_set_pd(1, 2, 3, x), b = _mm256_set1_pd(10);
	_mm256_storeu_pd(out, work_ymm(a, b));
	CHECK("ymm lane 0", out[0], x * 10 + 10);
	CHECK("ymm lane 2", out[2], 30);
	CHECK("ymm lane 3", out[3], 20);
}

static void data_round(long x)
{
	CHECK("varargs", work_varargs(5, x, 2.0, 3L, 4.0, 5L), x + 14);
	CHECK("many_args", work_many_args(x, 2, 3, 4, 5, 6, 7, 8, 9, 10), x + 384);
	struct pair p = work_struct((struct pair){ x, 1.5 });
	CHECK("struct.a", p.a, x + 1);
	CHECK("struct.b", p.b, 3);
	struct big b = work_big_struct((struct big){ { 1, 2, 3, 4, 5, 6 } }, x);
	for (int i = 0; i < 6; i++)
		CHECK("big_struct", b.a[i], i + 1 + x * i);
	CHECK("longdouble", work_longdouble(x, 3, 4), 2 * x + 7);
	CHECK("doubles", work_doubles(x, 1, 2, 3, 4, 5, 6, 7, 8), x + 4);
	if (__builtin_cpu_supports("avx"))
		ymm_round(x);
	long array[4] = { 1, x, 3, 4 };
	CHECK("memory", work_memory(array, 4), x + 18);
	CHECK("ms_abi", work_msabi(x, 1.5, 2, 2.5, x), x + 3 + 6 + 10 + x * 5);
	CHECK("chain", work_chain(x), 6 * x + 3);
}

static void call_round(long x)
{
	CHECK("leaf", work_leaf(x), x * 3 + 1);
	CHECK("recursive", work_recursive(7), 13);
	CHECK("tail", work_tail(x), (x + 7) ^ 0x55);
	CHECK("even", work_even(x & 15), !(x & 1));
	CHECK("static", work_static(x), x - 11);
	CHECK("pointer", pointers[x & 1](x), x & 1 ? x + 200 : x + 100);
	CHECK("setjmp", work_setjmp(x), x + 42);
	CHECK("switch", work_switch(x), switch_want(x));
	CHECK("nested", work_nested(x), x * 3 + 1 + x - 11 + ((x + 7) ^ 0x55));
}

static __thread uint32_t seed;

static void all_round(int id)
{
	seed = seed * 1664525 + 1013904223 + id;
	long x = seed >> 22; /* 0..1023 */
	call_round(x);
	data_round(x);
	asm_round(x);
}

/* ---- churn ---- */

static void *short_life(void *arg)
{
	slot_claim();
	all_round((int)(intptr_t)arg);
	slot_release();
	return NULL;
}

static void churn_round(int id)
{
	pthread_join(thread_start(short_life, (void *)(intptr_t)id), NULL);
}

/* ---- signals ---- */

static long hz;
static int altstack;
static __thread int timer; /* the kernel's timer id */
static uint64_t handled;

static void on_signal(int sig)
{
	(void)sig;
	int saved = errno;
	uint32_t kept = seed;
	CHECK("leaf in a handler", work_leaf(5), 16);
	CHECK("tail in a handler", work_tail(5), 12 ^ 0x55);
	CHECK("recursive in a handler", work_recursive(3), 2);
	CHECK("setjmp in a handler", work_setjmp(5), 47);
	asm_round(7);
	data_round(9);
	seed = kept;
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
	errno = saved;
}

static void set_timer(long ns)
{
	struct {
		long interval_s, interval_ns, value_s, value_ns;
	} t = { 0, ns, 0, ns };
	if (syscall(SYS_timer_settime, timer, 0, &t, NULL))
		die("timer_settime: %s", strerror(errno));
}

/* The signal goes to this thread. C libraries differ in what they call the fields. */
static void make_timer(void)
{
	struct {
		long value;
		int signo, notify, tid, pad[11];
	} event = { 0, SIGPROF, 4 /* SIGEV_THREAD_ID */, (int)syscall(SYS_gettid), { 0 } };
	if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer))
		die("timer_create: %s", strerror(errno));
}

static void make_altstack(void)
{
	stack_t st = { .ss_size = 64 << 10 };
	st.ss_sp = mmap(NULL, st.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (st.ss_sp == MAP_FAILED || sigaltstack(&st, NULL))
		die("sigaltstack: %s", strerror(errno));
}

static void arm(int id)
{
	static __thread int made;
	(void)id;
	if (!made && altstack)
		make_altstack();
	if (!made)
		make_timer();
	made = 1;
	set_timer(1000000000 / hz);
}

/* A signal that is pending when the timer stops is handled before the call returns. */
static void disarm(int id)
{
	(void)id;
	set_timer(0);
}

static void want_signals(void)
{
	struct sigaction sa = { .sa_flags = SA_RESTART | (altstack ? SA_ONSTACK : 0) };
	sa.sa_handler = on_signal;
	if (sigaction(SIGPROF, &sa, NULL))
		die("sigaction: %s", strerror(errno));
	pool.enter = arm;
	pool.leave = disarm;
}

/* ---- main ---- */

static void report(void)
{
	report_counts(names, N_FUNCS);
	say("info handled %llu", (unsigned long long)handled);
}

int main(int argc, char **argv)
{
	int threads = 1, churn = 0;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--churn"))
			churn = 1;
		else if (!strcmp(argv[i], "--altstack"))
			altstack = 1;
		else if (!strcmp(argv[i], "--sig") && i + 1 < argc)
			hz = atol(argv[++i]);
		else
			threads = atoi(argv[i]);
	}
	if (hz)
		want_signals();
	pool_init(threads, churn ? churn_round : all_round);
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = report });
}
