// Package functap is the root of the functap module: live function hooks for
// running x86-64 Linux processes, in the manner of the kernel's ftrace.
//
// There is no code here. The packages, lowest layer first, are
//
//   - hook: attach to a process, find its functions, judge them, change their
//     first bytes, detach;
//   - trampoline: the code that runs at a hooked function;
//   - fgraph: the shadow return stack: how long functions take;
//   - fprobe: entry and exit probes with handlers.
//
// Each imports only those before it. The command is cmd/functap, short
// programs are in examples, and docs/architecture.md tells where things are.
package functap
