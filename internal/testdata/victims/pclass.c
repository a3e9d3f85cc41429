/*
 * pclass: calls every function of pclass.S with changing numbers and checks what it
 * computes. One thread: some of the functions store to memory.
 */
#include "victim.h"

#include <cpuid.h>

enum { VALUE = 0x12345678 };
enum need { ANY, AVX, BMI2, ADX, AVX512 };

#define DIFF ((int64_t)((uint64_t)x - (uint64_t)y))
#define IF(condition) ((condition) ? 2 : 1)
#define PARITY (!__builtin_parity(DIFF & 0xff))

/* name, what the CPU must have, what it computes of x and y */
#define CLASSES(X)                                                                                \
	X(push_rbp, ANY, x + y) X(five_singles, ANY, x + y) X(endbr, ANY, x + y)                  \
	X(sub_imm8, ANY, x + y) X(sub_imm32, ANY, x + y) X(enter, ANY, x + y)                     \
	X(pushfq, ANY, x + y) X(sib_disp32, ANY, 0x100 + 4 * x + y)                               \
	X(movabs, ANY, 0x1122334455667788 + x) X(long_nop, ANY, x + y)                            \
	X(fifteen, ANY, x + 0x07654321) X(rep_stos, ANY, x + y)                                   \
	X(setcc_cmov, ANY, x < y ? y : x)                                                         \
	X(rip_lea, ANY, VALUE + x) X(rip_load, ANY, VALUE + x) X(rip_cmp_imm8, ANY, 1 + x)        \
	X(rip_cmp_imm32, ANY, 1 + x) X(rip_store_imm, ANY, 77 + x) X(rip_test16, ANY, 1 + x)      \
	X(rip_imul, ANY, 7L * VALUE + x) X(rip_bt, ANY, (VALUE >> 3 & 1) + x)                     \
	X(rip_lock, ANY, VALUE + x) X(rip_push, ANY, VALUE + x) X(rip_call, ANY, x + y + 6)       \
	X(rip_jmp, ANY, x + y + 5) X(rip_fild, ANY, VALUE + x) X(rip_sse, ANY, VALUE + x)         \
	X(rip_pshufd, ANY, VALUE + x) X(rip_avx, AVX, VALUE + x) X(rip_avx_imm, AVX, VALUE + x)   \
	X(rip_rorx, BMI2, VALUE + x) X(rip_evex, AVX512, VALUE + x) X(vzeroupper, AVX, x + y)     \
	X(adx, ADX, x + y)                                                                        \
	X(helper, ANY, x + y + 5) X(call, ANY, x + y + 6) X(sub_call, ANY, x + y + 6)             \
	X(jmp8, ANY, x + y) X(jmp32, ANY, x + y + 5) X(jcc_before, ANY, IF(x == y))               \
	X(jcc32, ANY, IF(x == y))                                                                 \
	X(jo, ANY, IF(__builtin_sub_overflow_p(x, y, 0L)))                                        \
	X(jno, ANY, IF(!__builtin_sub_overflow_p(x, y, 0L)))                                      \
	X(jb, ANY, IF((uint64_t)x < (uint64_t)y)) X(jae, ANY, IF((uint64_t)x >= (uint64_t)y))     \
	X(je, ANY, IF(x == y)) X(jne, ANY, IF(x != y))                                            \
	X(jbe, ANY, IF((uint64_t)x <= (uint64_t)y)) X(ja, ANY, IF((uint64_t)x > (uint64_t)y))     \
	X(js, ANY, IF(DIFF < 0)) X(jns, ANY, IF(DIFF >= 0)) X(jp, ANY, IF(PARITY))                \
	X(jnp, ANY, IF(!PARITY)) X(jl, ANY, IF(x < y)) X(jge, ANY, IF(x >= y))                    \
	X(jle, ANY, IF(x <= y)) X(jg, ANY, IF(x > y))                                             \
	X(jrcxz, ANY, IF(x == 0)) X(jecxz, ANY, IF((int32_t)x == 0)) X(loop, ANY, IF(x != 1))     \
	X(loope, ANY, IF((int32_t)x != 1)) X(switch, ANY, 10 * ((x & 3) + 1) + y)                 \
	X(into_window, ANY, (uint64_t)x > 1 ? x : 1) X(entered, ANY, x + y + 1)                   \
	X(enters, ANY, y + 101) X(table_into_window, ANY, x > 1 ? x : 1)                          \
	X(tight_a, ANY, (uint32_t)x) X(tight_b, ANY, (uint32_t)y)

#define DECLARE(name, need, want) long p_##name(long, long);
CLASSES(DECLARE)
#define WANT(name, need, want)                                                                  \
	static long want_##name(long x UNUSED, long y UNUSED)                                   \
	{                                                                                       \
		return want;                                                                    \
	}
CLASSES(WANT)

static const struct class {
	const char *name;
	enum need need;
	long (*fn)(long, long), (*want)(long, long);
} classes[] = {
#define ROW(name, need, want) { "p_" #name, need, p_##name, want_##name },
	CLASSES(ROW)
};

enum { N = sizeof classes / sizeof *classes };
static uint64_t calls[N];
static int has[AVX512 + 1];

/* These call or jump to p_helper besides what is called here. */
static int calls_helper(const char *name)
{
	return !strcmp(name, "p_rip_call") || !strcmp(name, "p_rip_jmp") || !strcmp(name, "p_call") ||
	       !strcmp(name, "p_sub_call") || !strcmp(name, "p_jmp32");
}

static void call_all(long x, long y)
{
	int helper = 0;
	while (strcmp(classes[helper].name, "p_helper"))
		helper++;
	for (int i = 0; i < N; i++) {
		if (!has[classes[i].need])
			continue;
		calls[i]++;
		if (calls_helper(classes[i].name))
			calls[helper]++;
		CHECK(classes[i].name, classes[i].fn(x, y), classes[i].want(x, y));
	}
}

static const long samples[][2] = {
	{ 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 }, { 2, 5 }, { 5, 2 }, { 7, 7 }, { 3, -4 }, { 100, 1L << 40 },
};
static const long signed_samples[][2] = { { -3, 4 }, { INT64_MIN, 1 }, { INT64_MAX, -1 }, { -1, -1 } };

/* Only the conditional jumps: others count up to x. */
static void call_signed(long x, long y)
{
	for (int i = 0; i < N; i++) {
		if (classes[i].name[2] != 'j' || calls_helper(classes[i].name))
			continue;
		calls[i]++;
		CHECK(classes[i].name, classes[i].fn(x, y), classes[i].want(x, y));
	}
}

static void round_(int id)
{
	(void)id;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
		call_all(samples[i][0], samples[i][1]);
	for (size_t i = 0; i < sizeof signed_samples / sizeof *signed_samples; i++)
		call_signed(signed_samples[i][0], signed_samples[i][1]);
}

static void report(void)
{
	for (int i = 0; i < N; i++)
		say("count %s %lu", classes[i].name, calls[i]);
}

int main(void)
{
	__builtin_cpu_init();
	has[ANY] = 1;
	has[AVX] = !!__builtin_cpu_supports("avx");
	has[BMI2] = !!__builtin_cpu_supports("bmi2");
	unsigned a, b = 0, c, d;
	__get_cpuid_count(7, 0, &a, &b, &c, &d);
	has[ADX] = b >> 19 & 1;
	has[AVX512] = !!__builtin_cpu_supports("avx512f");
	pool_init(1, round_);
	serve(&(struct victim){ .run = pool_run, .start = pool_start, .stop = pool_stop, .report = report });
}
