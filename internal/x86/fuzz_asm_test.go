package x86

import (
	"encoding/binary"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"
)

// noInstruction are the methods of Asm that do not append exactly one.
var noInstruction = strings.Fields("PC Len Bytes Raw Label Bind Here Addr Nop")

// source hands out fuzzed operands.
type source struct{ b []byte }

func (s *source) next(n int) (v uint64) {
	var w [8]byte
	k := copy(w[:n], s.b)
	s.b = s.b[k:]
	return binary.LittleEndian.Uint64(w[:])
}

func (s *source) reg() Reg { return RAX + Reg(s.next(1)&15) }

func (s *source) mem(pc uint64) Mem {
	kind := s.next(1)
	m := Mem{Seg: Seg(kind & 3 % 3), Disp: int32(s.next(4))}
	if kind&4 != 0 {
		m.Disp = int32(int8(m.Disp))
	}
	if kind&0x38 == 0 {
		return Mem{Seg: m.Seg, RIP: true, Addr: pc + uint64(int64(m.Disp/2))}
	}
	if kind&8 != 0 {
		m.Base = s.reg()
	}
	if kind&16 != 0 {
		m.Index, m.Scale = s.reg(), 1<<(kind>>6)
	}
	if m.Index == RSP {
		m.Index = None
	}
	return m
}

// arg makes a value of type t near pc.
func (s *source) arg(t reflect.Type, a *Asm) reflect.Value {
	switch t {
	case reflect.TypeFor[Reg]():
		return reflect.ValueOf(s.reg())
	case reflect.TypeFor[Mem]():
		return reflect.ValueOf(s.mem(a.PC()))
	case reflect.TypeFor[Cond]():
		return reflect.ValueOf(Cond(s.next(1) & 15))
	case reflect.TypeFor[Label]():
		return reflect.ValueOf(a.Here())
	case reflect.TypeFor[uint64]():
		if v := s.next(1); v&1 == 0 {
			return reflect.ValueOf(a.PC() + uint64(int64(int32(s.next(4))/2)))
		}
	}
	return reflect.ValueOf(s.next(int(t.Size()))).Convert(t)
}

// FuzzAsm calls a random method with random operands. The decoder and a second
// opinion must both find one instruction of that length with those operands.
func FuzzAsm(f *testing.F) {
	typ := reflect.TypeFor[*Asm]()
	for i := range typ.NumMethod() {
		f.Add(uint16(i), []byte{0, 0x78, 0x56, 0x34, 0x12, 1, 2, 3})
		f.Add(uint16(i), []byte{0x1c, 0x80, 0, 0, 0, 4, 5, 9, 12, 13})
		f.Add(uint16(i), []byte{13, 0x68, 0, 0, 0, 0, 12, 12, 12})
		f.Add(uint16(i), []byte{4, 0x8a, 0, 0, 0, 5, 5, 5, 5, 13})
	}
	f.Fuzz(func(t *testing.T, method uint16, operands []byte) {
		m := typ.Method(int(method) % typ.NumMethod())
		if slices.Contains(noInstruction, m.Name) {
			return
		}
		a := NewAsm(0x7f0000001000)
		s := &source{operands}
		args := []reflect.Value{reflect.ValueOf(a)}
		for i := 1; i < m.Type.NumIn(); i++ {
			args = append(args, s.arg(m.Type.In(i), a))
		}
		m.Func.Call(args)
		checkAssembled(t, a, m.Name, args[1:])
	})
}

func checkAssembled(t *testing.T, a *Asm, name string, args []reflect.Value) {
	t.Helper()
	b, err := a.Bytes()
	if err != nil {
		if isFarBranch(args) {
			return
		}
		t.Fatalf("%s%v: %v", name, args, err)
	}
	in, err := Decode(b)
	if err != nil || int(in.Len) != len(b) {
		t.Fatalf("%s%v: % x decodes to %d bytes, %v", name, args, b, in.Len, err)
	}
	if name == "Endbr64" || strings.HasSuffix(name, "sbase") {
		return // x86asm does not know them
	}
	other, err := x86asm.Decode(b, 64)
	if err != nil || other.Len != len(b) {
		t.Fatalf("%s%v: x86asm decodes % x to %d bytes, %v", name, args, b, other.Len, err)
	}
	for _, arg := range args {
		if m, ok := arg.Interface().(Mem); ok {
			checkMem(t, m, &other, a)
		}
	}
}

// isFarBranch reports whether an address out of reach was asked for.
func isFarBranch(args []reflect.Value) bool {
	for _, arg := range args {
		if addr, ok := arg.Interface().(uint64); ok && !fits32(int64(addr-0x7f0000001000)/2) {
			return true
		}
	}
	return false
}

// checkMem compares m with the memory operand found in the bytes.
func checkMem(t *testing.T, m Mem, in *x86asm.Inst, a *Asm) {
	t.Helper()
	var got x86asm.Mem
	for _, arg := range in.Args {
		if mem, ok := arg.(x86asm.Mem); ok {
			got = mem
		}
	}
	want := x86asm.Mem{Disp: int64(m.Disp), Scale: m.Scale}
	want.Segment = []x86asm.Reg{0, x86asm.FS, x86asm.GS}[m.Seg]
	if m.Base != None {
		want.Base = x86asm.RAX + x86asm.Reg(m.Base.num())
	}
	if m.Index != None {
		want.Index = x86asm.RAX + x86asm.Reg(m.Index.num())
	}
	if m.RIP {
		want.Base, want.Disp = x86asm.RIP, int64(m.Addr-a.PC())
	}
	if got.Index == 0 {
		got.Scale, want.Scale = 0, 0
	}
	if got != want {
		t.Errorf("%+v came out as %+v (%v)", m, got, in)
	}
}
