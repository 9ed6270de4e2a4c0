package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A mutant is one mistake: the bytes [from, to) of a file replaced by text.
type mutant struct {
	file     string // slash-separated, from the module's root
	function string // with its receiver's type; "" outside functions
	line     int
	from, to int
	text     string
	src      []byte
}

func (m *mutant) source() []byte {
	return append(append(append([]byte(nil), m.src[:m.from]...), m.text...), m.src[m.to:]...)
}

// lines are the source lines the mistake touches, before and after, in one line each.
func (m *mutant) lines() (before, after string) {
	start, end := m.from, m.to
	for start > 0 && m.src[start-1] != '\n' {
		start--
	}
	for end < len(m.src) && m.src[end] != '\n' {
		end++
	}
	return oneLine(string(m.src[start:end])), oneLine(string(m.src[start:m.from]) + m.text + string(m.src[m.to:end]))
}

// describe is a block as equivalent.txt holds it, after the place.
func (m *mutant) describe() string {
	before, after := m.lines()
	return fmt.Sprintf("%s:%d\n%s %s\n- %s\n+ %s\n", m.file, m.line, m.file, m.function, before, after)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// opposite is the operator in the mutant.
var opposite = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN,
}

// A finder walks a file and notes its mutants.
type finder struct {
	fset  *token.FileSet
	file  string
	src   []byte
	scope string
	found []mutant
}

func mutantsOf(path string) ([]mutant, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := finder{fset: token.NewFileSet(), file: filepath.ToSlash(path), src: src}
	tree, err := parser.ParseFile(f.fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range tree.Decls {
		f.scope = scopeOf(d)
		ast.Inspect(d, f.visit)
	}
	return f.found, nil
}

// scopeOf is a function's name with its receiver's type.
func scopeOf(d ast.Decl) string {
	fn, ok := d.(*ast.FuncDecl)
	if !ok {
		return ""
	}
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	return fmt.Sprint(t) + "." + fn.Name.Name
}

func (f *finder) visit(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.BinaryExpr:
		f.operator(n.OpPos, n.Op)
	case *ast.UnaryExpr:
		if n.Op == token.SUB {
			f.add(n.OpPos, n.OpPos+1, "")
		}
	case *ast.AssignStmt:
		f.operator(n.TokPos, n.Tok)
		f.dropAssignment(n)
	case *ast.IncDecStmt:
		f.add(n.TokPos, n.End(), map[token.Token]string{token.INC: "--", token.DEC: "++"}[n.Tok])
	case *ast.ExprStmt:
		f.add(n.Pos(), n.End(), "")
	case *ast.IfStmt:
		f.dropExit(n.Body)
	case *ast.BasicLit:
		f.number(n)
	case *ast.CallExpr:
		return !isInf(n)
	}
	return true
}

// isInf reports whether a call is math.Inf(1), which is math.Inf(0) too.
func isInf(n *ast.CallExpr) bool {
	f, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "Inf" {
		return false
	}
	_, number := n.Args[0].(*ast.BasicLit)
	return number
}

func (f *finder) add(from, to token.Pos, text string) {
	at := f.fset.Position(from)
	f.found = append(f.found, mutant{
		file: f.file, function: f.scope, line: at.Line,
		from: at.Offset, to: f.fset.Position(to).Offset, text: text, src: f.src,
	})
}

func (f *finder) operator(at token.Pos, op token.Token) {
	if other, ok := opposite[op]; ok {
		f.add(at, at+token.Pos(len(op.String())), other.String())
	}
}

// dropAssignment computes the right-hand side and forgets the result, so that no variable
// or import is left without a use. What is forgotten already is left out altogether.
func (f *finder) dropAssignment(n *ast.AssignStmt) {
	if n.Tok == token.DEFINE {
		return
	}
	blanks := strings.TrimSuffix(strings.Repeat("_, ", len(n.Lhs)), ", ")
	if string(f.src[f.fset.Position(n.Pos()).Offset:f.fset.Position(n.TokPos).Offset-1]) == blanks {
		f.add(n.Pos(), n.End(), "")
		return
	}
	f.add(n.Pos(), n.Rhs[0].Pos(), blanks+" = ")
}

// dropExit takes the return, continue or break that ends an if's body.
func (f *finder) dropExit(body *ast.BlockStmt) {
	if len(body.List) == 0 {
		return
	}
	switch last := body.List[len(body.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		f.add(last.Pos(), last.End(), "")
	}
}

// number is 0 for 1 and 1 for 0, c + 1 for another integer, 2c for another float.
func (f *finder) number(n *ast.BasicLit) {
	value, err := strconv.ParseFloat(n.Value, 64)
	if err != nil {
		return // a word, or an integer in another base
	}
	text := strconv.FormatFloat(2*value, 'g', -1, 64)
	switch {
	case value == 0:
		text = "1"
	case value == 1:
		text = "0"
	case n.Kind == token.INT:
		text = strconv.Itoa(int(value) + 1)
	}
	f.add(n.Pos(), n.End(), text)
}
