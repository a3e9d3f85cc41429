// Package codegen generates what runs at a hooked function: the stub with the
// displaced instructions, the programs a slot points to, and the routine that
// gives a thread its area. docs/layout.md says why each is as it is.
//
// Everything here is a pure function of its arguments: no process, no clock,
// the same input gives the same bytes, so code can be tested from listings.
// Generated code is integer only, calls nothing, makes no system call, changes
// no register or live flag that the function could see, and may be interrupted
// by a signal at any instruction.
package codegen
