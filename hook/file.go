package hook

import (
	"path/filepath"

	"github.com/functap/functap/internal/symbols"
)

// OpenFile reads a program or library that no process need run. Addresses are
// the file's own. The image's functions can be listed and judged, not hooked.
// Close it after use.
func OpenFile(path string) (*Image, error) {
	m, err := symbols.Open(path)
	if err != nil {
		return nil, err
	}
	im := &Image{Name: filepath.Base(path), Path: path, module: m}
	im.start, im.end = span(m, 0)
	return im, nil
}

// Close closes an image that OpenFile has made. The images of a process are
// the process's.
func (im *Image) Close() error { return im.module.Close() }
