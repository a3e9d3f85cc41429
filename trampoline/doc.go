// Package trampoline decides what runs at the functions that package hook has
// patched. Several users share a site: each attaches what it wants, and the
// site gets one program, generated for exactly those, by one 8-byte store.
//
// A [Counter] counts the calls of a set of functions, exactly, in the target's
// memory: it costs a call about a nanosecond and no event is sent anywhere.
//
// What else may run at a site is an [Attachment]: package fgraph attaches statistics of
// how long calls take, and the program then calls the function instead of jumping to it.
//
// All methods may be called from several goroutines.
package trampoline
