package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// debugRoot is where distributions put separate debug files.
const debugRoot = "/usr/lib/debug"

// debugSymtab is the symbol table of the module's separate debug file, nil if none
// is found. Only a file with the same build-id counts: there is no other proof that
// its addresses are ours.
func (m *Module) debugSymtab() *symTable {
	id := m.BuildID()
	if len(id) < 2 {
		return nil
	}
	for _, path := range m.debugPaths(id) {
		if t := m.symtabOf(path, id); t != nil {
			return t
		}
	}
	return nil
}

// debugPaths are the places that gdb looks in, too.
func (m *Module) debugPaths(id []byte) []string {
	x := hex.EncodeToString(id)
	paths := []string{filepath.Join(debugRoot, ".build-id", x[:2], x[2:]+".debug")}
	link, abs := m.debugLink(), filepath.IsAbs(m.name)
	if link == "" || !abs {
		return paths
	}
	dir := filepath.Dir(m.name)
	return append(paths, filepath.Join(dir, link), filepath.Join(dir, ".debug", link), filepath.Join(debugRoot, dir, link))
}

// debugLink is the file name in .gnu_debuglink.
func (m *Module) debugLink() string {
	s := m.section(".gnu_debuglink")
	if s == nil || s.size > 4096 {
		return ""
	}
	b, err := readAt(m.r, m.size, s.off, s.size, ".gnu_debuglink")
	if err != nil {
		return ""
	}
	return filepath.Base(cstring(string(b), 0))
}

func (m *Module) symtabOf(path string, id []byte) *symTable {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	secs, err := debugSections(f, uint64(fi.Size()), id)
	if err != nil {
		return nil
	}
	t, err := m.fileTable(f, uint64(fi.Size()), secs)
	if err != nil {
		return nil
	}
	return t
}

// debugSections are the sections of a debug file if its build-id is id. Its program
// headers describe the original and are not looked at.
func debugSections(r io.ReaderAt, size uint64, id []byte) ([]section, error) {
	b, err := readAt(r, size, 0, min(size, ehdrSize), "ELF header")
	if err != nil {
		return nil, err
	}
	h, err := parseHeader(b)
	if err != nil {
		return nil, err
	}
	secs, err := readSections(r, size, h)
	if err != nil {
		return nil, err
	}
	for _, s := range secs {
		if s.typ != elf.SHT_NOTE || s.size > 4096 {
			continue
		}
		if b, err := readAt(r, size, s.off, s.size, "note"); err == nil && bytes.Equal(findBuildID(b), id) {
			return secs, nil
		}
	}
	return nil, malformed("debug file of another build")
}
