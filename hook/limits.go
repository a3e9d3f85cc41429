package hook

import (
	"errors"
	"fmt"
	"syscall"
)

// ErrFileSizeLimit: the tracer may not make files as large as the memory that
// generated code needs; doing so would bring SIGXFSZ upon it. The target's own limit
// does not matter.
var ErrFileSizeLimit = errors.New("the limit on file sizes is too small (FILE_SIZE_LIMIT)")

// checkFileSize refuses what this process's RLIMIT_FSIZE forbids.
func checkFileSize(size uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return fmt.Errorf("reading the limit on file sizes: %w", err)
	}
	if limit.Cur < size { // RLIM_INFINITY is the largest number
		return fmt.Errorf("%w: %d bytes are allowed and %d needed; hook fewer functions, or raise ulimit -f",
			ErrFileSizeLimit, limit.Cur, size)
	}
	return nil
}
