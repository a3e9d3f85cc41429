package x86

import (
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRelocateBytes(t *testing.T) {
	for _, c := range []struct {
		what, code string
		from, to   uint64
		self       bool
		want       string
		moved      []Moved
	}{
		{"push rbp; mov rbp,rsp; push rbx", "55 48 89 e5 53", 0x1000, 0x9000, false,
			"55 48 89 e5 53 e9 fb 7f ff ff",
			[]Moved{{0x9000, 0x1000, 0}, {0x9001, 0x1001, 0}, {0x9004, 0x1004, 0}, {0x9005, 0x1005, 0}}},
		{"a return needs no jump back", "31 c0 c3", 0x1000, 0x9000, false,
			"31 c0 c3",
			[]Moved{{0x9000, 0x1000, 0}, {0x9002, 0x1002, 0}}},
		{"je +0x10 widened", "74 10 90 90 90", 0x1000, 0x9000, false,
			"0f 84 0c 80 ff ff 90 90 90 e9 f7 7f ff ff",
			[]Moved{{0x9000, 0x1000, 0}, {0x9006, 0x1002, 0}, {0x9007, 0x1003, 0}, {0x9008, 0x1004, 0}, {0x9009, 0x1005, 0}}},
		{"cmp dword [rip+0x100], 0x44332211", "81 3d 00 01 00 00 11 22 33 44", 0x1000, 0x9000, false,
			"81 3d 00 81 ff ff 11 22 33 44 e9 fb 7f ff ff",
			[]Moved{{0x9000, 0x1000, 0}, {0x900a, 0x100a, 0}}},
		{"jrcxz +0x10", "e3 10 0f 1f 00", 0x1000, 0x9000, false,
			"e3 02 eb 05 e9 09 80 ff ff 0f 1f 00 e9 f4 7f ff ff",
			[]Moved{{0x9000, 0x1000, 0}, {0x9002, 0x1002, 0}, {0x9004, 0x1012, 0}, {0x9009, 0x1002, 0}, {0x900c, 0x1005, 0}}},
		{"call from low code", "e8 fb 0f 00 00", 0x1000, 0x9000, false,
			"68 05 10 00 00 e9 f6 8f ff ff",
			[]Moved{{0x9000, 0x1000, 0}, {0x9005, 0x1000, 8}}},
		{"call from bit 31 on", "e8 fb 0f 00 00", 0x80001000, 0x80009000, false,
			"68 05 10 00 80 c7 44 24 04 00 00 00 00 e9 ee 8f ff ff",
			[]Moved{{0x80009000, 0x80001000, 0}, {0x80009005, 0x80001000, 8}, {0x8000900d, 0x80001000, 8}}},
		{"sub rsp,8; call from high code", "48 83 ec 08 e8 f7 0f 00 00", 0x7f0012341000, 0x7f0012349000, false,
			"48 83 ec 08 68 09 10 34 12 c7 44 24 04 00 7f 00 00 e9 ea 8f ff ff",
			[]Moved{{0x7f0012349000, 0x7f0012341000, 0}, {0x7f0012349004, 0x7f0012341004, 0}, {0x7f0012349009, 0x7f0012341004, 8}, {0x7f0012349011, 0x7f0012341004, 8}}},
		{"call [rip+0x100]", "ff 15 00 01 00 00", 0x1000, 0x9000, false,
			"68 06 10 00 00 ff 25 fb 80 ff ff",
			[]Moved{{0x9000, 0x1000, 0}, {0x9005, 0x1000, 8}}},
		{"push rax; call [rsp]", "50 66 90 0f 1f 00 ff 14 24", 0x1000, 0x9000, false,
			"50 66 90 0f 1f 00 68 09 10 00 00 ff 64 24 08",
			[]Moved{{0x9000, 0x1000, 0}, {0x9001, 0x1001, 0}, {0x9003, 0x1003, 0}, {0x9006, 0x1006, 0}, {0x900b, 0x1006, 8}}},
		{"nop; call [rsp-0x88]", "90 ff 94 24 78 ff ff ff", 0x1000, 0x9000, false,
			"90 68 08 10 00 00 ff 64 24 80", nil},
		{"nop; call [rsp+0x78]", "90 ff 54 24 78", 0x1000, 0x9000, false,
			"90 68 05 10 00 00 ff a4 24 80 00 00 00", nil},
		{"nop; call [rsp-0x10]", "90 ff 54 24 f0", 0x1000, 0x9000, false,
			"90 68 05 10 00 00 ff 64 24 f8", nil},
		{"own first byte, an entry", "ff c8 75 fc 90", 0x1000, 0x9000, false,
			"ff c8 0f 85 f8 7f ff ff 90 e9 f7 7f ff ff", nil},
		{"own first byte, the copy's", "ff c8 75 fc 90", 0x1000, 0x9000, true,
			"ff c8 75 fc 90 e9 fb 7f ff ff", nil},
		{"back into the window", "90 ff c8 75 fc", 0x1000, 0x9000, false,
			"90 ff c8 75 fc e9 fb 7f ff ff", nil},
		{"forward into the window", "7c 02 89 c8 c3", 0x1000, 0x9000, false,
			"0f 8c 02 00 00 00 89 c8 c3", nil},
		{"recursion is an entry", "90 e8 fa ff ff ff", 0x1000, 0x9000, true,
			"90 68 06 10 00 00 e9 f5 7f ff ff", nil},
	} {
		r, err := Relocate(unhex(t, c.code), c.from, c.to, RelocateOptions{SelfToCopy: c.self})
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if got := fmt.Sprintf("% x", r.Bytes); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.what, got, c.want)
		}
		if c.moved != nil && !reflect.DeepEqual(r.Moved, c.moved) {
			t.Errorf("%s:\n got %#x\nwant %#x", c.what, r.Moved, c.moved)
		}
	}
}

func TestRelocateRefuses(t *testing.T) {
	for _, c := range []struct {
		what, code string
		want       error
	}{
		{"int3", "90 90 90 90 cc", ErrUnsupported},
		{"int 0x80", "90 90 90 cd 80", ErrUnsupported},
		{"int1", "90 90 90 90 f1", ErrUnsupported},
		{"ud2", "90 90 90 0f 0b", ErrUnsupported},
		{"hlt", "90 90 90 90 f4", ErrUnsupported},
		{"syscall", "89 ca 90 0f 05", ErrUnsupported},
		{"sysenter", "89 ca 90 0f 34", ErrUnsupported},
		{"xbegin", "c7 f8 00 00 00 00", ErrUnsupported},
		{"retf", "90 90 90 90 cb", ErrUnsupported},
		{"retf 8", "90 90 ca 08 00", ErrUnsupported},
		{"iretq", "90 90 90 48 cf", ErrUnsupported},
		{"jmp far [rax]", "90 90 90 ff 28", ErrUnsupported},
		{"call far [rax]", "90 90 90 ff 18", ErrUnsupported},
		{"data16 ret", "90 90 90 66 c3", ErrUnsupported},
		{"call ax", "90 90 66 ff d0", ErrUnsupported},
		{"call rsp", "90 90 90 ff d4", ErrUnsupported},
		{"call [rsp-8]", "90 ff 54 24 f8", ErrUnsupported},
		{"call [rsp-15]", "90 ff 54 24 f1", ErrUnsupported},
		{"call [rsp+rax]", "90 90 ff 14 04", ErrUnsupported},
		{"call [rsp+r12]", "90 42 ff 14 24", ErrUnsupported},
		{"call [esp]", "90 67 ff 14 24", ErrUnsupported},
		{"call [rsp+0x7ffffff8]", "ff 94 24 f8 ff ff 7f", ErrUnsupported},
		{"call rax, to return to +2", "ff d0 90 90 90", ErrUnsupported},
		{"call [r12], to return to +4", "41 ff 14 24 90", ErrUnsupported},
		{"mov eax, [eip+0]", "67 8b 05 00 00 00 00", ErrUnknown},
		{"mov eax, [own byte 2]", "8b 05 fc ff ff ff", ErrUnsupported},
		{"mov eax, [own byte 0]", "8b 05 fa ff ff ff", ErrUnsupported},
		{"lea rax, [own byte 1]", "48 8d 05 fa ff ff ff", ErrUnsupported},
		{"branch into the second byte of itself", "75 ff 90 90 90", ErrUnsupported},
		{"branch into an instruction", "eb 01 b8 00 00 00 00", ErrUnsupported},
		{"nothing", "", ErrTruncated},
		{"half an instruction", "90 90 e8 00 00", ErrTruncated},
		{"no instruction", "90 90 90 90 06", ErrUnknown},
		{"65 bytes", strings.Repeat("90", 65), ErrUnsupported},
	} {
		code := unhex(t, c.code)
		if _, err := Relocate(code, 0x1000, 0x9000, RelocateOptions{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
		if err := CanRelocate(code, 0x1000); !errors.Is(err, c.want) {
			t.Errorf("CanRelocate: %s: %v, want %v", c.what, err, c.want)
		}
	}
}

// Every kind of displacement reaches exactly as far as 32 bits do. The codes do
// not fall out of the window, so that no jump back is in the way.
func TestRelocateRange(t *testing.T) {
	const from = 0x7f0000000000
	for _, c := range []struct {
		what, code string
		target     uint64
		end        uint64 // of the displacement and what follows it, from the copy's start
	}{
		{"jmp", "e9 fb 0f 00 00", from + 0x1000, 5},
		{"je", "0f 84 fa 0f 00 00 c3", from + 0x1000, 6},
		{"je rel8", "74 10 90 90 c3", from + 0x12, 6},
		{"loop", "e2 10 90 90 c3", from + 0x12, 9},
		{"call", "e8 fb 0f 00 00", from + 0x1000, 18},
		{"call [rip]", "ff 15 fa 0f 00 00", from + 0x1000, 19},
		{"mov eax, [rip]", "8b 05 fa 0f 00 00 c3", from + 0x1000, 6},
		{"cmp [rip], imm32", "81 3d f6 0f 00 00 00 00 00 00 c3", from + 0x1000, 10},
		{"the jump back", "90 90 90 90 90", from + 5, 10},
	} {
		code := unhex(t, c.code)
		if err := CanRelocate(code, from); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		for _, d := range []struct {
			dist int64 // from the end to the target
			want error
		}{{1<<31 - 1, nil}, {1 << 31, ErrRelocRange}, {-1 << 31, nil}, {-1<<31 - 1, ErrRelocRange}} {
			to := c.target - uint64(d.dist) - c.end
			_, err := Relocate(code, from, to, RelocateOptions{})
			if !errors.Is(err, d.want) {
				t.Errorf("%s to %#x: %v, want %v", c.what, to, err, d.want)
			}
		}
	}
}

// A caller may size its memory before it knows where the copy will be.
func TestRelocateLengthIndependentOfPlace(t *testing.T) {
	code := unhex(t, "e3 02 75 fc 48 8b 05 00 10 00 00 e8 00 00 00 00")
	near, err := Relocate(code, 0x7f0000000000, 0x7f0000001000, RelocateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	distant, err := Relocate(code, 0x7f0000000000, 0x7f0070000000, RelocateOptions{})
	if err != nil || len(near.Bytes) != len(distant.Bytes) {
		t.Errorf("%d bytes near, %d far away, %v", len(near.Bytes), len(distant.Bytes), err)
	}
}
