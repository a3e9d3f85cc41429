package main

import (
	"debug/elf"
	"slices"
	"strings"

	"github.com/functap/functap/hook"
)

// notLoaded are the libraries that the program needs and has not loaded yet, because it
// stands before its loader has run.
func (t *target) notLoaded(o *options) []string {
	if t.cmd == nil || o.from != "entry" {
		return nil
	}
	f, err := elf.Open(t.p.Executable().Path)
	if err != nil {
		return nil // nothing can be said then
	}
	defer f.Close()
	libraries, _ := f.ImportedLibraries()
	return libraries
}

// notLoadedHint goes with a pattern that matches nothing.
func (t *target) notLoadedHint(o *options) string {
	libraries := t.notLoaded(o)
	if len(libraries) == 0 {
		return ""
	}
	return "; with --from=entry its libraries (" + strings.Join(libraries, ", ") + ") are not loaded yet"
}

// tellNotLoaded warns of functions that the loader has for itself, and that the program
// calls in a library: these are not hooked.
func (t *target) tellNotLoaded(a *app, o *options) {
	libraries := t.notLoaded(o)
	if len(libraries) == 0 {
		return
	}
	for _, pattern := range o.args {
		found, err := t.p.Functions(hook.Match{Include: []string{pattern}})
		if err == nil && !slices.ContainsFunc(found, func(f *hook.Function) bool { return f.Image() == t.p.Executable() }) {
			o.note(a, "process %d: %s is hooked in %s alone: with --from=entry the libraries (%s) are not loaded yet; leave it out to hook theirs",
				t.pid, pattern, found[0].Image().Name, strings.Join(libraries, ", "))
		}
	}
}
