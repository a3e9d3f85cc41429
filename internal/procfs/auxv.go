package procfs

import (
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
)

// Keys of the auxiliary vector, from the kernel's auxvec.h.
const (
	AtPhdr        = 3  // program headers of the program
	AtBase        = 7  // load address of the dynamic loader, 0 for static programs
	AtEntry       = 9  // entry point of the program
	AtSysinfoEhdr = 33 // address of the vDSO
)

// Auxv reads the auxiliary vector of a process. A zombie or kernel
// thread gives ErrNoMemory.
func Auxv(pid int) (map[uint64]uint64, error) {
	v, err := parseFile(filepath.Join(dir(pid), "auxv"), ParseAuxv)
	return v, memoryError(pid, len(v), err)
}

// ParseAuxv reads pairs of 64-bit numbers up to a pair with key 0.
func ParseAuxv(r io.Reader) (map[uint64]uint64, error) {
	v := map[uint64]uint64{}
	for {
		var pair [2]uint64
		switch err := binary.Read(r, binary.LittleEndian, &pair); {
		case err == io.EOF && len(v) == 0:
			return v, nil
		case err != nil:
			return nil, fmt.Errorf("auxiliary vector without end: %w", err)
		case pair[0] == 0:
			return v, nil
		}
		v[pair[0]] = pair[1]
	}
}
