// Package fprobe will hold entry and exit probes: many functions per probe,
// arguments by name and type, handlers in Go, as the kernel's fprobe is on top
// of its function graph. It is not built yet. Nothing can be called here.
package fprobe
