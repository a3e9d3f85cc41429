/*
 * A little work for the victims whose point is something else than shapes of functions:
 * work_round calls and checks three functions that count themselves.
 */
#ifndef WORK_H
#define WORK_H

#include "victim.h"

#define WORK_FUNCS(X) X(work_sum) X(work_half) X(work_fib)

enum { WORK_FUNCS(FUNC_NUMBER) N_WORK };
static const char *const work_names[] = { WORK_FUNCS(FUNC_NAME) };

NOINLINE long work_half(long x)
{
	COUNT(I_work_half);
	return x / 2;
}

NOINLINE long work_sum(const long *p, int n)
{
	COUNT(I_work_sum);
	long sum = 0;
	for (int i = 0; i < n; i++)
		sum += work_half(p[i]);
	return sum;
}

/* Every call is to be a call: gcc would make a loop of the second one. */
__attribute__((optimize("no-optimize-sibling-calls"))) NOINLINE long work_fib(long n)
{
	COUNT(I_work_fib);
	return n < 2 ? n : work_fib(n - 1) + work_fib(n - 2);
}

static UNUSED void work_round(int id)
{
	long p[4] = { 2, 4, 6, id * 2 };
	CHECK("sum", work_sum(p, 4), 6 + id);
	CHECK("fib", work_fib(9), 34);
}

static UNUSED void work_report(void)
{
	report_counts(work_names, N_WORK);
}

/* work_here works on the thread that serves, for victims that have no other. */
static UNUSED void work_here(long rounds)
{
	while (rounds-- > 0)
		work_round(1);
}

#endif
