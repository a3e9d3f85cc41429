package arena

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestLayoutPage compares the offsets and sizes that docs/layout.md draws with
// the constants that the code uses.
func TestLayoutPage(t *testing.T) {
	b, err := os.ReadFile("../../docs/layout.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	if !strings.Contains(page, "version "+strconv.Itoa(Version)+"\n") {
		t.Errorf("the page is not for version %d", Version)
	}
	section := func(title string) string {
		_, rest, ok := strings.Cut(page, "\n## "+title)
		if !ok {
			t.Fatalf("no section %q", title)
		}
		s, _, _ := strings.Cut(rest, "\n## ")
		return s
	}
	offset := func(sect, field string) int {
		m := regexp.MustCompile(`(?m)(?:^|[ ,;])\s*(\d+)\s+` + regexp.QuoteMeta(field) + `\b`).FindStringSubmatch(sect)
		if m == nil {
			t.Fatalf("no field %q in %q", field, strings.SplitN(sect, "\n", 2)[0])
		}
		n, _ := strconv.Atoi(m[1])
		return n
	}
	area, site, unit, head := section("Area, "), section("Site record, "), section("Unit, "), section("Header, ")
	frame, stats := section("Frame, "), section("Statistics, ")
	for _, c := range []struct {
		sect, field string
		want        int
	}{
		{area, "owner", AreaOwner}, {area, "claimed", AreaClaimed}, {area, "claims", AreaClaims},
		{area, "spent", AreaSpent}, {area, "current", AreaCurrent}, {area, "window", AreaWindow}, {area, "span", AreaSpan}, {area, "m", AreaM}, {area, "cells", AreaCells},
		{site, "state", siteStateOff}, {unit, "kind", unitKindOff},
		{head, "lock", LockOff}, {head, "settled", SettledOff}, {head, "next", RobustOff}, {head, "tracer pid", ownerOff}, {head, "its start time", fieldOff},
		{head, "frames addr", frameOff}, {head, "unwind size", unwindOff}, {site, "about", siteKindOff},
		{unit, "an answer", int(AnswerRestart)}, {unit, "it has answered", int(AnswerReturn)},
		{frame, "slot", FrameSlot}, {frame, "ra", FrameRA}, {frame, "time", FrameTime}, {frame, "back", FrameBack},
		{frame, "stats", FrameStats}, {frame, "spent", FrameSpent}, {frame, "outer", FrameOuter}, {frame, "joined", FrameJoined}, {frame, "site", FrameSite},
		{stats, "calls", StatCalls}, {stats, "total", StatTotal}, {stats, "max", StatMax}, {stats, "missed", StatMissed},
		{stats, "unwound", StatUnwound}, {stats, "inflight", StatInflight}, {stats, "clamped", StatClamped},
		{stats, "buckets", StatBuckets}, {stats, "self", StatSelf}, {stats, "known", StatKnown}, {unit, "recorded", int(CallRecorded)}, {unit, "back", int(CallBack)},
		{unit, "returns", int(CallReturns)}, {unit, "dropped", int(CallDropped)},
	} {
		if got := offset(c.sect, c.field); got != c.want {
			t.Errorf("%s: the page says %d, the code %d", c.field, got, c.want)
		}
	}
	for text, want := range map[string]int{
		"## Frame, %d bytes": FrameSize, "## Statistics, %d cells": StatCells,
		"((slot>>19)*0x1f3d + (slot>>3)) &\n%d": FrameMask, "window of %d that": FrameWindow,
		"## Area, %d bytes": AreaSize, "## Site record, %d bytes": SiteSize, "## Unit, %d bytes": UnitSize,
		"and exits, %d bytes": ExitSize, "slots            |  %d bytes a site": SlotSize,
		"shared cells     |  %d bytes a cell": CellSize, "site records     | %d bytes a site": SiteSize,
		"units            | %d bytes a unit": UnitSize,
	} {
		if s := strings.Replace(text, "%d", strconv.Itoa(want), 1); !strings.Contains(page, s) {
			t.Errorf("the page does not say %q", s)
		}
	}
}
