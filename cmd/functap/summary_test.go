package main

import (
	"strings"
	"testing"
)

// TestAccount: what is recorded and what is lost make up what was entered, and where more is
// recorded the summary says so, and counts on from nothing below zero.
func TestAccount(t *testing.T) {
	for _, c := range []struct {
		entries, exits, missing uint64 // of the events
		longer                  bool
		recorded, lost, counted uint64
		wrong                   string
	}{
		{entries: 10, exits: 9, recorded: 10, lost: 0, counted: 10},
		{entries: 7, exits: 9, missing: 5, recorded: 7, lost: 3, counted: 7},
		{entries: 0, missing: 20, recorded: 0, lost: 10, counted: 0},
		{entries: 12, exits: 9, recorded: 12, lost: 0, counted: 10, wrong: "BUG: process 7: 12 calls are recorded of 10 entries"},
		{longer: true, exits: 4, missing: 2, recorded: 4, lost: 2, counted: 8},
		{longer: true, exits: 4, missing: 50, recorded: 4, lost: 10, counted: 0},
	} {
		rec := &recording{}
		rec.entries.Store(c.entries)
		rec.exits.Store(c.exits)
		rec.missing.Store(c.missing)
		s := &summary{PID: 7, Calls: 12, Missed: 2, Entries: 10, Exits: 9, Inflight: 1, Counted: 10}
		rec.account(s, c.longer)
		if s.RecordedCalls != c.recorded || s.Lost != c.lost || s.Counted != c.counted {
			t.Errorf("%+v: %d recorded, %d lost, %d counted", c, s.RecordedCalls, s.Lost, s.Counted)
		}
		err := s.check()
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
