// Command attach lists the functions of a running process that match a
// pattern, hooks those that can be hooked, for a moment and without any effect,
// and detaches:
//
//	attach PID PATTERN
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"

	"github.com/functap/functap/hook"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: attach PID PATTERN")
	}
	pid, err := strconv.Atoi(os.Args[1])
	if err == nil {
		err = attach(context.Background(), pid, os.Args[2])
	}
	if err != nil {
		log.Fatal(err)
	}
}

func attach(ctx context.Context, pid int, pattern string) (err error) {
	// Attach reads maps, files and symbols. The target does not notice.
	p, err := hook.Attach(ctx, pid, nil)
	if err != nil {
		return err
	}
	// Close puts everything back, also when something went wrong before.
	defer func() { err = errors.Join(err, p.Close()) }()

	sites, refused, err := p.Sites(hook.Match{Include: []string{pattern}})
	if err != nil {
		return err
	}
	for _, r := range refused {
		fmt.Println(r)
	}
	for _, s := range sites {
		fmt.Printf("%#x %-8s %s\n", s.Addr(), s.Tactic(), s.Function.DisplayName())
	}

	// One stop diverts all of them. As nothing is attached to their slots,
	// they go on as before, by way of their stubs.
	patch, err := p.Patch(ctx, sites)
	if err != nil {
		return err
	}
	fmt.Printf("%d functions are hooked\n", len(patch.Slots))
	if err := p.Close(); err != nil {
		return err
	}
	fmt.Printf("%d functions were restored\n", p.Cleaned().Sites)
	for _, pause := range p.Pauses() {
		fmt.Printf("stopped %d threads for %v to %s\n", pause.Threads, pause.Stopped, pause.Why)
	}
	return nil
}
