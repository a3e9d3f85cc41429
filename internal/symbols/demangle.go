package symbols

import (
	"regexp"

	"github.com/ianlancetaylor/demangle"
)

// Demangle turns a C++ or Rust symbol into what its source calls it, and leaves
// any other name as it is. Rust's hash suffixes are dropped.
func Demangle(name string) string { return demangle.Filter(name) }

// ShortDemangle is Demangle with the types of C++'s library as programs write
// them: std::string, and containers without their default arguments.
func ShortDemangle(name string) string {
	long := Demangle(name)
	if long == name {
		return name
	}
	for _, s := range shorter {
		for {
			short := s.long.ReplaceAllString(long, s.short)
			if short == long {
				break
			}
			long = short
		}
	}
	return long
}

var shorter = []struct {
	long  *regexp.Regexp
	short string
}{
	{regexp.MustCompile(`std::(?:__cxx11|__1)::`), "std::"},
	{regexp.MustCompile(`std::basic_string<char, std::char_traits<char>, std::allocator<char> ?>`), "std::string"},
	{regexp.MustCompile(`std::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> ?>`), "std::wstring"},
	{regexp.MustCompile(`std::basic_(\w+)<char, std::char_traits<char> ?>`), "std::$1"},
	// The innermost first: what is left of their arguments has no brackets.
	{regexp.MustCompile(`, std::(?:allocator|less|equal_to|hash|default_delete|char_traits)<[^<>]*(?:<[^<>]*>)?[^<>]*>( ?>|, std::)`), "$1"},
	{regexp.MustCompile(`([^>]) >`), "$1>"},
}
