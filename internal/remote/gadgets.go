package remote

import (
	"cmp"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/sigframe"
)

// ErrNoGadget says that no "syscall; ret" was found in the text of the target.
var ErrNoGadget = errors.New("no system call instruction followed by a return in the target's text")

// Gadgets are addresses in the target's own text.
type Gadgets struct {
	Syscall  uint64 // syscall; ret
	Restorer uint64 // mov $15,%rax; syscall: rt_sigreturn. 0 if there is none
}

var syscallRet = []byte{0x0f, 0x05, 0xc3}

// FindGadgets looks through the executable file mappings: libc first, because a
// seccomp filter that looks at the caller's address expects it there, the vDSO
// last. It may read much text; do it before a stop.
func FindGadgets(maps []procfs.Mapping, mem io.ReaderAt) (Gadgets, error) {
	var g Gadgets
	for _, m := range inOrder(maps) {
		if g.Syscall == 0 {
			// An unreadable mapping has nothing for us.
			_ = sigframe.Search(mem, m, syscallRet, first(&g.Syscall))
		}
		if g.Restorer == 0 {
			if found := sigframe.Restorers([]procfs.Mapping{m}, mem); len(found) > 0 {
				g.Restorer = found[0]
			}
		}
		if g.Syscall != 0 && g.Restorer != 0 {
			break
		}
	}
	if g.Syscall == 0 {
		return Gadgets{}, ErrNoGadget
	}
	return g, nil
}

func first(into *uint64) func(uint64) bool {
	return func(addr uint64) bool {
		*into = addr
		return false
	}
}

// inOrder returns the mappings with text, in the order of preference.
func inOrder(maps []procfs.Mapping) []procfs.Mapping {
	text := slices.Clone(maps)
	text = slices.DeleteFunc(text, func(m procfs.Mapping) bool {
		return !m.Exec || m.Shared || (m.Inode == 0 && m.Path != "[vdso]")
	})
	slices.SortStableFunc(text, func(a, b procfs.Mapping) int { return cmp.Compare(rank(a), rank(b)) })
	return text
}

func rank(m procfs.Mapping) int {
	name := path.Base(m.Path)
	switch {
	case strings.HasPrefix(name, "libc.") || strings.HasPrefix(name, "libc-") || strings.HasPrefix(name, "ld-musl"):
		return 0
	case m.Path == "[vdso]":
		return 2
	}
	return 1
}
