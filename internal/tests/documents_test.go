package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// documentLink is the target of a link of Markdown, without its fragment.
	documentLink = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)\s]*)?\)`)
	// bareDecimal is a number without a digit before its point, which WRITING.md (rule 16) wants as 0.93.
	bareDecimal = regexp.MustCompile(`(?:^|[\s([|/–])\.[0-9]+(?:[\s,;:)\]|/–]|$)`)
	inlineCode  = regexp.MustCompile("`[^`]*`")
)

// TestDocuments checks every document for readers. Links inside the repository lead to a file,
// README is short (issue words, item 4), and figures outside of generated cards have a digit before
// the point.
func TestDocuments(t *testing.T) {
	const root = "../.."
	var files []string
	for _, pattern := range []string{"*.md", "doc/*.md", "doc/decisions/*.md", "models/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 50 {
		t.Fatalf("only %d documents found", len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		name, _ := filepath.Rel(root, file)
		if name == "README.md" && len(lines) > 120 {
			t.Errorf("README.md has %d lines, at most 120 are allowed: move details to doc", len(lines))
		}
		for i, line := range lines {
			for _, link := range documentLink.FindAllStringSubmatch(line, -1) {
				if strings.Contains(link[1], ":") {
					continue
				}
				if _, err := os.Stat(filepath.Join(filepath.Dir(file), link[1])); err != nil {
					t.Errorf("%s:%d links to %s, which does not exist", name, i+1, link[1])
				}
			}
			if strings.HasPrefix(name, "models") || name == "CHANGELOG.md" {
				continue
			}
			if number := bareDecimal.FindString(inlineCode.ReplaceAllString(line, "")); number != "" {
				t.Errorf("%s:%d: write %q with a digit before the point", name, i+1, strings.TrimSpace(number))
			}
		}
	}
}
