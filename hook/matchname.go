package hook

import (
	"cmp"
	"slices"
	"strings"

	"github.com/functap/functap/internal/symbols"
	"github.com/ianlancetaylor/demangle"
)

// anySymbol tries the function's names as the file has them.
func (f *Function) anySymbol(match func(string) bool) bool {
	return match(f.sym.Name) || slices.ContainsFunc(f.sym.Aliases, match)
}

// anyDemangled tries what C++ and Rust call the function, with and without
// parameters. Demangling a name takes microseconds, so only those are looked at
// that contain all pieces, which any match must contain.
func (f *Function) anyDemangled(pieces []string, match func(string) bool) bool {
	return demangledMatch(f.sym.Name, pieces, match) ||
		slices.ContainsFunc(f.sym.Aliases, func(a string) bool { return demangledMatch(a, pieces, match) })
}

func demangledMatch(name string, pieces []string, match func(string) bool) bool {
	if !mangled(name) {
		return false
	}
	for _, p := range pieces {
		if !strings.Contains(name, p) {
			return false
		}
	}
	short := shortName(name)
	if short == name {
		return false
	}
	return match(short) || match(symbols.Demangle(name))
}

// shortName is a name demangled, without parameters.
func shortName(name string) string { return demangle.Filter(name, demangle.NoParams) }

// mangled tells by the prefixes of C++ (and older Rust) and of Rust.
func mangled(name string) bool {
	return strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R")
}

// functionAt returns the function around an address of the target, or nil.
func (im *Image) functionAt(addr uint64) (*Function, error) {
	funcs, err := im.Functions()
	if err != nil {
		return nil, err
	}
	i, exact := slices.BinarySearchFunc(funcs, addr, func(f *Function, a uint64) int { return cmp.Compare(f.Addr(), a) })
	if !exact {
		i--
	}
	if i < 0 || addr-funcs[i].Addr() >= max(funcs[i].Size(), 1) {
		return nil, nil
	}
	return funcs[i], nil
}

// squeeze drops the spaces that only make a name pretty: "f(int, char *)"
// becomes "f(int,char*)". One between two words stays.
func squeeze(name string) string {
	if !strings.Contains(name, " ") {
		return name
	}
	out := make([]byte, 0, len(name))
	for i := range len(name) {
		if name[i] == ' ' && !(i > 0 && i+1 < len(name) && isWord(name[i-1]) && isWord(name[i+1])) {
			continue
		}
		out = append(out, name[i])
	}
	return string(out)
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 })
}

// pieces are the parts of a demangled name that its mangled form must contain
// too: manglings spell identifiers out, at least once each. Words that a
// demangler makes up are not among them, nor any part of such a word, since a
// piece of a glob may be only a part of an identifier.
func pieces(name string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return r >= 0x80 || !isWord(byte(r)) }) {
		w = strings.TrimLeft(w, "0123456789")
		if w != "" && !strings.Contains(madeUp, w) {
			out = append(out, w)
		}
	}
	return out
}

// madeUp are words that stand in demangled names without being spelled out in
// mangled ones: operators and types, abbreviations of the C++ ABI (St, Sa, Ss,
// Si, So, Sd), Rust's keywords, and descriptions of special functions.
const madeUp = "std allocator basic_string string char_traits basic_istream istream basic_ostream ostream basic_iostream iostream " +
	"operator new delete co_await bool char signed unsigned short int long float double void wchar_t char8_t char16_t char32_t " +
	"auto decltype nullptr nullptr_t __int128 __float128 __float80 _Float16 _Float32 _Float64 _Float128 __fp16 half std::bfloat16_t " +
	"decimal32 decimal64 decimal128 _Accum _Fract _Sat _BitInt complex _Complex imaginary _Imaginary __vector ellipsis pixel " +
	"const volatile restrict noexcept throw transaction_safe sizeof alignof typeid this true false requires typename template typedef " +
	"dynamic_cast static_cast const_cast reinterpret_cast anonymous namespace unnamed type lambda block_pointer objc " +
	"vtable VTT for typeinfo name fn function guard variable reference temporary thunk virtual non to covariant return construction " +
	"TLS init wrapper initializer block invocation hidden alias parameter object java Class resource clone transaction keyed global " +
	"constructors destructors default argument arg string literal enum struct union class abi module friend concept " +
	"parm pack expansion self vcall offset override invoke " +
	"impl as dyn mut unsafe extern closure shim str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f16 f32 f64 f128 "
