package hook

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

var (
	// ErrBadPattern: a pattern's syntax is wrong.
	ErrBadPattern = errors.New("malformed pattern")
	// ErrNoDebugInfo: a pattern needs debug information, which is not read yet.
	ErrNoDebugInfo = errors.New("debug information is not read by this version")
)

func badPattern(text, why string) error { return fmt.Errorf("%w %q: %s", ErrBadPattern, text, why) }

// NoMatchError says that a pattern matches nothing. It is ErrNoMatch.
type NoMatchError struct {
	Pattern string
	Detail  string   // what is known about it; may be empty
	Near    []string // at most five names that may have been meant, best first
	// Excluded counts functions that match Pattern, every one of which is excluded.
	Excluded int
}

func (e *NoMatchError) Error() string {
	if e.Excluded > 0 {
		return fmt.Sprintf("no function is left: %s, all %s", strings.TrimSpace(e.Pattern+" matches "+functions(e.Excluded)), e.Detail)
	}
	s := fmt.Sprintf("%v %s", ErrNoMatch, e.Pattern)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if len(e.Near) > 0 {
		s += "; near names: " + strings.Join(e.Near, ", ")
	}
	return s
}

// Is makes the error ErrNoMatch.
func (e *NoMatchError) Is(target error) bool { return target == ErrNoMatch }

// noMatch looks for names that may have been meant.
func (f *finder) noMatch(text string) error {
	all, err := f.all()
	if err != nil {
		return err
	}
	names := make([]string, 0, len(all))
	for _, fn := range all {
		if fn.Nameless() {
			continue
		}
		for _, n := range append([]string{fn.sym.Name}, fn.sym.Aliases...) {
			names = append(names, withoutTypeArguments(fn, shortName(n)))
		}
	}
	e := &NoMatchError{Pattern: text, Near: near(text, names)}
	if len(f.images) > 0 && f.name != "" {
		e.Detail = "the process runs " + f.images[0].Path
	}
	return e
}

// withoutTypeArguments writes main.Map[go.shape.int] as main.Map[...], which a
// pattern may say too.
func withoutTypeArguments(fn *Function, name string) string {
	from, to := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if !fn.sym.Go || from < 0 || to < from {
		return name
	}
	return name[:from] + "[...]" + name[to+1:]
}

// elsewhere adds to the error of "module:PATTERN" that finds nothing in the module
// which others have what is meant.
func (f *finder) elsewhere(err error, text, rest string) error {
	var no *NoMatchError
	if !errors.As(err, &no) {
		return err
	}
	e := *no
	e.Pattern = text
	found, err := f.pattern(rest)
	if err != nil {
		return &e // nobody has it: what is known of the module says more
	}
	var names []string
	for _, fn := range found {
		if !slices.Contains(names, fn.im.Name) {
			names = append(names, fn.im.Name)
		}
	}
	e.Detail = rest + " is in " + strings.Join(names, ", ")
	return &e
}
