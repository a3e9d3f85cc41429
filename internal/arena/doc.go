// Package arena lays out the memory that functap keeps in a target and
// accounts for it from the tracer's side.
//
// An [Arena] is one memfd that target and tracer both map, plus the addresses
// at which the target has it. The package knows bytes and addresses only: how
// the mappings come to be in the target is the business of package hook.
// docs/layout.md draws every structure and says why it is as it is.
//
// Life cycle: [NewLayout] computes sizes, the caller maps the memfd in both
// processes, [New] starts an empty arena over the tracer's mapping, and
// [Arena.Unmap] drops that mapping. An Arena is safe for concurrent use; its
// one mutex is a leaf: nothing else is locked while it is held.
package arena
