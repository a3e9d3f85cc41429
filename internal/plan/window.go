package plan

import (
	"errors"
	"fmt"

	"github.com/functap/functap/internal/symbols"
	"github.com/functap/functap/internal/x86"
)

// planAlone plans f without short jumps, whose filler has to be shared out.
func (a *Analysis) planAlone(f *symbols.Func) Plan {
	p := Plan{Func: *f}
	if p.Reason, p.Detail = a.forbidden(f); p.Reason != "" {
		return p
	}
	a.try(&p, longJump)
	return p
}

// forbidden are the reasons that have nothing to do with the bytes at the entry.
func (a *Analysis) forbidden(f *symbols.Func) (Refusal, string) {
	if f.IFunc {
		return IFuncResolver, ""
	}
	if a.im.code(f.Addr) == nil {
		return NotAnEntry, "the address is not in the file's code"
	}
	if a.isCold(f) {
		return NotAnEntry, "the unlikely part of another function"
	}
	if why := neverHookReason(f); why != "" {
		return NeverHook, why
	}
	if f.Addr == a.entry {
		return NeverHook, whyBeforeMain
	}
	if f.Go && f.Assembly {
		return Assembly, ""
	}
	if c := a.layout.clusterAt(f.Addr); c != nil && c.rseq {
		return RSEQ, ""
	}
	return "", ""
}

// try fills p with a patch of n bytes, or with the reason why that is not possible.
func (a *Analysis) try(p *Plan, n uint64) {
	s := a.im.code(p.Func.Addr)
	site := skipEndbr(s, p.Func.Addr)
	c, why, detail := a.cutAt(s, &p.Func, site, n)
	if why == "" {
		why, detail = a.blocked(s, &p.Func, site, n)
	}
	if why == "" {
		why, detail = movable(s, site, c.window)
	}
	if p.Reason, p.Detail = why, detail; why != "" {
		return
	}
	p.Site, p.Window, p.Patch, p.Interior = site, uint8(c.window), uint8(n), c.interior
	p.Tactic = Window
	if c.window < n {
		p.Tactic = Padding
	}
	p.GoCheck, p.GoMorestack = uint8(c.check.len), c.check.morestack
	p.SelfLoop = c.check.len == 0 && a.selfLoop(p.Func.Addr, site)
	end := a.endOf(s, &p.Func)
	p.FlagsLive = x86.LiveFlags(s.b[p.Func.Addr-s.base:end-s.base], p.Func.Addr, site, liveInsts)&x86.AllArith != 0
}

// liveInsts bounds the search for the flags' first use; what is not settled by
// then counts as live.
const liveInsts = 64

func skipEndbr(s *segment, addr uint64) uint64 {
	if in, err := x86.Decode(s.b[addr-s.base:]); err == nil && in.IsEndbr64 {
		return addr + uint64(in.Len)
	}
	return addr
}

// endOf is the end of f's code.
func (a *Analysis) endOf(s *segment, f *symbols.Func) uint64 {
	if sized(f) {
		return min(f.Addr+f.Size, s.end())
	}
	i := a.layout.at(f.Addr)
	if i < 0 {
		return f.Addr
	}
	if r := &a.layout.regions[i]; r.code > f.Addr {
		return r.code
	}
	return a.layout.regions[i].end
}

// blocked checks that n bytes at site may be overwritten as far as the rest of the
// module is concerned.
func (a *Analysis) blocked(s *segment, f *symbols.Func, site, n uint64) (Refusal, string) {
	if at, ok := s.starts.next(f.Addr+1, site+n); ok {
		return WindowTaken, fmt.Sprintf("%s begins at +%d", a.describe(at), at-f.Addr)
	}
	for at := site + 1; at < site+n; at++ {
		if s.jumped.has(at) || s.named.has(at) {
			return JumpIntoWindow, a.who(f, at)
		}
	}
	if at, ok := s.refs.next(site, site+n); ok {
		return DataInWindow, fmt.Sprintf("an instruction reads the byte at +%d", at-f.Addr)
	}
	if !inOnePage(site, n) {
		return CrossesPage, fmt.Sprintf("%d bytes at %#x", n, site)
	}
	return "", ""
}

func movable(s *segment, site, n uint64) (Refusal, string) {
	err := x86.CanRelocate(s.b[site-s.base:site-s.base+n], site)
	switch {
	case err == nil:
		return "", ""
	case errors.Is(err, x86.ErrUnknown) || errors.Is(err, x86.ErrTruncated):
		return DecodeUnknown, err.Error()
	}
	return UnsupportedInsn, err.Error()
}

// selfLoop applies the rule that Plan.SelfLoop states.
func (a *Analysis) selfLoop(entry, site uint64) bool {
	own := a.layout.clusterAt(entry)
	for _, e := range a.edgesIn(entry, site+1) {
		if (e.to == entry || e.to == site) && a.comesWithData(e, own) {
			return true
		}
	}
	return a.runInto(entry)
}

// comesWithData reports whether a thread that takes e into the cluster own may have
// data below rsp.
func (a *Analysis) comesWithData(e edge, own *cluster) bool {
	switch e.kind {
	case kindJump, kindTable:
		from := a.layout.clusterAt(e.from)
		return from == nil || from == own || from.traits.redZone ||
			!from.entry && !a.im.code(from.start).named.has(from.start)
	case kindLea:
		tr := a.layout.traitsAt(e.from)
		return tr.redZone && tr.indirect
	}
	return false
}

// runInto reports whether the code before entry, if it is a function's, runs on
// into it.
func (a *Analysis) runInto(entry uint64) bool {
	i := a.layout.at(entry)
	if i < 1 {
		return false
	}
	prev := &a.layout.regions[i-1]
	return prev.end == entry && prev.cluster >= 0 && prev.falls
}
