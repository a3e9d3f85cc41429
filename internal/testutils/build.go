package testutils

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const compileTimeout = 3 * time.Minute

// Build compiles the victim called name ("count.c") and returns the path of the
// executable, or of the shared object for [CShared]. Results are kept between runs,
// keyed by the sources, the options and the compiler's version. A NAME.S beside a
// NAME.c belongs to it. Safe for concurrent use, also by several processes.
func Build(t testing.TB, name string, v Variant) string {
	t.Helper()
	sources := victimSources(t, name, v)
	compiler := Program(t, v.compiler, v.pkg)
	key := buildKey(t, compiler, sources, v)
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	out := filepath.Join(cacheDir(t), stem+"-"+v.Name+"-"+key)
	if _, err := os.Stat(out); err == nil {
		return out
	}
	compile(t, compiler, sources, v, out)
	return out
}

// compile writes beside out and renames, so that no other process ever sees or runs
// half a file.
func compile(t testing.TB, compiler string, sources []string, v Variant, out string) {
	t.Helper()
	tmp, err := os.CreateTemp(filepath.Dir(out), "tmp-*")
	if err != nil {
		t.Fatalf("making room for a victim: %v", err)
	}
	tmp.Close()
	defer os.Remove(tmp.Name())
	args := append([]string{}, v.args...)
	args = append(args, "-o", tmp.Name())
	args = append(args, sources...)
	args = append(args, v.libs...)
	RunProgram(t, nil, Command{Path: compiler, Args: args, Env: v.env, Timeout: compileTimeout})
	if err := os.Chmod(tmp.Name(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(tmp.Name(), out); err != nil {
		t.Fatal(err)
	}
}

func victimSources(t testing.TB, name string, v Variant) []string {
	t.Helper()
	dir := VictimDir(t)
	sources := []string{filepath.Join(dir, name)}
	stem := strings.TrimSuffix(sources[0], filepath.Ext(name))
	extra := ""
	switch {
	case strings.HasSuffix(name, ".c"):
		extra = stem + ".S"
	case v.Name == GoCgo.Name:
		extra = stem + "_cgo.go"
	}
	if _, err := os.Stat(extra); extra != "" && err == nil {
		sources = append(sources, extra)
	}
	return sources
}

// buildKey hashes everything that the result depends on; the headers are few, so each
// counts for every victim.
func buildKey(t testing.TB, compiler string, sources []string, v Variant) string {
	t.Helper()
	headers, err := filepath.Glob(filepath.Join(VictimDir(t), "*.h"))
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %q %q %q\n", compilerVersion(t, compiler), v.args, v.libs, v.env)
	for _, path := range append(headers, sources...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("reading a victim's source: %v", err)
		}
		fmt.Fprintf(h, "%s %d\n%s", filepath.Base(path), len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

var versions sync.Map // compiler's path -> what it says about itself

func compilerVersion(t testing.TB, compiler string) string {
	t.Helper()
	if v, ok := versions.Load(compiler); ok {
		return v.(string)
	}
	flag := "--version"
	if filepath.Base(compiler) == "go" {
		flag = "version"
	}
	v := RunProgram(t, nil, Command{Path: compiler, Args: []string{flag}})
	versions.Store(compiler, v)
	return v
}

// cacheDir is below the temporary directory, not the home directory, because victims
// also run as users that cannot enter root's home.
func cacheDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("ft-victims-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o755); err != nil && !os.IsExist(err) {
		t.Fatalf("making the victims' cache: %v", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		t.Fatal(err)
	}
	// Anybody may have made this name in a shared directory before us.
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(st.Uid) != os.Getuid() || info.Mode().Perm()&0o022 != 0 {
		t.Fatalf("%s is not a directory that only this user can write to", dir)
	}
	return dir
}

// VictimDir is the directory of the victims' sources.
func VictimDir(t testing.TB) string {
	t.Helper()
	return filepath.Join(ModuleRoot(t), "internal", "testdata", "victims")
}

// ModuleRoot is the directory of go.mod, found upwards from the directory in which
// the test runs.
func ModuleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the test's directory")
	return ""
}
