package fgraph_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
)

// Measure how long some functions take, for a second.
func ExampleMeasure() {
	ctx, pid := context.Background(), 4711
	p, err := hook.Attach(ctx, pid, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close() // puts everything back

	sites, _, err := p.Sites(hook.Match{Include: []string{"*Command"}})
	if err != nil {
		log.Fatal(err)
	}
	d, err := fgraph.Measure(ctx, p, sites, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, no := range d.NoExit() {
		log.Print("not measured: ", no)
	}
	time.Sleep(time.Second)
	for _, f := range d.Read() {
		fmt.Println(f.Function.DisplayName(), f.Calls, f.Average(), f.Histogram.Quantile(0.99), f.Max)
	}
}

// Print the calls of some functions as they are made, for a second.
func ExampleRecord() {
	ctx, pid := context.Background(), 4711
	p, err := hook.Attach(ctx, pid, nil)
	if err != nil {
		log.Fatal(err)
	}
	sites, _, err := p.Sites(hook.Match{Include: []string{"*Command"}})
	if err != nil {
		log.Fatal(err)
	}
	r, err := fgraph.Record(ctx, p, sites, nil)
	if err != nil {
		log.Fatal(err)
	}
	time.AfterFunc(time.Second, func() {
		if err := p.Close(); err != nil { // which ends the events, too
			log.Print(err)
		}
	})
	for e, err := range r.Events() {
		if err != nil {
			log.Fatal(err)
		}
		switch e.Type {
		case fgraph.Entry:
			fmt.Println(r.ThreadName(e.TID), e.TID, e.Depth, e.Function.ShortName(), "{")
		case fgraph.Exit:
			fmt.Println(e.TID, e.Depth, "}", e.Duration, e.Unwound)
		case fgraph.Lost:
			fmt.Println(e.Missing, "events are missing")
		}
	}
}
