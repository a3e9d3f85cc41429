package symbols

import (
	"errors"
	"fmt"
)

var (
	// ErrNotELF says that the file does not begin with an ELF header.
	ErrNotELF = errors.New("not an ELF file")
	// ErrNotX86_64 says that the file is ELF but not for x86-64 in 64-bit mode:
	// 32-bit, x32, or another machine.
	ErrNotX86_64 = errors.New("not an x86-64 program")
	// ErrNotLinked says that the file is an object file, in which addresses are not
	// settled.
	ErrNotLinked = errors.New("a relocatable object, not linked yet")
	// ErrNotRegular says that the path is a directory, FIFO, socket or device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrMalformed says that the file contradicts itself, is cut short, or asks for
	// more memory than this package grants. The message tells which part.
	ErrMalformed = errors.New("malformed ELF file")
)

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}
