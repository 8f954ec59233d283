package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// longSentence is the maximum number of words of a comment's first sentence (WRITING.md rule 6).
const longSentence = 25

var (
	// bareNames may not be the whole name of a function (GLOSSARY.md, "Not these").
	bareNames = strings.Fields(`take keep settle turn give hold told asked arrived sight seen way hand loose slot place standing lane
		purse heft scale gist twin debt owe pay ballot polling rivals comparand weak firm mend beside guest hosted laborer
		fieldworker crew board mirror shelf desk`)
	// vaguePhrase matches what comments should not say (the last rows of the same table).
	vaguePhrase = regexp.MustCompile(`(?i)\b(nobody|whoever|somebody|of none|what is no [a-z]+|told apart|told of|written anew|parted by)\b`)
)

// A wordFinding is a place in the code that breaks a rule on words.
type wordFinding struct{ place, text string }

// wordFindings are those of a set of files, by the rule they break.
type wordFindings struct{ names, phrases, messages, sentences []wordFinding }

// TestWords checks the words of Go code and documents by WRITING.md and GLOSSARY.md. It allows no bare
// names of functions, phrases in comments, messages and documents, and long first sentences of all
// comments (rule 6). With -v it prints the findings and their number by package.
func TestWords(t *testing.T) {
	const root = "../.."
	files, found := 0, wordFindings{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".md") && d.Name() != "CHANGELOG.md":
			return found.readDocument(root, path)
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		files++
		return found.readFile(root, path)
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 1000 {
		t.Fatalf("only %d files read", files)
	}
	t.Logf("bare names %d, phrases in comments %d and elsewhere %d, long first sentences %d in %d files",
		len(found.names), len(found.phrases), len(found.messages), len(found.sentences), files)
	if testing.Verbose() {
		found.print(t)
	}
	atMost(t, "functions with a bare name of GLOSSARY.md's \"Not these\"", len(found.names), 0)
	atMost(t, "phrases such as nobody, whoever, told apart in comments", len(found.phrases), 0)
	atMost(t, "such phrases in messages and documents", len(found.messages), 0)
	atMost(t, "first sentences of comments over 25 words", len(found.sentences), 0)
}

// readFile adds the findings of the Go file at path, named relative to root.
func (w *wordFindings) readFile(root, path string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	place := func(n ast.Node) string {
		name, _ := filepath.Rel(root, path)
		return fmt.Sprintf("%s:%d", name, set.Position(n.Pos()).Line)
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && slices.Contains(bareNames, strings.ToLower(f.Name.Name)) {
			w.names = append(w.names, wordFinding{place(f), f.Name.Name})
		}
	}
	for _, comment := range file.Comments {
		if first := firstSentence(comment.Text()); len(strings.Fields(first)) > longSentence {
			w.sentences = append(w.sentences, wordFinding{place(comment), first})
		}
		for _, phrase := range vaguePhrase.FindAllString(comment.Text(), -1) {
			w.phrases = append(w.phrases, wordFinding{place(comment), phrase})
		}
	}
	if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(filepath.Dir(path), "test") || filepath.Base(path) == "stem.go" {
		return nil // the strings of features/stem.go are lists of stop words
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			for _, phrase := range vaguePhrase.FindAllString(literal.Value, -1) {
				w.messages = append(w.messages, wordFinding{place(literal), phrase})
			}
		}
		return true
	})
	return nil
}

// readDocument adds the phrases of the document at path, named relative to root.
func (w *wordFindings) readDocument(root, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	name, _ := filepath.Rel(root, path)
	for i, line := range strings.Split(string(text), "\n") {
		for _, phrase := range vaguePhrase.FindAllString(line, -1) {
			w.messages = append(w.messages, wordFinding{fmt.Sprintf("%s:%d", name, i+1), phrase})
		}
	}
	return nil
}

// print logs the findings in order of place, and how many each package has.
func (w *wordFindings) print(t *testing.T) {
	t.Helper()
	all, packages := slices.Concat(w.names, w.phrases, w.messages, w.sentences), map[string]int{}
	slices.SortFunc(all, func(a, b wordFinding) int { return strings.Compare(a.place, b.place) })
	for _, f := range all {
		t.Logf("%s: %s", f.place, f.text)
		packages[filepath.Dir(f.place)]++
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		t.Logf("%4d %s", packages[name], name)
	}
}

// firstSentence returns the first sentence of a comment. It ends with the first paragraph at the
// latest, so a list or a block of code does not continue it.
func firstSentence(comment string) string {
	paragraph, _, _ := strings.Cut(comment, "\n\n")
	first, _, _ := strings.Cut(strings.Join(strings.Fields(paragraph), " "), ". ")
	return first
}
