package hook

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ErrFileSizeLimit: the target may not have files as large as the memory that
// generated code needs; growing it would bring SIGXFSZ upon the target.
var ErrFileSizeLimit = errors.New("the target's limit on file sizes is too small (FILE_SIZE_LIMIT)")

// checkFileSize refuses a target whose RLIMIT_FSIZE forbids a memfd of size
// bytes.
func checkFileSize(pid int, size uint64) error {
	f, err := os.Open(procPath(pid, "limits"))
	if err != nil {
		return fmt.Errorf("reading the target's limits: %w", wrapGone(err))
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		rest, ok := strings.CutPrefix(sc.Text(), "Max file size")
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			break
		}
		limit, err := strconv.ParseUint(fields[0], 10, 64)
		if err == nil && limit < size { // "unlimited" is no number
			return fmt.Errorf("%w: %d bytes are allowed and %d needed; hook fewer functions, or raise ulimit -f before it starts", ErrFileSizeLimit, limit, size)
		}
	}
	return nil
}
