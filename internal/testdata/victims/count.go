// Command count GOROUTINES [profile]: what Go compiles to: leaf functions without a stack check, big
// frames, deep recursion on fresh and growing stacks, methods, interfaces, closures,
// generics, defer, panics that are recovered. Goroutines are born and die all the time, and
// the garbage collector runs while they work. With profile, it takes a profile of itself,
// by 1,000 signals a second.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type counter struct {
	n    atomic.Uint64
	name string
}

var counters []*counter

func counted(name string) *counter {
	c := &counter{name: name}
	counters = append(counters, c)
	return c
}

var (
	cLeaf      = counted("main.workLeaf")
	cTiny      = counted("main.workTiny")
	cNosplit   = counted("main.workNosplit")
	cRecursive = counted("main.workRecursive")
	cBigFrame  = counted("main.workBigFrame")
	cHugeFrame = counted("main.workHugeFrame")
	cMethod    = counted("main.(*shape).workArea")
	cValue     = counted("main.point.workSum")
	cClosure   = counted("main.workMakeClosure.func1")
	cMake      = counted("main.workMakeClosure")
	cGeneric   = counted("main.workGeneric[go.shape.int]")
	cPanics    = counted("main.workPanics")
	cRecovers  = counted("main.workRecovers")
	cDefers    = counted("main.workDefers")
	cMany      = counted("main.workManyArgs")
	cStrings   = counted("main.workStrings")
	cSwitch    = counted("main.workSwitch")
	cGoexit    = counted("main.workGoexit")
)

func check[T comparable](what string, got, want T) {
	if got != want {
		fmt.Printf("error %s: got %v, want %v\n", what, got, want)
		os.Exit(2)
	}
}

//go:noinline
func workLeaf(x int) int { cLeaf.n.Add(1); return x*3 + 1 }

// workTiny is too short to count itself.
//
//go:noinline
func workTiny(x int) int { return x }

//go:noinline
//go:nosplit
func workNosplit(x int) int { return x ^ 0x55 }

//go:noinline
func workRecursive(n int) int {
	cRecursive.n.Add(1)
	if n == 0 {
		return 0
	}
	return workRecursive(n-1) + 1
}

//go:noinline
func workBigFrame(x int) int {
	cBigFrame.n.Add(1)
	var a [700]int
	for i := range a {
		a[i] = x + i
	}
	return a[x%700]
}

//go:noinline
func workHugeFrame(x int) int {
	cHugeFrame.n.Add(1)
	var a [9000]int
	a[x%9000] = x
	return a[x%9000] + a[(x+1)%9000]
}

type shape struct{ a, b int }

type areaer interface{ workArea(int) int }

//go:noinline
func (s *shape) workArea(k int) int { cMethod.n.Add(1); return s.a * s.b * k }

type point struct{ x, y, z int }

//go:noinline
func (p point) workSum() int { cValue.n.Add(1); return p.x + p.y + p.z }

//go:noinline
func workMakeClosure(x int) func(int) int {
	cMake.n.Add(1)
	return func(y int) int { cClosure.n.Add(1); return x + y }
}

//go:noinline
func workGeneric[T int | int64](x, y T) T { cGeneric.n.Add(1); return x*2 + y }

//go:noinline
func workPanics(p *int, x int) int {
	cPanics.n.Add(1)
	if x%3 == 0 {
		panic(x)
	}
	return *p + x // a nil pointer, sometimes
}

//go:noinline
func workRecovers(x int) (out int) {
	cRecovers.n.Add(1)
	defer func() {
		if e := recover(); e != nil {
			out = -1
		}
	}()
	var p *int
	if x%2 == 0 {
		p = &x
	}
	return workPanics(p, x)
}

//go:noinline
func workDefers(x int) (out int) {
	cDefers.n.Add(1)
	for i := range x % 4 {
		defer func() { out += i }()
	}
	return x
}

//go:noinline
func workManyArgs(a, b, c, d, e, f, g, h, i, j, k, l int, s string, p float64) (int, float64) {
	cMany.n.Add(1)
	return a + b + c + d + e + f + g + h + i + j + k + l + len(s), p * 2
}

//go:noinline
func workStrings(x int) string {
	cStrings.n.Add(1)
	return strings.Repeat("ab", x%20) + strconv.Itoa(x)
}

//go:noinline
func workSwitch(x int) int {
	cSwitch.n.Add(1)
	switch x % 9 {
	case 0:
		return x + 5
	case 1:
		return x * x
	case 2:
		return x ^ 0xff
	case 3:
		return -x
	case 4:
		return x << 3
	case 5:
		return x >> 1
	case 6:
		return x % 13
	case 7:
		return x | 64
	}
	return x
}

//go:noinline
func workGoexit() {
	cGoexit.n.Add(1)
	runtime.Goexit()
}

func recovered(x int) int {
	switch {
	case x%3 == 0 || x%2 != 0:
		return -1
	default:
		return 2 * x
	}
}

// extraRound is more work, which count_cgo.go has.
var extraRound func(x int)

func round(x int) {
	if extraRound != nil {
		extraRound(x)
	}
	check("leaf", workLeaf(x), x*3+1)
	cTiny.n.Add(1)
	check("tiny", workTiny(x), x)
	cNosplit.n.Add(1)
	check("nosplit", workNosplit(x), x^0x55)
	check("big frame", workBigFrame(x), x+x%700)
	var a areaer = &shape{x, 2}
	check("method", a.workArea(3), 6*x)
	check("value", point{x, 2, 3}.workSum(), x+5)
	check("closure", workMakeClosure(x)(7), x+7)
	check("generic", workGeneric(x, 1), 2*x+1)
	check("recovers", workRecovers(x), recovered(x))
	n := x % 4
	check("defers", workDefers(x), x+n*(n-1)/2)
	sum, double := workManyArgs(x, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, "abc", float64(x))
	check("many args", sum, x+80)
	check("float", double, float64(2*x))
	check("strings", len(workStrings(x)), 2*(x%20)+len(strconv.Itoa(x)))
	check("switch", workSwitch(1+9*x), (1+9*x)*(1+9*x))
}

// freshRound runs on a stack that has to grow.
func freshRound(x int) {
	done := make(chan bool)
	go func() {
		defer close(done)
		check("recursive", workRecursive(500+x), 500+x)
		check("huge frame", workHugeFrame(x), x)
		workGoexit()
	}()
	<-done
}

var (
	stop    atomic.Bool
	workers sync.WaitGroup
)

func work(id, rounds int) {
	defer workers.Done()
	seed := uint32(id)
	for r := 0; r != rounds && !stop.Load(); r++ {
		seed = seed*1664525 + 1013904223
		x := int(seed >> 22)
		round(x)
		if r%8 == 0 {
			freshRound(x)
		}
	}
}

func launch(goroutines, rounds int) {
	stop.Store(false)
	workers.Add(goroutines)
	for id := range goroutines {
		go work(id, rounds)
	}
}

func collect() {
	for {
		time.Sleep(20 * time.Millisecond)
		if !stop.Load() {
			runtime.GC()
			runtime.Stack(make([]byte, 1<<16), true)
		}
	}
}

// profile sets the rate that StartCPUProfile then complains it cannot set.
func profile() {
	runtime.SetCPUProfileRate(1000)
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		fmt.Println("error", err)
		os.Exit(2)
	}
}

func report() {
	for _, c := range counters {
		fmt.Printf("count %s %d\n", c.name, c.n.Load())
	}
	fmt.Println("end")
}

func main() {
	goroutines := 1
	if len(os.Args) > 1 {
		goroutines, _ = strconv.Atoi(os.Args[1])
	}
	if len(os.Args) > 2 && os.Args[2] == "profile" {
		profile()
	}
	stop.Store(true)
	go collect()
	fmt.Println("ready", os.Getpid())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		command, arg, _ := strings.Cut(in.Text(), " ")
		switch command {
		case "run":
			n, _ := strconv.Atoi(arg)
			launch(goroutines, n)
			workers.Wait()
			stop.Store(true)
			fmt.Println("done")
		case "start":
			launch(goroutines, -1)
			fmt.Println("started")
		case "stop":
			stop.Store(true)
			workers.Wait()
			fmt.Println("stopped")
		case "report":
			report()
		case "quit":
			fmt.Println("bye")
			return
		default:
			fmt.Println("error unknown command:", in.Text())
			os.Exit(2)
		}
	}
}
