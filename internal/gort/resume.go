package gort

import "encoding/binary"

// PreemptFrame is how many bytes from a stack pointer on Resumes needs: the
// frames of what asyncPreempt calls and its own, in which older versions have 368
// bytes of registers, the newest 112.
const PreemptFrame = 1 << 10

// Resumes lists the addresses at which an asynchronously preempted goroutine may
// go on. ip is where it is now (sched.pc, if it is suspended) and stack what
// is on its stack, PreemptFrame bytes or what there are, from the stack pointer on. The
// result is empty if it is not being preempted. Else it holds the right address
// and others, since all words above asyncPreempt's frame count.
//
// The runtime's signal handler makes it look as if the interrupted instruction had
// called asyncPreempt, which saves all registers and calls asyncPreempt2.
func (r *Runtime) Resumes(ip uint64, stack []byte) []uint64 {
	var out []uint64
	called := in(ip, r.preempt)
	for ; len(stack) >= wordBytes; stack = stack[wordBytes:] {
		w := binary.LittleEndian.Uint64(stack)
		if called {
			out = append(out, w)
		}
		called = called || in(w, r.preempt)
	}
	return out
}
