package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Bounds of TestWords: what was there on 2026-11-27. They may only fall; at 0 a rule holds.
const (
	maxBareNames     = 0
	maxVaguePhrases  = 438
	maxLongSentences = 1025
)

var (
	// bareNames may not be the whole name of a function (GLOSSARY.md, "Not these").
	bareNames = strings.Fields(`take keep settle turn give hold told asked arrived sight seen way hand loose slot place standing lane
		purse heft scale gist twin debt owe pay ballot polling rivals comparand weak firm mend beside guest hosted laborer
		fieldworker crew board mirror shelf desk`)
	// vaguePhrase matches what comments should not say (the last rows of the same table).
	vaguePhrase = regexp.MustCompile(`(?i)\b(nobody|whoever|somebody|of none|what is no [a-z]+|told apart|told of|written anew|parted by)\b`)
)

// TestWords counts what WRITING.md and GLOSSARY.md forbid in Go code: bare names of functions,
// phrases of comments, and first sentences of comments of more than 25 words (rule 6).
func TestWords(t *testing.T) {
	const longSentence = 25 // words
	bare := map[string]bool{}
	for _, name := range bareNames {
		bare[name] = true
	}
	files, names, phrases, sentences := 0, 0, 0, 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		files++
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if bare[strings.ToLower(f.Name.Name)] {
				names++
			}
			if first, _, _ := strings.Cut(strings.Join(strings.Fields(f.Doc.Text()), " "), ". "); len(strings.Fields(first)) > longSentence {
				sentences++
			}
		}
		for _, comment := range file.Comments {
			phrases += len(vaguePhrase.FindAllString(comment.Text(), -1))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 1000 {
		t.Fatalf("only %d files read", files)
	}
	t.Logf("bare names %d, phrases %d, long first sentences %d in %d files", names, phrases, sentences, files)
	atMost(t, "functions with a bare name of GLOSSARY.md's \"Not these\"", names, maxBareNames)
	atMost(t, "phrases such as nobody, whoever, told apart in comments", phrases, maxVaguePhrases)
	atMost(t, "first sentences of functions' comments over 25 words", sentences, maxLongSentences)
}
