package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// body is a function of n bytes: one-byte instructions and a ret.
func body(name string, n int) string {
	return fmt.Sprintf("function %s\n.rept %d\ncltd\n.endr\nret\ndone %s\n", name, n-1, name)
}

func TestFunctionsOfEachLength(t *testing.T) {
	after := map[string]string{
		"nops":  ".p2align 4\n",
		"int3":  ".fill 15, 1, 0xcc\n",
		"func":  "", // the next function follows at once
		"data":  ".byte 1,2,3,4,5,6,7,8\n",
		"zeros": ".fill 15\n",
	}
	for kind, filler := range after {
		var code strings.Builder
		for n := 1; n <= 8; n++ {
			code.WriteString(body(fmt.Sprintf("f%d", n), n) + filler +
				body(fmt.Sprintf("g%d", n), 11) + "far\n")
		}
		a := assemble(t, code.String())
		for n := 1; n <= 8; n++ {
			name := fmt.Sprintf("f%d", n)
			switch {
			case n >= 5:
				wantWhole(t, wantTactic(t, a, name, Window), 5, []uint8{1, 2, 3, 4})
			case kind == "nops" || kind == "int3":
				wantWhole(t, wantTactic(t, a, name, Padding), uint8(n), []uint8{1, 2, 3, 4}[:n-1])
			default:
				wantRefusal(t, a, name, TooShort)
			}
			wantTactic(t, a, fmt.Sprintf("g%d", n), Window)
		}
	}
}

func wantWhole(t *testing.T, p Plan, window uint8, interior []uint8) {
	t.Helper()
	if p.Window != window || p.Patch != longJump || p.Site != p.Func.Addr || !slices.Equal(p.Interior, interior) {
		t.Errorf("%s: window %d, patch %d, site +%d, interior %v; want window %d, interior %v",
			p.Func.Name, p.Window, p.Patch, p.Site-p.Func.Addr, p.Interior, window, interior)
	}
}

func TestEndbr(t *testing.T) {
	a := assemble(t, `
		function f
		endbr64
		push %rbp
		mov %rsp, %rbp
		pop %rbp
		ret
		done f
		.p2align 4
		function short
		endbr64
		ret
		done short
		.p2align 4`)
	p := wantTactic(t, a, "f", Window)
	if p.Site != p.Func.Addr+4 || p.Window != 5 || !slices.Equal(p.Interior, []uint8{1, 4}) {
		t.Errorf("f: site +%d, window %d, interior %v", p.Site-p.Func.Addr, p.Window, p.Interior)
	}
	p = wantTactic(t, a, "short", Padding)
	if p.Site != p.Func.Addr+4 || p.Window != 1 {
		t.Errorf("short: site +%d, window %d", p.Site-p.Func.Addr, p.Window)
	}
}

// A function that runs on into what looks like filler does execute it.
func TestFillerThatIsRun(t *testing.T) {
	a := assemble(t, `
		function f
		cltd
		done f
		.p2align 4
		function g
		ret
		done g
		.p2align 4
		far`)
	wantRefusal(t, a, "f", TooShort)
	wantTactic(t, a, "g", Padding)
}

func TestFillerThatIsNot(t *testing.T) {
	for name, use := range map[string]string{
		"unused":  "",
		"read":    "mov table(%rip), %eax",
		"named":   "lea table(%rip), %rax",
		"reached": "jmp table",
		"stored":  ".data\n.quad table\n.text",
	} {
		a := assemble(t, `
			function f
			cltd
			cltd
			ret
			done f
			table: .fill 13, 1, 0x90
			function g
			`+use+`
			ret
			done g
			far`)
		p := planOf(t, a, "f")
		if want := use == ""; p.Hookable() != want {
			t.Errorf("%s: %v %s", name, p.Tactic, p.Reason)
		}
	}
}

// Without a size, a function ends where its code must.
func TestNoSize(t *testing.T) {
	a := assemble(t, "function f\nret\n.byte 0x90, 0x48, 0x89, 0xc8\nfar\nfunction g\nret\n.fill 4, 1, 0xcc\nfar\n")
	wantRefusal(t, a, "f", TooShort)
	wantTactic(t, a, "g", Padding)
}

func TestPageCrossing(t *testing.T) {
	var code strings.Builder
	code.WriteString(".p2align 12\n")
	for n := 1; n <= 5; n++ {
		code.WriteString(fmt.Sprintf(".fill %d, 1, 0x99\nret\n", pageSize-n-1) + body(fmt.Sprintf("f%d", n), n+20) +
			fmt.Sprintf(".fill %d, 1, 0x99\nret\n", pageSize-21))
	}
	a := assemble(t, code.String())
	for n := 1; n <= 4; n++ {
		wantRefusal(t, a, fmt.Sprintf("f%d", n), CrossesPage)
	}
	wantTactic(t, a, "f5", Window)
}

// With filler near, the short jump avoids the page boundary where two bytes do.
func TestPageCrossingShort(t *testing.T) {
	a := assemble(t, fmt.Sprintf(".p2align 12\n.fill %d, 1, 0x99\nret\n", pageSize-4)+body("f", 20)+".p2align 4\n")
	p := wantTactic(t, a, "f", Short)
	if p.Patch != shortJump || p.Window != 2 || !slices.Equal(p.Interior, []uint8{1}) {
		t.Errorf("patch %d, window %d, interior %v", p.Patch, p.Window, p.Interior)
	}
}

func TestFlagsLive(t *testing.T) {
	a := assemble(t, `
		function live
		jz 1f
		mov $1, %eax
		1: ret
		done live
		.p2align 4
		function dead
		test %edi, %edi
		jz 1f
		xor %eax, %eax
		1: ret
		done dead`)
	if !wantTactic(t, a, "live", Window).FlagsLive {
		t.Error("live: flags not live")
	}
	if wantTactic(t, a, "dead", Window).FlagsLive {
		t.Error("dead: flags live")
	}
}
