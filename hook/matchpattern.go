package hook

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pattern finds what one pattern means. Finding nothing is a *NoMatchError.
func (f *finder) pattern(text string) ([]*Function, error) {
	switch {
	case text == "":
		return nil, badPattern(text, "it is empty")
	case len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/':
		return f.regex(text)
	case strings.HasPrefix(text, "0x"):
		return f.address(text)
	}
	found, err := f.exact(text)
	if len(found) > 0 || err != nil {
		return found, err
	}
	if strings.ContainsAny(text, `*?[\`) {
		if found, err = f.glob(text); len(found) > 0 {
			return found, nil
		}
	}
	if module, rest, ok := splitModule(text); ok {
		return f.module(text, module, rest)
	}
	if err != nil {
		return nil, err
	}
	return nil, f.noMatch(text)
}

// exact finds a name as it is. A symbol of just that name is preferred: only if
// there is none are names demangled to find it.
func (f *finder) exact(name string) ([]*Function, error) {
	var out []*Function
	for _, im := range f.images {
		m, err := im.symbols()
		if err != nil {
			return nil, err
		}
		found, err := m.Lookup(name)
		if err != nil {
			return nil, fmt.Errorf("looking for %s in %s: %w", name, im.Path, err)
		}
		for i := range found {
			out = append(out, &Function{im: im, sym: &found[i], as: []string{name}})
		}
	}
	if len(out) > 0 || !hasLetter(name) {
		return out, nil
	}
	want, pieces := squeeze(name), pieces(name)
	return f.filter(func(fn *Function) bool {
		return fn.anyDemangled(pieces, func(n string) bool { return squeeze(n) == want })
	})
}

// glob finds what a glob matches. In it, [...] stands for any type arguments of
// a Go function, as Go's stack traces print it.
func (f *finder) glob(text string) ([]*Function, error) {
	g, err := parseGlob(strings.ReplaceAll(text, "[...]", `\[*\]`))
	if err != nil {
		return nil, err
	}
	pieces := g.pieces()
	found, err := f.filter(func(fn *Function) bool {
		return fn.anySymbol(g.match) || fn.anyDemangled(pieces, g.match)
	})
	return matched(found, pieces, g.match), err
}

// matched gives functions the name that matched, where that is not the first.
func matched(found []*Function, pieces []string, match func(string) bool) []*Function {
	for i, fn := range found {
		is := func(name string) bool { return match(name) || demangledMatch(name, pieces, match) }
		if len(fn.sym.Aliases) == 0 || is(fn.sym.Name) {
			continue
		}
		if k := slices.IndexFunc(fn.sym.Aliases, is); k >= 0 {
			found[i] = fn.alsoAs(fn.sym.Aliases[k : k+1])
		}
	}
	return found
}

func (f *finder) regex(text string) ([]*Function, error) {
	re, err := regexp.Compile(text[1 : len(text)-1])
	if err != nil {
		return nil, badPattern(text, err.Error())
	}
	found, err := f.filter(func(fn *Function) bool {
		return fn.anySymbol(re.MatchString) || fn.anyDemangled(nil, re.MatchString)
	})
	found = matched(found, nil, re.MatchString)
	if err == nil && len(found) == 0 {
		err = &NoMatchError{Pattern: text}
	}
	return found, err
}

// address finds the function that begins at an address.
func (f *finder) address(text string) ([]*Function, error) {
	addr, err := strconv.ParseUint(text[2:], 16, 64)
	if err != nil {
		return nil, badPattern(text, "it is no hexadecimal address")
	}
	for _, im := range f.images {
		if addr < im.start || addr >= im.end {
			continue
		}
		fn, err := im.functionAt(addr)
		switch {
		case err != nil:
			return nil, err
		case fn == nil:
			return nil, &NoMatchError{Pattern: text, Detail: "no function of " + im.Name + " is there"}
		case addr == fn.Addr() || addr == fn.Addr()+4 && fn.hasEndbr():
			return []*Function{fn}, nil
		}
		return nil, &NoMatchError{Pattern: text,
			Detail: fmt.Sprintf("it is %s+%#x; only a function's first byte can be hooked", fn.DisplayName(), addr-fn.Addr())}
	}
	return nil, &NoMatchError{Pattern: text, Detail: "no code is mapped there from a file"}
}

// hasEndbr: the function begins with endbr64, behind which its site is.
func (f *Function) hasEndbr() bool {
	return string(f.im.module.Bytes(f.sym.Addr, 4)) == "\xf3\x0f\x1e\xfa"
}

// splitModule takes "module:PATTERN" apart at the first colon that is neither
// escaped nor part of a "::".
func splitModule(text string) (module, rest string, ok bool) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], "::"):
			i++
		case text[i] == ':':
			return text[:i], text[i+1:], i > 0 && i+1 < len(text)
		}
	}
	return "", "", false
}

func (f *finder) module(text, module, rest string) ([]*Function, error) {
	g, err := parseGlob(module)
	if err != nil {
		return nil, err
	}
	in := &finder{bodies: f.bodies}
	for i, im := range f.images {
		if g.match(im.Name) || g.match(im.Path) || g.match(shortModule(im.Name)) || i == 0 && f.name != "" && g.match(f.name) {
			in.images = append(in.images, im)
		}
	}
	if len(in.images) > 0 {
		found, err := in.pattern(rest)
		return found, f.elsewhere(err, text, rest)
	}
	if isSource(module) {
		return nil, fmt.Errorf("%w: %q chooses functions by source file; name them, or the module they are in", ErrNoDebugInfo, text)
	}
	names := make([]string, len(f.images))
	for i, im := range f.images {
		names[i] = im.Name
	}
	return nil, &NoMatchError{Pattern: text, Detail: "no module is called " + module, Near: near(module, names)}
}

// shortModule is libc for libc.so.6 and libc-2.31.so.
func shortModule(name string) string {
	name, _, _ = strings.Cut(name, ".so")
	stem, version, ok := strings.Cut(name, "-")
	if ok && version != "" && version[0] >= '0' && version[0] <= '9' {
		return stem
	}
	return name
}

func isSource(name string) bool {
	switch path.Ext(name) {
	case ".c", ".cc", ".cpp", ".cxx", ".C", ".h", ".hh", ".hpp", ".rs", ".go", ".s", ".S":
		return true
	}
	return false
}
