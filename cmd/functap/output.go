package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
)

// results are buffered on their way out. Safe for concurrent use: the library's log
// comes from several goroutines, and sends what is buffered out before it speaks.
type results struct {
	mu sync.Mutex
	w  *bufio.Writer
}

func newResults(w io.Writer) *results { return &results{w: bufio.NewWriter(w)} }

func (r *results) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, err := r.w.Write(b)
	return n, notWritten(err)
}

// Flush returns also what an earlier write failed with.
func (r *results) Flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return notWritten(r.w.Flush())
}

// notWritten names the loss of results, but not a reader that has seen enough.
func notWritten(err error) error {
	if err == nil || errors.Is(err, syscall.EPIPE) || errors.Is(err, errNotWritten) {
		return err
	}
	return fmt.Errorf("%w: %w", errNotWritten, err)
}

// aside is standard error, for what is said between results. On a terminal, or with
// 2>&1, both are one: a buffer that is sent out when it is full ends in the middle of
// a line, so it is sent out here first.
type aside struct {
	o  *options
	to io.Writer
}

func (w aside) Write(b []byte) (int, error) {
	if w.o.out != nil && w.o.outFile == nil {
		w.o.out.Flush() //nolint:errcheck // the next write of a result tells
	}
	return w.to.Write(b)
}

func (o *options) aside(a *app) io.Writer { return aside{o, a.stderr} }
