package x86

import "testing"

// Machine code in these tests was assembled with as.
func TestLiveFlags(t *testing.T) {
	const base = 0x401000
	for _, c := range []struct {
		name, code string
		start, max int
		want       Flags
	}{
		{"xor writes all", "31c0 c3", 0, 9, 0},
		{"inc keeps CF, ret returns it", "ffc0 c3", 0, 9, CF},
		{"inc keeps CF, which adc reads", "ffc0 11d8 c3", 0, 9, CF},
		{"setc reads only CF", "0f92c0 31c0 c3", 0, 9, CF},
		{"cmovle", "0f4ec3 31c0 c3", 0, 9, ZF | SF | OF},
		{"jump over, both write", "7402 31c0 31c0 c3", 0, 9, ZF},
		{"one arm reads parity", "eb02 9090 7a02 31c0 31db c3", 0, 9, PF},
		{"call passes all", "e800000000 0f92c0 c3", 0, 9, AllArith},
		{"indirect call passes all", "ffd0 0f92c0 c3", 0, 9, AllArith},
		{"indirect jump leaves", "ffe0", 0, 9, AllArith},
		{"tail call leaves", "e9fb0f0000", 0, 9, AllArith},
		{"tail call after a write", "31c0 e9fb0f0000", 0, 9, 0},
		{"inc then leaves", "ffc0 ffe0", 0, 9, CF},
		{"runs off the end", "4889c3", 0, 9, AllArith},
		{"loop for ever reads nothing", "ebfe", 0, 9, 0},
		{"budget", "4889c3 4889c3 31c0 c3", 0, 2, AllArith},
		{"budget enough", "4889c3 4889c3 31c0 c3", 0, 3, 0},
		{"undecodable", "4889c3 06 31c0", 0, 9, AllArith},
		{"trap", "0f0b", 0, 9, AllArith},
		{"syscall saves them in r11", "0f05 31c0", 0, 9, AllArith},
		{"shift by cl may keep them", "d3e0 31db c3", 0, 9, AllArith},
		{"shift by 0 keeps them", "c1e000 31db c3", 0, 9, 0},
		{"starts inside", "0f92c0 31c0 c3", 3, 9, 0},
		{"starts outside", "31c0 c3", 64, 9, AllArith},
		{"pushf", "9c 31c0 c3", 0, 9, AllArith},
		{"loop reads none", "e2fe 31c0 c3", 0, 9, 0},
		{"loope reads ZF", "e1fe 31c0 c3", 0, 9, ZF},
		{"second visit with more open flags", "7203 31c0 90 ffc9 75f9 0f98c0 c3", 0, 20, CF},
	} {
		t.Run(c.name, func(t *testing.T) {
			code := hexBytes(t, c.code)
			got := LiveFlags(code, base, base+uint64(c.start), c.max)
			if got != c.want|DF {
				t.Errorf("LiveFlags = %v, want %v", flagNames(got), flagNames(c.want|DF))
			}
		})
	}
}
