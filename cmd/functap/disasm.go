package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"strings"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/x86"
	"golang.org/x/arch/x86/x86asm"
)

var disasmVerb = verb{
	name:  "disasm",
	args:  "-p PID FUNC [FUNC...]",
	short: "a function's code as its file has it and as it is now, with what is hooked to it",
	help: `
  functap disasm -p 4711 processCommand
  functap disasm -p 4711 --yes 'lookupKey*' | less

For each function: where it is and how its entry is hooked or why not; the code
that its file has ("original"); and what is in memory now. While a functap has
it hooked, "stub" is what the function's first instruction jumps to, and
"program" what the stub leads to: it counts, runs the instructions that were
displaced, and goes on behind them. More than 20 functions want --yes.
`,
	flags: func(o *options, fs *flag.FlagSet) {
		pidFlag(o, fs)
		outputFlags(o, fs)
		fs.BoolVar(&o.yes, "yes", false, "list more than 20 functions")
	},
	run: (*app).disasm,
}

func (a *app) disasm(o *options) error {
	switch {
	case len(o.pids) != 1 || len(o.args) == 0:
		return usagef("disasm wants one -p PID and a FUNC")
	case o.json():
		return usagef("--format json: disasm prints text")
	}
	v, err := hook.Look(o.pids[0], o.match())
	if err != nil {
		return err
	}
	if n := len(v.Functions); n > 20 && !o.yes {
		return fmt.Errorf("%w: %d; name one, or say --yes to list them all", errTooMany, n)
	}
	for i, f := range v.Functions {
		if a.ctx.Err() != nil {
			o.note(a, "interrupted: %d of %s are listed", i, number(len(v.Functions), "function"))
			return nil
		}
		if err := o.disassemble(v, f); err != nil {
			return err
		}
	}
	return nil
}

func (o *options) disassemble(v *hook.View, f hook.ViewedFunction) error {
	l := &lister{o: o, v: v}
	fn := f.Function
	l.head("%s  %s  %#x, %d bytes", fn.DisplayName(), fn.Image().Path, fn.Addr(), fn.Size())
	site, err := fn.Site()
	var no *hook.UnpatchableError
	switch {
	case err == nil:
		fmt.Fprintf(o.out, "entry: %s at %#x, displacing % x\n", site.Tactic(), site.Addr(), site.Bytes())
	case errors.As(err, &no):
		fmt.Fprintf(o.out, "entry: %s: %s\n", no.Reason, cmpOr(no.Detail, no.Reason.Explain()))
	default:
		return err
	}
	l.head("original")
	l.list(fn.Addr(), f.Original)
	switch {
	case f.Site != nil:
		l.head("now: %s", f.Site.State)
		l.changes(fn.Addr(), f)
		l.head("stub")
		l.list(f.Site.Stub.Addr, f.Site.Stub.Bytes)
		if p := f.Site.Program; p.Addr != 0 {
			l.head("program")
			l.list(p.Addr, p.Bytes)
		} else {
			l.head("no program: the site is idle")
		}
	case bytes.Equal(f.Original, f.Now):
		l.head("now: the same; not hooked")
	default:
		l.head("now: changed, but not by functap")
		l.list(fn.Addr(), f.Now)
	}
	return nil
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// lister prints code.
type lister struct {
	o *options
	v *hook.View
}

func (l *lister) head(format string, args ...any) {
	fmt.Fprintln(l.o.out, l.o.paint("1", fmt.Sprintf(format, args...)))
}

// changes lists the instructions of the function up to the end of what was
// displaced, and the hole of a short jump.
func (l *lister) changes(addr uint64, f hook.ViewedFunction) {
	end := f.Site.Addr + uint64(len(f.Site.Now)) - addr
	l.list(addr, f.Now[:min(end, uint64(len(f.Now)))])
	if f.Site.Hole != 0 {
		fmt.Fprintf(l.o.out, "by way of filler at %#x\n", f.Site.Hole)
	}
}

// list prints instructions. Lengths are our own decoder's, since x86asm gets
// some wrong; bytes that are none are printed alone.
func (l *lister) list(addr uint64, code []byte) {
	for off := 0; off < len(code); {
		n := 1
		if in, err := x86.Decode(code[off:]); err == nil {
			n = int(in.Len)
		}
		raw := code[off : off+n]
		fmt.Fprintf(l.o.out, "%#14x  %-31s %s\n", addr+uint64(off), hexBytes(raw), l.text(addr+uint64(off), raw))
		off += n
	}
}

func hexBytes(b []byte) string { return fmt.Sprintf("% x", b) }

var noDisplacement = regexp.MustCompile(`(%[c-gs]s:)(,|$)`)

// known are instructions that x86asm does not know or gets wrong.
var known = []struct {
	code []byte
	text string
}{
	{[]byte{0xf3, 0x0f, 0x1e, 0xfa}, "endbr64"},
	{[]byte{0xc5, 0xf8, 0x77}, "vzeroupper"},
	{[]byte{0xc5, 0xfc, 0x77}, "vzeroall"},
}

// segmentBase are rdfsbase, rdgsbase, wrfsbase and wrgsbase, which generated
// code uses and x86asm does not know.
var segmentBase = [4]string{"rdfsbase", "rdgsbase", "wrfsbase", "wrgsbase"}

func (l *lister) text(addr uint64, code []byte) string {
	for _, k := range known {
		if bytes.Equal(code, k.code) {
			return k.text
		}
	}
	if s := segmentBaseText(code); s != "" {
		return s
	}
	in, err := x86asm.Decode(code, 64)
	if err != nil || in.Len != len(code) {
		return ".byte " + strings.ReplaceAll(fmt.Sprintf("%# x", code), " ", ",")
	}
	// x86asm prints nothing for a displacement of 0 without registers.
	return noDisplacement.ReplaceAllString(x86asm.GNUSyntax(in, addr, l.symbol), "${1}0x0$2")
}

var registers = [16]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}

func segmentBaseText(code []byte) string {
	if len(code) != 5 || code[0] != 0xf3 || code[1]&0xf8 != 0x48 || code[2] != 0x0f || code[3] != 0xae || code[4] < 0xc0 {
		return ""
	}
	op := code[4] >> 3 & 7
	if int(op) >= len(segmentBase) {
		return ""
	}
	return segmentBase[op] + " %" + registers[code[4]&7+8*(code[1]&1)]
}

// symbol names a branch's target for x86asm.
func (l *lister) symbol(addr uint64) (string, uint64) {
	for _, f := range l.v.Functions {
		if f.Site == nil {
			continue
		}
		for i, c := range []hook.Code{f.Site.Stub, f.Site.Program} {
			if addr-c.Addr < uint64(len(c.Bytes)) {
				return []string{"stub", "program"}[i] + "_" + f.Function.Name(), c.Addr
			}
		}
	}
	return l.v.Symbol(addr)
}
