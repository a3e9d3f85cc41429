package symbols

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// IFuncTargets finds which body each IFUNC resolver of the module has picked in a
// running process. read returns the word at a virtual address of the module there,
// with the module's load bias taken off. Resolvers that the module itself does not
// use have no slot here: see GOTSlots of the modules that do. Slots not resolved yet
// or bound to another module are left out.
func (m *Module) IFuncTargets(read func(vaddr uint64) (uint64, error)) (map[uint64]uint64, error) {
	rels, err := m.relocations()
	if err != nil {
		return nil, err
	}
	dynsym, err := m.dynsym.get(m.readDynsym)
	if err != nil {
		return nil, err
	}
	bodies := map[uint64]uint64{}
	for _, r := range rels {
		resolver, ok := resolverOf(r, dynsym)
		if !ok {
			continue
		}
		body, err := read(r.off)
		if err != nil {
			return nil, fmt.Errorf("reading the slot of resolver %#x: %w", resolver, err)
		}
		if _, ok := m.segs.exec(body); ok && body != resolver && !m.isPLT(body) {
			bodies[resolver] = body
		}
	}
	return bodies, nil
}

// UnchosenIFuncs are the words in which a running process has not yet stored what the
// module's own IFUNC resolvers choose: they hold what the file has there. Static
// programs store them in their start code, one after the other, before constructors
// run. read is as in IFuncTargets.
func (m *Module) UnchosenIFuncs(read func(vaddr uint64) (uint64, error)) ([]uint64, error) {
	rels, err := m.relocations()
	if err != nil {
		return nil, err
	}
	var slots []uint64
	for _, r := range rels {
		if r.typ != elf.R_X86_64_IRELATIVE {
			continue
		}
		file, err := m.readMem(r.off, 8, "the slot of an IFUNC")
		if err != nil {
			return nil, err
		}
		now, err := read(r.off)
		if err != nil {
			return nil, fmt.Errorf("reading the slot at %#x: %w", r.off, err)
		}
		if now == binary.LittleEndian.Uint64(file) {
			slots = append(slots, r.off)
		}
	}
	return slots, nil
}

// Dynamic reports whether a loader works on the module when it is loaded, or its
// own start code does. Static programs in the old style have nothing for one.
func (m *Module) Dynamic() bool { return m.segs.dynamic.Memsz != 0 }

// resolverOf is the resolver whose result a relocation stores.
func resolverOf(r reloc, dynsym *symTable) (uint64, bool) {
	switch r.typ {
	case elf.R_X86_64_IRELATIVE:
		return uint64(r.addend), true
	case elf.R_X86_64_JMP_SLOT, elf.R_X86_64_GLOB_DAT:
		if dynsym == nil || int(r.sym) >= dynsym.len() {
			return 0, false
		}
		s := dynsym.at(int(r.sym))
		return s.value, s.typ == elf.STT_GNU_IFUNC && s.shndx != elf.SHN_UNDEF
	}
	return 0, false
}

// GOTSlots returns the addresses of the module's words that the loader makes point
// to the symbol of that name, for function calls and for data. Before its first
// call a lazily bound one points into the module's own PLT.
func (m *Module) GOTSlots(symbol string) ([]uint64, error) {
	rels, err := m.relocations()
	if err != nil {
		return nil, err
	}
	dynsym, err := m.dynsym.get(m.readDynsym)
	if err != nil || dynsym == nil {
		return nil, err
	}
	var slots []uint64
	for _, r := range rels {
		switch r.typ {
		case elf.R_X86_64_JMP_SLOT, elf.R_X86_64_GLOB_DAT, elf.R_X86_64_64:
			if int(r.sym) < dynsym.len() && dynsym.nameIs(dynsym.at(int(r.sym)), symbol) {
				slots = append(slots, r.off)
			}
		}
	}
	return slots, nil
}
