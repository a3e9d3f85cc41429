package procfs

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Mapping is one line of /proc/PID/maps. Start, End and Offset are bytes.
type Mapping struct {
	Start, End, Offset        uint64
	Read, Write, Exec, Shared bool
	DevMajor, DevMinor        uint32
	Inode                     uint64 // 0 for memory that is no file's
	// Path is the mapped file as seen from the reader's root, a kernel name such
	// as "[heap]", "[vdso]" or "[anon:name]", or "".
	Path string
	// Deleted is set when the kernel says that the file has no name any more. A
	// file really called "x (deleted)" looks the same.
	Deleted bool
}

// Len is the mapping's size in bytes.
func (m Mapping) Len() uint64 { return m.End - m.Start }

// Contains reports whether addr lies in the mapping.
func (m Mapping) Contains(addr uint64) bool { return addr >= m.Start && addr < m.End }

// Maps reads the mappings of a process, by address. It is not one moment's
// picture: the kernel releases its lock between pages of output. A zombie or kernel
// thread gives ErrNoMemory.
func Maps(pid int) ([]Mapping, error) {
	maps, err := parseFile(filepath.Join(dir(pid), "maps"), ParseMaps)
	return maps, memoryError(pid, len(maps), err)
}

// ParseMaps reads lines in the form of proc(5)'s maps file.
func ParseMaps(r io.Reader) ([]Mapping, error) {
	return parseLines(r, parseMapping)
}

// parseLines collects one value a line. Lines may be long: a path takes up to
// 4096 bytes, each up to four times as many when escaped.
func parseLines[T any](r io.Reader, parse func(string) (T, error)) ([]T, error) {
	var out []T
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		v, err := parse(sc.Text())
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, sc.Err()
}

func parseMapping(line string) (Mapping, error) {
	var m Mapping
	bad := func(what string) (Mapping, error) {
		return Mapping{}, fmt.Errorf("%s in mapping line %q", what, line)
	}
	addrs, rest := field(line)
	perms, rest := field(rest)
	offset, rest := field(rest)
	dev, rest := field(rest)
	inode, rest := field(rest)
	var ok [4]bool
	m.Start, m.End, ok[0] = hexPair(addrs, "-", 64)
	m.Offset, ok[1] = parseUint(offset, 16, 64)
	major, minor, okDev := hexPair(dev, ":", 32)
	m.DevMajor, m.DevMinor, ok[2] = uint32(major), uint32(minor), okDev
	m.Inode, ok[3] = parseUint(inode, 10, 64)
	if ok != [4]bool{true, true, true, true} || m.End < m.Start {
		return bad("bad number")
	}
	if len(perms) != 4 {
		return bad("bad permissions")
	}
	m.Read, m.Write, m.Exec = perms[0] == 'r', perms[1] == 'w', perms[2] == 'x'
	m.Shared = perms[3] == 's'
	m.Path, m.Deleted = mappedPath(rest)
	return m, nil
}

// mappedPath decodes the last column. Only newlines are escaped in it, so that a
// backslash stands for itself; leading spaces are padding, trailing ones are part
// of the name.
func mappedPath(s string) (path string, deleted bool) {
	s = strings.TrimLeft(s, " ")
	s, deleted = strings.CutSuffix(s, " (deleted)")
	return strings.ReplaceAll(s, `\012`, "\n"), deleted
}

// field splits off the text up to the next space.
func field(s string) (first, rest string) {
	first, rest, _ = strings.Cut(strings.TrimLeft(s, " "), " ")
	return first, rest
}

func hexPair(s, sep string, bits int) (a, b uint64, ok bool) {
	l, r, found := strings.Cut(s, sep)
	a, okA := parseUint(l, 16, bits)
	b, okB := parseUint(r, 16, bits)
	return a, b, found && okA && okB
}

func parseUint(s string, base, bits int) (uint64, bool) {
	v, err := strconv.ParseUint(s, base, bits)
	return v, err == nil
}

func sorted[T cmp.Ordered](s []T) []T {
	slices.Sort(s)
	return s
}
