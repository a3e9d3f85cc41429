package hook

import (
	"os"
	"strconv"

	"github.com/functap/functap/internal/procfs"
)

// sharesMemory reports whether another process maps one of our memfds: a fork
// child of the target (or a child of one).
func (p *Process) sharesMemory() (bool, error) {
	pids, err := p.sharers()
	return len(pids) > 0, err
}

// sharers lists the processes, other than the target, that map our memfds.
func (p *Process) sharers() ([]int, error) {
	ours, err := inodes(p.pid)
	if err != nil {
		return nil, err
	}
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var out []int
	for _, n := range names {
		pid, err := strconv.Atoi(n.Name())
		if err != nil || pid == p.pid || pid == os.Getpid() {
			continue
		}
		theirs, err := inodes(pid)
		if err != nil {
			continue // gone, or not ours to look at: then not the target's child either
		}
		for i := range theirs {
			if ours[i] {
				out = append(out, pid)
				break
			}
		}
	}
	return out, nil
}

// inodes are those of our memfds that a process maps.
func inodes(pid int) (map[uint64]bool, error) {
	maps, err := procfs.Maps(pid)
	if err != nil {
		return nil, err
	}
	out := map[uint64]bool{}
	for _, m := range maps {
		if isOurs(m.Path) {
			out[m.Inode] = true
		}
	}
	return out, nil
}
