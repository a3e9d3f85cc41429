package hook

import (
	"cmp"
	"slices"
	"strings"
)

const nearMost = 5

// near picks the names closest to what was asked for, whatever the case of letters.
func near(asked string, names []string) []string {
	w := newWanted(asked)
	if w.word == "" {
		return nil
	}
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	for _, n := range names {
		if far, ok := w.distance(strings.ToLower(n)); ok {
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

// wanted is a name that nothing has.
type wanted struct {
	word  string
	last  string   // the last of its parts
	parts []string // Server and handle of Server.handle
	limit int      // of typing errors
}

func newWanted(asked string) wanted {
	word := strings.ToLower(strings.Trim(asked, "*?"))
	return wanted{word, lastPart(word), nameParts(word), 1 + len(word)/4}
}

// distance says how far a name is from the one that is wanted. People leave out what a
// name is qualified with, or part of it: names that end as wanted are nearest. Then come
// those whose end has the word in it, those with few typing errors, and those that have
// the word anywhere.
func (w wanted) distance(name string) (far int, ok bool) {
	last := lastPart(name)
	qualified := containsAll(name, w.parts)
	switch {
	case qualified && last == w.last:
		return 0, true
	case qualified && len(w.last) >= 3 && strings.Contains(last, w.last):
		return 1, true
	}
	if n, ok := fewEdits(w.word, name, w.limit); ok {
		return n + 1, true
	}
	if n, ok := fewEdits(w.last, last, 1+len(w.last)/4); ok && containsAll(name, w.parts[:max(len(w.parts)-1, 0)]) {
		return n + 2, true
	}
	switch {
	case len(w.word) >= 3 && strings.Contains(name, w.word):
		return w.limit + 3, true
	case len(w.last) >= 3 && last == w.last: // qualified otherwise
		return w.limit + 4, true
	}
	return 0, false
}

func containsAll(name string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(name, p) {
			return false
		}
	}
	return true
}

func nameParts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r < 0x80 && !isWord(byte(r)) })
}

// lastPart is what a name ends with, arguments left out: price of
// <shop::Order as shop::Priced>::price, handle of main.(*Server).handle, and Map of
// main.Map[...].
func lastPart(name string) string {
	depth, end := 0, len(name)
	for i := len(name) - 1; i >= 0; i-- {
		switch name[i] {
		case '>', ']', ')', '}':
			depth++
		case '<', '[', '(', '{':
			if depth--; depth == 0 {
				end = i
			}
		case ':', '.':
			switch {
			case depth != 0:
			case i+1 < end:
				return name[i+1 : end]
			default:
				return name // one without a name, such as a closure
			}
		}
	}
	if end == 0 {
		return name
	}
	return name[:end]
}

// fewEdits is the number of typing errors between a and b, if they are few.
func fewEdits(a, b string, limit int) (int, bool) {
	if d := len(a) - len(b); d > limit || -d > limit {
		return 0, false
	}
	n := edits(a, b)
	return n, n <= limit
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
