package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Bounds of TestWords: what was there on 2026-11-27. They may only fall; at 0 a rule holds.
const (
	maxBareNames     = 0
	maxVaguePhrases  = 180
	maxLongSentences = 323
	longSentence     = 25 // words, WRITING.md rule 6
)

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
type wordFindings struct{ names, phrases, sentences []wordFinding }

// TestWords checks the words of Go code by WRITING.md and GLOSSARY.md. It counts bare names of
// functions, phrases of comments, and long first sentences of comments (rule 6). With -v it prints
// the findings and their number by package.
func TestWords(t *testing.T) {
	const root = "../.."
	files, found := 0, wordFindings{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return filepath.SkipDir
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
	t.Logf("bare names %d, phrases %d, long first sentences %d in %d files", len(found.names), len(found.phrases), len(found.sentences), files)
	if testing.Verbose() {
		found.print(t)
	}
	atMost(t, "functions with a bare name of GLOSSARY.md's \"Not these\"", len(found.names), maxBareNames)
	atMost(t, "phrases such as nobody, whoever, told apart in comments", len(found.phrases), maxVaguePhrases)
	atMost(t, "first sentences of functions' comments over 25 words", len(found.sentences), maxLongSentences)
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
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if slices.Contains(bareNames, strings.ToLower(f.Name.Name)) {
			w.names = append(w.names, wordFinding{place(f), f.Name.Name})
		}
		if first := firstSentence(f.Doc.Text()); len(strings.Fields(first)) > longSentence {
			w.sentences = append(w.sentences, wordFinding{place(f.Doc), first})
		}
	}
	for _, comment := range file.Comments {
		for _, phrase := range vaguePhrase.FindAllString(comment.Text(), -1) {
			w.phrases = append(w.phrases, wordFinding{place(comment), phrase})
		}
	}
	return nil
}

// print logs the findings in order of place, and how many each package has.
func (w *wordFindings) print(t *testing.T) {
	t.Helper()
	all, packages := slices.Concat(w.names, w.phrases, w.sentences), map[string]int{}
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
