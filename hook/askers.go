package hook

import (
	"slices"

	"github.com/functap/functap/internal/procfs"
)

// An address of the unwind table is known only to who has asked for it. Stacks have words that
// look like one by chance, since they are left over from something else: a pointer of
// which one half was overwritten, an address at which something else was mapped before. In a
// thread that sleeps such a word stays, and a detach would wait in vain.

// asking are the functions by which code comes to know of an unwind table, and those by which
// it may come to call them without importing them.
var asking = []string{"dl_iterate_phdr", "_dl_find_object", "dlsym", "dlvsym"}

// canAsk reports whether anything that is mapped may know of unwind tables. It does not
// know what code does that is not in a file or cannot be read, nor a program that is linked
// statically: those may.
func canAsk(pid int) bool {
	maps, err := mapsOf(pid)
	if err != nil {
		return true
	}
	ims, err := images(pid, maps)
	defer closeImages(ims)
	isLib := func(im *Image) bool { return isLibc(im.Name) }
	return err != nil || !slices.ContainsFunc(ims, isLib) || slices.ContainsFunc(ims, (*Image).canAsk) ||
		slices.ContainsFunc(maps, func(m procfs.Mapping) bool { return isUnknownCode(m, ims) })
}

// canAsk: libc only answers. Glibc's loads libgcc when it needs an unwinder.
func (im *Image) canAsk() bool {
	if isLibc(im.Name) {
		return false
	}
	return slices.ContainsFunc(asking, func(name string) bool {
		slots, err := im.module.GOTSlots(name)
		if err != nil || len(slots) > 0 {
			return true
		}
		own, err := im.Defines(name)
		return err != nil || own
	})
}

// isUnknownCode: neither a file's, nor the kernel's, nor ours.
func isUnknownCode(m procfs.Mapping, ims []*Image) bool {
	if !m.Exec || isOurs(m.Path) || m.Path == "[vdso]" || m.Path == "[vsyscall]" {
		return false
	}
	return !slices.ContainsFunc(ims, func(im *Image) bool {
		return slices.ContainsFunc(im.mappings, func(o procfs.Mapping) bool { return o.Start == m.Start })
	})
}
