/*
 * clonefs THREADS [--late]: rawclone, but all threads keep the main thread's fs, as a
 * clone without CLONE_SETTLS leaves it.
 */
#define KEEP_FS 1
#include "rawclone.c"
