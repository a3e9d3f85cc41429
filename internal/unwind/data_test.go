package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"testing"
)

func TestData(t *testing.T) {
	mem := make([]byte, DataSize)
	d, err := NewData(mem, 0x7f1200200000)
	if err != nil {
		t.Fatal(err)
	}
	tab := newTestTable(t, testConfig(RuleSignal), 4096)
	for i := range MaxRanges {
		if err := d.AddRange(tab); err != nil {
			t.Fatal(err)
		}
		if n := binary.LittleEndian.Uint64(mem); n != uint64(i+1) {
			t.Errorf("%d ranges counted, not %d", n, i+1)
		}
	}
	if err := d.AddRange(tab); !errors.Is(err, ErrFull) {
		t.Errorf("one too many: %v", err)
	}
	if !bytes.Equal(mem[dataName:dataName+10], []byte("[functap]\x00")) {
		t.Errorf("name %q", mem[dataName:dataOriginal])
	}
	for i := range MaxRanges {
		requireObject(t, mem[dataObjects+i*objectSize:], tab)
	}
}

// requireObject reads program headers as their owner's unwinder does.
func requireObject(t *testing.T, b []byte, tab *Table) {
	t.Helper()
	var h [2]elf.Prog64
	if err := binary.Read(bytes.NewReader(b), binary.LittleEndian, &h); err != nil {
		t.Fatal(err)
	}
	header, size := tab.Header()
	load := elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Filesz: 1 << 20, Memsz: 1 << 20, Align: 0x1000}
	if h[0] != load {
		t.Errorf("segment %+v, want %+v", h[0], load)
	}
	if h[1].Type != uint32(elf.PT_GNU_EH_FRAME) || h[1].Vaddr+testCode != header || h[1].Memsz != size || h[1].Flags != uint32(elf.PF_R) {
		t.Errorf("unwind header %+v, want %#x bytes at %#x", h[1], size, header)
	}
}

func TestDataRefuses(t *testing.T) {
	if _, err := NewData(make([]byte, DataSize-1), 0x1000); !errors.Is(err, ErrRange) {
		t.Errorf("too small: %v", err)
	}
	if _, err := NewData(make([]byte, DataSize), 0x1004); !errors.Is(err, ErrRange) {
		t.Errorf("not aligned: %v", err)
	}
}

// TestSizesOfFDEs: what Config.Size says.
func TestSizesOfFDEs(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []Row
		want int
	}{
		{"plain", Plain(), 20},
		{"program", testProgram, 68},
	} {
		tab := newTestTable(t, testConfig(RuleSignal), 4096)
		before := tab.end
		if err := tab.Set(testCode, 0x200, c.rows); err != nil {
			t.Fatal(err)
		}
		if got := tab.end - before; got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.want)
		}
	}
}
