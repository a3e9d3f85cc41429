// Package unwind makes what unwinders need to see through hooked functions.
//
// While a hooked function runs, its return slot holds an address inside our
// program, and the address it will really return to is in a frame: an entry of
// one table in the target, found by the slot's address. C++ exceptions, Rust
// panics, thread cancellation and backtraces ask two functions where the unwind
// rules of an address are, _dl_find_object and dl_iterate_phdr. Both are made
// to answer for generated code, with a [Table] whose rule for a wrapped call
// looks the frame up. docs/unwinding.md tells the whole story.
//
// Everything here is bytes in, bytes out: [Find] reads modules, [FindObject]
// and [IteratePhdr] generate code, [Table] and [Data] write into memory that
// the caller shares with the target.
//
// Life cycle: [Find] says what is to be replaced, or [ErrNotServed]. [NewData]
// and [NewTable] start the two structures in fresh memory, [Table.Set]
// registers each unit of generated code before anything leads to it,
// [Table.Clear] forgets one that nobody is in. The memory goes when nothing can
// still refer to it. A Table and a Data are not safe for concurrent use by
// several tracer threads; the target's threads read them at any time.
package unwind
