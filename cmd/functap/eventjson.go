package main

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/functap/functap/fgraph"
)

// eventLine is one event in JSON.
type eventLine struct {
	Type    string `json:"type"`
	TS      string `json:"ts"` // nanoseconds since the epoch
	PID     int    `json:"pid"`
	TID     int    `json:"tid"`
	Depth   *int   `json:"depth,omitempty"`
	Func    string `json:"func,omitempty"`
	Module  string `json:"module,omitempty"`
	Addr    string `json:"addr,omitempty"`
	Dur     *int64 `json:"dur,omitempty"` // nanoseconds
	Self    *int64 `json:"self_ns,omitempty"`
	Unwound bool   `json:"unwound,omitempty"`
	Unsure  bool   `json:"unsure,omitempty"`
	Missing uint64 `json:"missing,omitempty"`
}

func (o *options) eventJSON(pid int, e fgraph.Event) {
	l := eventLine{Type: "lost", TS: strconv.FormatInt(e.Time.UnixNano(), 10), PID: pid, TID: e.TID,
		Unwound: e.Unwound, Unsure: e.Unsure, Missing: e.Missing}
	if e.Function != nil {
		l.Func, l.Module, l.Addr = e.Function.DisplayName(), e.Function.Image().Name, fmt.Sprintf("%#x", e.Function.Addr())
	}
	if e.Depth >= 0 && e.Type != fgraph.Lost {
		l.Depth = &e.Depth
	}
	switch e.Type {
	case fgraph.Entry:
		l.Type = "entry"
	case fgraph.Exit:
		l.Type = "exit"
		d := e.Duration.Nanoseconds()
		l.Dur = &d
		if self := e.Self.Nanoseconds(); self >= 0 {
			l.Self = &self
		}
	}
	_ = json.NewEncoder(o.out).Encode(l) // the buffer keeps its error
}
