package remote

import (
	"encoding/binary"

	"github.com/functap/functap/internal/sigframe"
	"golang.org/x/sys/unix"
)

const (
	redZone   = 128 // below the stack pointer; leaf functions keep data there
	magicSize = 4   // behind the XSAVE image
	tileData  = 1 << 18
	tileBytes = 8192
	// badStack in ss_flags makes the kernel leave the alternate stack alone.
	badStack = 0x7fffffff
)

// frame is an rt_sigframe and its XSAVE image, ready to be written.
type frame struct {
	addr  uint64 // where the bytes belong; the stack pointer's value
	bytes []byte
}

// state is everything of a thread that rt_sigreturn restores.
type state struct {
	regs   unix.PtraceRegs // as in user mode: see ptrace.UserRegs
	xstate []byte
	mask   uint64
}

// buildFrame makes the frame that ends below top. The image must be 64-byte
// aligned, and the frame 8 below a multiple of 16, as the kernel makes it.
func buildFrame(top uint64, restorer uint64, s state) frame {
	img := trimTiles(s.xstate)
	fp := (top - uint64(len(img)) - magicSize) &^ 63
	addr := (fp-sigframe.Size)&^15 - 8
	f := frame{addr: addr, bytes: make([]byte, fp+uint64(len(img))+magicSize-addr)}
	f.put64(0, restorer)
	f.put64(sigframe.OffFlags, sigframe.FlagXState|sigframe.FlagSS|sigframe.FlagStrictSS)
	f.put32(sigframe.OffSSFlags, badStack)
	f.putRegs(&s.regs)
	f.put64(sigframe.OffFPState, fp)
	f.put64(sigframe.OffSigMask, s.mask)
	f.putXState(fp-addr, img)
	return f
}

func (f *frame) put64(at uint64, v uint64) { binary.LittleEndian.PutUint64(f.bytes[at:], v) }
func (f *frame) put32(at uint64, v uint32) { binary.LittleEndian.PutUint32(f.bytes[at:], v) }
func (f *frame) put16(at uint64, v uint16) { binary.LittleEndian.PutUint16(f.bytes[at:], v) }

func (f *frame) putRegs(r *unix.PtraceRegs) {
	for i, v := range []uint64{
		r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15,
		r.Rdi, r.Rsi, r.Rbp, r.Rbx, r.Rdx, r.Rax, r.Rcx, r.Rsp, r.Rip,
	} {
		f.put64(sigframe.OffGPR+8*uint64(i), v)
	}
	f.put64(sigframe.OffEflags, r.Eflags)
	f.put16(sigframe.OffCS, uint16(r.Cs))
	f.put16(sigframe.OffSS, uint16(r.Ss))
}

// putXState adds what the kernel looks for before it believes in more than x87
// and SSE registers. The features stand in the image where ptrace puts them.
func (f *frame) putXState(at uint64, img []byte) {
	copy(f.bytes[at:], img)
	size := uint32(len(img))
	f.put32(at+sigframe.OffSW, sigframe.FPMagic1)
	f.put32(at+sigframe.OffSW+4, size+magicSize)
	f.put64(at+sigframe.OffSW+8, binary.LittleEndian.Uint64(img[sigframe.OffSW:]))
	f.put32(at+sigframe.OffSW+16, size)
	clear(f.bytes[at+sigframe.OffSW+20 : at+sigframe.OffXStateB])
	f.put32(at+uint64(size), sigframe.FPMagic2)
}

// trimTiles cuts the AMX tile data off the end of an image unless the thread uses
// it. ptrace shows every thread the machine's largest image, but at rt_sigreturn
// the kernel believes an image only up to the size that the thread has asked for.
func trimTiles(img []byte) []byte {
	features := binary.LittleEndian.Uint64(img[sigframe.OffSW:])
	used := binary.LittleEndian.Uint64(img[sigframe.OffXStateB:])
	if features&tileData == 0 || used&tileData != 0 {
		return img
	}
	short := append([]byte(nil), img[:len(img)-tileBytes]...)
	binary.LittleEndian.PutUint64(short[sigframe.OffSW:], features&^tileData)
	return short
}
