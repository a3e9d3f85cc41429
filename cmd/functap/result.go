package main

import (
	"errors"
	"io/fs"
	"os"
)

// resultFile is the file of -o. What was in it stays until there are results.
type resultFile struct {
	f       *os.File
	created bool
	written bool
}

func openResult(name string) (*resultFile, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(name, os.O_WRONLY, 0)
		return &resultFile{f: f}, err
	}
	return &resultFile{f: f, created: true}, err
}

func (r *resultFile) Write(b []byte) (int, error) {
	if err := r.begin(); err != nil {
		return 0, err
	}
	return r.f.Write(b)
}

// begin empties the file, if it is one that can be.
func (r *resultFile) begin() error {
	if r.written {
		return nil
	}
	r.written = true
	fi, err := r.f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return err
	}
	return r.f.Truncate(0)
}

// close leaves an old file as it was, and none where there was none, if the run
// has failed before there were results.
func (r *resultFile) close(failed bool) error {
	var err error
	switch {
	case !failed:
		err = r.begin()
	case r.created && !r.written:
		err = os.Remove(r.f.Name())
	}
	return errors.Join(err, r.f.Close())
}
