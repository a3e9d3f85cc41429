package procfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrNotSameFile says that the file a process has mapped cannot be reached: the
// name is gone or leads to another file now.
var ErrNotSameFile = errors.New("mapped file is no longer at its path")

// OpenMapped opens the very file behind a mapping, read-only. It goes through
// /proc/PID/map_files, which works for deleted and replaced files but needs
// CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN; without, through the path below the
// process's root, provided the inode number there is the mapping's. Device numbers
// are not compared: on overlayfs and btrfs those in maps are not those of stat. So
// the caller should compare build-ids where it can. Otherwise ErrNotSameFile.
func OpenMapped(pid int, m Mapping) (*os.File, error) {
	if m.Inode == 0 {
		return nil, fmt.Errorf("%w: %q is no file", ErrNotSameFile, m.Path)
	}
	link := filepath.Join(dir(pid), "map_files", fmt.Sprintf("%x-%x", m.Start, m.End))
	f, err := openRegular(link)
	if err == nil {
		return f, nil
	}
	if _, statErr := ReadStat(pid); statErr != nil {
		return nil, statErr
	}
	f, rootErr := openBelowRoot(pid, m)
	if rootErr != nil {
		return nil, fmt.Errorf("%w (map_files: %w)", rootErr, err)
	}
	return f, nil
}

func openBelowRoot(pid int, m Mapping) (*os.File, error) {
	if m.Deleted || !strings.HasPrefix(m.Path, "/") {
		return nil, fmt.Errorf("%w: %q is deleted", ErrNotSameFile, m.Path)
	}
	path := filepath.Join(dir(pid), "root") + m.Path
	f, err := openRegular(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotSameFile, err)
	}
	if ino := inode(f); ino != m.Inode {
		f.Close()
		return nil, fmt.Errorf("%w: %q has inode %d, not %d", ErrNotSameFile, m.Path, ino, m.Inode)
	}
	return f, nil
}

// openRegular opens a regular file and nothing else: opening a FIFO would wait
// and opening a device may do something.
func openRegular(path string) (*os.File, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// inode is the file's inode number, 0 if unknown.
func inode(f *os.File) uint64 {
	fi, err := f.Stat()
	if err != nil {
		return 0
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}
