//go:build measure

package tests

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// drawSizes are how many texts of each kind a draw has, in the order printed.
var drawSizes = []struct {
	kind string
	n    int
}{{"function", 30}, {"comment", 30}, {"message", 20}, {"paragraph", 10}}

// A drawnText is a text that a reader judges: understood at the first reading or not.
type drawnText struct {
	rank        uint64 // by the seed
	place, text string
}

// TestDrawForReading prints random functions, comments, messages and paragraphs of documents for a
// reader to judge, by the seed in EVENTSEER_DRAW:
//
//	EVENTSEER_DRAW=1 go test -tags measure -run TestDrawForReading -v ./internal/tests
//
// A text's rank is the hash of the seed, its kind and the text, so a draw does not change with
// texts that are added elsewhere. A comment at the end of a line is shown with its code, a message
// that is concatenated as a whole, and a format with its arguments. Equal texts count once. Tests,
// generated webs and model cards are left out.
func TestDrawForReading(t *testing.T) {
	seed := os.Getenv("EVENTSEER_DRAW")
	if seed == "" {
		t.Skip("EVENTSEER_DRAW names no seed")
	}
	const root = "../.."
	texts := map[string][]drawnText{}
	seen := map[[2]string]bool{}
	add := func(kind, place, text string) {
		if seen[[2]string{kind, text}] {
			return
		}
		seen[[2]string{kind, text}] = true
		sum := sha256.Sum256([]byte(seed + "\n" + kind + "\n" + text))
		texts[kind] = append(texts[kind], drawnText{binary.BigEndian.Uint64(sum[:]), place, text})
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || strings.HasSuffix(d.Name(), "test") || name == "datasets/simweb"):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".md") && filepath.Dir(name) != "models" && name != "CHANGELOG.md":
			return addParagraphs(path, name, add)
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			return addGoTexts(path, name, add)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range drawSizes {
		all := texts[size.kind]
		slices.SortFunc(all, func(a, b drawnText) int {
			return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.place, b.place))
		})
		t.Logf("%ss: %d of %d", size.kind, size.n, len(all))
		for i, text := range all[:size.n] {
			t.Logf("%s %d, %s\n%s", size.kind, i+1, text.place, text.text)
		}
	}
}

// addGoTexts adds the functions, comments and messages of a Go file.
func addGoTexts(path, name string, add func(kind, place, text string)) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments)
	if err != nil {
		return err
	}
	place := func(n ast.Node) string { return fmt.Sprintf("%s:%d", name, set.Position(n.Pos()).Line) }
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			signature := source[set.Position(f.Pos()).Offset:set.Position(f.Type.End()).Offset]
			add("function", place(f), string(signature))
		}
	}
	for _, comment := range file.Comments {
		if len(strings.Fields(comment.Text())) > 4 {
			add("comment", place(comment), codeBefore(source, set.Position(comment.Pos()).Offset)+strings.TrimSpace(comment.Text()))
		}
	}
	code := func(n ast.Node) string {
		return string(source[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset])
	}
	following := map[ast.Node][]ast.Expr{} // the arguments of a call after each of them
	part := map[ast.Node]bool{}            // operands of the concatenations seen
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			for i, arg := range n.Args {
				following[arg] = n.Args[i+1:]
			}
		case *ast.BinaryExpr:
			part[n.X], part[n.Y] = n.Op == token.ADD, n.Op == token.ADD
		}
		switch n.(type) {
		case *ast.BasicLit, *ast.BinaryExpr:
			literals, text := messageText(n.(ast.Expr), code)
			if !part[n] && slices.ContainsFunc(append(literals, strings.Join(literals, "")), readsAsMessage) {
				add("message", place(n), text+formatArguments(text, following[n], code))
			}
		}
		return true
	})
	return nil
}

// messageText returns the string literals of an expression and its whole text, with the code of
// other operands in braces. It returns no literals if the expression is neither a literal nor a
// concatenation with one.
func messageText(expr ast.Expr, code func(ast.Node) string) (literals []string, text string) {
	switch e := expr.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return []string{text}, text
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			left, before := messageText(e.X, code)
			right, after := messageText(e.Y, code)
			return append(left, right...), before + after
		}
	}
	return nil, "{" + code(expr) + "}"
}

// readsAsMessage reports whether a text has more than four words and no sign of a pattern or template.
func readsAsMessage(text string) bool {
	return len(strings.Fields(text)) > 4 && !strings.ContainsAny(text, "\\|{}<\t")
}

// formatArguments returns the code of the arguments that follow a format in a call, because a
// reader of the message sees their values. It returns "" if text has no verbs.
func formatArguments(text string, following []ast.Expr, code func(ast.Node) string) string {
	if len(following) == 0 || !strings.Contains(text, "%") {
		return ""
	}
	var args []string
	for _, arg := range following {
		args = append(args, code(arg))
	}
	return "\n\t(" + strings.Join(args, ", ") + ")"
}

// codeBefore returns the code before a comment at the end of a line, such as "Limit int // ", or "".
func codeBefore(source []byte, offset int) string {
	line := source[bytes.LastIndexByte(source[:offset], '\n')+1 : offset]
	if code := strings.Join(strings.Fields(string(line)), " "); code != "" {
		return code + " // "
	}
	return ""
}

// addParagraphs adds the paragraphs of prose of a document, of at least ten words.
func addParagraphs(path, name string, add func(kind, place, text string)) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	line, code := 1, false
	for paragraph := range strings.SplitSeq(string(source), "\n\n") {
		at := line
		line += strings.Count(paragraph, "\n") + 2
		inside := code || strings.Contains(paragraph, "```")
		if strings.Count(paragraph, "```")%2 == 1 {
			code = !code
		}
		if !inside && len(strings.Fields(paragraph)) >= 10 && !strings.HasPrefix(strings.TrimSpace(paragraph), "|") {
			add("paragraph", fmt.Sprintf("%s:%d", name, at), strings.TrimSpace(paragraph))
		}
	}
	return nil
}
