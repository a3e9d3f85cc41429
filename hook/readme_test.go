package hook_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

// TestReadmeRefusals: README's table has every reason there is, and no other.
func TestReadmeRefusals(t *testing.T) {
	code := namesIn(t, `Refusal = "([A-Z_]+)"`, "internal/plan/refusal.go", "hook/patch.go")
	table := namesIn(t, "(?m)^\\| `([A-Z_]+)` \\|", "README.md")
	if len(code) < 10 || !slices.Equal(code, table) {
		t.Errorf("the code has %q, README %q", code, table)
	}
}

// namesIn are the sorted matches of a pattern's group in files, each once.
func namesIn(t *testing.T, pattern string, files ...string) []string {
	t.Helper()
	names := map[string]bool{}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(testutils.ModuleRoot(t), f))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
