package hook

import (
	"crypto/rand"
	"encoding/binary"
	"os"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/procfs"
)

// newOwner names this process as a session's tracer. The start time tells it
// from a later process with its number; 0 if it cannot be read.
func newOwner(tid int) arena.Owner {
	o := arena.Owner{PID: uint32(os.Getpid()), TID: uint32(tid)}
	if st, err := procfs.ReadStat(os.Getpid()); err == nil {
		o.StartTime = st.StartTime
	}
	var b [8]byte
	rand.Read(b[:]) // never fails (crypto/rand since Go 1.24)
	o.Session = binary.LittleEndian.Uint64(b[:])
	return o
}
