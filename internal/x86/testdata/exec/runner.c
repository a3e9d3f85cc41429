// Runs relocated code and its original with the same inputs in a traced child
// and compares what they leave behind: all general purpose registers, the
// arithmetic flags, vector registers and all memory, the stack included.
//
// Input (64-bit little-endian words): see relocate_exec_test.go. Output: one
// line a finding or a count; the exit status is 1 after a finding.
#define _GNU_SOURCE
#include <elf.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

typedef uint64_t u64;

enum { VECTORS = 32, XSTATE = 1 << 14, STEPS = 4000 };

#define ARITH 0xcd5u // CF PF AF ZF SF DF OF

struct region { u64 addr, len; unsigned char *bytes; };
struct moved { u64 copy, orig, pop, reached; };
struct place { u64 copy, len, n; struct moved *moved; };
struct outcome {
	struct user_regs_struct regs;
	unsigned char *memory; // image, then stack
	unsigned char *xstate;
};

static struct region *regions; // 0 is the image, 1 the stack, then the copies
static u64 nregions, stop_at, data_at, table_at;
static pid_t child;
static unsigned char xstate0[XSTATE];
static size_t xsize;
static int bad;
static char name[33]; // of the case that runs

static void die(const char *what) { perror(what); exit(2); }

static u64 word(void)
{
	u64 v;
	if (fread(&v, 8, 1, stdin) != 1)
		die("short input");
	return v;
}

static void *need(size_t n)
{
	void *p = calloc(1, n ? n : 1);
	if (!p)
		die("calloc");
	return p;
}

static void poke(u64 addr, const void *from, size_t n)
{
	struct iovec l = { (void *)from, n }, r = { (void *)addr, n };
	if (process_vm_writev(child, &l, 1, &r, 1, 0) != (ssize_t)n)
		die("process_vm_writev");
}

static void peek(u64 addr, void *to, size_t n)
{
	struct iovec l = { to, n }, r = { (void *)addr, n };
	if (process_vm_readv(child, &l, 1, &r, 1, 0) != (ssize_t)n)
		die("process_vm_readv");
}

static void read_regions(void)
{
	nregions = word();
	regions = need(nregions * sizeof *regions);
	for (u64 i = 0; i < nregions; i++) {
		regions[i].addr = word();
		regions[i].len = word();
		regions[i].bytes = need(regions[i].len);
		if (fread(regions[i].bytes, 1, regions[i].len, stdin) != regions[i].len)
			die("short region");
	}
}

static void start_child(void)
{
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0) {
		for (u64 i = 0; i < nregions; i++) {
			struct region *r = &regions[i];
			u64 from = r->addr & ~4095ull, to = (r->addr + r->len + 4095) & ~4095ull;
			void *m = mmap((void *)from, to - from, PROT_READ | PROT_WRITE | PROT_EXEC,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
			if (m != (void *)from)
				die("mmap of a region");
			memcpy((void *)r->addr, r->bytes, r->len);
		}
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	int st;
	if (waitpid(child, &st, 0) != child || !WIFSTOPPED(st))
		die("child did not stop");
	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_EXITKILL);
	struct iovec v = { xstate0, sizeof xstate0 };
	if (ptrace(PTRACE_GETREGSET, child, NT_X86_XSTATE, &v))
		die("GETREGSET");
	xsize = v.iov_len;
	*(u64 *)(xstate0 + 512) |= 7; // x87, xmm and ymm are in use
	for (int i = 160; i < 416; i++)
		xstate0[i] = i * 7; // xmm0-15
	for (int i = 576; i < 832 && (size_t)i < xsize; i++)
		xstate0[i] = i * 11; // upper halves of ymm0-15
}

// input is vector v of inputs: all values of the five condition flags, rcx
// around zero.
static struct user_regs_struct input(struct user_regs_struct r, int v)
{
	static const u64 counts[4] = { 0, 1, 2, 0x100000000 };
	u64 seed = v * 0x9e3779b97f4a7c15ull;
	r.eflags = 0x202 | (v & 1) | (v & 2) << 1 | (v & 4) << 4 | (v & 8) << 4 | (v & 16) << 7 | (v & 1) << 4;
	r.rax = seed; r.rbx = seed + 1; r.rcx = counts[v & 3]; r.rdx = v & 15;
	r.rdi = data_at; r.rsi = data_at + 64; r.rbp = seed + 2;
	r.r8 = seed + 3; r.r9 = seed + 4; r.r10 = seed + 5; r.r11 = seed + 6;
	r.r12 = table_at; r.r13 = seed + 7; r.r14 = seed + 8; r.r15 = v & 7;
	r.rsp = regions[1].addr + regions[1].len - 0x408;
	r.fs_base = data_at; r.gs_base = data_at + 64;
	r.orig_rax = -1;
	return r;
}

static void reset(int v, u64 rip)
{
	static struct user_regs_struct first;
	static int have;
	if (!have && ptrace(PTRACE_GETREGS, child, 0, &first))
		die("GETREGS");
	have = 1;
	struct user_regs_struct r = input(first, v);
	r.rip = rip;
	poke(regions[0].addr, regions[0].bytes, regions[0].len);
	poke(regions[1].addr, regions[1].bytes, regions[1].len);
	poke(r.rsp, &stop_at, 8);
	struct iovec x = { xstate0, xsize };
	if (ptrace(PTRACE_SETREGSET, child, NT_X86_XSTATE, &x) || ptrace(PTRACE_SETREGS, child, 0, &r))
		die("SETREGS");
}

static struct user_regs_struct regs(void)
{
	struct user_regs_struct r;
	if (ptrace(PTRACE_GETREGS, child, 0, &r))
		die("GETREGS");
	return r;
}

// expired ends a run that would never stop; the child goes with its tracer.
static void expired(int sig)
{
	(void)sig;
	if (write(1, "FAIL ", 5) + write(1, name, strlen(name)) + write(1, ": no end\n", 9) > 0)
		_exit(1);
}

// resume continues or steps; it returns the signal the child stopped with.
static int resume(int how)
{
	int st;
	if (ptrace(how, child, 0, 0) || waitpid(child, &st, 0) != child)
		die("resuming");
	if (!WIFSTOPPED(st)) {
		printf("FAIL child gone, status %#x\n", st);
		exit(1);
	}
	return WSTOPSIG(st);
}

// finish runs to the stop address; it reports anything else that stops it.
static int finish(const char *what, int v)
{
	int sig = resume(PTRACE_CONT);
	struct user_regs_struct r = regs();
	if (sig == SIGTRAP && r.rip == stop_at + 1)
		return 1;
	printf("FAIL %s %s vector %d: signal %d at %#llx\n", name, what, v, sig, r.rip);
	bad = 1;
	return 0;
}

static struct outcome take(void)
{
	struct outcome o = { regs(), need(regions[0].len + regions[1].len), need(XSTATE) };
	peek(regions[0].addr, o.memory, regions[0].len);
	peek(regions[1].addr, o.memory + regions[0].len, regions[1].len);
	struct iovec x = { o.xstate, XSTATE };
	if (ptrace(PTRACE_GETREGSET, child, NT_X86_XSTATE, &x))
		die("GETREGSET");
	memset(o.xstate + 8, 0, 16);   // addresses of the last x87 instruction and operand
	memset(o.xstate + 512, 0, 64); // which parts are in their initial state
	return o;
}

static void drop(struct outcome o) { free(o.memory); free(o.xstate); }

static const char *const names[] = { "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9",
	"r8", "rax", "rcx", "rdx", "rsi", "rdi", "orig_rax", "rip", "cs", "eflags", "rsp" };

static void compare(const char *what, int v, struct outcome want)
{
	struct outcome got = take();
	got.regs.eflags &= ARITH;
	want.regs.eflags &= ARITH;
	const unsigned long long *g = (void *)&got.regs, *w = (void *)&want.regs;
	for (int i = 0; i < 20; i++)
		if (g[i] != w[i] && strcmp(names[i], "orig_rax")) {
			printf("FAIL %s %s vector %d: %s is %#llx, want %#llx\n", name, what, v, names[i], g[i], w[i]);
			bad = 1;
		}
	for (u64 i = 0; i < regions[0].len + regions[1].len; i++)
		if (got.memory[i] != want.memory[i]) {
			printf("FAIL %s %s vector %d: memory byte %#lx\n", name, what, v, i);
			bad = 1;
			break;
		}
	if (memcmp(got.xstate, want.xstate, xsize)) {
		printf("FAIL %s %s vector %d: vector registers\n", name, what, v);
		bad = 1;
	}
	drop(got);
}

// patch overwrites the window as a hook does: a jump to the copy.
static void patch(u64 from, u64 len, struct place *p)
{
	unsigned char b[5] = { 0xe9 };
	int32_t d = p->copy - (from + 5);
	memcpy(b + 1, &d, 4);
	if (len >= 5)
		poke(from, b, 5);
}

static void unpatch(u64 from, u64 len) { poke(from, regions[0].bytes + (from - regions[0].addr), len); }

static struct moved *listed(struct place *p, u64 rip)
{
	for (u64 i = 0; i < p->n; i++)
		if (p->moved[i].copy == rip)
			return &p->moved[i];
	return 0;
}

// run_copy runs the copy to the end.
static void run_copy(const char *what, u64 from, u64 len, struct place *p, int v, struct outcome want)
{
	reset(v, p->copy);
	patch(from, len, p);
	if (!finish(what, v))
		return;
	unpatch(from, len);
	compare(what, v, want);
}

// leave_at runs the copy up to boundary m, moves the thread to the original
// code and goes on there.
static void leave_at(const char *what, u64 from, u64 len, struct place *p, struct moved *m, int v, struct outcome want)
{
	reset(v, p->copy);
	patch(from, len, p);
	struct user_regs_struct r = regs();
	for (int i = 0; r.rip != m->copy; i++) {
		if (i == STEPS || r.rip == stop_at)
			return;
		if (r.rip >= p->copy && r.rip < p->copy + p->len && !listed(p, r.rip)) {
			printf("FAIL %s %s: boundary %#llx is not listed\n", name, what, r.rip - p->copy);
			bad = 1;
			return;
		}
		if (resume(PTRACE_SINGLESTEP) != SIGTRAP) {
			r = regs();
			printf("FAIL %s %s vector %d: stopped stepping at %#llx\n", name, what, v, r.rip);
			bad = 1;
			return;
		}
		r = regs();
	}
	m->reached++;
	unpatch(from, len);
	r.rip = m->orig;
	r.rsp += m->pop;
	if (ptrace(PTRACE_SETREGS, child, 0, &r))
		die("SETREGS");
	if (finish(what, v))
		compare(what, v, want);
}

static struct place read_place(void)
{
	struct place p = { word(), word(), word(), 0 };
	p.moved = need(p.n * sizeof *p.moved);
	for (u64 i = 0; i < p.n; i++) {
		p.moved[i].copy = word();
		p.moved[i].orig = word();
		p.moved[i].pop = word();
	}
	return p;
}

static void run_case(void)
{
	char what[64];
	if (fread(name, 1, 32, stdin) != 32)
		die("short name");
	alarm(20);
	u64 from = word(), len = word(), n = word(), outcomes = 0, seen[VECTORS];
	struct place *p = need(n * sizeof *p);
	for (u64 i = 0; i < n; i++)
		p[i] = read_place();
	for (int v = 0; v < VECTORS; v++) {
		reset(v, from);
		if (!finish("original", v))
			continue;
		struct outcome want = take();
		u64 k = 0;
		while (k < outcomes && seen[k] != want.regs.r15)
			k++;
		if (k == outcomes)
			seen[outcomes++] = want.regs.r15;
		for (u64 i = 0; i < n; i++) {
			snprintf(what, sizeof what, "copy %lu", i);
			run_copy(what, from, len, &p[i], v, want);
			for (u64 j = 0; j < p[i].n && (v + v / 4 + i) % 3 == 0; j++) {
				snprintf(what, sizeof what, "copy %lu left at boundary %lu", i, j);
				leave_at(what, from, len, &p[i], &p[i].moved[j], v, want);
			}
		}
		drop(want);
	}
	printf("outcomes %s %lu\n", name, outcomes);
	for (u64 i = 0; i < n; i++)
		for (u64 j = 0; j < p[i].n; j++)
			printf("reached %s %lu %lu %lu\n", name, i, j, p[i].moved[j].reached);
}

// one_cpu makes parent and child take turns on one processor, which is three
// times as fast as waking each other up across two.
static void one_cpu(void)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof set, &set);
}

int main(void)
{
	one_cpu();
	signal(SIGALRM, expired);
	read_regions();
	stop_at = word();
	data_at = word();
	table_at = word();
	u64 ncases = word();
	start_child();
	for (u64 i = 0; i < ncases; i++)
		run_case();
	kill(child, SIGKILL);
	waitpid(child, 0, 0);
	return bad;
}
