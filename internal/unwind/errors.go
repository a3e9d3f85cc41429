package unwind

import (
	"errors"
	"fmt"
)

var (
	// ErrFull says that a table has no room for another unit.
	ErrFull = errors.New("unwind table is full")
	// ErrRange says that addresses do not fit the table: too far from it for
	// its 32-bit offsets, outside of its code, or not aligned.
	ErrRange = errors.New("address does not fit the unwind table")
	// ErrNotServed is what every [NotServedError] is.
	ErrNotServed = errors.New("unwinding cannot be served")
)

// NotServedError says why an unwinder of a process cannot be made to see
// through hooked frames. It is [ErrNotServed].
type NotServedError struct {
	Module string // the file at fault
	Reason string
}

func (e *NotServedError) Error() string {
	return fmt.Sprintf("%v in %s: %s", ErrNotServed, e.Module, e.Reason)
}

// Is makes every NotServedError an ErrNotServed.
func (e *NotServedError) Is(target error) bool { return target == ErrNotServed }
