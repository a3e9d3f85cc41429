package symbols

import (
	"reflect"
	"slices"
	"testing"
)

// TestLookupAgrees looks up some hundred names of each module the quick way and wants
// what the full list says.
func TestLookupAgrees(t *testing.T) {
	for _, path := range []string{
		library(t, "libc.so.6"), library(t, "libstdc++.so.6"), program(t, "redis-server", "redis-server"),
		stripped(t, compile(t, "g++", "g++", "p.cc", cxxSource, "-O2")),
	} {
		full, quick := open(t, path), open(t, path)
		tables, err := quick.tables()
		if err != nil {
			t.Fatal(err)
		}
		all := functions(t, full)
		for i := 0; i < len(all); i += 1 + len(all)/150 {
			for _, name := range append([]string{all[i].Name}, all[i].Aliases...) {
				if all[i].Source != EhFrame {
					checkLookup(t, quick, name, withName(all, name))
				}
			}
		}
		if len(tables) == 0 || quick.funcs.done.Load() {
			t.Errorf("%s: the quick way built the full list", path)
		}
	}
}

func checkLookup(t *testing.T, m *Module, name string, want []Func) {
	t.Helper()
	got, settled, err := m.lookupSymbols(name)
	if err != nil {
		t.Fatal(err)
	}
	if !settled {
		if !slices.ContainsFunc(want, func(f Func) bool { return !f.SizeKnown }) && !insideRange(m, want) {
			t.Errorf("%s: not settled, all: %+v", name, want)
		}
		return
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v, all: %+v", name, got, want)
	}
}

// insideRange reports whether a function has no unwind range of its own but lies in
// one: only the full list tells its size.
func insideRange(m *Module, funcs []Func) bool {
	for _, f := range funcs {
		if e, ok, _ := m.fdeAt(f.Addr); !ok && e.Start == 0 {
			return true
		}
	}
	return false
}

func TestLookup(t *testing.T) {
	m := open(t, library(t, "libc.so.6"))
	for name, want := range map[string]int{
		"malloc": 1, "__libc_malloc": 1, "malloc@GLIBC_2.2.5": 1,
		"memcpy": 2, "memcpy@GLIBC_2.2.5": 1, "memcpy@GLIBC_2.14": 1, // an old and a current version
		"mallo": 0, "malloc@GLIBC_2.14": 0, "": 0, "sub_1": 0, "stdout": 0,
	} {
		found, err := m.Lookup(name)
		if err != nil || len(found) != want {
			t.Errorf("%q: %d of %d functions, %v: %+v", name, len(found), want, err, found)
		}
	}
	puts, err := m.Lookup("_IO_puts")
	if err != nil || len(puts) != 1 || puts[0].Name != "puts" {
		t.Errorf("_IO_puts: %+v, %v", puts, err)
	}
	memcpy, err := m.Lookup("memcpy@GLIBC_2.14")
	if err != nil || len(memcpy) != 1 || !memcpy[0].IFunc {
		t.Errorf("memcpy: %+v, %v", memcpy, err)
	}
}

func TestDemangle(t *testing.T) {
	for name, want := range map[string]string{
		"_ZN4node13CallbackScopeC2EPN2v87IsolateE":         "node::CallbackScope::CallbackScope(v8::Isolate*)",
		"_RNvCskwGfYPst2Cb_3foo16example_function":         "foo::example_function",
		"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE": "core::fmt::Write::write_fmt",
		"main": "main",
	} {
		if got := Demangle(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestShortDemangle(t *testing.T) {
	for name, want := range map[string]string{
		"plain": "plain",
		"_Z1fNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE": "f(std::string)",
		"_Z1fSt6vectorIiSaIiEE": "f(std::vector<int>)",
		"_Z1fSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE":                      "f(std::vector<std::string>)",
		"_Z1fSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiSt4lessIS5_ESaISt4pairIKS5_iEEE": "f(std::map<std::string, int>)",
		"_Z1fSt13basic_ostreamIcSt11char_traitsIcEE":                                                      "f(std::ostream)",
	} {
		if got := ShortDemangle(name); got != want {
			t.Errorf("%s: %s instead of %s (from %s)", name, got, want, Demangle(name))
		}
	}
}
