package x86

import (
	"bytes"
	"testing"
)

// decodable is the longest start of b that is whole instructions and fits a
// window.
func decodable(b []byte) []byte {
	n := 0
	for {
		in, err := Decode(b[n:])
		if err != nil || n+int(in.Len) > MaxWindow {
			return b[:n]
		}
		n += int(in.Len)
	}
}

// FuzzRelocate copies random windows. The copy must decode, at the boundaries
// that Moved lists, to the same instructions with the same targets.
func FuzzRelocate(f *testing.F) {
	for _, s := range []string{
		"554889e553", "7410909090", "e3100f1f00", "7c0289c8c3", "ffc875fc90", "90ffc875fc",
		"813d0001000011223344", "e8fb0f0000", "4883ec08e8f70f0000", "ff1500010000", "506690ff1424",
		"62f17c4810052000000090", "c5fe6f0511000000", "f348a567e310e10f", "ebfeeb00e2fbcc",
	} {
		f.Add(unhex(f, s), uint64(0x7f0012341000), int32(0x8000), false)
		f.Add(unhex(f, s), uint64(0x401000), int32(0x7fff0000), true)
		f.Add(unhex(f, s), uint64(0xc0001000), int32(-0x7fff0000), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, from uint64, delta int32, self bool) {
		code := decodable(data)
		to := from + uint64(int64(delta))
		r, err := Relocate(code, from, to, RelocateOptions{SelfToCopy: self})
		if can := CanRelocate(code, from); can != nil && err == nil {
			t.Fatalf("% x: relocated, though %v", code, can)
		}
		if err == nil {
			(&follower{t: t, code: code, from: from, to: to, self: self, r: r}).follow()
		}
	})
}

// follower walks an original and its copy side by side.
type follower struct {
	t        *testing.T
	code     []byte
	from, to uint64
	self     bool
	r        Relocated
	off      int // in the copy
	moved    int // entries of r.Moved seen
	copies   map[uint64]uint64
	branches []branch // out of the copy and inside it, to be checked at the end
}

// branch goes to got in the copy where the original goes to want.
type branch struct {
	got, want uint64
	call      bool
}

func (f *follower) follow() {
	f.copies = map[uint64]uint64{}
	end := f.from + uint64(len(f.code))
	falls := true
	for off := 0; off < len(f.code); {
		in, _ := Decode(f.code[off:])
		addr := f.from + uint64(off)
		f.copies[addr] = f.to + uint64(f.off)
		f.inst(in, addr, f.code[off:off+int(in.Len)])
		falls = in.FallsThrough() && in.Flow != FlowCall && in.Flow != FlowCallInd
		off += int(in.Len)
	}
	if falls {
		f.jump(end, end, 0)
	}
	if f.off != len(f.r.Bytes) || f.moved != len(f.r.Moved) {
		f.fail("%d bytes and %d boundaries left", len(f.r.Bytes)-f.off, len(f.r.Moved)-f.moved)
	}
	for _, b := range f.branches {
		if want := f.destination(b); b.got != want {
			f.fail("a branch to %#x goes to %#x, not %#x", b.want, b.got, want)
		}
	}
}

// destination is where b has to go: code inside the window is its copy.
func (f *follower) destination(b branch) uint64 {
	c, ok := f.copies[b.want]
	if ok && (b.want != f.from || f.self && !b.call) {
		return c
	}
	return b.want
}

func (f *follower) fail(format string, args ...any) {
	f.t.Helper()
	f.t.Fatalf("% x at %#x copied to %#x as % x:\n"+format, append([]any{f.code, f.from, f.to, f.r.Bytes}, args...)...)
}

// next takes the next instruction of the copy, which must be listed to resume
// at orig.
func (f *follower) next(orig uint64, pop int8) (Inst, []byte, uint64) {
	f.t.Helper()
	addr := f.to + uint64(f.off)
	if f.moved == len(f.r.Moved) || f.r.Moved[f.moved] != (Moved{addr, orig, pop}) {
		f.fail("boundary %d is not %#x for %#x, pop %d", f.moved, addr, orig, pop)
	}
	in, err := Decode(f.r.Bytes[f.off:])
	if err != nil {
		f.fail("copy at %#x: %v", addr, err)
	}
	b := f.r.Bytes[f.off : f.off+int(in.Len)]
	f.off += int(in.Len)
	f.moved++
	return in, b, addr
}

// jump takes an unconditional jump to where the original goes to target.
func (f *follower) jump(target, orig uint64, pop int8) {
	f.t.Helper()
	in, _, addr := f.next(orig, pop)
	if in.Flow != FlowJmp {
		f.fail("no jump at %#x", addr)
	}
	f.branches = append(f.branches, branch{in.Target(addr), target, pop != 0})
}

// inst takes the copy of one instruction.
func (f *follower) inst(in Inst, addr uint64, b []byte) {
	switch in.Flow {
	case FlowJmp:
		f.jump(in.Target(addr), addr, 0)
	case FlowJcc:
		got, _, at := f.next(addr, 0)
		if got.Flow != FlowJcc || got.Opcode&15 != in.Opcode&15 {
			f.fail("no such condition at %#x", at)
		}
		f.branches = append(f.branches, branch{got.Target(at), in.Target(addr), false})
	case FlowLoop:
		f.loop(in, addr, b)
	case FlowCall:
		f.push(in, addr)
		f.jump(in.Target(addr), addr, 8)
	case FlowCallInd:
		f.push(in, addr)
		f.callThrough(in, addr, b)
	default:
		got, gb, at := f.next(addr, 0)
		f.same(in, got, b, gb, addr, at)
	}
}

func (f *follower) loop(in Inst, addr uint64, b []byte) {
	got, gb, at := f.next(addr, 0)
	if !bytes.Equal(gb[:len(gb)-1], b[:len(b)-1]) {
		f.fail("no such loop at %#x", at)
	}
	over, _, overAt := f.next(addr+uint64(in.Len), 0)
	if over.Flow != FlowJmp || got.Target(at) != overAt+uint64(over.Len) {
		f.fail("loop at %#x does not skip the jump", at)
	}
	f.jump(in.Target(addr), in.Target(addr), 0)
	if over.Target(overAt) != f.to+uint64(f.off) {
		f.fail("loop at %#x does not skip the long jump", at)
	}
}

// push takes the emulated push of the return address.
func (f *follower) push(in Inst, addr uint64) {
	ret := addr + uint64(in.Len)
	got, b, at := f.next(addr, 0)
	if got.Opcode != 0x68 || got.ImmLen != 4 {
		f.fail("no push at %#x", at)
	}
	pushed := uint64(int64(int32(le32(b[1:]))))
	if pushed != ret {
		_, b, at = f.next(addr, 8)
		if !bytes.HasPrefix(b, []byte{0xc7, 0x44, 0x24, 4}) {
			f.fail("no upper half at %#x", at)
		}
		pushed = pushed&0xffffffff | uint64(le32(b[4:]))<<32
	}
	if pushed != ret {
		f.fail("%#x pushed, not %#x", pushed, ret)
	}
}

func le32(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// callThrough takes the jump that stands for an indirect call.
func (f *follower) callThrough(in Inst, addr uint64, b []byte) {
	got, gb, at := f.next(addr, 8)
	if got.Flow != FlowJmpInd || got.ModRM&0x38 != 0x20 || got.Prefix != in.Prefix || got.REX != in.REX {
		f.fail("no indirect jump at %#x", at)
	}
	if in.HasSIB() && in.SIB&7 == 4 && in.REX&1 == 0 {
		if got.SIB != in.SIB || got.Disp != in.Disp+8 {
			f.fail("stack operand at %#x is off", at)
		}
		return
	}
	asCall := bytes.Clone(gb)
	asCall[got.ModRMOff] ^= (2 ^ 4) << 3
	f.same(in, got, b, asCall, addr, at)
}

// same compares bytes but for a RIP-relative displacement.
func (f *follower) same(in, got Inst, b, gb []byte, addr, at uint64) {
	f.t.Helper()
	if len(b) != len(gb) || in.RIPRel != got.RIPRel {
		f.fail("instruction at %#x has changed", at)
	}
	b, gb = bytes.Clone(b), bytes.Clone(gb)
	if in.RIPRel {
		if in.Target(addr) != got.Target(at) {
			f.fail("operand at %#x is %#x, not %#x", at, got.Target(at), in.Target(addr))
		}
		copy(b[in.DispOff:], []byte{0, 0, 0, 0})
		copy(gb[in.DispOff:], []byte{0, 0, 0, 0})
	}
	if !bytes.Equal(b, gb) {
		f.fail("instruction at %#x has changed", at)
	}
}
