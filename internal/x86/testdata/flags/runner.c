/* Runs every snippet of the table in snippets.s with random registers and flags, and again
   with each arithmetic flag turned round. Prints for each snippet three sets of flags:
   those seen to change, those whose new value depends on their old one, and those whose
   old value had an influence on anything else: another flag or a register. */
#include <stdint.h>
#include <stdio.h>

enum { REGS = 9, ROUNDS = 4000 };
struct state { uint64_t reg[REGS]; uint64_t flags; };

extern void (*const snippets[])(struct state *);
extern const char kinds[];

static const uint64_t flag[] = { 1 << 0, 1 << 2, 1 << 4, 1 << 6, 1 << 7, 1 << 11 };
enum { FLAGS = sizeof flag / sizeof *flag, ARITH = 0x8d5 };

static char buffer[64];
static uint64_t seed = 88172645463325252ull;

static uint64_t
rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* Small and equal numbers find what random ones would seldom find. */
static uint64_t
interesting(void)
{
	switch (rnd() & 7) {
	case 0: return 0;
	case 1: return rnd() & 0x3f;
	case 2: return -(rnd() & 3);
	case 3: return 0x0101010101010101 * (rnd() & 0xff);
	}
	return rnd();
}

static void
fill(struct state *s, char kind)
{
	for (int i = 0; i < REGS; i++)
		s->reg[i] = interesting();
	if (kind == 'd') { /* rdx:rax by rcx without overflow */
		s->reg[0] &= INT32_MAX;
		s->reg[2] |= 1;
		s->reg[2] &= INT64_MAX;
		s->reg[3] = 0;
	}
	if (kind == 's') { /* up to 3 bytes at rsi and rdi */
		s->reg[2] &= 3;
		s->reg[4] = (uint64_t)buffer;
		s->reg[5] = (uint64_t)buffer + 16 + (rnd() & 1);
	}
	s->flags = rnd() & ARITH;
}

/* Not memcmp, which may use the vector registers that snippets look at. */
static int
differ(const struct state *a, const struct state *b)
{
	uint64_t d = 0;
	for (int i = 0; i < REGS; i++)
		d |= a->reg[i] ^ b->reg[i];
	return d != 0;
}

int
main(void)
{
	for (int i = 0; i < 40; i++)
		buffer[i] = i % 7 / 3;
	for (int i = 0; snippets[i]; i++) {
		unsigned changed = 0, kept = 0, influence = 0;
		for (int round = 0; round < ROUNDS; round++) {
			struct state in, out;
			fill(&in, kinds[i]);
			out = in;
			snippets[i](&out);
			for (int f = 0; f < FLAGS; f++) {
				struct state other = in;
				other.flags ^= flag[f];
				snippets[i](&other);
				if ((out.flags ^ in.flags) & flag[f])
					changed |= 1u << f;
				if ((out.flags ^ other.flags) & flag[f])
					kept |= 1u << f;
				if ((out.flags ^ other.flags) & ARITH & ~flag[f] ||
				    differ(&out, &other))
					influence |= 1u << f;
			}
		}
		printf("%d %u %u %u\n", i, changed, kept, influence);
	}
	return 0;
}
