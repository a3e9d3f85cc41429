// Package x86 knows as much of the x86-64 instruction set as hooking a running
// program needs: where instructions end, where control goes, what depends on
// an instruction's address, which flags it uses, and how to encode and move
// the few that a hook is made of. It is no disassembler and has no names.
//
// Decode covers 64-bit mode whole: every legacy prefix and REX, the one-byte
// opcodes, the maps 0F, 0F38 and 0F3A, 3DNow!, VEX, EVEX and XOP, but not what
// is newest: APX, AVX10.2, FRED and user-mode access to MSRs are unknown to it.
// Its one promise is that a length it returns is right. What it does not know
// to be an instruction is ErrUnknown and never a guess, and so are the forms
// on which processors disagree (a 16-bit relative branch) or that only data
// shows (a REX prefix that another prefix follows and so disables). It does
// not check what changes no length: reserved VEX.L, W and vvvv values, say,
// give an instruction that faults when run, but of the length returned.
//
// Everything here works on bytes alone: no file, no process, no state, and any
// number of goroutines at once.
package x86
