package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"

	"github.com/functap/functap/hook"
)

var recoverVerb = verb{
	name:  "recover",
	args:  "-p PID",
	short: "take out what a functap that was killed has left",
	help: `
  functap recover -p 4711            put the process right
  functap recover -p 4711 --force    even if the functap at work there is alive
`,
	flags: func(o *options, fs *flag.FlagSet) {
		pidFlag(o, fs)
		outputFlags(o, fs)
		changeFlags(o, fs)
		fs.BoolVar(&o.force, "force", false, "also take out the work of a functap that is alive")
	},
	run: (*app).recover,
}

// recovered is a recovery in JSON.
type recovered struct {
	Type        string   `json:"type"`
	PID         int      `json:"pid"`
	Sites       int      `json:"sites"`
	Threads     int      `json:"threads"`
	Mappings    int      `json:"mappings"`
	Descriptors int      `json:"descriptors"`
	LeftBehind  []string `json:"left_behind"`
}

func (a *app) recover(o *options) error {
	if len(o.pids) == 0 || len(o.args) > 0 {
		return usagef("recover wants -p PID and nothing else")
	}
	for _, pid := range o.pids {
		c, err := hook.Recover(a.ctx, pid, &hook.RecoverOptions{AttachOptions: *o.attachOptions(a), Force: o.force})
		if errors.Is(err, hook.ErrBusy) {
			err = fmt.Errorf("%w, or take its work out with --force", err)
		}
		if err != nil {
			return err
		}
		if err := o.printRecovered(pid, c); err != nil {
			return err
		}
	}
	return nil
}

func (o *options) printRecovered(pid int, c hook.Cleaned) error {
	if o.json() {
		return json.NewEncoder(o.out).Encode(recovered{"recovered", pid, c.Sites, c.Threads, c.Mappings, c.Descriptors, append([]string{}, c.Left...)})
	}
	if c.Sites+c.Mappings+c.Descriptors == 0 {
		_, err := fmt.Fprintf(o.out, "process %d: nothing was left there\n", pid)
		return err
	}
	_, err := fmt.Fprintf(o.out, "process %d: %s restored, %s moved out of generated code, %s and %s removed\n",
		pid, number(c.Sites, "function"), number(c.Threads, "thread"), number(c.Mappings, "mapping"), number(c.Descriptors, "descriptor"))
	return err
}
