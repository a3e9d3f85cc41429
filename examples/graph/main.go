// Command graph records the calls of functions of a running process, for some time or
// until ^C, and prints the slowest ones, each with the time that it spent outside of calls
// of recorded functions (-1ns if that is not known):
//
//	graph PID PATTERN DURATION
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"time"

	"github.com/functap/functap/fgraph"
	"github.com/functap/functap/hook"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: graph PID PATTERN DURATION")
	}
	pid, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	length, err := time.ParseDuration(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	if err := graph(pid, os.Args[2], length); err != nil {
		log.Fatal(err)
	}
}

func graph(pid int, pattern string, length time.Duration) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()

	p, err := hook.Attach(context.Background(), pid, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	sites, _, err := p.Sites(hook.Match{Include: []string{pattern}})
	if err != nil {
		return err
	}
	r, err := fgraph.Record(context.Background(), p, sites, nil)
	if err != nil {
		return err
	}
	fmt.Printf("recording %d functions\n", len(r.Durations().Read()))
	context.AfterFunc(ctx, func() { r.Close() }) // which ends the events; p.Close tells what goes wrong

	var slowest []fgraph.Event // ten, the slowest first
	slower := func(x, y fgraph.Event) int { return cmp.Compare(y.Duration, x.Duration) }
	for e, err := range r.Events() {
		switch {
		case err != nil:
			return err
		case e.Type == fgraph.Lost:
			log.Printf("%d events are missing", e.Missing)
		case e.Type == fgraph.Exit && !e.Unwound:
			at, _ := slices.BinarySearchFunc(slowest, e, slower)
			slowest = slices.Insert(slowest, at, e)[:min(len(slowest)+1, 10)]
		}
	}
	for _, e := range slowest {
		fmt.Printf("%12v (itself %12v)  thread %d  %s\n", e.Duration, e.Self, e.TID, e.Function.DisplayName())
	}
	return nil
}
