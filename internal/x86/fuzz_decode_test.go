package x86

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// FuzzDecode: whatever the bytes, Decode stays within them, its parts lie
// inside the instruction, and nothing behind the instruction matters to it.
func FuzzDecode(f *testing.F) {
	for _, r := range decodeRows(f) {
		f.Add(r.code)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		in, err := Decode(code)
		if err != nil {
			checkError(t, code, in, err)
			return
		}
		n := int(in.Len)
		if n < 1 || n > MaxLen || n > len(code) {
			t.Fatalf("% x: length %d of %d bytes", code, n, len(code))
		}
		checkParts(t, code, in)
		for _, filler := range []byte{0x00, 0x66, 0xcc, 0xff} {
			tail := bytes.Repeat([]byte{filler}, MaxLen)
			if again, err := Decode(slices.Concat(code[:n], tail)); err != nil || again != in {
				t.Errorf("% x followed by %#x: %+v, %v; alone %+v", code[:n], filler, again, err, in)
			}
		}
		if again, err := Decode(code[:n]); err != nil || again != in {
			t.Errorf("% x by itself: %+v, %v; in context %+v", code[:n], again, err, in)
		}
		for cut := range n {
			if _, err := Decode(code[:cut]); !errors.Is(err, ErrTruncated) {
				t.Errorf("% x cut to %d: %v", code[:n], cut, err)
			}
		}
	})
}

// checkError: an error comes with no instruction, and bytes can be too few
// only while an instruction could still be longer.
func checkError(t *testing.T, code []byte, in Inst, err error) {
	if in != (Inst{}) {
		t.Errorf("% x: %v with %+v", code, err, in)
	}
	truncated := errors.Is(err, ErrTruncated)
	if !truncated && !errors.Is(err, ErrUnknown) {
		t.Errorf("% x: %v", code, err)
	}
	if truncated && len(code) >= MaxLen {
		t.Errorf("%d bytes were not enough", len(code))
	}
}

// checkParts: ModRM, displacement, immediates and branch displacement follow
// each other and end where the instruction ends.
func checkParts(t *testing.T, code []byte, in Inst) {
	end := uint8(0)
	for _, p := range []struct{ off, len uint8 }{
		{in.ModRMOff, b2u(in.HasModRM)}, {in.DispOff, in.DispLen}, {in.ImmOff, in.ImmLen}, {in.RelOff, in.RelLen},
	} {
		if (p.off == 0) != (p.len == 0) || p.len != 0 && p.off < end {
			t.Fatalf("% x: parts overlap: %+v", code, in)
		}
		end = max(end, p.off+p.len)
	}
	if end > in.Len || end != 0 && !in.HasSIB() && end != in.Len {
		t.Fatalf("% x: parts end at %d: %+v", code, end, in)
	}
	if in.RIPRel && (in.DispLen != 4 || in.HasSIB() || in.RelLen != 0) {
		t.Fatalf("% x: rip-relative: %+v", code, in)
	}
	if (in.RelLen != 0) != (in.Flow == FlowJmp || in.Flow == FlowJcc || in.Flow == FlowLoop ||
		in.Flow == FlowCall || in.Flow == FlowXbegin) {
		t.Fatalf("% x: flow: %+v", code, in)
	}
}

func b2u(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// FuzzLiveFlags: it ends, and says DF.
func FuzzLiveFlags(f *testing.F) {
	for _, r := range decodeRows(f) {
		f.Add(r.code, uint64(0), uint16(32))
	}
	f.Fuzz(func(t *testing.T, code []byte, start uint64, insts uint16) {
		if LiveFlags(code, 0, start, int(insts))&DF == 0 {
			t.Error("DF is dead")
		}
	})
}
