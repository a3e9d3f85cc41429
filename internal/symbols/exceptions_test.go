package symbols

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLandingPads takes the landing pads from the compiler's assembly: the labels
// of its call-site tables are made to survive linking, and nm tells where they are.
func TestLandingPads(t *testing.T) {
	for _, opt := range []string{"-O0", "-O2", "-O2 -freorder-blocks-and-partition"} {
		t.Run(opt, func(t *testing.T) {
			dir := t.TempDir()
			asm, out := filepath.Join(dir, "p.s"), filepath.Join(dir, "p")
			src := filepath.Join(dir, "p.cc")
			write(t, src, cxxSource)
			run(t, "g++", "g++", append(strings.Fields(opt), "-S", "-o", asm, src)...)
			text, err := os.ReadFile(asm)
			if err != nil {
				t.Fatal(err)
			}
			kept := strings.ReplaceAll(string(text), ".L", "label_L")
			write(t, asm, kept)
			run(t, "g++", "g++", "-o", out, asm)

			want := labelAddresses(t, out, padLabels(kept))
			got, err := open(t, out).LandingPads()
			if err != nil || len(want) < 2 || !slices.Equal(got, want) {
				t.Errorf("landing pads %#x, %v; the assembly has %#x", got, err, want)
			}
		})
	}
}

// padLabels are the third of every four values in the call-site tables.
func padLabels(asm string) map[string]bool {
	labels := map[string]bool{}
	var values []string
	inside := false
	for line := range strings.Lines(asm) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "label_LLSDACSB"):
			inside, values = true, nil
		case strings.HasPrefix(line, "label_LLSDACSE"):
			inside = false
			for i := 2; i < len(values); i += 4 {
				if label, _, ok := strings.Cut(values[i], "-"); ok {
					labels[label] = true
				}
			}
		case inside:
			if v, ok := strings.CutPrefix(line, ".uleb128 "); ok {
				values = append(values, v)
			}
		}
	}
	return labels
}

func labelAddresses(t *testing.T, path string, labels map[string]bool) []uint64 {
	t.Helper()
	var out []uint64
	for _, f := range regexp.MustCompile(`(?m)^([0-9a-f]+) \S (\S+)$`).FindAllStringSubmatch(run(t, "binutils", "nm", path), -1) {
		if labels[f[2]] {
			out = append(out, hexNumber(t, f[1]))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestLandingPadsOfRust only bounds: all pads lie in functions that have a table.
func TestLandingPadsOfRust(t *testing.T) {
	m := open(t, rustBuild(t))
	pads, err := m.LandingPads()
	if err != nil || len(pads) < 50 {
		t.Fatalf("%d landing pads, %v", len(pads), err)
	}
	fdes, err := m.FDEs()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pads {
		if !slices.ContainsFunc(fdes, func(f FDE) bool { return f.LSDA != 0 && p > f.Start && p < f.End }) {
			t.Errorf("landing pad %#x is in no function with an exception table", p)
		}
	}
}

// TestFragments wants the cold parts of a stripped program to be told from
// functions where their frame shows it.
func TestFragments(t *testing.T) {
	path := compile(t, "g++", "g++", "p.cc", cxxSource, "-O2")
	full := open(t, path)
	bare := functions(t, open(t, stripped(t, path)))
	var cold int
	for _, f := range functions(t, full) {
		i := slices.IndexFunc(bare, func(b Func) bool { return b.Addr == f.Addr })
		switch {
		case f.Cold:
			cold++
			if i < 0 || !bare[i].Cold {
				t.Errorf("%s is not cold once stripped", f.Name)
			}
		case i >= 0 && bare[i].Cold:
			t.Errorf("%s is cold once stripped", f.Name)
		}
	}
	if cold == 0 {
		t.Error("the compiler made no cold part")
	}
}
