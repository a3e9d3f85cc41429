package x86

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
)

// names are what the calls in testdata/asm.txt may refer to.
var names = map[string]any{
	"None": None, "RAX": RAX, "RCX": RCX, "RDX": RDX, "RBX": RBX, "RSP": RSP, "RBP": RBP, "RSI": RSI, "RDI": RDI,
	"R8": R8, "R9": R9, "R10": R10, "R11": R11, "R12": R12, "R13": R13, "R14": R14, "R15": R15,
	"FS": FS, "GS": GS, "true": true,
	"CondO": CondO, "CondNO": CondNO, "CondB": CondB, "CondAE": CondAE, "CondE": CondE, "CondNE": CondNE,
	"CondBE": CondBE, "CondA": CondA, "CondS": CondS, "CondNS": CondNS, "CondP": CondP, "CondNP": CondNP,
	"CondL": CondL, "CondGE": CondGE, "CondLE": CondLE, "CondG": CondG,
	"At": At, "GSAt": GSAt, "FSAt": FSAt, "RIPTo": RIPTo, "Mem": Mem{},
}

// runCall makes one call, written in Go, of a method of a.
func runCall(a *Asm, call string, labels map[string]Label) error {
	e, err := parser.ParseExpr(call)
	if err != nil {
		return err
	}
	labels["Unbound"] = a.Label()
	c := e.(*ast.CallExpr)
	m := reflect.ValueOf(a).MethodByName(c.Fun.(*ast.Ident).Name)
	if !m.IsValid() {
		return fmt.Errorf("no method for %s", call)
	}
	m.Call(evalArgs(m.Type(), c.Args, labels))
	return nil
}

func evalArgs(f reflect.Type, args []ast.Expr, labels map[string]Label) (vs []reflect.Value) {
	for i, arg := range args {
		t := f.In(min(i, f.NumIn()-1))
		if f.IsVariadic() {
			t = t.Elem()
		}
		vs = append(vs, evalExpr(t, arg, labels))
	}
	return vs
}

// evalExpr is the value of e as a t; it panics on what the table does not use.
func evalExpr(t reflect.Type, e ast.Expr, labels map[string]Label) reflect.Value {
	switch e := e.(type) {
	case *ast.Ident:
		if l, ok := labels[e.Name]; ok {
			return reflect.ValueOf(l)
		}
		return reflect.ValueOf(names[e.Name])
	case *ast.CallExpr:
		f := reflect.ValueOf(names[e.Fun.(*ast.Ident).Name])
		return f.Call(evalArgs(f.Type(), e.Args, labels))[0]
	case *ast.CompositeLit:
		m := reflect.New(t).Elem()
		for _, el := range e.Elts {
			kv := el.(*ast.KeyValueExpr)
			f := m.FieldByName(kv.Key.(*ast.Ident).Name)
			f.Set(evalExpr(f.Type(), kv.Value, labels))
		}
		return m
	case *ast.UnaryExpr:
		return evalNumber(t, "-"+e.X.(*ast.BasicLit).Value)
	case *ast.BasicLit:
		return evalNumber(t, e.Value)
	}
	panic(fmt.Sprintf("unexpected %T at %v", e, token.Pos(e.Pos())))
}

func evalNumber(t reflect.Type, s string) reflect.Value {
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		u, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			panic(err)
		}
		n = int64(u)
	}
	return reflect.ValueOf(n).Convert(t)
}
