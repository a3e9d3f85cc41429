package trampoline_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/trampoline"
)

// Count the calls of some functions for a second.
func ExampleCount() {
	ctx, pid := context.Background(), 4711
	p, err := hook.Attach(ctx, pid, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close() // puts everything back

	sites, _, err := p.Sites(hook.Match{Include: []string{"str*"}})
	if err != nil {
		log.Fatal(err)
	}
	c, err := trampoline.Count(ctx, p, sites)
	if err != nil {
		log.Fatal(err)
	}
	time.Sleep(time.Second)
	for _, f := range c.Read() {
		fmt.Println(f.Function.DisplayName(), f.Calls)
	}
}

// Counters of one function are independent of each other. Only the first one
// stops the target, to patch it; the others come and go by a store.
func ExampleCounter_Close() {
	ctx, pid := context.Background(), 4711
	p, err := hook.Attach(ctx, pid, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	sites, _, err := p.Sites(hook.Match{Include: []string{"malloc", "free"}})
	if err != nil {
		log.Fatal(err)
	}
	always, err := trampoline.Count(ctx, p, sites)
	if err != nil {
		log.Fatal(err)
	}
	for range 10 {
		second, err := trampoline.Count(ctx, p, sites)
		if err != nil {
			log.Fatal(err)
		}
		time.Sleep(time.Second)
		fmt.Println("in this second:", second.Read())
		if err := second.Close(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("in all:", always.Read())
}
