package unwind

import (
	"fmt"
	"slices"
	"testing"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/codegen"
	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/internal/x86"
)

// The product's own programs, at the functions' own entries.

const envAt = tablesAt + 2*tableSize // behind the tables: words that programs use

// stageOf translates codegen's states.
func stageOf(c arena.Call) Stage {
	switch c {
	case arena.CallDropped:
		return Calling
	case arena.CallBack:
		return Returned
	case arena.CallJoinLeft, arena.CallRecorded, arena.CallLeft:
		return Restored
	case arena.CallReturns:
		return Leaving
	}
	return Before
}

func rowsOf(c codegen.Code, d codegen.Displaced, site uint64) []Row {
	if !slices.ContainsFunc(c.Exits, func(e arena.Exit) bool { return e.Call == arena.CallBack }) {
		var bs []Boundary
		for _, e := range c.Exits {
			bs = append(bs, Boundary{int(e.Off), int(e.Delta), int(e.Pop)})
		}
		return Displaced(d.Bytes, bs)
	}
	var ps []Point
	for _, e := range c.Exits {
		ps = append(ps, Point{int(e.Off), stageOf(e.Call), int(e.Pop)})
	}
	return Wrapped(ps)
}

// hook patches body i with a stub, and sets its slot to a program that wraps it.
func (g *target) hook(i int) {
	g.t.Helper()
	site, slot := g.body[i], g.at+slotsAt+8*uint64(i)
	code, size := g.peek(site, 32), 0
	for size < 5 {
		in, err := x86.Decode(code[size:])
		if err != nil {
			g.t.Fatal(err)
		}
		size += int(in.Len)
	}
	d := codegen.Displaced{Site: site, Bytes: code[:size]}
	stub := g.add(func(at uint64) ([]byte, []Row) {
		c, err := codegen.Stub(at, slot, d)
		if err != nil {
			g.t.Fatal(err)
		}
		return c.Bytes, rowsOf(c, d, site)
	})
	d.Copy = stub + codegen.CopyOffset
	env := codegen.Env{Consts: arena.Consts{ThisProcess: g.at + envAt}, Frames: framesAt}
	g.add(func(at uint64) ([]byte, []Row) {
		c, slow, err := codegen.FrameRoutine(at, env)
		if err != nil {
			g.t.Fatal(err)
		}
		env.Slow = slow
		return c.Bytes, rowsOf(c, codegen.Displaced{}, at)
	})
	words := g.at + envAt + 0x1000*uint64(i+1)
	store64(g.mem, envAt, 1)
	entry := 0
	program := g.add(func(at uint64) ([]byte, []Row) {
		c, n, err := codegen.Wrap(at, d, env, []codegen.Cell{{Shared: words}}, codegen.Stats{Shared: words + 64})
		if err != nil {
			g.t.Fatal(err)
		}
		entry = n
		return c.Bytes, rowsOf(c, d, site)
	})
	store64(g.mem, slotsAt+8*i, program+uint64(entry))
	a := x86.NewAsm(site)
	a.Jmp(stub)
	jump, err := a.Bytes()
	if err != nil {
		g.t.Fatal(err)
	}
	g.undo = append(g.undo, func() { g.poke(site, code[:size]) })
	g.poke(site, jump)
}

// takeHomes makes all entries of the home table another slot's.
func (g *target) takeHomes() {
	b := make([]byte, (arena.HomeMask+1)*FrameSize)
	for at := 0; at < len(b); at += FrameSize {
		b[at+7] = 0x80 // no address
	}
	g.poke(homeAt, b)
}

func TestProductPrograms(t *testing.T) {
	for _, c := range []struct {
		v     testutils.Variant
		rule  Rule
		away  bool // no frame is at home
		asked []Function
	}{
		{testutils.CXX, RuleSignal, false, []Function{AsksFindObject}},
		{testutils.CXX, RuleSignal, true, []Function{AsksFindObject}},
		{testutils.CXX, RuleOffset, false, []Function{AsksFindObject}},
		{testutils.CXXStatic, RuleSignal, false, nil},
		{testutils.CXXStripped, RuleSignal, false, nil},
		{testutils.CXXStripped, RuleSignal, true, nil},
	} {
		t.Run(fmt.Sprintf("%s %v away=%v", c.v.Name, c.rule, c.away), func(t *testing.T) {
			g := startNear(t, c.rule, testutils.Build(t, "unwind.cc", c.v), "4")
			if c.away {
				g.takeHomes()
			}
			g.serve(c.asked...)
			for i := range g.body {
				g.hook(i)
			}
			g.v.Run(100)
			for _, what := range []string{"noexcept", "cancel", "exit", "backtrace", "step", "iterate throw"} {
				g.v.Do(what, "done")
			}
			words := func(i, off int) uint64 { return g.word(g.at + envAt + 0x1000*uint64(i+1) + uint64(off)) }
			for i := range g.body {
				t.Logf("body %d: counted %d, entered %d, missed %d, unwound %d", i, words(i, 0), words(i, 64), words(i, 64+8*arena.StatMissed), words(i, 64+8*arena.StatUnwound))
			}
			g.v.Do("throw and wait", "unwinding")
			t.Log(g.detach(), "slots")
			g.v.Do(fmt.Sprintf("unmap %x %x", g.at, arenaSize), "done")
			g.v.Do("run 10", "done")
			g.v.Quit()
		})
	}
}
