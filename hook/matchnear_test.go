package hook

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestNear(t *testing.T) {
	libc := []string{"prince", "pricee", "prize", "rice", "trice", "prite", "handler_call", "handel", "main", "printf", "map", "mmap", "mapped"}
	for _, c := range []struct {
		asked string
		names []string
		want  []string // the first ones
	}{
		{"price", []string{"shop::Order::price", "shop::Order::price_of"}, []string{"shop::Order::price", "pricee", "shop::Order::price_of", "rice"}},
		{"handle", []string{"main.(*Server).handle", "main.(*Server).handle.func1"}, []string{"main.(*Server).handle", "handler_call"}},
		{"main.handle", []string{"main.(*Server).handle", "net.(*Conn).handle"}, []string{"main.(*Server).handle"}},
		{"main.Map", []string{"main.Map[...]", "main.Mop", "main.main"}, []string{"main.Map[...]", "main.Mop"}},
		{"shop::Priced::price", []string{"<shop::Order as shop::Priced>::price", "shop::Order::price"},
			[]string{"<shop::Order as shop::Priced>::price"}},
		{"shop::prise", []string{"shop::Order::price", "other::price"}, []string{"shop::Order::price"}},
		{"max", []string{"shop::max<shop::Order>", "shop::maximum"}, []string{"shop::max<shop::Order>", "shop::maximum"}},
		{"MAIN", nil, []string{"main"}},
		{"work_laef", []string{"work_leaf", "work_leaf_other"}, []string{"work_leaf"}},
		{"operator()", []string{"shop::cart::operator()"}, []string{"shop::cart::operator()"}},
		{"**", nil, nil},
	} {
		got := near(c.asked, slices.Concat(libc, c.names))
		if len(got) < len(c.want) || !slices.Equal(got[:len(c.want)], c.want) || len(got) > nearMost {
			t.Errorf("%s: %q, want %q first", c.asked, got, c.want)
		}
	}
}

func TestLastPart(t *testing.T) {
	for name, want := range map[string]string{
		"price": "price", "shop::Order::price": "price", "main.(*Server).handle": "handle",
		"main.Map[...]": "Map", "a.b/c.F[go.shape.int]": "F", "<a::B as c::D<e::F>>::g": "g",
		"f<a::b>": "f", "operator<": "operator<", "a::{{closure}}": "a::{{closure}}", "": "", ".": ".", "::": "::",
	} {
		if got := lastPart(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestElsewhere: the message keeps the module that was asked for.
func TestElsewhere(t *testing.T) {
	f := &finder{}
	err := f.elsewhere(&NoMatchError{Pattern: "memcpy", Near: []string{"memory"}}, "prog:memcpy", "memcpy")
	var no *NoMatchError
	if !errors.As(err, &no) || no.Pattern != "prog:memcpy" || !strings.Contains(err.Error(), "near names: memory") {
		t.Errorf("%v", err)
	}
	if err := f.elsewhere(nil, "prog:memcpy", "memcpy"); err != nil {
		t.Error(err)
	}
}
