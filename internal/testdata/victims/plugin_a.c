/* A library for dlopen.c: plugin_work(x) = 5x + 1, counted by its caller. */
#ifndef FACTOR
#define FACTOR 5
#endif

long plugin_helper(long x)
{
	return x * FACTOR;
}

long plugin_work(long x)
{
	return plugin_helper(x) + 1;
}
