package symbols

import (
	"encoding/binary"
	"regexp"
	"slices"
	"testing"
)

// readelfAddends are the code addresses in relocations as readelf lists them; RELR
// ones are listed by place only, so the file's content is asked.
func readelfAddends(t *testing.T, m *Module, path string) []uint64 {
	t.Helper()
	var out []uint64
	add := func(v uint64) {
		if _, ok := m.segs.exec(v); ok {
			out = append(out, v)
		}
	}
	text := run(t, "binutils", "readelf", "-rW", path)
	rela := regexp.MustCompile(`(?m)^[0-9a-f]+ +[0-9a-f]+ R_X86_64_(RELATIVE|IRELATIVE?|64)\S* +([0-9a-f]+)(?: \S+ ([+-]) ([0-9a-f]+))?$`)
	for _, f := range rela.FindAllStringSubmatch(text, -1) {
		v := hexNumber(t, f[2])
		if f[1] == "64" && v == 0 {
			continue // another module's
		}
		if f[3] != "" {
			v += hexNumber(t, f[4])
		}
		add(v)
	}
	for _, f := range regexp.MustCompile(`(?m)^([0-9a-f]{16})$`).FindAllStringSubmatch(text, -1) {
		add(binary.LittleEndian.Uint64(m.Bytes(hexNumber(t, f[1]), 8)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestRelativeAddends(t *testing.T) {
	for _, path := range []string{
		library(t, "libc.so.6"), library(t, "libstdc++.so.6"), program(t, "redis-server", "redis-server"),
		compile(t, "gcc", "gcc", "p.c", cSource, "-pie"),
		compile(t, "gcc", "gcc", "p.c", cSource, "-pie", "-Wl,-z,pack-relative-relocs"),
		compile(t, "gcc", "gcc", "p.c", cSource, "-static"),
		compile(t, "gcc", "gcc", "p.c", cSource, "-static-pie"),
		rustBuild(t),
	} {
		m := open(t, path)
		got, err := m.RelativeAddends()
		if want := readelfAddends(t, m, path); err != nil || len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %d addends, %v; readelf has %d", path, len(got), err, len(want))
		}
	}
}

// TestRELR wants the same function pointers however the linker packs them.
func TestRELR(t *testing.T) {
	for _, flag := range []string{"-pie", "-Wl,-z,pack-relative-relocs"} {
		m := open(t, compile(t, "gcc", "gcc", "p.c", cSource, "-O2", "-pie", flag))
		hidden, err := m.Lookup("hidden")
		if err != nil || len(hidden) != 1 {
			t.Fatal(hidden, err)
		}
		if addends, err := m.RelativeAddends(); err != nil || !slices.Contains(addends, hidden[0].Addr) {
			t.Errorf("%s: %#x does not hold hidden's %#x, %v", flag, addends, hidden[0].Addr, err)
		}
	}
}
