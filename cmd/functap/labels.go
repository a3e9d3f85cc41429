package main

import (
	"context"
	"fmt"

	"github.com/functap/functap/hook"
)

// labels are the functions' short names. Where several of one module would be shown by
// the same one, such as instances of a generic function, each gets what tells it apart:
// its full name, its symbol, or its address, all of which are patterns too. If ctx ends,
// the labels are not whole.
func labels(ctx context.Context, funcs []*hook.Function) []string {
	out := make([]string, len(funcs))
	names := map[[2]string]int{}
	for i, f := range funcs {
		if ctx.Err() != nil {
			return out
		}
		out[i] = f.ShortName()
		names[nameKey(f, out[i])]++
	}
	seen := map[[2]string]int{}
	for i, f := range funcs {
		if names[nameKey(f, out[i])] > 1 {
			seen[nameKey(f, f.DisplayName())]++
			seen[nameKey(f, "="+f.Name())]++ // a C function has but one name, which must not count twice
		}
	}
	for i, f := range funcs {
		if names[nameKey(f, out[i])] > 1 {
			out[i] = distinct(f, out[i], seen)
		}
	}
	return out
}

func nameKey(f *hook.Function, name string) [2]string { return [2]string{f.Image().Path, name} }

func distinct(f *hook.Function, short string, seen map[[2]string]int) string {
	switch {
	case seen[nameKey(f, f.DisplayName())] == 1:
		return f.DisplayName()
	case seen[nameKey(f, "="+f.Name())] == 1:
		return fmt.Sprintf("%s [%s]", short, f.Name())
	}
	return fmt.Sprintf("%s [%#x]", short, f.Addr())
}
