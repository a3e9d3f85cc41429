package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// logger writes what the library has to tell; with -v, all of it.
func (o *options) logger(w io.Writer) *slog.Logger {
	level := slog.LevelInfo
	switch {
	case o.quiet:
		return nil
	case o.verbose:
		level = slog.LevelDebug
	case o.verb == "recover": // says itself what it has done
		level = slog.LevelWarn
	}
	return slog.New(&plainHandler{w: w, level: level})
}

// plainHandler writes records as lines for people.
type plainHandler struct {
	w     io.Writer
	level slog.Level
	attrs []slog.Attr
}

func (h *plainHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }

func (h *plainHandler) Handle(_ context.Context, r slog.Record) error {
	var parts []string
	add := func(a slog.Attr) bool {
		parts = append(parts, a.Key+" "+a.Value.String())
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	text := r.Message
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	_, err := fmt.Fprintf(h.w, "functap: %s\n", text)
	return err
}

func (h *plainHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *h
	c.attrs = append(c.attrs[:len(c.attrs):len(c.attrs)], attrs...)
	return &c
}

// WithGroup ignores names of groups, which the library does not use.
func (h *plainHandler) WithGroup(string) slog.Handler { return h }
