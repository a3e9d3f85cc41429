package hook

import (
	"cmp"
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

const nearMost = 5

// near picks the names closest to what was asked for: few typing errors, or
// the word as a part, whatever the case of letters.
func near(asked string, names []string) []string {
	word := strings.ToLower(strings.Trim(asked, "*?"))
	if word == "" {
		return nil
	}
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	for _, n := range names {
		if far, ok := distance(word, strings.ToLower(n)); ok {
			found = append(found, candidate{n, far})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	found = slices.Compact(found)
	out := make([]string, 0, nearMost)
	for _, c := range found[:min(len(found), nearMost)] {
		out = append(out, c.name)
	}
	return out
}

// distance is the number of typing errors between a and b; names that contain
// the word come behind those that are nearly the same.
func distance(a, b string) (int, bool) {
	limit := 1 + len(a)/4
	if d := len(a) - len(b); d <= limit && -d <= limit {
		if n := edits(a, b); n <= limit {
			return n, true
		}
	}
	return limit + 1, len(a) >= 3 && strings.Contains(b, a)
}

// edits is the Levenshtein distance in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for k := range len(b) {
			cost := diagonal
			if a[i] != b[k] {
				cost++
			}
			diagonal = row[k+1]
			row[k+1] = min(cost, row[k]+1, row[k+1]+1)
		}
	}
	return row[len(b)]
}
