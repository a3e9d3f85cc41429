package x86

import (
	"debug/elf"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestRelocateRealWindows copies the window of every function of some modules
// as different as this machine has and checks each copy against its original.
func TestRelocateRealWindows(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Fatalf("%v (Debian package golang-go)", err)
	}
	for _, m := range []struct{ name, pkg string }{
		{"/lib/x86_64-linux-gnu/libc.so.6", "libc6"},
		{"/lib/x86_64-linux-gnu/libm.so.6", "libc6"},
		{"/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "libstdc++6"},
		{"/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "libssl3"},
		{goTool, "golang-go"},
	} {
		t.Run(filepath.Base(m.name), func(t *testing.T) {
			f, err := elf.Open(m.name)
			if err != nil {
				t.Fatalf("%v (Debian package %s)", err, m.pkg)
			}
			defer f.Close()
			all, refused := relocateAll(t, f)
			if all < 500 || refused*200 > all {
				t.Errorf("%d of %d windows refused", refused, all)
			}
			t.Logf("%d of %d windows refused", refused, all)
		})
	}
}

func relocateAll(t *testing.T, f *elf.File) (all, refused int) {
	t.Helper()
	static, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	for addr, code := range functionStarts(t, f, append(static, dynamic...)) {
		w := firstWindow(code)
		if w == nil {
			continue
		}
		all++
		for _, delta := range []int64{far, -far} {
			r, err := Relocate(w, addr, addr+uint64(delta), RelocateOptions{})
			if errors.Is(err, ErrUnsupported) {
				t.Logf("%#x: %v", addr, err)
				refused++
				break
			}
			if err != nil {
				t.Fatalf("%#x: %v", addr, err)
			}
			(&follower{t: t, code: w, from: addr, to: addr + uint64(delta), r: r}).follow()
		}
	}
	return all, refused
}

// functionStarts is the first bytes of each function by address.
func functionStarts(t *testing.T, f *elf.File, syms []elf.Symbol) map[uint64][]byte {
	t.Helper()
	starts := map[uint64][]byte{}
	text := map[elf.SectionIndex][]byte{}
	for _, s := range syms {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == 0 || int(s.Section) >= len(f.Sections) {
			continue
		}
		sec := f.Sections[s.Section]
		if text[s.Section] == nil {
			b, err := sec.Data()
			if err != nil {
				t.Fatal(err)
			}
			text[s.Section] = b
		}
		code := text[s.Section][s.Value-sec.Addr:]
		starts[s.Value] = code[:min(uint64(len(code)), s.Size)]
	}
	return starts
}

// firstWindow is the whole instructions that cover five bytes, nil where the
// function is too short.
func firstWindow(code []byte) []byte {
	n := 0
	for n < patchLen {
		in, err := Decode(code[n:])
		if err != nil {
			return nil
		}
		n += int(in.Len)
	}
	return code[:n]
}
