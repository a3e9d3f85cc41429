package fgraph

import (
	"time"

	"github.com/functap/functap/hook"
)

// EventType is what an Event says.
type EventType uint8

// Types of events.
const (
	// Entry: a function was called.
	Entry EventType = iota + 1
	// Exit: it has returned or, with Unwound, been left.
	Exit
	// Lost: events are missing here, since a ring was full.
	Lost
)

// Event is one entry or exit of a function, or a gap.
type Event struct {
	Type EventType
	// Time is when it was, by the target's processor and this machine's clock.
	Time time.Time
	// TID is the thread's id, 0 if it has ended before that could be learned.
	TID int
	// Function is nil in Lost.
	Function *hook.Function
	// Depth is how many calls of recorded functions are open around this one, in its
	// thread. It is not known, and -1, for calls on other stacks than the thread's own
	// (fibers, alternate signal stacks) and where short calls are not recorded.
	Depth int
	// Unsure: events of the thread were lost while a call around this one was open. It
	// may be less deep, and if Unwound it may have returned.
	Unsure bool
	// Duration of an Exit, from the entry's Time to the exit's. If Unwound, it is at
	// most so long.
	Duration time.Duration
	// Self, of an Exit, is its Duration less those of the calls of recorded functions
	// that it made, in its thread; what ran on another stack meanwhile (a fiber, a
	// handler on an alternate signal stack) is not among these. It is not known, and -1,
	// if such a call was left other than by a return or events were lost meanwhile, if a
	// signal handler interrupted the recording of one, and where Unwound is set or Depth
	// is not known.
	Self time.Duration
	// Unwound: the function did not return, but was left by longjmp, an exception or
	// the end of its thread. Time is when that was seen, at the thread's next event.
	Unwound bool
	// Caller is an address behind the call, 0 where it is not known.
	Caller uint64
	// Missing is how many events are, in Lost.
	Missing uint64
}
