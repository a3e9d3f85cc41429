package plan

import (
	"bufio"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// listing is a disassembly by objdump: where instructions begin, and where direct
// branches go and calls return.
type listing struct {
	starts  map[uint64]bool
	targets map[uint64]uint64 // to from
}

var branchLine = regexp.MustCompile(`^(?:bnd |notrack )?(?:j[a-z]+|loop[a-z]*|call|xbegin)(?:,p[nt])? +([0-9a-f]+) <`)

func disassemble(t *testing.T, path string) listing {
	t.Helper()
	cmd := exec.Command("objdump", "-d", "--no-show-raw-insn", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("objdump (Debian package binutils): %v", err)
	}
	l := listing{map[uint64]bool{}, map[uint64]uint64{}}
	lines := bufio.NewScanner(out)
	call := uint64(0)
	for lines.Scan() {
		at, insn, ok := strings.Cut(strings.TrimSpace(lines.Text()), ":\t")
		addr, err := strconv.ParseUint(at, 16, 64)
		if !ok || err != nil {
			continue
		}
		l.starts[addr] = true
		if call != 0 {
			l.targets[addr] = call
		}
		call = 0
		if strings.HasPrefix(insn, "call") || strings.HasPrefix(insn, "notrack call") {
			call = addr
		}
		if m := branchLine.FindStringSubmatch(insn); m != nil {
			to, err := strconv.ParseUint(m[1], 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			l.targets[to] = addr
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return l
}

// Whatever objdump sees in real programs agrees with the plans: no branch or return
// goes inside overwritten bytes, and windows and interiors are at its boundaries.
func TestAgainstObjdump(t *testing.T) {
	for _, path := range []string{"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/bin/redis-server", goTool(t)} {
		l := disassemble(t, path)
		plans, err := analyze(t, path).All()
		if err != nil {
			t.Fatal(err)
		}
		if len(l.targets) < len(plans) {
			t.Fatalf("%s: objdump shows %d branches", path, len(l.targets))
		}
		for i := range plans {
			if plans[i].Hookable() {
				l.check(t, &plans[i])
			}
		}
	}
}

func (l *listing) check(t *testing.T, p *Plan) {
	t.Helper()
	for at := p.Site + 1; at < p.Site+uint64(p.Patch); at++ {
		if from, ok := l.targets[at]; ok {
			t.Errorf("%s: %#x comes to +%d of the patch", p.Func.Name, from, at-p.Site)
		}
	}
	for at := p.Hole; p.Hole != 0 && at < p.Hole+longJump; at++ {
		if from, ok := l.targets[at]; ok {
			t.Errorf("%s: %#x comes to the hole at %#x", p.Func.Name, from, p.Hole)
		}
	}
	if !l.starts[p.Site] || !l.starts[p.Site+uint64(p.Window)] && p.Tactic != Padding {
		t.Errorf("%s: site %#x and window %d are not whole instructions", p.Func.Name, p.Site, p.Window)
	}
	inside := 0
	for off := uint8(1); off < min(p.Patch, p.Window); off++ {
		if l.starts[p.Site+uint64(off)] {
			inside++
		}
	}
	if inside != len(p.Interior) {
		t.Errorf("%s: objdump has %d instructions inside the patch, the plan %v", p.Func.Name, inside, p.Interior)
	}
}
