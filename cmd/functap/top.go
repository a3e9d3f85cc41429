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

	"github.com/functap/functap/trampoline"
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

// top is one target's part of the screen: the calls since the last time it was
// drawn decide over the order.
type top struct {
	t     *target
	o     *options
	began time.Time
	last  time.Time
	calls map[uint64]uint64 // by function's address, the last time
}

func (p *top) draw(b *strings.Builder, columns, rows int) {
	counts, sum := p.t.calls()
	now := time.Now()
	rates := p.rates(counts, now)
	line := func(style, text string) {
		text = cutTo(text, columns)
		if style != "" {
			text = p.o.paint(style, text)
		}
		b.WriteString(text + eraseRest + "\n")
	}
	line("", fmt.Sprintf("%s (%d)  %s  %.0f s  %s of %s; ^C ends", p.t.name, p.t.pid, now.Format(time.TimeOnly),
		now.Sub(p.began).Seconds(), number(sum, "call"), number(len(counts), "function")))
	line("1", tableHead)
	slices.SortStableFunc(counts, func(x, y trampoline.FunctionCount) int {
		return cmp.Or(cmp.Compare(rates[y.Function.Addr()], rates[x.Function.Addr()]), cmp.Compare(y.Calls, x.Calls))
	})
	for i, name := range labelsOf(counts[:min(len(counts), max(rows-3, 1))]) {
		line("", tableLine(counts[i], name, rates[counts[i].Function.Addr()]))
	}
}

// rates are calls per second since the last time.
func (p *top) rates(counts []trampoline.FunctionCount, now time.Time) map[uint64]float64 {
	since := p.last
	if p.calls == nil {
		since = p.began
	}
	rates, calls := map[uint64]float64{}, map[uint64]uint64{}
	for _, c := range counts {
		at := c.Function.Addr()
		calls[at] = c.Calls
		rates[at] = rate(c.Calls-p.calls[at], now.Sub(since))
	}
	p.calls, p.last = calls, now
	return rates
}

// cutTo cuts a line to a number of characters.
func cutTo(text string, columns int) string {
	if utf8.RuneCountInString(text) <= columns {
		return text
	}
	return string([]rune(text)[:columns])
}
