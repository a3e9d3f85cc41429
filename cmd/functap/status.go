package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/functap/functap/hook"
)

var statusVerb = verb{
	name:  "status",
	args:  "[-p PID]",
	short: "what is hooked, and by whom",
	help: `
  functap status            every process that has something of functap's
  functap status -p 4711    one process, function by function

USE is what happens at a function's calls: nothing (idle), they are counted, timed or
recorded; or unwinders are answered there ("answers"), so that exceptions get through
functions whose returns are hooked. USERS are how many do that, HITS the calls that the
first of them has seen.
`,
	flags: func(o *options, fs *flag.FlagSet) { pidFlag(o, fs); outputFlags(o, fs) },
	run:   (*app).status,
}

func (a *app) status(o *options) error {
	if len(o.args) > 0 {
		return usagef("status takes no arguments, only -p PID")
	}
	if len(o.pids) == 0 {
		return a.statusOfAll(o)
	}
	for _, pid := range o.pids {
		st, err := hook.Inspect(pid)
		if err != nil {
			return err
		}
		if err := o.printStatus(a, st, true); err != nil {
			return err
		}
	}
	return nil
}

// statusOfAll looks at every process that may be looked at.
func (a *app) statusOfAll(o *options) error {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	var pids []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	found := 0
	for _, pid := range pids {
		st, err := hook.Inspect(pid)
		if err != nil || st.Mappings+st.Descriptors == 0 {
			continue // gone, or not ours to look at, or nothing there
		}
		found++
		if err := o.printStatus(a, st, o.verbose); err != nil {
			return err
		}
	}
	if found == 0 {
		o.note(a, "nothing of functap's is in any process that may be looked at")
	}
	return nil
}

func (o *options) printStatus(a *app, st *hook.Status, sites bool) error {
	if o.json() {
		return o.jsonStatus(st)
	}
	if st.Mappings+st.Descriptors == 0 {
		_, err := fmt.Fprintf(o.out, "process %d: nothing of functap's\n", st.PID)
		return err
	}
	if len(st.Sessions) == 0 {
		fmt.Fprintf(o.out, "process %d: %s and %s of a functap that ended before it hooked anything; functap recover -p %d takes them out\n",
			st.PID, number(st.Mappings, "mapping"), number(st.Descriptors, "descriptor"), st.PID)
	}
	for _, s := range st.Sessions {
		fmt.Fprintf(o.out, "process %d: %s, %s\n", st.PID, number(len(s.Sites), "function"), owner(st.PID, s))
		if !sites {
			continue
		}
		o.head(a, fmt.Sprintf("%12s  %-9s %-8s %5s %14s %6s  %-20s %s", "ADDRESS", "STATE", "USE", "USERS", "HITS", "MISSED", "MODULE", "FUNCTION"))
		for _, site := range s.Sites {
			fmt.Fprintf(o.out, "%#12x  %-9s %-8s %5d %14s %6d  %-20s %s\n", site.Addr, site.State, use(site), site.Users, hits(s, site), 0, module(site), shortFunction(site))
		}
	}
	return nil
}

func owner(pid int, s hook.SessionStatus) string {
	if s.Forked {
		return fmt.Sprintf("inherited by a fork from a process hooked by functap with pid %d%s; calls here are not counted; functap recover -p %d takes them out%s",
			s.Owner, yes(s.Alive, ", which is alive", ""), pid, yes(s.Alive, " when that one has ended", ""))
	}
	if s.Alive {
		return fmt.Sprintf("by functap with pid %d, which is alive", s.Owner)
	}
	return fmt.Sprintf("by functap with pid %d, which has ended; functap recover -p %d takes them out", s.Owner, pid)
}

// use says what happens at a site: the most that a user does.
func use(s hook.SiteStatus) string {
	switch {
	case s.Program.Addr == 0:
		return "idle"
	case s.Answers:
		return "answers"
	case s.Recording > 0:
		return "recorded"
	case s.Measuring > 0:
		return "timed"
	}
	return "counted"
}

// hits: a fork child has none of its own.
func hits(s hook.SessionStatus, site hook.SiteStatus) string {
	if s.Forked {
		return "-"
	}
	return strconv.FormatUint(site.Hits, 10)
}

func module(s hook.SiteStatus) string {
	if s.Function == nil {
		return "?"
	}
	return s.Function.Image().Name
}

func function(s hook.SiteStatus) string {
	if s.Function == nil {
		return "?"
	}
	return s.Function.DisplayName()
}

func shortFunction(s hook.SiteStatus) string {
	if s.Function == nil {
		return "?"
	}
	return s.Function.ShortName()
}

// siteLine is one site in JSON.
type siteLine struct {
	Type   string         `json:"type"`
	PID    int            `json:"pid"`
	Owner  int            `json:"owner"`
	Alive  bool           `json:"owner_alive"`
	Func   string         `json:"func"`
	Module string         `json:"module"`
	Addr   string         `json:"addr"`
	State  hook.SiteState `json:"state"`
	Use    string         `json:"use"`
	Users  int            `json:"users"`
	Hits   uint64         `json:"hits"`
	Missed uint64         `json:"missed"`           // counting misses nothing
	Forked bool           `json:"forked,omitempty"` // inherited: calls here are not counted
	Timed  int            `json:"measuring"`        // users that keep durations
	Record int            `json:"recording"`        // of these, that write events
	Direct string         `json:"direct"`           // the direct call's target; direct calls are not built yet
}

// processLine is what is left of a functap that hooked nothing.
type processLine struct {
	Type        string `json:"type"`
	PID         int    `json:"pid"`
	Sessions    int    `json:"sessions"`
	Mappings    int    `json:"mappings"`
	Descriptors int    `json:"descriptors"`
}

func (o *options) jsonStatus(st *hook.Status) error {
	enc := json.NewEncoder(o.out)
	if err := enc.Encode(processLine{"process", st.PID, len(st.Sessions), st.Mappings, st.Descriptors}); err != nil {
		return err
	}
	for _, s := range st.Sessions {
		for _, site := range s.Sites {
			err := enc.Encode(siteLine{"site", st.PID, s.Owner, s.Alive, function(site), module(site),
				fmt.Sprintf("%#x", site.Addr), site.State, use(site), site.Users, site.Hits, 0, s.Forked, site.Measuring, site.Recording, ""})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
