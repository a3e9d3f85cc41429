// Package bench has only benchmarks: they measure, on this machine and against real
// programs, the figures that README gives. Run
//
//	make bench
//
// Every figure is a median. A figure of the unhooked program is taken in the same run, just
// before the hooked one, since machines and their load differ more than we do.
package bench
