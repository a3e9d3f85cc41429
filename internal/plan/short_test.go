package plan

import (
	"fmt"
	"testing"
)

// looper is a function that loops to +3, so that only two bytes may be overwritten.
func looper(name string) string {
	return fmt.Sprintf("function %s\n%s1: cltd\ncltd\ndec %%edi\njne 1b\nret\ndone %s\n", name, threeBytes, name)
}

func TestShort(t *testing.T) {
	a := assemble(t, looper("f")+".fill 7, 1, 0xcc\nfar\n")
	p := wantTactic(t, a, "f", Short)
	if p.Patch != shortJump || p.Window != 3 || p.Hole != p.Func.Addr+p.Func.Size || len(p.Interior) != 0 {
		t.Errorf("patch %d, window %d, hole +%d of %d, interior %v",
			p.Patch, p.Window, p.Hole-p.Func.Addr, p.Func.Size, p.Interior)
	}
	wantRefusal(t, assemble(t, looper("f")+".fill 4, 1, 0xcc\nfar\n"), "f", JumpIntoWindow)
}

func TestHoleGivenOnce(t *testing.T) {
	a := assemble(t, looper("f")+looper("g")+".fill 9, 1, 0xcc\nfar\n")
	wantTactic(t, a, "f", Short)
	wantRefusal(t, a, "g", JumpIntoWindow)
	a = assemble(t, looper("f")+looper("g")+".fill 10, 1, 0xcc\nfar\n")
	f, g := wantTactic(t, a, "f", Short), wantTactic(t, a, "g", Short)
	if g.Hole != f.Hole+longJump {
		t.Errorf("holes %#x and %#x", f.Hole, g.Hole)
	}
}

// A function's padding is its own before it is anybody's hole.
func TestHoleBehindPadding(t *testing.T) {
	tiny := func(fill int) string {
		return looper("f") + body("g", 2) + fmt.Sprintf(".fill %d, 1, 0xcc\nfar\n", fill)
	}
	a := assemble(t, tiny(8))
	f, g := wantTactic(t, a, "f", Short), wantTactic(t, a, "g", Padding)
	if f.Hole != g.Site+longJump {
		t.Errorf("hole %#x, padding from %#x", f.Hole, g.Site)
	}
	a = assemble(t, tiny(7))
	wantRefusal(t, a, "f", JumpIntoWindow)
	wantTactic(t, a, "g", Padding)
}

func TestHoleReach(t *testing.T) {
	for _, tc := range []struct {
		dist int // from the end of the short jump to the hole
		want Tactic
	}{{127, Short}, {128, Refused}} {
		after := looper("f") + body("x", tc.dist-8) + ".fill 5, 1, 0xcc\nfar\n"
		if p := planOf(t, assemble(t, after), "f"); p.Tactic != tc.want {
			t.Errorf("distance %d: %v %s, function of %d bytes", tc.dist, p.Tactic, p.Reason, p.Func.Size)
		}
		before := "far\n" + body("h", 1) + ".fill 9, 1, 0xcc\n" + body("x", tc.dist-6) + looper("f") + "far\n"
		if p := planOf(t, assemble(t, before), "f"); p.Tactic != tc.want {
			t.Errorf("distance -%d: %v %s", tc.dist+1, p.Tactic, p.Reason)
		}
	}
}

func TestHoleInOnePage(t *testing.T) {
	a := assemble(t, fmt.Sprintf(".p2align 12\n.fill %d, 1, 0x99\nret\n", pageSize-14)+looper("f")+".fill 8, 1, 0xcc\nfar\n")
	if p := wantTactic(t, a, "f", Short); p.Hole%pageSize != 0 {
		t.Errorf("hole at %#x", p.Hole)
	}
}

// Filler that the code before it may run into, such as after a call, is no hole.
func TestNoHoleBehindFallThrough(t *testing.T) {
	a := assemble(t, looper("f")+"function g\nmov %rdi, %rax\ncltd\ncltd\ndone g\n.fill 9, 1, 0xcc\nfar\n")
	wantRefusal(t, a, "f", JumpIntoWindow)
}
