package testutils

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Mapping is one line of a process's maps.
type Mapping struct {
	Start, End uint64
	Perms      string // "r-xp"
	Offset     uint64
	Dev        string
	Inode      uint64
	Path       string // also "[heap]", or "" if anonymous
}

func (m Mapping) String() string {
	return fmt.Sprintf("%x-%x %s %08x %s %d %s", m.Start, m.End, m.Perms, m.Offset, m.Dev, m.Inode, m.Path)
}

func (m Mapping) executable() bool { return strings.Contains(m.Perms, "x") }

// Maps returns the mappings of a process, by address. Any of its thread ids will do,
// if that thread lives. It stands apart from
// internal/procfs, so that a mistake there cannot hide itself.
func Maps(pid int) ([]Mapping, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	var maps []Mapping
	for line := range strings.Lines(string(text)) {
		m, err := parseMapping(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, err
		}
		maps = append(maps, m)
	}
	return maps, nil
}

func parseMapping(line string) (Mapping, error) {
	f := strings.SplitN(line, " ", 6)
	if len(f) < 5 {
		return Mapping{}, fmt.Errorf("maps line %q", line)
	}
	m := Mapping{Perms: f[1], Dev: f[3]}
	if len(f) == 6 {
		m.Path = strings.TrimLeft(f[5], " ")
	}
	start, end, _ := strings.Cut(f[0], "-")
	for _, field := range []struct {
		text string
		base int
		into *uint64
	}{{start, 16, &m.Start}, {end, 16, &m.End}, {f[2], 16, &m.Offset}, {f[4], 10, &m.Inode}} {
		n, err := strconv.ParseUint(field.text, field.base, 64)
		if err != nil {
			return Mapping{}, fmt.Errorf("maps line %q: %w", line, err)
		}
		*field.into = n
	}
	return m, nil
}
