package plotting

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"text/template/parse"
)

// Raw is markup, a style or a script: Execute writes it as it is.
type Raw string

// Template is a page in the language of package text/template: fields, variables, if, range, with, template, and the
// functions len, gt and index. Execute escapes all text but Raw for HTML. It calls no methods by their names, as
// html/template does: for that the linker keeps all methods of all types, a tenth of the program.
type Template map[string]*parse.Tree

// NewTemplate is a template of a page and of further texts that it may use. A fault in a text panics.
func NewTemplate(page string, more ...string) Template {
	t := Template{}
	functions := map[string]any{"len": true, "gt": true, "index": true}
	for i, text := range append([]string{page}, more...) {
		if _, err := parse.New(strconv.Itoa(i)).Parse(text, "", "", t, functions); err != nil {
			panic("plotting: " + err.Error())
		}
	}
	return t
}

// Execute writes the page with the fields of in. A field that is not there panics.
func (t Template) Execute(w io.Writer, in any) error {
	out := bufio.NewWriter(w)
	v := reflect.ValueOf(in)
	t.write(out, t["0"].Root, v, &variable{"$", v, nil})
	return out.Flush()
}

// variable is the newest variable that a node sees.
type variable struct {
	name   string
	v      reflect.Value
	before *variable
}

var escaper = strings.NewReplacer("\x00", "\uFFFD", `"`, "&#34;", "&", "&amp;", "'", "&#39;", "+", "&#43;", "<", "&lt;",
	">", "&gt;")

func (t Template) write(out *bufio.Writer, list *parse.ListNode, dot reflect.Value, vars *variable) {
	if list == nil { // no else
		return
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.TextNode:
			out.Write(n.Text)
		case *parse.ActionNode:
			v := value(n.Pipe, dot, vars)
			switch {
			case len(n.Pipe.Decl) > 0:
				vars = &variable{n.Pipe.Decl[0].Ident[0], v, vars}
			case v.Type() == reflect.TypeFor[Raw]():
				out.WriteString(v.String())
			default:
				escaper.WriteString(out, fmt.Sprint(v.Interface()))
			}
		case *parse.IfNode:
			if holds(value(n.Pipe, dot, vars)) {
				t.write(out, n.List, dot, vars)
			} else {
				t.write(out, n.ElseList, dot, vars)
			}
		case *parse.WithNode:
			if v := value(n.Pipe, dot, vars); holds(v) {
				t.write(out, n.List, v, vars)
			} else {
				t.write(out, n.ElseList, dot, vars)
			}
		case *parse.RangeNode:
			list := value(n.Pipe, dot, vars)
			for i := range list.Len() {
				within := vars
				if d := n.Pipe.Decl; len(d) == 2 {
					within = &variable{d[1].Ident[0], list.Index(i), &variable{d[0].Ident[0], reflect.ValueOf(i), vars}}
				}
				t.write(out, n.List, list.Index(i), within)
			}
		case *parse.TemplateNode:
			v := value(n.Pipe, dot, vars)
			t.write(out, t[n.Name].Root, v, &variable{"$", v, nil})
		default:
			panic("plotting: template: no " + node.String())
		}
	}
}

// value is what a node of an action says.
func value(node parse.Node, dot reflect.Value, vars *variable) reflect.Value {
	switch n := node.(type) {
	case *parse.PipeNode:
		args := n.Cmds[0].Args
		if len(args) == 1 {
			return value(args[0], dot, vars)
		}
		of := value(args[1], dot, vars)
		switch args[0].String() {
		case "gt":
			return reflect.ValueOf(of.Int() > value(args[2], dot, vars).Int())
		case "index":
			return of.Index(int(value(args[2], dot, vars).Int()))
		default:
			return reflect.ValueOf(of.Len())
		}
	case *parse.FieldNode:
		return field(dot, n.Ident)
	case *parse.VariableNode:
		for vars.name != n.Ident[0] {
			vars = vars.before
		}
		return field(vars.v, n.Ident[1:])
	case *parse.NumberNode:
		return reflect.ValueOf(n.Int64)
	}
	return dot
}

func field(of reflect.Value, names []string) reflect.Value {
	for _, name := range names {
		of = reflect.Indirect(of).FieldByName(name)
	}
	return of
}

// holds reports whether a value is neither empty nor zero. A struct always holds.
func holds(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.String:
		return v.Len() > 0
	case reflect.Struct:
		return true
	}
	return !v.IsZero()
}
