package hook_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/functap/functap/hook"
)

// Attach, hook every function of the program, and put everything back. The
// functions run as before, by way of their stubs: see package trampoline for
// what can be attached to them.
func ExampleAttach() {
	ctx, pid := context.Background(), 4711
	p, err := hook.Attach(ctx, pid, &hook.AttachOptions{MaxPause: 50 * time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()

	sites, refused, err := p.Sites(hook.Match{})
	if err != nil {
		log.Fatal(err)
	}
	patch, err := p.Patch(ctx, sites)
	if err != nil {
		log.Fatal(err) // nothing has changed
	}
	fmt.Println(len(patch.Slots), "functions hooked,", len(refused)+len(patch.Refused), "refused")
	for _, pause := range p.Pauses() {
		fmt.Println(pause.Threads, "threads stood still for", pause.Stopped)
	}
}

// Patterns choose functions; each that cannot be hooked says why.
func ExampleProcess_Sites() {
	p, err := hook.Attach(context.Background(), 4711, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	sites, refused, err := p.Sites(hook.Match{
		Include: []string{"libc:mem*", "processCommand"},
		Exclude: []string{"memfd_create"},
	})
	var no *hook.NoMatchError
	if errors.As(err, &no) {
		log.Fatalf("%s? perhaps one of %q", no.Pattern, no.Near)
	}
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range sites {
		fmt.Printf("%#x %s by %s\n", s.Addr(), s.Function.DisplayName(), s.Tactic())
	}
	for _, r := range refused {
		fmt.Printf("%s: %s\n", r.Function, r.Reason.Explain())
	}
}

// After a tracer was killed, its target runs on, hooked. Recover takes the hooks
// out, and so would the next Attach.
func ExampleRecover() {
	done, err := hook.Recover(context.Background(), 4711, nil)
	if errors.Is(err, hook.ErrBusy) {
		log.Fatal("its tracer is alive: ", err)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.Sites, "functions restored")
}

// A file can be judged without any process.
func ExampleOpenFile() {
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	im, err := hook.OpenFile(self)
	if err != nil {
		log.Fatal(err)
	}
	defer im.Close()
	funcs, err := im.Select(hook.Match{Include: []string{"runtime.mallocgc", "runtime.gogo"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range funcs {
		s, err := f.Site()
		var no *hook.UnpatchableError
		switch {
		case errors.As(err, &no):
			fmt.Println(f.Name(), no.Reason)
		case err != nil:
			log.Fatal(err)
		default:
			fmt.Println(f.Name(), s.Tactic())
		}
	}
	// Unordered output:
	// runtime.mallocgc window
	// runtime.gogo NEVER_HOOK
}
