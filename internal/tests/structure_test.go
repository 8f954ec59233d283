package tests

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Bounds of ARCHITECTURE.md, section 1.
const (
	maxMethodFiles = 8      // files in which the methods of one type lie
	maxAppMethods  = 40     // of app.App
	maxCommand     = 13_500 // lines of cmd/eventseer without its internal packages
	maxInternal    = 4_000  // lines of each of engine, serve and snapshot
)

// spreadTypes are types whose methods may lie in more files: the one server type of
// the pages.
var spreadTypes = []string{"eventseer/ui.server"}

// packageSize is the size of one package without its tests. Code is lines without
// comments, imports and blank ones.
type packageSize struct {
	name                         string
	files, lines, code, exported int
}

// TestStructure prints the size of every package and how far types are spread, and
// holds the bounds. The table is printed with -v.
func TestStructure(t *testing.T) {
	var sizes []packageSize
	spread := map[string]map[string]bool{} // package.Type → files with its methods
	methods := map[string]int{}
	var total packageSize
	for _, p := range listPackages(t) {
		size := packageSize{name: strings.TrimPrefix(p.ImportPath, module)}
		for _, name := range p.GoFiles {
			path := filepath.Join(p.Dir, name)
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			size.files++
			size.lines += bytes.Count(src, []byte("\n"))
			size.code += codeLines(src)
			for _, d := range file.Decls {
				size.exported += exportedNames(d)
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
					key := size.name + "." + receiver(f)
					if spread[key] == nil {
						spread[key] = map[string]bool{}
					}
					spread[key][name] = true
					methods[key]++
				}
			}
		}
		sizes = append(sizes, size)
		total.files += size.files
		total.lines += size.lines
		total.code += size.code
		total.exported += size.exported
	}
	for _, s := range sizes {
		t.Logf("%-44s %4d files %6d lines %6d of code %4d exported", s.name, s.files, s.lines, s.code, s.exported)
		switch strings.TrimPrefix(s.name, "cmd/eventseer") {
		case "":
			atMost(t, s.name+": lines", s.lines, maxCommand)
		case "/internal/engine", "/internal/serve", "/internal/snapshot":
			atMost(t, s.name+": lines", s.lines, maxInternal)
		}
	}
	t.Logf("%-44s %4d files %6d lines %6d of code %4d exported", "together", total.files, total.lines, total.code, total.exported)
	var types []string
	for key := range spread {
		types = append(types, key)
	}
	slices.SortFunc(types, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(spread[b]), len(spread[a])), cmp.Compare(a, b))
	})
	for i, key := range types {
		if i < 10 {
			t.Logf("methods of %-40s %4d in %d files", key, methods[key], len(spread[key]))
		}
		if !slices.Contains(spreadTypes, key) {
			atMost(t, key+": files with methods", len(spread[key]), maxMethodFiles)
		}
	}
	const app = "cmd/eventseer/internal/app.App"
	t.Logf("methods of %-40s %4d", app, methods[app])
	atMost(t, app+": methods", methods[app], maxAppMethods)
}

func atMost(t *testing.T, what string, got, bound int) {
	t.Helper()
	if got > bound {
		t.Errorf("%s: %d, at most %d", what, got, bound)
	}
}

// codeLines counts the lines of a file that hold a token other than those of its imports.
func codeLines(src []byte) (n int) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	last, importing, depth := 0, false, 0
	for {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return n
		case tok == token.IMPORT:
			importing = true
		case importing && tok == token.LPAREN:
			depth++
		case importing && tok == token.RPAREN:
			depth--
		case importing && tok == token.SEMICOLON && depth == 0:
			importing = false
		case !importing && (tok != token.SEMICOLON || lit != "\n"):
			first := file.Line(pos)
			end := first + strings.Count(lit, "\n")
			n += end - max(first-1, last)
			last = end
		}
	}
}

// exportedNames counts the exported package-level names of a declaration.
func exportedNames(d ast.Decl) (n int) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			n++
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						n++
					}
				}
			}
		}
	}
	return n
}

// receiver is the name of the type of a method.
func receiver(f *ast.FuncDecl) string {
	expr := f.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	switch x := expr.(type) {
	case *ast.IndexExpr:
		expr = x.X
	case *ast.IndexListExpr:
		expr = x.X
	}
	return fmt.Sprint(expr)
}
