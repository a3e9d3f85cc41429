package gort

import (
	"fmt"

	"github.com/functap/functap/internal/symbols"
	"github.com/functap/functap/internal/x86"
)

// findAllgs reads the addresses of allgptr and allglen from the code of
// runtime.allgadd, which even stripped programs name in their function table.
// It appends to the slice allgs and then publishes it:
//
//	if &allgs[0] != allgptr {
//		atomicstorep(unsafe.Pointer(&allgptr), unsafe.Pointer(&allgs[0]))
//	}
//	atomic.Storeuintptr(&allglen, uintptr(len(allgs)))
//
// From Go 1.18 to 1.26 that is, with other instructions between,
//
//	cmp [rip+allgptr], reg
//	lea reg, [rip+allgptr]; xchg [reg], reg
//	lea reg, [rip+allglen]; xchg [reg], reg
func (r *Runtime) findAllgs(m *symbols.Module, bias uint64) error {
	fs, err := m.Lookup("runtime.allgadd")
	if err != nil {
		return fmt.Errorf("looking up runtime.allgadd: %w", err)
	}
	if len(fs) != 1 {
		return fmt.Errorf("%w: %d functions are called runtime.allgadd", ErrUnknown, len(fs))
	}
	compared, exchanged, err := globals(m.Bytes(fs[0].Addr, int(fs[0].Size)), bias+fs[0].Addr)
	if err != nil {
		return fmt.Errorf("%w: decoding runtime.allgadd: %w", ErrUnknown, err)
	}
	if len(compared) != 1 || len(exchanged) != 2 || exchanged[0] != compared[0] || exchanged[1] == compared[0] {
		return fmt.Errorf("%w: runtime.allgadd compares %#x and stores to %#x", ErrUnknown, compared, exchanged)
	}
	r.allgptr, r.allglen = exchanged[0], exchanged[1]
	return nil
}

// globals lists the variables that code compares with a 64-bit register, and
// those that it exchanges with one.
func globals(b []byte, addr uint64) (compared, exchanged []uint64, err error) {
	const lea, xchg, cmp = 0x8d, 0x87, 0x39
	var before x86.Inst
	var beforeAddr uint64
	for len(b) > 0 {
		in, err := x86.Decode(b)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case in.Map != x86.Map1 || in.REX&8 == 0:
		case in.Opcode == cmp && in.RIPRel:
			compared = append(compared, in.Target(addr))
		case in.Opcode == xchg && in.HasMem() && before.Opcode == lea && before.RIPRel && before.Reg() == in.RM():
			exchanged = append(exchanged, before.Target(beforeAddr))
		}
		before, beforeAddr = in, addr
		b, addr = b[in.Len:], addr+uint64(in.Len)
	}
	return compared, exchanged, nil
}
