package sigframe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/functap/functap/internal/procfs"
)

// The code that a handler returns to: load the number of rt_sigreturn, make the
// call. glibc, musl and the Go runtime use the long form; assemblers may choose
// the short one for the same source.
var restorers = [][]byte{
	{0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}, // mov $15,%rax; syscall
	{0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05},             // mov $15,%eax; syscall
}

// Restorers finds all places in the executable file mappings that look like the
// code that signal handlers return to. It reads all of their text, so it belongs
// before a stop. Mappings that cannot be read are left out.
func Restorers(maps []procfs.Mapping, mem io.ReaderAt) []uint64 {
	var found []uint64
	for _, m := range maps {
		if !m.Exec || m.Inode == 0 {
			continue
		}
		for _, pattern := range restorers {
			// What was found before an unreadable page counts.
			_ = Search(mem, m, pattern, func(addr uint64) bool {
				found = append(found, addr)
				return true
			})
		}
	}
	slices.Sort(found)
	return found
}

const chunk = 1 << 20

// Search calls found with the address of each occurrence of pattern in the
// mapping, until it returns false.
func Search(mem io.ReaderAt, m procfs.Mapping, pattern []byte, found func(addr uint64) bool) error {
	buf := make([]byte, min(chunk, m.Len()))
	for at := m.Start; at < m.End; {
		n, err := mem.ReadAt(buf[:min(uint64(len(buf)), m.End-at)], int64(at))
		if !searchChunk(buf[:n], at, pattern, found) {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("searching mapping at %#x: %w", m.Start, err)
		}
		if at+uint64(n) >= m.End || n < len(pattern) {
			return nil
		}
		at += uint64(n - len(pattern) + 1)
	}
	return nil
}

func searchChunk(b []byte, addr uint64, pattern []byte, found func(addr uint64) bool) bool {
	for at := 0; ; at++ {
		i := bytes.Index(b[at:], pattern)
		if i < 0 {
			return true
		}
		at += i
		if !found(addr + uint64(at)) {
			return false
		}
	}
}
