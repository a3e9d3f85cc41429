// Package demo has the workloads of functap demo: programs that look like work to
// somebody who watches them from outside. One is in C, for whoever has a compiler. In the
// other one some goroutines take orders from a queue, price them, sort and look things up;
// one computes recursively.
//
// Nothing here knows about functap. The functions are kept from being inlined
// only so that there is something to see.
package demo

import (
	_ "embed"
	"sort"
	"sync"
	"time"
)

// Source is the program in C. It says "ready", and ends when its standard input does. Its
// functions' names begin with Prefix.
//
//go:embed shop/shop.c
var Source []byte

// Prefix begins the names of the functions in Source that are to be watched.
const Prefix = "shop_"

// Package is the import path, by which the functions are named.
const Package = "github.com/functap/functap/internal/demo"

const workers = 3

// order is what the workers process.
type order struct {
	id    int
	items []int
}

// Run works until stop is closed.
func Run(stop <-chan struct{}) {
	orders := make(chan order)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for o := range orders {
				handle(o)
			}
		})
	}
	takeOrders(orders, stop)
	close(orders)
	wg.Wait()
}

//go:noinline
func takeOrders(orders chan<- order, stop <-chan struct{}) {
	for id := 0; ; id++ {
		select {
		case <-stop:
			return
		case orders <- newOrder(id):
		}
		if id%100 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

//go:noinline
func newOrder(id int) order {
	o := order{id: id}
	for i := range 1 + id%7 {
		o.items = append(o.items, (id*31+i*17)%97)
	}
	return o
}

//go:noinline
func handle(o order) int {
	sum := 0
	for _, item := range o.items {
		sum += price(item)
	}
	if !ranked(o.items) {
		sort.Ints(o.items)
	}
	if o.id%50 == 0 {
		sum += fibonacci(12)
	}
	return sum + discount(sum)
}

//go:noinline
func price(item int) int {
	if item%2 == 0 {
		return 100 + lookup(item)
	}
	return 50 + item
}

var table = [8]int{3, 1, 4, 1, 5, 9, 2, 6}

//go:noinline
func lookup(item int) int { return table[item%len(table)] }

//go:noinline
func discount(sum int) int {
	if sum > 300 {
		return -sum / 10
	}
	return 0
}

//go:noinline
func ranked(items []int) bool { return sort.IntsAreSorted(items) }

//go:noinline
func fibonacci(n int) int {
	if n < 2 {
		return n
	}
	return fibonacci(n-1) + fibonacci(n-2)
}
