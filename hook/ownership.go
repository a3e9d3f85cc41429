package hook

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/functap/functap/internal/codegen"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/symbols"
	"github.com/functap/functap/internal/x86"
)

// ownership judges, before the first patch, by which quick ways programs may
// tell whose area GS points at. Both are correct only in programs whose threads
// keep the FS base that they were born with.
func (p *Process) ownership() (tlsWord, goM bool) {
	tlsWord, goM = true, len(p.images) == 1
	for _, im := range p.images {
		m, err := im.symbols()
		if err != nil {
			return false, false
		}
		tlsWord = tlsWord && !callsArchPrctl(m) && !movesFS(m, len(p.images) == 1 || m.IsGo() || isLibc(im.Name))
		goM = goM && m.IsGo() && knownGo(m.GoVersion())
	}
	return tlsWord, goM
}

// knownGo: versions in which runtime.g has its m where it was in all before.
func knownGo(version string) bool {
	v, ok := strings.CutPrefix(version, "go1.")
	if !ok {
		return false
	}
	minor := 0
	for _, c := range v {
		if c < '0' || c > '9' {
			break
		}
		minor = minor*10 + int(c-'0')
	}
	return minor >= 18 && minor <= 26
}

// movesFS reports whether a module has code that gives a running thread
// another FS base: wrfsbase, or the number of ARCH_SET_FS as an operand. The
// loader and libc have the latter twice, for the main thread's start, before
// anything of the program runs; so have static programs and Go's runtime.
func movesFS(m *symbols.Module, setsUpTLS bool) bool {
	allowed := 0
	if setsUpTLS {
		allowed = 2
	}
	for _, s := range m.Segments() {
		if s.Flags&1 == 0 {
			continue
		}
		text := m.Bytes(s.Vaddr, int(s.Filesz))
		if text == nil || hasBaseWrite(text, wrfsbase) {
			return true
		}
		allowed -= countSets(text, archSetFS)
	}
	return allowed < 0
}

// What a call that sets a segment base has as operands: ARCH_SET_GS or
// ARCH_SET_FS (asm/prctl.h) in edi or, for libc's syscall function, esi, and the
// number of arch_prctl (asm/unistd_64.h) close by.
var (
	archSetGS = []byte{0x01, 0x10, 0, 0}
	archSetFS = []byte{0x02, 0x10, 0, 0}
	archPrctl = []byte{0x9e, 0, 0, 0}
)

const closeBy = 48

// countSets counts such calls.
func countSets(text, which []byte) (n int) {
	for at := 0; ; at += len(which) {
		i := bytes.Index(text[at:], which)
		if i < 0 {
			return n
		}
		at += i
		if at > 0 && bytes.IndexByte([]byte{0xbf, 0xbe, 0xc7, 0xc6}, text[at-1]) >= 0 &&
			bytes.Contains(text[max(0, at-closeBy):min(len(text), at+closeBy)], archPrctl) {
			n++
		}
	}
}

func isLibc(name string) bool {
	return strings.HasPrefix(name, "libc.") || strings.HasPrefix(name, "ld-") || strings.HasPrefix(name, "libc-")
}

// Extensions of the opcode f3 0f ae with a register operand.
const (
	wrfsbase = 2
	wrgsbase = 3
)

// hasBaseWrite looks for f3 [REX] 0f ae with a register operand and the
// extension.
func hasBaseWrite(text []byte, extension byte) bool {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte{0x0f, 0xae})
		if i < 0 {
			return false
		}
		at += i
		for _, start := range []int{at - 2, at - 1} {
			if start < 0 || text[start] != 0xf3 {
				continue
			}
			in, err := x86.Decode(text[start:min(len(text), start+x86.MaxLen)])
			if err == nil && in.Map == x86.Map0F && in.Opcode == 0xae && in.Mod() == 3 && in.Reg()&7 == extension {
				return true
			}
		}
		at += 2
	}
}

// usesGS reports whether a module has code that sets the GS base, now or later:
// then programs must not read through it.
func usesGS(m *symbols.Module) bool {
	for _, s := range m.Segments() {
		if s.Flags&1 == 0 {
			continue
		}
		text := m.Bytes(s.Vaddr, int(s.Filesz))
		if hasBaseWrite(text, wrgsbase) || countSets(text, archSetGS) > 0 {
			return true
		}
	}
	return false
}

// callsArchPrctl reports whether a module imports libc's wrapper of the call,
// which can set both bases.
func callsArchPrctl(m *symbols.Module) bool {
	slots, err := m.GOTSlots("arch_prctl")
	return err == nil && len(slots) > 0
}

// setsGS reports whether any module of the target does.
func (p *Process) setsGS() bool {
	for _, im := range p.images {
		if m, err := im.symbols(); err == nil && (usesGS(m) || callsArchPrctl(m)) {
			return true
		}
	}
	return false
}

// ownerCheck chooses for one site.
func (s *session) ownerCheck(st Site) (codegen.OwnerCheck, codegen.ClaimKind) {
	switch {
	case !st.plan.Func.Go && s.tlsWord:
		return codegen.ByTLSWord, codegen.ClaimC
	case !st.plan.Func.Go:
		return codegen.ByFSBase, codegen.ClaimC
	case s.goM && checksG(st):
		return codegen.ByGoM, codegen.ClaimGoM
	}
	return codegen.ByFSBase, codegen.ClaimGo
}

// checksG reports whether the stack check reads the goroutine's limit through
// r14, so that r14 is the goroutine.
func checksG(st Site) bool {
	code := st.window()[:st.plan.GoCheck]
	for len(code) > 0 {
		in, err := x86.Decode(code)
		if err != nil {
			return false
		}
		if in.HasMem() && !in.HasSIB() && in.RM() == 14 && in.DispLen == 1 {
			return true
		}
		code = code[in.Len:]
	}
	return false
}

// checkTLS gives ByTLSWord up if a thread's TLS does not begin with its own
// address.
func (s *session) checkTLS(st *ptrace.Stop) error {
	for _, th := range st.Threads() {
		if !s.tlsWord {
			return nil
		}
		r, err := th.Regs()
		if err != nil {
			return err
		}
		var word [8]byte
		if r.Fs_base == 0 {
			continue // never gets an area
		}
		if _, err := st.Mem().ReadAt(word[:], int64(r.Fs_base)); err != nil || binary.LittleEndian.Uint64(word[:]) != r.Fs_base {
			s.tlsWord = false
		}
	}
	return nil
}
