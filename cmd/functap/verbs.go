package main

import (
	"errors"
	"flag"
	"strings"
)

// verb is one entry of the dispatch table.
type verb struct {
	name  string
	args  string // what follows the flags, for the usage line
	short string // one line for the overview
	help  string // examples first
	flags func(*options, *flag.FlagSet)
	// command: what follows -- is a program to start, unless -p is given.
	command bool
	run     func(*app, *options) error
}

// verbs in the order of the help. It is filled by init because help refers to
// it too.
var verbs []*verb

func init() {
	verbs = []*verb{&demoVerb, &listVerb, &statVerb, &graphVerb, &traceVerb, &statusVerb, &recoverVerb, &disasmVerb, &infoVerb}
}

// later are verbs that are not built yet, with what comes nearest today.
var later = map[string]string{
	"hist":    "functap graph shows how long each call takes",
	"record":  "functap stat --format json -o FILE keeps the counts",
	"report":  "functap stat prints its own results",
	"replace": "nothing comes near it yet; functap disasm shows a function's code",
	"restore": "functap recover takes out what a functap that has ended left",
	"inject":  "nothing comes near it yet; functap stat counts the calls",
}

func verbNamed(name string) *verb {
	for _, v := range verbs {
		if v.name == name {
			return v
		}
	}
	return nil
}

func verbList() string {
	names := make([]string, len(verbs))
	for i, v := range verbs {
		names[i] = v.name
	}
	return strings.Join(names, ", ")
}

func (a *app) runVerb(v *verb, args []string) error {
	o, err := parse(v, args)
	if errors.Is(err, flag.ErrHelp) {
		return a.help([]string{v.name})
	}
	if err != nil {
		return err
	}
	if err := o.openOutput(a); err != nil {
		return err
	}
	err = v.run(a, o)
	if cerr := o.closeOutput(err != nil); err == nil {
		err = cerr
	}
	return err
}
