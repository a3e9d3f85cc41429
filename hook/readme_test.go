package hook_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// TestReadmeRefusals: README's table has every reason there is, and no other.
func TestReadmeRefusals(t *testing.T) {
	code := namesIn(t, `Refusal = "([A-Z_]+)"`, "internal/plan/refusal.go", "hook/*.go")
	table := namesIn(t, "(?m)^\\| `([A-Z_]+)` \\|", "README.md")
	if len(code) < 10 || !slices.Equal(code, table) {
		t.Errorf("the code has %q, README %q", code, table)
	}
}

// docs are the pages that lead through the code.
var docs = []string{"README.md", "RATIONALE.md", "docs/*.md"}

// TestDocsNameRealThings: files, links and tests that the pages name exist.
func TestDocsNameRealThings(t *testing.T) {
	root := testutils.ModuleRoot(t)
	exists := func(name, where string) {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("%s is named in %s: %v", name, where, err)
		}
	}
	paths := namesIn(t, "`((?:hook|trampoline|internal|cmd|docs|examples)/[a-z0-9_/.]+)`", docs...)
	for _, name := range paths {
		exists(name, "a page")
	}
	tests := namesIn(t, `(?m)^func (Test\w+)\(`, "*/*_test.go", "internal/*/*_test.go")
	for _, name := range namesIn(t, "`(Test[A-Z]\\w+)`", docs...) {
		if !slices.Contains(tests, name) {
			t.Errorf("there is no %s", name)
		}
	}
	for _, page := range []string{"README.md", "RATIONALE.md", "docs/architecture.md"} {
		for _, link := range namesIn(t, `\]\(([^)#:]+)[^)]*\)`, page) {
			exists(filepath.Join(filepath.Dir(page), link), page)
		}
	}
	if len(paths) < 20 || len(tests) < 20 {
		t.Errorf("only %d files and %d tests found", len(paths), len(tests))
	}
}

// TestAnchors: links to headings lead to one.
func TestAnchors(t *testing.T) {
	pages := map[string]string{"README.md": "", "RATIONALE.md": "", "docs/architecture.md": ""}
	for page := range pages {
		text, err := os.ReadFile(filepath.Join(testutils.ModuleRoot(t), page))
		if err != nil {
			t.Fatal(err)
		}
		pages[page] = string(text)
	}
	links := regexp.MustCompile(`\]\(([^)#:]*)#([^)]+)\)`)
	for page, text := range pages {
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			to := page
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(page), m[1])
			}
			if !slices.Contains(anchors(pages[to]), m[2]) {
				t.Errorf("%s links to %s#%s, which is no heading there", page, to, m[2])
			}
		}
	}
}

// anchors are a page's headings as links name them: in lower case, with - for
// spaces and without other signs.
func anchors(text string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		kept := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		out = append(out, strings.ReplaceAll(kept, " ", "-"))
	}
	return out
}

// namesIn are the sorted matches of a pattern's group in files, each once.
func namesIn(t *testing.T, pattern string, files ...string) []string {
	t.Helper()
	names := map[string]bool{}
	var paths []string
	for _, f := range files {
		found, err := filepath.Glob(filepath.Join(testutils.ModuleRoot(t), f))
		if err != nil || len(found) == 0 {
			t.Fatalf("no %s: %v", f, err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
