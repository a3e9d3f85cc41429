package codegen

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/functap/functap/internal/arena"
	"github.com/functap/functap/internal/x86"
)

var update = flag.Bool("update", false, "rewrite the golden listings")

// Fixed addresses make listings stable.
const (
	testAt   = 0x700000
	testSite = 0x401000
)

var (
	testConsts = arena.Consts{ThisProcess: 0x600000, AreasBase: 0x611000, AreasSize: 0x611008, Nobody: 0x611010}
	testEnv    = Env{Consts: testConsts, Claim: 0x6ff000, AreaCells: 64}
	testCells  = []Cell{{Shared: 0x620018, Offset: 24}}
	// push %rbp; mov %rsp,%rbp; sub $0x10,%rsp
	plainWindow = []byte{0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10}
	// cmp 0x10(%r14),%rsp; jbe +0x30; push %rbp
	goWindow = []byte{0x49, 0x3b, 0x66, 0x10, 0x76, 0x30, 0x55}
)

type unitCase struct {
	name string
	gen  func(at uint64) (Code, error)
}

func count(d Displaced, env Env, cells ...Cell) func(uint64) (Code, error) {
	d.Site = testSite
	if cells == nil {
		cells = testCells
	}
	return func(at uint64) (Code, error) {
		c, _, err := Count(at, d, env, cells)
		return c, err
	}
}

func owner(o OwnerCheck) Env {
	e := testEnv
	e.Owner = o
	return e
}

var unitCases = []unitCase{
	{"stub", func(at uint64) (Code, error) {
		return Stub(at, 0x610000, Displaced{Site: testSite, Bytes: plainWindow})
	}},
	{"count-c", count(Displaced{Bytes: plainWindow}, testEnv)},
	{"count-c-two-cells", count(Displaced{Bytes: plainWindow}, testEnv, Cell{0x620018, 24}, Cell{0x620020, 32})},
	{"count-c-flags-live", count(Displaced{Bytes: plainWindow, FlagsLive: true}, testEnv)},
	{"count-c-red-zone", count(Displaced{Bytes: plainWindow, SelfLoop: true, FlagsLive: true}, testEnv)},
	{"count-c-shared", count(Displaced{Bytes: plainWindow}, Env{Consts: testConsts})},
	{"count-c-shared-flags-live", count(Displaced{Bytes: plainWindow, FlagsLive: true}, Env{Consts: testConsts})},
	{"count-c-tls-word", count(Displaced{Bytes: plainWindow}, owner(ByTLSWord))},
	{"count-c-tls-word-red-zone", count(Displaced{Bytes: plainWindow, SelfLoop: true}, owner(ByTLSWord))},
	{"count-go-m", count(Displaced{Bytes: goWindow, Go: true, GoCheck: 6}, owner(ByGoM))},
	{"count-go-check", count(Displaced{Bytes: goWindow, Go: true, GoCheck: 6}, testEnv)},
	{"count-go-leaf", count(Displaced{Bytes: plainWindow, Go: true}, testEnv)},
	{"claim-c", func(at uint64) (Code, error) { return Claim(at, testConsts, 64, ClaimC) }},
	{"claim-go", func(at uint64) (Code, error) { return Claim(at, testConsts, 64, ClaimGo) }},
	{"claim-go-m", func(at uint64) (Code, error) { return Claim(at, testConsts, 64, ClaimGoM) }},
}

func TestGoldenListings(t *testing.T) {
	for _, c := range unitCases {
		t.Run(c.name, func(t *testing.T) {
			code, err := c.gen(testAt)
			if err != nil {
				t.Fatal(err)
			}
			got := listing(t, code)
			file := filepath.Join("testdata", c.name+".golden")
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

// listing is objdump's text with the exit of each boundary behind it.
func listing(t *testing.T, c Code) string {
	t.Helper()
	f := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(f, c.Bytes, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("objdump", "-D", "-w", "-b", "binary", "-m", "i386:x86-64",
		fmt.Sprintf("--adjust-vma=%#x", testAt), f).Output()
	if err != nil {
		t.Fatalf("objdump (Debian package binutils): %v", err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(out)) {
		var addr uint64
		parts := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		if n, _ := fmt.Sscanf(strings.TrimSpace(line), "%x:", &addr); n != 1 || len(parts) != 3 {
			continue
		}
		text := strings.TrimSpace(parts[len(parts)-1])
		i := slices.IndexFunc(c.Exits, func(e arena.Exit) bool { return uint64(e.Off) == addr-testAt })
		exit := "NO EXIT"
		if i >= 0 {
			e := c.Exits[i]
			exit = fmt.Sprintf("site%+d pop %d saved %04b token %d", e.Delta, e.Pop, e.Saved, e.Token)
		}
		fmt.Fprintf(&b, "+%02x  %-58s %s\n", addr-testAt, text, exit)
	}
	return b.String()
}

// TestEveryBoundaryHasOneExit: a thread may be stopped at any of them.
func TestEveryBoundaryHasOneExit(t *testing.T) {
	for _, c := range unitCases {
		code, err := c.gen(testAt)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[uint16]int{}
		for _, e := range code.Exits {
			seen[e.Off]++
		}
		for off := 0; off < len(code.Bytes); {
			in, err := x86.Decode(code.Bytes[off:])
			if err != nil {
				t.Fatalf("%s+%#x: %v", c.name, off, err)
			}
			if seen[uint16(off)] != 1 {
				t.Errorf("%s+%#x has %d exits", c.name, off, seen[uint16(off)])
			}
			delete(seen, uint16(off))
			off += int(in.Len)
		}
		if len(seen) != 0 {
			t.Errorf("%s: exits at no boundary: %v", c.name, seen)
		}
	}
}

// TestLengthIsIndependentOfAddress: code is assembled once to learn its
// length, and again where there is room for it.
func TestLengthIsIndependentOfAddress(t *testing.T) {
	for _, c := range unitCases {
		a, err := c.gen(testAt)
		if err != nil {
			t.Fatal(err)
		}
		b, err := c.gen(0x40000000)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Bytes) != len(b.Bytes) {
			t.Errorf("%s: %d and %d bytes", c.name, len(a.Bytes), len(b.Bytes))
		}
	}
}

// TestClaimBlocks: the claim routine comes back to a program at the address it
// was given, or at fixed distances before it; there must be jumps there.
func TestClaimBlocks(t *testing.T) {
	for _, c := range unitCases {
		if !strings.HasPrefix(c.name, "count-") || strings.Contains(c.name, "shared") {
			continue
		}
		code, err := c.gen(testAt)
		if err != nil {
			t.Fatal(err)
		}
		back := returnOf(t, code)
		for _, d := range []uint64{silentBlock, sharedBlock} {
			in, err := x86.Decode(code.Bytes[back-d-testAt:])
			if err != nil || in.Flow != x86.FlowJmp {
				t.Errorf("%s: no jump %d bytes before the return address: %v", c.name, d, err)
			}
		}
	}
}

// returnOf finds the address that the program hands to the claim routine: the
// operand of its one RIP-relative lea.
func returnOf(t *testing.T, c Code) uint64 {
	t.Helper()
	for off := 0; off < len(c.Bytes); {
		in, err := x86.Decode(c.Bytes[off:])
		if err != nil {
			t.Fatal(err)
		}
		if in.Opcode == 0x8d && in.RIPRel {
			return in.Target(testAt + uint64(off))
		}
		off += int(in.Len)
	}
	t.Fatal("no lea of the return address")
	return 0
}

func TestBucketSpreads(t *testing.T) {
	full := map[int]int{}
	for i := range uint64(200) { // stacks of 8 MiB and a guard page, TCB at the same place
		b := Bucket(0x7ffff0000000-i*0x801000+0x6c0, 1024)
		if b%4 != 0 || b < 0 || b >= 1024 {
			t.Fatalf("bucket %d", b)
		}
		full[b]++
	}
	over := 0
	for _, n := range full {
		over += max(0, n-4)
	}
	if over > 4 {
		t.Errorf("%d of 200 threads find a full bucket", over)
	}
}
