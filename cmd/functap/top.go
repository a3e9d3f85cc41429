package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// The terminal's other screen, which --top has to itself.
const (
	otherScreen = "\x1b[?1049h\x1b[?25l" // and no cursor
	firstScreen = "\x1b[?25h\x1b[?1049l"
	redraw      = "\x1b[H"
	eraseRest   = "\x1b[K"
	eraseBelow  = "\x1b[J"
)

const refresh = time.Second / 2

// live returns what refreshes a table on the terminal, and what ends that.
func (a *app) live(o *options, targets []*target) (tick, end func()) {
	if !o.top || !isTerminal(a.stdout) || o.json() {
		return func() {}, func() {}
	}
	tops := make([]*top, len(targets))
	for i, t := range targets {
		tops[i] = &top{t: t, o: o, began: time.Now()}
	}
	var last time.Time
	fmt.Fprint(a.stdout, otherScreen)
	return func() {
		if time.Since(last) < refresh {
			return
		}
		last = time.Now()
		columns, rows := screen(a.stdout)
		var b strings.Builder
		b.WriteString(redraw)
		for _, t := range tops {
			t.draw(&b, columns, rows/len(tops))
		}
		b.WriteString(eraseBelow)
		fmt.Fprint(a.stdout, b.String())
	}, func() { fmt.Fprint(a.stdout, firstScreen) }
}

// screen is the size of the terminal.
func screen(w io.Writer) (columns, rows int) {
	if f, ok := w.(*os.File); ok {
		if columns, rows, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 && rows > 0 {
			return columns, rows
		}
	}
	return 80, 24
}

// top is one target's part of the screen: what has happened since the last time it was
// drawn decides over the order.
type top struct {
	t     *target
	o     *options
	began time.Time
	last  time.Time
	was   map[uint64]row // by function's address, the last time
}

// topRow is a row and its change since the last time.
type topRow struct {
	row
	spent time.Duration
	rate  float64 // calls per second
}

func (p *top) draw(b *strings.Builder, columns, lines int) {
	now := time.Now()
	rows := p.changed(now)
	line := func(style, text string) {
		text = cutTo(text, columns)
		if style != "" {
			text = p.o.paint(style, text)
		}
		b.WriteString(text + eraseRest + "\n")
	}
	sum := uint64(0)
	for _, r := range rows {
		sum += r.Calls
	}
	line("", fmt.Sprintf("%s (%d)  %s  %.0f s  %s of %s; ^C ends", p.t.name, p.t.pid, now.Format(time.TimeOnly),
		now.Sub(p.began).Seconds(), number(sum, "call"), number(len(rows), "function")))
	head, text := tableHead, func(r topRow, name string) string { return tableLine(r.FunctionCount, name, r.rate) }
	if p.t.durations != nil {
		head, text = topHead, topLine
	}
	line("1", head)
	shown := rows[:min(len(rows), max(lines-3, 1))]
	for i, name := range labelsOf(shown) {
		line("", text(shown[i], name))
	}
}

// What is last may be cut off where the terminal is narrow.
var topHead = fmt.Sprintf("%12s %11s %11s %10s %10s  %-28s %s", "CALLS", "CALLS/S", "TOTAL", "AVG", "MAX", "FUNCTION", "MODULE")

func topLine(r topRow, name string) string {
	f := r.timesOrNone()
	return fmt.Sprintf("%12d %11.0f %11s %10s %10s  %-28s %s", r.Calls, r.rate, short(f.Total), short(f.Average()),
		short(f.Max), name, r.Function.Image().Name)
}

// changed are the rows in the order of what they took since the last time, and where that
// is not known, of their calls.
func (p *top) changed(now time.Time) (rows []topRow) {
	since := p.last
	if p.was == nil {
		since = p.began
	}
	was := map[uint64]row{}
	for _, r := range p.t.rows() {
		at := r.Function.Addr()
		was[at] = r
		rows = append(rows, topRow{r, r.total() - p.was[at].total(), rate(r.Calls-p.was[at].Calls, now.Sub(since))})
	}
	p.was, p.last = was, now
	slices.SortStableFunc(rows, func(x, y topRow) int {
		return cmp.Or(cmp.Compare(y.spent, x.spent), cmp.Compare(y.rate, x.rate), byWeight(x.row, y.row))
	})
	return rows
}

// cutTo cuts a line to a number of characters.
func cutTo(text string, columns int) string {
	if utf8.RuneCountInString(text) <= columns {
		return text
	}
	return string([]rune(text)[:columns])
}
