// Package plan decides, from an ELF file alone, how each function's entry can be
// hooked: which bytes a jump may overwrite, which instructions it displaces, or
// the named reason why the function must be left alone.
//
// # What can go wrong
//
// A jump of five bytes usually covers more than one instruction. That is only
// right if nothing ever arrives at the covered bytes other than through the
// first. So Analyze decodes the whole module once and notes everything that can
// bring a thread somewhere: direct branches, jump tables, addresses taken by lea
// or by a relocation or stored in data, exception landing pads, and the
// instruction after every call (a thread blocked in the callee returns there).
// A window with any such target strictly inside is refused. A jump to the
// window's first byte is an ordinary entry and is allowed.
//
// # Tactics
//
// In this order, after an endbr64 if the function starts with one:
//
//	Window   jmp rel32 over whole instructions inside the function
//	Padding  the same, with its tail in the filler behind a function that is too
//	         short; proved to be filler by decoding forward from the function's
//	         end, never by looking backwards from the next function (0xcc may be
//	         the last byte of a displacement)
//	Short    jmp rel8 to five bytes of such filler nearby, holding the jmp rel32;
//	         each piece of filler is given to one function only
//
// # Cold parts
//
// Compilers move unlikely blocks of a function elsewhere, with an unwind range
// of their own and often without a name. They are reached by a jump with the
// function's frame up, so they are not entries. A range is taken as cold if its
// name says so (".cold"), or if it has no name and nothing calls it or takes its
// address. Treating a rarely used function as cold loses a hook; the reverse
// would hook the middle of a function.
//
// The package is pure: it reads the module, it knows no process.
package plan
