package main

/*
static __attribute__((noinline)) long helper(long x) { return x * 7; }
long work_c(long x) { return helper(x) + 1; }
*/
import "C"

func init() {
	cC := counted("work_c")
	extraRound = func(x int) {
		cC.n.Add(1)
		check("cgo", int(C.work_c(C.long(x))), 7*x+1)
	}
}
