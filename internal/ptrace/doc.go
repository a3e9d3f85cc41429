// Package ptrace stops a running process for a moment, looks at it and changes
// it, and lets it go as if nothing had happened.
//
// A Tracer owns one operating system thread, because the kernel ties every
// traced thread to the thread that attached to it. Stop holds all threads of a
// process while a function of the caller runs, StopThread only one. Both always
// let go again: when the function fails, when it panics, when the deadline
// passes, when the target execs or dies.
//
// # What the target notices
//
// Threads are seized, never attached, so no SIGSTOP is queued and a dead tracer
// leaves nobody stopped. A target that was stopped by SIGSTOP stays stopped.
// Signals are delivered once, in order, with their siginfo. A blocked system
// call continues: the kernel restarts most of them by itself, and those that
// would return EINTR because of the stop are rewound (see Report.Rewound).
// The relative timeout of a rewound call starts afresh.
//
// # What the tracing process must know
//
// Only the tids of the target are waited for, so children of the tracing
// process are never reaped by this package. The reverse is not in its power: a
// program that waits for pid -1, or for the target if that is its own child,
// while a Stop is in progress may be handed the target's stops. Such a program
// must not wait for it during Stop.
package ptrace
