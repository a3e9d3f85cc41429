// Command parked GOROUTINES [hot]: leaf functions whose first instructions take long and
// are more than one in the bytes that a hook overwrites. They have no stack check, so Go
// suspends goroutines between those instructions. Twenty goroutines to a processor make
// most of them wait there. With "hot" all call one function, which always has some in it.
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

//go:noinline
func workQuotient(x, y, z float64) float64 { return x / y / z }

//go:noinline
func workQuotient32(x, y, z float32) float32 { return x / y / z }

//go:noinline
func workDouble(x float64) float64 { return math.Sqrt(x + x) }

//go:noinline
func workProduct(x, y float64) float64 { return math.Sqrt(x * y) }

//go:noinline
func workRatio(x, y float64) float64 { return math.Sqrt(x / y) }

// workChecked has a stack check.
//
//go:noinline
func workChecked(n int) int {
	if n == 0 {
		return 0
	}
	return workChecked(n-1) + 1
}

type leaf struct {
	name  string
	calls atomic.Uint64
	// chain makes links calls, each with the result of the one before, so that the
	// processor must wait in each. It returns its argument if all results are right.
	chain func(f float64) float64
}

const links = 8

var leaves = []*leaf{
	{name: "main.workQuotient", chain: func(f float64) float64 {
		for range links {
			f = workQuotient(f, 4, 0.25)
		}
		return f
	}},
	{name: "main.workQuotient32", chain: func(f float64) float64 {
		g := float32(f)
		for range links {
			g = workQuotient32(g, 4, 0.25)
		}
		return float64(g)
	}},
	{name: "main.workDouble", chain: func(f float64) float64 {
		two := 2.0
		for range links {
			two = workDouble(two)
		}
		return f * two / 2
	}},
	{name: "main.workProduct", chain: func(f float64) float64 {
		for range links {
			f = workProduct(f, f)
		}
		return f
	}},
	{name: "main.workRatio", chain: func(f float64) float64 {
		for range links {
			f = workRatio(f, 1/f)
		}
		return f
	}},
}

var checked atomic.Uint64

// others is what goroutines spend most of their time with, so that a leaf is empty now
// and then.
func others(x uint64) uint64 {
	for range 20 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

var (
	stop    atomic.Bool
	workers sync.WaitGroup
	only    *leaf
	sink    atomic.Uint64
)

func wrong(l *leaf, f float64) {
	fmt.Printf("error %s: wrong result for %v\n", l.name, f)
	os.Exit(2)
}

// many calls a leaf without much other work between, and counts.
func (l *leaf) many(seed uint64, n int) {
	for i := range n {
		if f := float64(uint(1) << (seed + uint64(i)) % 16); l.chain(f) != f {
			wrong(l, f)
		}
	}
	l.calls.Add(uint64(n * links))
}

func work(id, rounds int) {
	defer workers.Done()
	seed := uint64(id)*2862933555777941757 + 3037000493
	for r := 0; r != rounds && !stop.Load(); r++ {
		if only != nil {
			only.many(seed, 1000)
			continue
		}
		seed = others(seed)
		for _, l := range leaves {
			l.many(seed, 10)
		}
		if workChecked(4) != 4 {
			wrong(&leaf{name: "main.workChecked"}, 4)
		}
		checked.Add(5)
	}
	sink.Add(seed)
}

func launch(goroutines, rounds int) {
	stop.Store(false)
	workers.Add(goroutines)
	for id := range goroutines {
		go work(id+1, rounds)
	}
}

func report() {
	for _, l := range leaves {
		fmt.Printf("count %s %d\n", l.name, l.calls.Load())
	}
	fmt.Printf("count main.workChecked %d\n", checked.Load())
	fmt.Printf("info goroutines %d\nend\n", runtime.NumGoroutine())
}

func main() {
	runtime.GOMAXPROCS(2)
	goroutines := 50
	if len(os.Args) > 1 {
		goroutines, _ = strconv.Atoi(os.Args[1])
	}
	if len(os.Args) > 2 {
		only = leaves[0]
	}
	fmt.Println("ready", os.Getpid())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		command, arg, _ := strings.Cut(in.Text(), " ")
		switch command {
		case "run":
			n, _ := strconv.Atoi(arg)
			launch(goroutines, n)
			workers.Wait()
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
