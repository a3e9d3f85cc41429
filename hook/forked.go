package hook

import (
	"os"
	"strconv"
	"syscall"

	"github.com/functap/functap/internal/procfs"
)

// sharers lists the processes, other than the target, that map our memfds: fork
// children of the target, and theirs.
func (p *Process) sharers() ([]int, error) {
	_, pids, err := p.survey(nil)
	return pids, err
}

// strangers are processes that do not map our memfds, and never will: only a fork
// child does. The inode of its directory in procfs tells one from a later
// process with its number.
type strangers map[int]uint64

// survey looks at all processes but those known to be strangers.
func (p *Process) survey(known strangers) (strangers, []int, error) {
	ours, err := inodes(p.pid, p.mapped)
	if err != nil {
		return nil, nil, err
	}
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil, nil, err
	}
	found := strangers{}
	var sharers []int
	for _, n := range names {
		pid, err := strconv.Atoi(n.Name())
		if err != nil || pid == p.pid || pid == os.Getpid() {
			continue
		}
		info, err := n.Info()
		if err != nil {
			continue // gone
		}
		ino := info.Sys().(*syscall.Stat_t).Ino
		if was, ok := known[pid]; ok && was == ino {
			continue
		}
		if sharesAny(pid, ours) {
			sharers = append(sharers, pid)
		} else {
			found[pid] = ino
		}
	}
	return found, sharers, nil
}

func sharesAny(pid int, ours map[uint64]bool) bool {
	theirs, err := inodes(pid, nil)
	if err != nil {
		return false // gone, or not ours to look at: then not the target's child either
	}
	for i := range theirs {
		if ours[i] {
			return true
		}
	}
	return false
}

// mapped reports whether the session has mapped something at an address. Another functap
// may have, for an instant, and map it itself too, being no child of the target.
func (p *Process) mapped(addr uint64) bool {
	return p.session == nil || p.session.contains(addr)
}

// inodes are those of our memfds that a process maps, where want, if given, says so.
func inodes(pid int, want func(addr uint64) bool) (map[uint64]bool, error) {
	maps, err := procfs.Maps(pid)
	if err != nil {
		return nil, err
	}
	out := map[uint64]bool{}
	for _, m := range maps {
		if isOurs(m.Path) && (want == nil || want(m.Start)) {
			out[m.Inode] = true
		}
	}
	return out, nil
}
