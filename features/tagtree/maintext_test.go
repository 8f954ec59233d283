package tagtree

import (
	"slices"
	"strings"
	"testing"
)

// TestTextHasListsOfLinks checks which lists of links belong to the text of a page that is not an article.
// The purposes of their areas do not change.
func TestTextHasListsOfLinks(t *testing.T) {
	const (
		list  = "<ul><li><a href=a>Fly</a><li><a href=b>Hoot</a><li><a href=c>Nest</a></ul>"
		about = "<h1>Owl Lab</h1><p>We watch owls in 14 towns, by night"
	)
	tests := []struct {
		name, html string
		listed     bool
	}{
		{"between texts", about + list + "<p>Write to the keeper of owls in Graz", true},
		{"below its heading", about + "<h2>Projects</h2>" + list, true},
		{"below a label", about + "<p>Our groups:</p>" + list, true},
		{"before all text", list + about, false},
		{"after all text", about + list, false},
		{"in a menu", about + "<nav>" + list + "</nav><p>Write to the keeper of owls in Graz", false},
		{"beside it by its class", about + "<div class=sidebar>" + list + "</div><p>Write to the keeper of owls in Graz", false},
		{"before an imprint", about + list + "<p>Last updated on 3 May 2027", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := parse(t, tt.html).Analysis().Text()
			if got := strings.Contains(text, "Hoot"); got != tt.listed {
				t.Errorf("list in the text: %v, want %v:\n%s", got, tt.listed, text)
			}
			if !strings.Contains(text, "We watch owls") {
				t.Errorf("the page's own text is missing:\n%s", text)
			}
		})
	}
}

// TestTextIsNeverNearlyEmpty checks that a page whose areas are all navigation by their
// names gives its dense text.
func TestTextIsNeverNearlyEmpty(t *testing.T) {
	body := paragraphs(owls, wings, nights)
	html := "<div class=comment>" + body + "</div><div class=cookie>" + body + "</div><ul><li><a href=a>Fly</a><li><a href=b>Hoot</a></ul>"
	if text := parse(t, html).Analysis().Text(); !strings.Contains(text, wings) {
		t.Errorf("text %q, want the sentences", text)
	}
}

// TestDenseBlocks checks the candidate of high density: the article without menu,
// teasers and footer.
func TestDenseBlocks(t *testing.T) {
	html := "<div><a href=a>Fly</a> <a href=b>Hoot</a> <a href=c>Nest</a></div><div>" + paragraphs(owls, wings, nights) +
		"</div><div><p><a href=d>More of owls</a><p><a href=e>More of elks</a></div><div>Imprint</div>"
	tree := parse(t, html)
	var texts []string
	for i, ok := range denseBlocks(tree) {
		if ok {
			texts = append(texts, tree.Blocks()[i].Text)
		}
	}
	if want := []string{owls, wings, nights}; !slices.Equal(texts, want) {
		t.Errorf("dense %q, want %q", texts, want)
	}
	if n := len(denseBlocks(parse(t, ""))); n != 0 {
		t.Errorf("%d blocks of an empty page", n)
	}
}
