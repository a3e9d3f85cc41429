package fgraph

import (
	"fmt"
	"os"
	"strings"
)

// threadNames has the names of threads that made events, read when the first one of each
// is: most threads that have ended by the time that somebody asks had not by then.
type threadNames struct {
	pid   int
	names map[int]string
}

func (n *threadNames) note(tid int) {
	if _, known := n.names[tid]; known || tid == 0 {
		return
	}
	comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/comm", n.pid, tid)) // it may have ended
	n.names[tid] = strings.TrimSuffix(string(comm), "\n")
}

// ThreadName is the name (comm, at most 15 bytes) that a thread had when its first event
// was read; "" if it had ended by then, or has made none. TID is an Event's.
func (r *Recorder) ThreadName(tid int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.names.names[tid]
}
