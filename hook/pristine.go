package hook

import (
	"bytes"
	"os"

	"github.com/functap/functap/internal/procfs"
)

// mappedFiles compares text with the files that are mapped there now. What is as
// in its file is nobody's patch: the library that was hooked there is gone, and
// another one has its place.
type mappedFiles struct {
	pid  int
	maps []procfs.Mapping
	open map[uint64]*os.File // by start of mapping; nil if it cannot be opened
}

// pristine reports whether got, at addr, is what the mapped file has there.
func (f *mappedFiles) pristine(addr uint64, got []byte) bool {
	m, ok := f.at(addr)
	if !ok {
		return false
	}
	file := f.file(m)
	if file == nil {
		return false
	}
	want := make([]byte, len(got))
	_, err := file.ReadAt(want, int64(m.Offset+addr-m.Start))
	return err == nil && bytes.Equal(got, want)
}

// at finds the mapping of an address. What cannot be read counts as not mapped.
func (f *mappedFiles) at(addr uint64) (procfs.Mapping, bool) {
	if f.maps == nil {
		f.maps, _ = mapsOf(f.pid)
	}
	return mappingAt(f.maps, addr)
}

func (f *mappedFiles) file(m procfs.Mapping) *os.File {
	file, ok := f.open[m.Start]
	if !ok && m.Inode != 0 {
		if file, _ = procfs.OpenMapped(liveTask(f.pid), m); f.open == nil {
			f.open = map[uint64]*os.File{}
		}
		f.open[m.Start] = file
	}
	return file
}

func (f *mappedFiles) close() {
	for _, file := range f.open {
		if file != nil {
			file.Close()
		}
	}
}

func mappingAt(maps []procfs.Mapping, addr uint64) (procfs.Mapping, bool) {
	for _, m := range maps {
		if m.Contains(addr) {
			return m, true
		}
	}
	return procfs.Mapping{}, false
}

// loaded reports whether an image still is where it was.
func (im *Image) loaded(maps []procfs.Mapping) bool {
	was := im.mappings[0]
	is, ok := mappingAt(maps, was.Start)
	return ok && is.Inode == was.Inode && is.DevMajor == was.DevMajor && is.DevMinor == was.DevMinor &&
		is.Offset+was.Start-is.Start == was.Offset
}
