package layers

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// file is one source file of the module.
type file struct {
	name    string // relative to the module
	pkg     string // its directory: "." or "internal/x86"
	test    bool
	imports []string
	ast     *ast.File
}

func TestImports(t *testing.T) {
	files := parseModule(t, "../..")
	if len(files) < 10 {
		t.Fatalf("only %d files found", len(files))
	}
	for _, f := range files {
		for _, problem := range f.check() {
			t.Errorf("%s: %s", f.name, problem)
		}
	}
}

func parseModule(t *testing.T, root string) []file {
	t.Helper()
	var files []file
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && ignored(root, name) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f, err := parse(rel, name)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// ignored directories are those that the go command leaves out of ./...
func ignored(root, dir string) bool {
	base := filepath.Base(dir)
	if dir == root {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod")) // a module of its own
	return base == "testdata" || base[0] == '.' || base[0] == '_' || err == nil
}

func parse(rel, name string) (file, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return file{}, err
	}
	return newFile(rel, tree)
}

func newFile(rel string, tree *ast.File) (file, error) {
	f := file{name: rel, pkg: path.Dir(filepath.ToSlash(rel)), test: strings.HasSuffix(rel, "_test.go"), ast: tree}
	for _, spec := range tree.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return f, err
		}
		f.imports = append(f.imports, p)
	}
	return f, nil
}

func (f file) check() []string {
	i := slices.IndexFunc(layers, func(l layer) bool { return matches(f.pkg, l.pkg) })
	if i < 0 {
		return []string{"package " + f.pkg + " has no line in internal/layers_test/rules_test.go"}
	}
	var problems []string
	for _, p := range f.imports {
		problems = append(problems, f.checkImport(layers[i], p)...)
	}
	return append(problems, f.checkCalls()...)
}

func (f file) checkImport(l layer, imported string) []string {
	var problems []string
	forbid := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if own, ok := strings.CutPrefix(imported, module+"/"); ok && !f.test && own != "internal/testutils" && !l.allows(own) {
		forbid("%s must not import %s", f.pkg, own)
	}
	for _, r := range restrictions {
		if matches(imported, r.path) && !matchesAny(f.pkg, r.by) && !(r.tests && f.test) {
			forbid("%s must not import %s: %s", f.pkg, imported, r.why)
		}
	}
	if !f.test && !l.program && slices.Contains(libraryNever, imported) && (imported != "os/exec" || f.name != startsPrograms) {
		forbid("a library must not import %s", imported)
	}
	if !f.test && slices.Contains(pure, f.pkg) && (slices.Contains(pureNever, imported) || strings.HasPrefix(imported, "os/")) {
		forbid("%s sees no process and no file: it must not import %s", f.pkg, imported)
	}
	if imported == "unsafe" && !strings.HasSuffix(strings.TrimSuffix(f.name, "_test.go"), "_unsafe") && !strings.HasSuffix(f.name, "_unsafe.go") {
		forbid("unsafe belongs into a file whose name ends in _unsafe.go")
	}
	return problems
}

func (l layer) allows(own string) bool {
	return matchesAny(own, l.imports) && !slices.Contains(l.not, own)
}

// checkCalls finds the ptrace functions of the standard library, which an import alone
// does not show, and printing.
func (f file) checkCalls() []string {
	var problems []string
	mayTrace := matchesAny(f.pkg, restrictions[0].by)
	mayPrint := f.test || slices.ContainsFunc(layers, func(l layer) bool { return matches(f.pkg, l.pkg) && l.program })
	ast.Inspect(f.ast, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		name := pkg.Name + "." + sel.Sel.Name
		if !mayTrace && strings.HasPrefix(name, "syscall.Ptrace") {
			problems = append(problems, "only internal/ptrace calls "+name)
		}
		if !mayPrint && slices.Contains([]string{"fmt.Print", "fmt.Printf", "fmt.Println", "os.Stdout", "os.Stderr", "os.Exit"}, name) {
			problems = append(problems, "a library must not use "+name)
		}
		return true
	})
	return problems
}

func matches(pkg, pattern string) bool {
	if strings.HasSuffix(pattern, "/") {
		return strings.HasPrefix(pkg+"/", pattern)
	}
	return pkg == pattern
}

func matchesAny(pkg string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(pkg, p) })
}

// The rules must be able to fail.
func TestRulesFail(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"hook/a.go", `import _ "github.com/functap/functap/internal/plan"`, ""},
		{"hook/a.go", `import _ "github.com/functap/functap/trampoline"`, "hook must not import trampoline"},
		{"examples/count/a.go", `import _ "github.com/functap/functap/internal/plan"`, "examples/count must not import internal/plan"},
		{"cmd/functap/a.go", `import _ "github.com/functap/functap/internal/arena"`, "cmd/functap must not import internal/arena"},
		{"internal/x86/a.go", `import _ "github.com/functap/functap/internal/plan"`, "internal/x86 must not import internal/plan"},
		{"internal/x86/a.go", `import _ "os"`, "sees no process"},
		{"internal/x86/a_test.go", `import _ "os/exec"`, ""},
		{"internal/plan/a.go", `import _ "github.com/functap/functap/internal/ptrace"`, "internal/plan must not import internal/ptrace"},
		{"internal/ptrace/a.go", `import _ "github.com/functap/functap/internal/x86"`, "internal/ptrace must not import internal/x86"},
		{"hook/a.go", `import _ "golang.org/x/sys/unix"`, "hook must not import golang.org/x/sys/unix"},
		{"hook/a.go", `import _ "golang.org/x/arch/x86/x86asm"`, "it may print, not decide"},
		{"internal/plan/a_test.go", `import _ "golang.org/x/arch/x86/x86asm"`, ""},
		{"hook/a.go", `import _ "github.com/go-delve/delve/pkg/dwarf/op"`, "behind one package"},
		{"hook/a_test.go", `import _ "github.com/go-delve/delve/pkg/dwarf/op"`, ""},
		{"hook/a.go", `import _ "github.com/functap/functap/internal/testutils"`, "it is for tests"},
		{"hook/a.go", `import _ "log"`, "a library must not import log"},
		{"hook/a.go", `import _ "log/slog"`, ""},
		{"hook/a.go", `import _ "os/exec"`, "a library must not import os/exec"},
		{"hook/start.go", `import _ "os/exec"`, ""},
		{"hook/start.go", `import _ "log"`, "a library must not import log"},
		{"hook/a.go", `import _ "unsafe"`, "unsafe belongs"},
		{"hook/a_unsafe.go", `import _ "unsafe"`, ""},
		{"hook/a_unsafe_test.go", `import _ "unsafe"`, ""},
		{"hook/a.go", `import "syscall"; var _ = syscall.PtraceAttach`, "only internal/ptrace calls syscall.PtraceAttach"},
		{"hook/a.go", `import "fmt"; func f() { fmt.Println() }`, "must not use fmt.Println"},
		{"cmd/functap/a.go", `import "fmt"; func f() { fmt.Println() }`, ""},
		{"internal/other/a.go", ``, "has no line"},
	}
	for _, test := range tests {
		tree, err := parser.ParseFile(token.NewFileSet(), test.name, "package a; "+test.source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		f, err := newFile(test.name, tree)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(f.check(), "; ")
		if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s with %s: %q, want %q", test.name, test.source, got, test.want)
		}
	}
}
