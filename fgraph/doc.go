// Package fgraph sees functions return, as the kernel's function graph does. A hooked
// function is called by generated code, which keeps the caller's return address in a
// frame of a shadow return stack, and takes the time before and after.
//
// [Durations] keeps statistics of how long each function takes, in the target's memory, so
// that no event is sent anywhere. A [Recorder] does so, too, and tells every entry and exit
// as an [Event]: each thread of the target writes them to a ring of its own, which never
// holds it up; what does not fit is counted as lost, and said to be missing at its place.
// Any number of Durations, and one Recorder, can be at a function at a time. A call
// belongs, from its entry to its end, to those who were there at its entry: who comes
// meanwhile does not see its return, and for who has gone it stays inflight. Handlers and
// data carried from entry to return are not built yet.
//
// # Life cycle and locks
//
// Both begin by patching sites ([Measure], [Record]) and end with Close or with that of the
// Process; what they know can be read afterwards. A Recorder's mutex is taken under the
// Process's own, so a Recorder calls its Process only while it does not hold it.
//
// # What is not wrapped
//
// Some functions' returns cannot be hooked: setjmp returns twice, dlsym looks at its
// return address, Go's runtime reads those of all Go functions. [hook.Site.Exit] says so,
// and by what name.
//
// A wrapped function's caller is hidden from whoever walks the stack meanwhile. What unwinds
// in the target (C++ exceptions, pthread_cancel, backtraces) is told about frames: the functions
// that unwinders ask are answered by generated code (docs/unwinding.md). Where that cannot be,
// the target is refused with [ErrUnwinds]. So is one that copies stacks (Python's greenlets
// do), with [ErrCopiesStacks]: there a stack word is the return slot of several calls at a
// time.
//
// # Laws
//
// Every call that enters a wrapped function returns, is unwound (left by longjmp, or with
// its thread), or is still running at the end; one that finds no free frame runs without
// and is counted as missed. So at the end
//
//	Calls = Returned + Unwound + Inflight + Missed
//
// for each function, where all five were counted apart.
//
// With [Options].Self, every instant of a thread that is in the duration of some call is in the
// self time of one: if SelfUnknown is 0 everywhere, the self times of all functions together are
// the durations of those calls that were below no other.
package fgraph
