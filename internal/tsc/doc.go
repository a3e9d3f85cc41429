// Package tsc turns readings of the processor's time stamp counter into durations.
//
// The kernel does not tell the counter's rate everywhere, so it is measured against the
// monotonic clock, between the moment a Clock is made and the moment it is asked: the
// longer that is, the better.
package tsc
