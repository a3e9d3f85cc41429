package unwind

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/functap/functap/internal/testutils"
	"github.com/functap/functap/internal/x86"
)

var update = flag.Bool("update", false, "rewrite the golden listings")

// Fixed addresses make listings stable.
const (
	testAt   = 0x700000
	testData = 0x600000
)

var routines = []struct {
	name string
	gen  func(at, data uint64, original int) (Code, error)
}{
	{"find-object", FindObject},
	{"iterate-phdr", IteratePhdr},
}

func TestGoldenListings(t *testing.T) {
	for _, r := range routines {
		t.Run(r.name, func(t *testing.T) {
			c, err := r.gen(testAt, testData, 1)
			if err != nil {
				t.Fatal(err)
			}
			got := listing(t, c)
			file := filepath.Join("testdata", r.name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// listing is objdump's text with the row and the exit of each boundary behind it.
func listing(t *testing.T, c Code) string {
	t.Helper()
	f := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(f, c.Bytes, 0o644); err != nil {
		t.Fatal(err)
	}
	out := testutils.RunProgram(t, nil, testutils.Command{
		Path: testutils.Program(t, "objdump", "binutils"),
		Args: []string{"-D", "-w", "-b", "binary", "-m", "i386:x86-64", fmt.Sprintf("--adjust-vma=%#x", testAt), f},
	})
	var b strings.Builder
	for line := range strings.Lines(out) {
		var addr uint64
		parts := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		if n, _ := fmt.Sscanf(strings.TrimSpace(line), "%x:", &addr); n != 1 || len(parts) != 3 {
			continue
		}
		off := int(addr - testAt)
		fmt.Fprintf(&b, "+%02x  %-48s %-22s %s\n", off, strings.TrimSpace(parts[2]), rowText(c.Rows, off), exitText(c, off))
	}
	return b.String()
}

func rowText(rows []Row, off int) string {
	text := "NO ROW"
	for _, r := range rows {
		if r.Off <= off {
			text = fmt.Sprintf("cfa rsp+%d", r.CFA)
			for _, k := range r.Kept {
				text += fmt.Sprintf(" r%d-%d", k.Reg, k.Off)
			}
		}
	}
	return text
}

func exitText(c Code, off int) string {
	for _, e := range c.Exits {
		if e.Off == off && e.Pop != 0 {
			return fmt.Sprintf("pop %d, %v", e.Pop, e.Do)
		}
		if e.Off == off {
			return e.Do.String()
		}
	}
	return "NO EXIT"
}

// TestRowsAgreeWithCode follows the stack pointer through the routines: each row
// must say where it is, and each exit how far to raise it.
func TestRowsAgreeWithCode(t *testing.T) {
	for _, r := range routines {
		c, err := r.gen(testAt, testData, 1)
		if err != nil {
			t.Fatal(err)
		}
		depth := 0
		for _, e := range c.Exits {
			if got := c.cfaAt(e.Off); got != depth+entryCFA {
				t.Errorf("%s+%#x: CFA rsp+%d, want %d", r.name, e.Off, got, depth+entryCFA)
			}
			if !e.Do.Drains() && e.Pop != depth {
				t.Errorf("%s+%#x: pop %d, want %d", r.name, e.Off, e.Pop, depth)
			}
			in, err := x86.Decode(c.Bytes[e.Off:])
			if err != nil {
				t.Fatal(err)
			}
			depth = depthBehind(depth, &in, c.Bytes[e.Off:])
		}
	}
}

func (c Code) cfaAt(off int) (cfa int) {
	for _, r := range c.Rows {
		if r.Off <= off {
			cfa = r.CFA
		}
	}
	return cfa
}

// depthBehind is for code in which each block begins as deep as the one before it
// in the listing, or after a jump out, at an entry.
func depthBehind(depth int, in *x86.Inst, code []byte) int {
	s := stackState{depth: depth}
	s.step(in, code)
	if !in.FallsThrough() && in.Flow != x86.FlowJmp {
		return 0
	}
	return s.depth
}

// TestReturnsAreBehindCalls: what is looked for on stacks at detach.
func TestReturnsAreBehindCalls(t *testing.T) {
	for _, r := range routines {
		c, err := r.gen(testAt, testData, 1)
		if err != nil {
			t.Fatal(err)
		}
		calls := map[int]bool{}
		for _, e := range c.Exits {
			in, _ := x86.Decode(c.Bytes[e.Off:])
			if in.Flow == x86.FlowCall || in.Flow == x86.FlowCallInd {
				calls[e.Off+int(in.Len)] = true
			}
		}
		for _, off := range c.Returns {
			if !calls[off] {
				t.Errorf("%s: no call before +%#x", r.name, off)
			}
			delete(calls, off)
		}
		if len(calls) > 0 {
			t.Errorf("%s: returns not named: %v", r.name, calls)
		}
	}
}
