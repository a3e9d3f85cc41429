/* A plugin for unwind_c: it throws through calls that the program has wrapped. */
#define UNWIND_PLUGIN
#include "unwind.h"

#include <stdexcept>

static long destroyed;

struct Guard {
	~Guard() { destroyed++; }
};

static long deep(long n)
{
	Guard guard;
	if (n == 0)
		throw std::runtime_error("deep");
	return THROUGH(CALLED0, deep, n - 1) + 1;
}

extern "C" void plugin_run(void *volatile *slots)
{
	call_slots = slots;
	for (long n = 0; n < 100; n++) {
		destroyed = 0;
		try {
			THROUGH(TAILED, deep, n);
			die("nothing was thrown");
		} catch (const std::exception &) {
		}
		CHECK("destructors", destroyed, n + 1);
	}
}
