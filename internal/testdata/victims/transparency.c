/*
 * transparency [--flags]
 *
 * Calls functions that change nothing, with a pattern in every register that the CPU has,
 * and compares all registers at the function's entry and after its return. The first
 * difference is an error that names the register.
 *
 * The psABI passes nothing in the arithmetic flags; they are compared where the function
 * itself reads them first. --flags: in the others too.
 */
#include "victim.h"

#include <cpuid.h>
#include <immintrin.h>

struct state {
	uint64_t gpr[16];
	uint64_t rflags;
	uint64_t pad[7];
	uint8_t fx[512];
	uint8_t vector[32][64];
	uint64_t mask[8];
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct state, fx) == 192 && offsetof(struct state, vector) == 704 &&
	       offsetof(struct state, mask) == 2752 && sizeof(struct state) == 2816, "layout of transparency.S");

extern struct state pattern, before, after, entry;
void work_empty(void), work_empty_tiny(void), work_empty_mov(void);
void work_observe_sse(void), work_observe_avx(void), work_observe_avx512(void);
void transparent_call_sse(void (*)(void)), transparent_call_avx(void (*)(void)), transparent_call_avx512(void (*)(void));
long work_redzone(long loops, long first, long pattern);

#define FUNCS(X)                                                                                  \
	X(work_empty) X(work_empty_tiny) X(work_empty_mov) X(work_observe_sse)                    \
	X(work_observe_avx) X(work_observe_avx512) X(work_redzone)
enum { FUNCS(FUNC_NUMBER) N_FUNCS };
static const char *const names[] = { FUNCS(FUNC_NAME) };

static const char *const gprs[16] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
				      "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15" };

enum { ARITHMETIC = 0x8d5 /* CF PF AF ZF SF OF */, DIRECTION = 0x400, RSP = 4 };

static int level, check_flags; /* level: 0 sse, 1 avx, 2 avx512 with bytes and words */

static uint64_t random64(void)
{
	static uint64_t x = 88172645463325252ull;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static void fill(void *p, size_t n)
{
	for (uint64_t *w = p; n >= 8; n -= 8)
		*w++ = random64();
}

/* The fxsave area keeps its control words legal, with exceptions masked. */
static void new_pattern(int mmx)
{
	uint8_t legal[32];
	memset(&pattern, 0, sizeof pattern);
	fill(pattern.gpr, sizeof pattern.gpr);
	pattern.rflags = 0x202 | (random64() & (ARITHMETIC | DIRECTION));
	__asm__ volatile("fxsave64 %0" : "=m"(pattern.fx));
	memcpy(legal, pattern.fx, sizeof legal);
	fill(pattern.fx + 32, 128 + 256);
	memcpy(pattern.fx, legal, sizeof legal);
	memset(pattern.fx + 8, 0, 16); /* last instruction and operand */
	uint16_t *control = (uint16_t *)pattern.fx;
	control[0] = 0x37f ^ (random64() & 0xc00);              /* rounding */
	control[1] = mmx ? 0 : (random64() & 7) << 11;          /* top of stack */
	pattern.fx[4] = mmx ? 0xff : (uint8_t)random64();       /* registers in use */
	*(uint32_t *)(pattern.fx + 24) = 0x1f80 | (random64() & 0x6000) | 0x3f; /* MXCSR */
	fill(pattern.vector, sizeof pattern.vector);
	for (int i = 0; i < 16; i++)
		memcpy(pattern.vector[i], pattern.fx + 160 + 16 * i, 16);
	fill(pattern.mask, sizeof pattern.mask);
}

static void differs(const char *where, const char *fn, const char *reg, int n)
{
	die("%s of %s: register %s%d differs", where, fn, reg, n);
}

static void compare(const char *fn, const char *where, const struct state *got, int entered, uint64_t flags)
{
	for (int i = 0; i < 16; i++) {
		uint64_t want = before.gpr[i] - (i == RSP && entered ? 8 : 0);
		if (got->gpr[i] != want)
			die("%s of %s: register %s is %#lx, was %#lx", where, fn, gprs[i], got->gpr[i], want);
	}
	if ((got->rflags ^ before.rflags) & flags)
		die("%s of %s: register rflags is %#lx, was %#lx", where, fn, got->rflags, before.rflags);
	if (memcmp(got->fx, before.fx, 24))
		die("%s of %s: the x87 control or status word differs", where, fn);
	if (memcmp(got->fx + 24, before.fx + 24, 8))
		die("%s of %s: register mxcsr differs", where, fn);
	for (int i = 0; i < 8; i++)
		if (memcmp(got->fx + 32 + 16 * i, before.fx + 32 + 16 * i, 10))
			differs(where, fn, "st/mm", i);
	for (int i = 0; i < 16; i++)
		if (memcmp(got->fx + 160 + 16 * i, before.fx + 160 + 16 * i, 16))
			differs(where, fn, "xmm", i);
	for (int i = 0; i < 32; i++)
		if (memcmp(got->vector[i], before.vector[i], 64))
			differs(where, fn, level == 2 ? "zmm" : "ymm", i);
	for (int i = 0; i < 8; i++)
		if (got->mask[i] != before.mask[i])
			differs(where, fn, "k", i);
}

static void (*const callers[])(void (*)(void)) = { transparent_call_sse, transparent_call_avx, transparent_call_avx512 };
static void (*const observers[])(void) = { work_observe_sse, work_observe_avx, work_observe_avx512 };

/* The pattern must have arrived, or the comparison would prove nothing. */
static void check_loaded(void)
{
	if (memcmp(pattern.gpr, before.gpr, 8 * RSP) || memcmp(pattern.gpr + RSP + 1, before.gpr + RSP + 1, 8 * (15 - RSP)))
		die("the general registers were not loaded");
	if (memcmp(pattern.fx + 32, before.fx + 32, 10) || memcmp(pattern.fx + 160, before.fx + 160, 256))
		die("the x87 or xmm registers were not loaded");
	for (int i = 0; i < (level == 2 ? 32 : level ? 16 : 0); i++)
		if (memcmp(pattern.vector[i], before.vector[i], level == 2 ? 64 : 32))
			die("vector register %d was not loaded", i);
	if (level == 2 && memcmp(pattern.mask, before.mask, sizeof before.mask))
		die("the mask registers were not loaded");
}

static void try(int number, void (*fn)(void))
{
	COUNT(number);
	callers[level](fn);
	check_loaded();
	uint64_t flags = DIRECTION | (check_flags || number >= I_work_observe_sse ? ARITHMETIC : 0);
	compare(names[number], "return", &after, 0, flags);
}

static void round_(int id)
{
	(void)id;
	for (int mmx = 0; mmx < 2; mmx++) {
		new_pattern(mmx);
		try(I_work_empty, work_empty);
		try(I_work_empty_tiny, work_empty_tiny);
		try(I_work_empty_mov, work_empty_mov);
		try(I_work_observe_sse + level, observers[level]);
		compare(names[I_work_observe_sse + level], "entry", &entry, 1, DIRECTION | ARITHMETIC);
	}
	for (int i = 0; i < 100; i++)
		COUNT(I_work_redzone);
	if (work_redzone(100, 0, 0x5a5a000000))
		die("the red zone of work_redzone changed");
}

static void report(void)
{
	report_counts(names, N_FUNCS);
	say("info level %d", level);
}

static void find_level(void)
{
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx"))
		level = 1;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
		level = 2;
}

int main(int argc, char **argv)
{
	check_flags = argc > 1 && !strcmp(argv[1], "--flags");
	find_level();
	/* One thread: the states are global. */
	pool_init(1, round_);
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = report });
}
