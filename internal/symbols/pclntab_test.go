package symbols

import (
	"encoding/binary"
	"slices"
	"testing"
)

// syntheticPclntab is a table with two functions in the layout of a Go release's
// runtime/symtab.go: main.one of a.go at 0x1000, two.s's add at 0x1040, end at 0x1050.
func syntheticPclntab(magic uint32) []byte {
	le := binary.LittleEndian
	old := magic == magicGo116
	names := []byte("\x00main.one\x00add\x00") // 1, 10
	files := []byte("a.go\x00two.s\x00")       // 0, 5
	units := le.AppendUint32(le.AppendUint32(nil, 0), 5)
	pctab := []byte{0, 2, 64, 0, 4, 16, 0} // at 1: file 0; at 4: file 1

	entry := func(b []byte, pc uint64) []byte {
		if old {
			return le.AppendUint64(b, pc+0x1000)
		}
		return le.AppendUint32(b, uint32(pc))
	}
	word := func(b []byte, v uint64) []byte {
		if old {
			return le.AppendUint64(b, v)
		}
		return le.AppendUint32(b, uint32(v))
	}
	record := func(pc uint64, name, pcfile uint32) []byte {
		b := entry(nil, pc)
		for _, v := range []uint32{name, 0, 0, 0, pcfile, 0, 0, 0, 0, 0, 0} {
			b = le.AppendUint32(b, v)
		}
		return b
	}
	one, add := record(0, 1, 1), record(0x40, 10, 4)
	tableLen := uint64(len(entry(nil, 0)))*3 + uint64(len(word(nil, 0)))*2
	functab := word(entry(nil, 0), tableLen)
	functab = word(entry(functab, 0x40), tableLen+uint64(len(one)))
	functab = entry(functab, 0x50)
	functab = append(append(functab, one...), add...)

	h := le.AppendUint32(nil, magic)
	h = append(h, 0, 0, 1, 8)
	h = le.AppendUint64(le.AppendUint64(h, 2), 2)
	if !old {
		h = le.AppendUint64(h, 0x1000)
	}
	at := uint64(len(h) + 5*8)
	for _, part := range [][]byte{names, units, files, pctab, functab} {
		h = le.AppendUint64(h, at)
		at += uint64(len(part))
	}
	return slices.Concat(h, names, units, files, pctab, functab)
}

// TestPclntabLayouts reads each release's layout; that of the Go in use is also
// tested on real programs.
func TestPclntabLayouts(t *testing.T) {
	want := []goFunc{{"main.one", 0x1000, 0x1040, false}, {"add", 0x1040, 0x1050, true}}
	for _, magic := range []uint32{magicGo116, magicGo118, magicGo120} {
		tab, err := parsePclntab(syntheticPclntab(magic))
		if err != nil || tab == nil {
			t.Fatalf("%#x: %v", magic, err)
		}
		var got []goFunc
		if err := tab.each(func(g goFunc) { got = append(got, g) }); err != nil || !slices.Equal(got, want) {
			t.Errorf("%#x: %v, %v", magic, got, err)
		}
	}
	for _, magic := range []uint32{0xfffffffb, 0xfffffff2, 0} {
		if tab, err := parsePclntab(syntheticPclntab(magic)); tab != nil || err != nil {
			t.Errorf("%#x: %v, %v, want nothing", magic, tab, err)
		}
	}
}
