// Package remote makes system calls in another process, through one of its
// threads that a ptrace.Stop holds. Nothing else of the process is run: no
// function of it is called, so no lock of it can be waited for.
//
// # What if the tracer dies
//
// The kernel then lets the thread run with whatever registers it has. So the
// thread is never given a state that is wrong for itself: its stack pointer is
// set to a signal frame that holds its own registers, signal mask and extended
// state, and the instruction pointer to a "syscall; ret" of its own libraries.
// The ret leads to the code that signal handlers return to, and rt_sigreturn
// makes the thread what it was. What remains is at most one finished system call.
//
// With a hardware shadow stack (CET) the ret would fault. Then no such frame is
// made, and a tracer that dies within the few microseconds of a call takes the
// target with it. The same holds for a program without a restorer in its text;
// Caller.Heals tells.
//
// A thread in the middle of a sleep with a timeout (-516, ERESTART_RESTARTBLOCK)
// that heals itself ends its sleep early, because rt_sigreturn makes the kernel
// forget it. ChooseThread avoids such threads.
package remote
