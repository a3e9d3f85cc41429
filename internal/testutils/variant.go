package testutils

// Variant is one way to compile a victim: a compiler and its options.
type Variant struct {
	// Name is short and unique; it serves as a subtest's name.
	Name string

	compiler string
	pkg      string // the Debian package that has the compiler
	args     []string
	libs     []string
	env      []string
}

// The C forms. CDynamic leaves the choice of PIE to the compiler.
var (
	CDynamic    = cVariant("c", "gcc", "gcc")
	CPIE        = cVariant("c-pie", "gcc", "gcc", "-fPIE", "-pie")
	CNoPIE      = cVariant("c-nopie", "gcc", "gcc", "-fno-pie", "-no-pie")
	CStatic     = cVariant("c-static", "gcc", "gcc", "-static", "-fno-pie", "-no-pie")
	CStaticPIE  = cVariant("c-static-pie", "gcc", "gcc", "-static-pie", "-fPIE")
	CMusl       = cVariant("c-musl", "musl-gcc", "musl-tools")
	CMuslStatic = cVariant("c-musl-static", "musl-gcc", "musl-tools", "-static")
	// CET has endbr64 at the start of every function.
	CET = cVariant("c-cet", "gcc", "gcc", "-fcf-protection=full")
	// CLTO is optimized as a whole when it is linked: functions that keep values in
	// registers which the psABI does not preserve (-fipa-ra), and with conventions of
	// their own.
	CLTO = cVariant("c-lto", "gcc", "gcc", "-O3", "-flto", "-fwhole-program", "-fipa-ra")
	// CExceptions runs the cleanups of a cancelled thread by unwinding.
	CExceptions = cVariant("c-exceptions", "gcc", "gcc", "-fexceptions")
	// CShared makes a shared object for dlopen.
	CShared = cVariant("c-shared", "gcc", "gcc", "-shared", "-fPIC")
	// C32 is 32-bit code without any library: it needs no multilib package.
	C32 = Variant{Name: "c-32", compiler: "gcc", pkg: "gcc", args: []string{"-m32", "-nostdlib", "-static", "-no-pie"}}
)

// The other languages.
var (
	CXX       = cVariant("cxx", "g++", "g++")
	CXXStatic = cVariant("cxx-static", "g++", "g++", "-static", "-fno-pie", "-no-pie")
	// CXXStaticGCC has an unwinder of its own, beside libstdc++'s shared one.
	CXXStaticGCC = cVariant("cxx-static-libgcc", "g++", "g++", "-static-libgcc")
	CXXStaticPIE = cVariant("cxx-static-pie", "g++", "g++", "-static-pie", "-fPIE")
	CXXStripped  = cVariant("cxx-static-stripped", "g++", "g++", "-static", "-fno-pie", "-no-pie", "-s")
	CXXShared    = cVariant("cxx-shared", "g++", "g++", "-shared", "-fPIC")
	// CXXLLVM is C++ with LLVM's library and unwinder in place of gcc's.
	CXXLLVM = linked(cVariant("cxx-llvm", "g++", "g++", "-nostdinc++", "-isystem", llvm+"/include/c++/v1"),
		"-nodefaultlibs", "-Wl,-rpath,"+llvm+"/lib", "-L"+llvm+"/lib", "-l:libc++.so.1", "-l:libc++abi.so.1",
		"-l:libunwind.so.1", "-lc", "-lgcc")
	// CXXLLVMStatic has no personality for C: LLVM's is in a library that Debian has elsewhere.
	CXXLLVMStatic = linked(cVariant("cxx-llvm-static", "g++", "g++", "-nostdinc++", "-isystem", llvm+"/include/c++/v1",
		"-static", "-fno-pie", "-no-pie"), "-nodefaultlibs", "-Wl,--eh-frame-hdr,--defsym=__gcc_personality_v0=0",
		llvm+"/lib/libc++.a", llvm+"/lib/libc++abi.a", "-Wl,--start-group", llvm+"/lib/libunwind.a", "-lc", "-lm", "-lgcc", "-Wl,--end-group")
	CLLVM       = linked(cVariant("c-llvm", "gcc", "gcc"), llvm+"/lib/libunwind.so.1", "-Wl,-rpath,"+llvm+"/lib")
	CLLVMStatic = linked(cVariant("c-llvm-static-stripped", "gcc", "gcc", "-static", "-s", "-Wl,--eh-frame-hdr"), llvm+"/lib/libunwind.a")
	CLLVMMusl   = linked(cVariant("c-llvm-musl", "musl-gcc", "musl-tools", "-static", "-Wl,--eh-frame-hdr"), llvm+"/lib/libunwind.a")
	// CNongnu has nongnu libunwind, which strace brings.
	CNongnu = linked(cVariant("c-nongnu", "gcc", "gcc", "-DNONGNU"), "-l:libunwind.so.8")

	Rust       = Variant{Name: "rust", compiler: "rustc", pkg: "rustc", args: []string{"--edition=2021", "-O", "-C", "debuginfo=0"}}
	RustStatic = Variant{Name: "rust-static", compiler: "rustc", pkg: "rustc",
		args: []string{"--edition=2021", "-O", "-C", "debuginfo=0", "-C", "target-feature=+crt-static", "-C", "strip=symbols"}}

	Go         = goVariant("go", "0")
	GoStripped = goVariant("go-stripped", "0", "-ldflags=-s -w")
	GoPIE      = goVariant("go-pie", "0", "-buildmode=pie")
	// GoCgo also compiles NAME_cgo.go and links against libc.
	GoCgo = goVariant("go-cgo", "1")
)

// CVariants are all forms of an executable that a C victim can take.
func CVariants() []Variant {
	return []Variant{CDynamic, CPIE, CNoPIE, CStatic, CStaticPIE, CMusl, CMuslStatic, CET, CLTO}
}

// GoVariants are all forms of a Go victim.
func GoVariants() []Variant {
	return []Variant{Go, GoStripped, GoPIE, GoCgo}
}

func cVariant(name, compiler, pkg string, args ...string) Variant {
	return Variant{
		Name: name, compiler: compiler, pkg: pkg,
		args: append([]string{"-O2", "-Wall", "-D_GNU_SOURCE", "-pthread"}, args...),
		libs: []string{"-ldl", "-lrt", "-lm"},
	}
}

// llvm is where Debian's libc++-14-dev is.
const llvm = "/usr/lib/llvm-14"

// linked adds libraries in front of those that all have.
func linked(v Variant, libs ...string) Variant {
	v.libs = append(libs, v.libs...)
	return v
}

func goVariant(name, cgo string, args ...string) Variant {
	return Variant{
		Name: name, compiler: "go", pkg: "golang",
		args: append([]string{"build", "-trimpath"}, args...),
		env:  []string{"CGO_ENABLED=" + cgo, "GOFLAGS=-buildvcs=false"},
	}
}
