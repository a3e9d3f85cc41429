package arena

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Map maps a memfd of size bytes read-write into the tracer. Unmap undoes it.
func Map(f *os.File, size uint64) ([]byte, error) {
	mem, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping the memfd: %w", err)
	}
	return mem, nil
}

// Unmap undoes Map.
func Unmap(mem []byte) error { return unix.Munmap(mem) }

// Unmap drops the tracer's mapping. The target keeps its own. Nothing may use
// the arena after it.
func (a *Arena) Unmap() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mem == nil {
		return nil
	}
	mem := a.mem
	a.mem = nil
	return unix.Munmap(mem)
}
