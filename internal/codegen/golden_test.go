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
	testEnv    = Env{Consts: testConsts, Claim: 0x6ff000, AreaCells: 64, TID: 720}
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

const testFrames = 0x7f1234560000

var testSlow = Slow{0x6fe000, 0x6fe100, 0x6fe180, 0x6fe200, 0x6fe300, 0x6fe380, 0x6fe400, 0x6fe500}

// sharedEnv is for targets without areas.
var sharedEnv = Env{Consts: testConsts, Frames: testFrames, Slow: testSlow}

func wrapEnv(o OwnerCheck) Env {
	e := owner(o)
	e.Frames, e.Slow, e.Areas = testFrames, testSlow, true
	return e
}

func wrap(d Displaced, env Env, cells ...Cell) func(uint64) (Code, error) {
	d.Site, d.Copy = testSite, 0x6f0006
	return func(at uint64) (Code, error) {
		c, _, err := Wrap(at, d, env, cells, Stats{Shared: 0x620100, Offset: 0x100})
		return c, err
	}
}

func wrapSelf(env Env) func(uint64) (Code, error) {
	d := Displaced{Site: testSite, Copy: 0x6f0006, Bytes: plainWindow}
	return func(at uint64) (Code, error) {
		c, _, err := Wrap(at, d, env, nil, Stats{Shared: 0x620100, Offset: 0x100, Self: true})
		return c, err
	}
}

func wrapEvents(env Env, longer uint64) func(uint64) (Code, error) {
	d := Displaced{Site: testSite, Copy: 0x6f0006, Bytes: plainWindow}
	events := Events{Site: 0x1234, Records: 32768, Shared: 0x7f1230001000, Longer: longer}
	return func(at uint64) (Code, error) {
		c, _, err := Wrap(at, d, env, nil, Stats{Shared: 0x620100, Offset: 0x100, Events: &events})
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
	{"wrap", wrap(Displaced{Bytes: plainWindow}, wrapEnv(ByFSBase))},
	{"wrap-tls-word-flags-live", wrap(Displaced{Bytes: plainWindow, FlagsLive: true}, wrapEnv(ByTLSWord), testCells...)},
	{"wrap-shared", wrap(Displaced{Bytes: plainWindow}, sharedEnv)},
	{"wrap-self", wrapSelf(wrapEnv(ByTLSWord))},
	{"wrap-self-shared", wrapSelf(Env{Consts: testConsts, Frames: testFrames, Slow: testSlow, Areas: true})},
	{"wrap-events", wrapEvents(wrapEnv(ByTLSWord), 0)},
	{"wrap-events-self", func(at uint64) (Code, error) {
		d := Displaced{Site: testSite, Copy: 0x6f0006, Bytes: plainWindow, FlagsLive: true}
		events := Events{Site: 0x1234, Records: 32768, Shared: 0x7f1230001000}
		c, _, err := Wrap(at, d, wrapEnv(ByTLSWord), testCells, Stats{Shared: 0x620100, Offset: 0x100, Events: &events, Self: true})
		return c, err
	}},
	{"wrap-events-longer", wrapEvents(wrapEnv(ByTLSWord), 3000)},
	{"wrap-events-shared", wrapEvents(sharedEnv, 0)},
	{"frame-routine", func(at uint64) (Code, error) {
		c, _, err := FrameRoutine(at, wrapEnv(ByFSBase))
		return c, err
	}},
	{"claim-c", func(at uint64) (Code, error) { return Claim(at, testConsts, 64, ClaimC, 720) }},
	{"claim-go", func(at uint64) (Code, error) { return Claim(at, testConsts, 64, ClaimGo, 0) }},
	{"claim-go-m", func(at uint64) (Code, error) { return Claim(at, testConsts, 64, ClaimGoM, 0) }},
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
		exit := "NO EXIT"
		if i := lastExit(c, int(addr-testAt)); i >= 0 {
			e := c.Exits[i]
			exit = fmt.Sprintf("site%+d pop %d saved %04b token %d", e.Delta, e.Pop, e.Saved, e.Token)
			if e.Call != 0 {
				exit = fmt.Sprintf("call %d saved %04b", e.Call, e.Saved)
			}
		}
		fmt.Fprintf(&b, "+%02x  %-58s %s\n", addr-testAt, text, exit)
	}
	return b.String()
}

// lastExit is the index of the exit that holds at off, or -1.
func lastExit(c Code, off int) int {
	i, exact := slices.BinarySearchFunc(c.Exits, off, func(e arena.Exit, off int) int { return int(e.Off) - off })
	if !exact {
		i--
	}
	return i
}

// TestExits: a thread may be stopped at any boundary, so an exit holds from the first on;
// they are sorted, and at boundaries.
func TestExits(t *testing.T) {
	for _, c := range unitCases {
		code, err := c.gen(testAt)
		if err != nil {
			t.Fatal(err)
		}
		boundary := map[int]bool{}
		for off := 0; off < len(code.Bytes); {
			in, err := x86.Decode(code.Bytes[off:])
			if err != nil {
				t.Fatalf("%s+%#x: %v", c.name, off, err)
			}
			boundary[off] = true
			off += int(in.Len)
		}
		for i, e := range code.Exits {
			if !boundary[int(e.Off)] {
				t.Errorf("%s+%#x is no boundary", c.name, e.Off)
			}
			if first := i == 0; first && e.Off != 0 || !first && e.Off <= code.Exits[i-1].Off {
				t.Errorf("%s: exit %d is at %#x", c.name, i, e.Off)
			}
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
		if !strings.HasPrefix(c.name, "count-") && !strings.HasPrefix(c.name, "wrap") || strings.Contains(c.name, "shared") {
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

// returnOf finds the address that the program hands to the claim routine: the operand
// of the lea before the jump there.
func returnOf(t *testing.T, c Code) (back uint64) {
	t.Helper()
	for off := 0; off < len(c.Bytes); {
		in, err := x86.Decode(c.Bytes[off:])
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case in.Opcode == 0x8d && in.RIPRel:
			back = in.Target(testAt + uint64(off))
		case in.Flow == x86.FlowJmp && in.Target(testAt+uint64(off)) == testEnv.Claim:
			return back
		}
		off += int(in.Len)
	}
	t.Fatal("no lea of the return address")
	return 0
}

// TestCall: unwinders take the exits' word for where the return address is. It is off the
// stack at the call alone, which has at least 3 bytes and is followed by the function's
// return.
func TestCall(t *testing.T) {
	for _, u := range unitCases {
		c, err := u.gen(testAt)
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		for i, e := range c.Exits {
			if e.Call != arena.CallDropped {
				continue
			}
			calls++
			in, err := x86.Decode(c.Bytes[e.Off:])
			if err != nil || in.Flow != x86.FlowCall || in.Len < 3 {
				t.Errorf("%s: no call at %#x", u.name, e.Off)
			}
			if next := c.Exits[i+1]; next.Call != arena.CallBack || int(next.Off) != int(e.Off)+int(in.Len) {
				t.Errorf("%s: behind the call is %+v", u.name, next)
			}
		}
		if wraps := strings.HasPrefix(u.name, "wrap"); wraps && calls != 1 || !wraps && calls != 0 {
			t.Errorf("%s: %d calls", u.name, calls)
		}
	}
}

// TestBackIsAligned: programs know wrapped callers by it, wherever they are.
func TestBackIsAligned(t *testing.T) {
	for at := uint64(testAt); at < testAt+256; at += 16 {
		c, err := wrap(Displaced{Bytes: plainWindow}, wrapEnv(ByTLSWord))(at)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(c.Exits, func(e arena.Exit) bool { return e.Call == arena.CallBack })
		if back := at + uint64(c.Exits[i].Off); back%backAlign != 0 {
			t.Errorf("a program at %#x has its calls return to %#x", at, back)
		}
	}
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
