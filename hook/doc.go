// Package hook attaches to running x86-64 Linux processes, finds their
// functions, judges whether each can be hooked, diverts the first bytes of
// those that can, and puts everything back.
//
// # Life of a hook
//
// [Attach] reads maps, files and symbols of the target; nothing touches it
// yet, except that what a functap that was killed has left there is taken out
// (not with AttachOptions.Look). [Process.Patch] generates code for the wanted functions, stops
// the target once to map memory for it, and once more for the few bytes of each
// function's entry. From then on a patched function jumps to its stub, and the
// stub jumps through a [Slot]: what runs there is changed by one 8-byte store,
// without any further stop (package trampoline does that). [Process.Close]
// stops once more, restores the bytes, moves threads out of generated code by
// editing their registers, and unmaps it. Functions that generated code has called
// (package fgraph) return to their own callers from then on: their return addresses are
// put back wherever they are running.
//
// The target is traced (in the sense of ptrace) only while it is stopped.
// Killing the tracer at any instant leaves a target that runs on correctly;
// [Recover] cleans up after it, and so does the next Attach.
//
// # Concurrency and locks
//
// All methods of a [Process] may be called from several goroutines. One mutex
// orders everything that changes the target; it is held over stops. Below it
// is only the lock of an arena, which is held for no call.
package hook
