// Command count counts the calls of functions of a running process, for some
// time or until ^C:
//
//	count PID PATTERN DURATION
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/trampoline"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: count PID PATTERN DURATION")
	}
	pid, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	length, err := time.ParseDuration(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	if err := count(pid, os.Args[2], length); err != nil {
		log.Fatal(err)
	}
}

func count(pid int, pattern string, length time.Duration) (err error) {
	// ^C ends the counting and not the program: it has to detach.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	p, err := hook.Attach(ctx, pid, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()

	sites, refused, err := p.Sites(hook.Match{Include: []string{pattern}})
	if err != nil {
		return err
	}
	for _, r := range refused {
		log.Print(r)
	}
	counter, err := trampoline.Count(ctx, p, sites)
	if err != nil {
		return err
	}
	fmt.Printf("counting %d functions\n", len(sites)-len(counter.Refused()))

	select {
	case <-time.After(length):
	case <-ctx.Done():
	case <-p.Done(): // the target has ended; its counts can still be read
	}
	if err := p.Close(); err != nil {
		return err
	}
	// Read after Close: these are the final counts.
	for _, f := range counter.Read() {
		fmt.Printf("%12d  %s\n", f.Calls, f.Function.DisplayName())
	}
	return nil
}
