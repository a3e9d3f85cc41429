// Package symbols answers what functions an x86-64 ELF file has, where they
// begin and end, and what else in it refers to code: unwind ranges, exception
// landing pads, relocations.
//
// A Module is one file (Open, New) or one image already loaded somewhere
// (FromMemory). Opening reads headers only; everything else is read on first
// use and kept. All methods may be called from several goroutines.
//
// Files are not trusted. Every size in one is checked against the file's real
// length before memory is taken for it, tables are bounded (see limits.go), and a
// file that contradicts itself yields an error that is ErrMalformed, not a panic.
// Files are read, not mapped: a mapping dies with SIGBUS when somebody truncates
// the file, and with SIGSEGV when a slice of it outlives Close.
//
// All addresses are virtual addresses as the file states them, without any load
// bias.
package symbols
