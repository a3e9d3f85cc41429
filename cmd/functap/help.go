package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

func (a *app) overview(w io.Writer) {
	fmt.Fprint(w, `functap hooks functions of running programs and leaves without a trace.

usage: functap VERB [flags] [PATTERN...]

`)
	for _, v := range verbs {
		fmt.Fprintf(w, "  %-8s %s\n", v.name, v.short)
	}
	fmt.Fprint(w, `
functap help VERB tells more about a verb, functap help patterns how functions
are named. Flags may stand before or after patterns; -- ends them.
Exit status: 0 done, 1 failed, 2 wrong usage, 3 the target ended too early.
`)
}

const patternHelp = `A pattern is, in this order:

  processCommand      an exact name; every character stands for itself:
                      'main.(*Server).handle', 'operator()', 'F[...]'
  'str*'              a glob: * any characters, ? one, [a-z] one of these
  '/^get_.*_nolock$/' a regular expression, anywhere in the name
  0x401136            the address of a function's first byte
  'libc:mem*'         only in the modules called so; the first part may be a
                      glob of their base names

A \ takes the next character of a glob as it is. -x PATTERN leaves functions
out. [...] in a glob is any type arguments of a Go function: 'main.Map[...]'.
C++ and Rust functions go by their symbol or their demangled name, with or
without parameters. Of several names of one function the one that matches is
shown. A pattern that matches nothing is an error.
`

func (a *app) help(args []string) error {
	if len(args) == 0 {
		a.overview(a.stdout)
		return nil
	}
	if args[0] == "patterns" {
		fmt.Fprint(a.stdout, patternHelp)
		return nil
	}
	v := verbNamed(args[0])
	switch {
	case v != nil:
		v.printHelp(a.stdout)
		return nil
	case later[args[0]] != "":
		return usagef("%s is not in this version; %s", args[0], later[args[0]])
	}
	return usagef("there is no verb %q; functap help lists them", args[0])
}

func (v *verb) printHelp(w io.Writer) {
	fmt.Fprintf(w, "%s\n\nusage: functap %s [flags] %s\n\n%s\n\nflags:\n",
		strings.Trim(v.help, "\n"), v.name, v.args, v.short)
	v.flagSet(&options{}).VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		name := "-" + f.Name
		if len(f.Name) > 1 {
			name = "--" + f.Name
		}
		if value != "" {
			name += " " + value
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" && f.DefValue != "[]" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(w, "  %-22s %s\n", name, usage)
	})
}
