/* Another library of the same layout, which may be mapped where plugin_a was. */
#define FACTOR 9
#include "plugin_a.c"
