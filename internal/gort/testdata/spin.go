// Command spin GOROUTINES IDLE: goroutines that spin in one leaf function on two
// processors, and others that wait. It builds with Go 1.18 and later.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
)

//go:noinline
func spinQuotient(x, y, z float64) float64 { return x / y / z }

func spin() {
	for f := 1.0; f == 1; {
		f = spinQuotient(f, 4, 0.25)
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	n, _ := strconv.Atoi(os.Args[1])
	idle, _ := strconv.Atoi(os.Args[2])
	for i := 0; i < idle; i++ {
		go func() { select {} }()
	}
	for i := 0; i < n; i++ {
		go spin()
	}
	fmt.Println("ready", os.Getpid())
	bufio.NewScanner(os.Stdin).Scan()
}
