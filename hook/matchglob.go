package hook

import (
	"strings"
	"unicode/utf8"
)

// glob is a parsed glob: one element for each character that it matches, and
// for each star.
type glob []element

type element struct {
	kind elementKind
	char rune    // of a literal
	set  []chars // of a class
	not  bool
}

type elementKind uint8

const (
	literal elementKind = iota
	anyChar
	star
	class
)

// chars is a range of characters, both ends included.
type chars struct{ lo, hi rune }

func parseGlob(text string) (glob, error) {
	var g glob
	rest := text
	for rest != "" {
		c, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
		switch c {
		case '*':
			if len(g) == 0 || g[len(g)-1].kind != star {
				g = append(g, element{kind: star})
			}
		case '?':
			g = append(g, element{kind: anyChar})
		case '[':
			e, after, ok := parseClass(rest)
			if !ok {
				return nil, badPattern(text, `a [ has no ]; write \[ for the character`)
			}
			g, rest = append(g, e), after
		case '\\':
			if rest == "" {
				return nil, badPattern(text, `nothing follows the \`)
			}
			c, n = utf8.DecodeRuneInString(rest)
			g, rest = append(g, element{char: c}), rest[n:]
		default:
			g = append(g, element{char: c})
		}
	}
	return g, nil
}

// parseClass reads what follows a [. A ] that comes first is a member.
func parseClass(s string) (e element, rest string, ok bool) {
	e.kind = class
	if strings.HasPrefix(s, "!") || strings.HasPrefix(s, "^") {
		e.not, s = true, s[1:]
	}
	for first := true; ; first = false {
		if s == "" {
			return e, "", false
		}
		if s[0] == ']' && !first {
			return e, s[1:], true
		}
		var r chars
		r.lo, s = classChar(s)
		r.hi = r.lo
		if len(s) > 1 && s[0] == '-' && s[1] != ']' {
			r.hi, s = classChar(s[1:])
		}
		e.set = append(e.set, r)
	}
}

func classChar(s string) (rune, string) {
	if s[0] == '\\' && len(s) > 1 {
		s = s[1:]
	}
	c, n := utf8.DecodeRuneInString(s)
	return c, s[n:]
}

func (e *element) matches(c rune) bool {
	switch e.kind {
	case literal:
		return e.char == c
	case class:
		for _, r := range e.set {
			if c >= r.lo && c <= r.hi {
				return !e.not
			}
		}
		return e.not
	}
	return e.kind == anyChar
}

// match reports whether the glob matches all of s. When something behind a star
// fails, the star takes one character more; only the last star has to be tried
// again, so the time is at most len(g) times len(s).
func (g glob) match(s string) bool {
	i, k := 0, 0 // in s, in g
	again, from := -1, 0
	for i < len(s) || k < len(g) {
		if k < len(g) && g[k].kind == star {
			again, from = k+1, i
			k++
			continue
		}
		c, n := decode(s[i:])
		if n > 0 && k < len(g) && g[k].matches(c) {
			i, k = i+n, k+1
			continue
		}
		if again < 0 || from >= len(s) {
			return false
		}
		_, n = decode(s[from:])
		from += n
		i, k = from, again
	}
	return true
}

func decode(s string) (rune, int) {
	if s != "" && s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

// pieces are those of the glob's literal parts (see the function).
func (g glob) pieces() []string {
	var b strings.Builder
	for _, e := range g {
		if e.kind == literal {
			b.WriteRune(e.char)
		} else {
			b.WriteByte(' ')
		}
	}
	return pieces(b.String())
}
