package hook

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"

	"github.com/functap/functap/internal/plan"
	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/symbols"
)

// Image is one ELF file that a process has mapped: the program or a library.
// Its symbols and plans are read when they are first asked for. Safe for
// concurrent use; valid until the Process is closed.
type Image struct {
	// Name is the file's base name, Path its path as the target sees it.
	Name, Path string

	pid      int
	bias     uint64 // address in memory minus address in the file
	start    uint64
	end      uint64
	mappings []procfs.Mapping // its text, none for an image of a file

	module *symbols.Module

	analyze    sync.Once
	analysis   *plan.Analysis
	analyzeErr error

	list    sync.Once
	funcs   []*Function
	listErr error
}

// Base is the difference between addresses in memory and those in the file.
func (im *Image) Base() uint64 { return im.bias }

// symbols returns the file's symbols. Their addresses are the file's own.
func (im *Image) symbols() (*symbols.Module, error) {
	return im.module, nil
}

func (im *Image) plans() (*plan.Analysis, error) {
	im.analyze.Do(func() {
		m, err := im.symbols()
		if err != nil {
			im.analyzeErr = err
			return
		}
		im.analysis, im.analyzeErr = plan.Analyze(m)
	})
	return im.analysis, im.analyzeErr
}

// Functions lists the image's functions by address. Whether they can be
// hooked is not judged yet.
func (im *Image) Functions() ([]*Function, error) {
	im.list.Do(func() {
		m, err := im.symbols()
		if err != nil {
			im.listErr = err
			return
		}
		funcs, err := m.Functions()
		if err != nil {
			im.listErr = fmt.Errorf("functions of %s: %w", im.Path, err)
			return
		}
		for i := range funcs {
			if im.maps(funcs[i].Addr) {
				im.funcs = append(im.funcs, &Function{im: im, sym: &funcs[i]})
			}
		}
	})
	return im.funcs, im.listErr
}

// maps reports whether an address of the file is in a text mapping of this
// image. A program may have part of its text mapped a second time elsewhere
// (V8 does that with its builtins): that part is an image of its own. Images
// of files have no mappings and all their functions.
func (im *Image) maps(addr uint64) bool {
	return len(im.mappings) == 0 || slices.ContainsFunc(im.mappings, func(m procfs.Mapping) bool { return m.Contains(im.bias + addr) })
}

// openMapped opens the file that a process has mapped. Where that cannot be
// reached (deleted, or replaced, and the kernel's own link to it is not
// permitted), the image in memory has to do: it has no .symtab.
func openMapped(pid int, maps []procfs.Mapping, i int) (*symbols.Module, error) {
	m := maps[i]
	f, err := procfs.OpenMapped(liveTask(pid), m)
	if errors.Is(err, procfs.ErrNotSameFile) {
		return fromMemory(pid, maps, i)
	}
	if err != nil {
		return nil, fmt.Errorf("opening %s as process %d has it mapped: %w", m.Path, pid, err)
	}
	mod, err := symbols.OpenFile(m.Path, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	if inMem, err := fromMemory(pid, maps, i); err == nil && otherBuild(mod, inMem) {
		mod.Close()
		return inMem, nil
	} else if err == nil {
		inMem.Close()
	}
	return mod, nil
}

// otherBuild: the file was written over in place since it was mapped. Its inode
// is the same, its symbols are not.
func otherBuild(file, inMem *symbols.Module) bool {
	a, b := file.BuildID(), inMem.BuildID()
	return len(a) > 0 && len(b) > 0 && !bytes.Equal(a, b)
}

// fromMemory reads an image from where it is loaded.
func fromMemory(pid int, maps []procfs.Mapping, i int) (*symbols.Module, error) {
	base := maps[i].Start
	for k := i; k >= 0 && maps[k].Inode == maps[i].Inode; k-- {
		base = maps[k].Start
	}
	mem, err := openMem(pid)
	if err != nil {
		return nil, err
	}
	mod, err := symbols.FromMemory(maps[i].Path, mem, base)
	if err != nil {
		mem.Close()
		return nil, fmt.Errorf("reading %s from the memory of process %d: %w", maps[i].Path, pid, err)
	}
	return mod, nil
}

// images groups a process's mappings into the files it executes code from.
// Anonymous code (JIT), the vDSO and files that are not ELF are left out.
func images(pid int, maps []procfs.Mapping) ([]*Image, error) {
	var out []*Image
	for i, m := range maps {
		if !m.Exec || m.Inode == 0 || m.Shared {
			continue
		}
		im, err := imageOf(pid, maps, i)
		if errors.Is(err, symbols.ErrNotELF) || errors.Is(err, symbols.ErrNotRegular) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if k := slices.IndexFunc(out, im.same); k < 0 {
			out = append(out, im)
		} else {
			out[k].mappings = append(out[k].mappings, im.mappings...)
			im.module.Close()
		}
	}
	programFirst(pid, out)
	return out, nil
}

const atEntry = 9 // AT_ENTRY: where the program begins

// programFirst puts the program before its libraries. Mostly its addresses are the lowest
// ones, but not where the stack has no limit, or with setarch --addr-compat-layout.
func programFirst(pid int, all []*Image) {
	auxv, err := procfs.Auxv(liveTask(pid))
	if err != nil {
		return
	}
	entry := auxv[atEntry]
	i := slices.IndexFunc(all, func(im *Image) bool { return im.start <= entry && entry < im.end })
	if i > 0 {
		program := all[i]
		copy(all[1:i+1], all[:i])
		all[0] = program
	}
}

// same: one load of one file, seen through another of its text mappings.
func (im *Image) same(o *Image) bool {
	return im.bias == o.bias && im.mappings[0].Inode == o.mappings[0].Inode && im.Path == o.Path
}

// imageOf makes the image to which the executable mapping i belongs.
func imageOf(pid int, maps []procfs.Mapping, i int) (*Image, error) {
	text := maps[i]
	mod, err := openMapped(pid, maps, i)
	if err != nil {
		return nil, err
	}
	bias, ok := loadBias(mod, text)
	if !ok {
		mod.Close()
		return nil, fmt.Errorf("%s: %w: no segment at file offset %#x", text.Path, symbols.ErrMalformed, text.Offset)
	}
	im := &Image{Name: path.Base(text.Path), Path: text.Path, pid: pid, bias: bias, module: mod}
	im.start, im.end = span(mod, bias)
	im.mappings = []procfs.Mapping{text}
	return im, nil
}

// loadBias finds the segment that a text mapping shows. Segments may share a
// page of the file, which is then mapped once for each: a mapping that begins
// where a segment's first page does is that one's.
func loadBias(mod *symbols.Module, m procfs.Mapping) (bias uint64, ok bool) {
	const page, pfExec = 4096, 1
	for _, s := range mod.Segments() {
		lo := s.Off &^ (page - 1)
		if s.Flags&pfExec == 0 || m.Offset < lo || m.Offset >= s.Off+s.Filesz {
			continue
		}
		bias, ok = m.Start-(s.Vaddr&^(page-1)+m.Offset-lo), true
		if m.Offset == lo {
			break
		}
	}
	return bias, ok
}

// span is the range of addresses that a module's segments take in memory.
func span(mod *symbols.Module, bias uint64) (lo, hi uint64) {
	lo = ^uint64(0)
	for _, s := range mod.Segments() {
		lo = min(lo, bias+s.Vaddr&^4095)
		hi = max(hi, bias+(s.Vaddr+s.Memsz+4095)&^4095)
	}
	return lo, hi
}

// runsGo reports whether any image was made by the Go compiler: then a thread
// may be on a goroutine's stack, which has no room for anything of ours.
func (p *Process) runsGo() bool {
	for _, im := range p.images {
		if m, err := im.symbols(); err == nil && m.IsGo() {
			return true
		}
	}
	return false
}
