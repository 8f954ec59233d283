package change

import (
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/diff"
)

// An edit is one change on a page: the texts of a block in both versions, "" if there is none.
type edit struct {
	old, new           string
	oldBlock, newBlock int // -1 if there is none
	words              []diff.WordEdit
	menu               bool   // it is a link or in navigation
	section            string // the heading above
}

// maxEdits bounds the edits that are examined: with more the page was replaced.
const maxEdits = 5_000

// editsOf returns the changed blocks, without those that only moved. oldHeads and heads are the
// headings above the blocks.
func editsOf(c *diff.Comparison, oldHeads, heads []string) []edit {
	old, new := c.Old.Blocks(), c.New.Blocks()
	gone, come := map[string]bool{}, map[string]bool{}
	for _, h := range c.Hunks {
		for _, p := range h.Pairs {
			switch {
			case p.New < 0:
				gone[plainText(old[p.Old].Text)] = true
			case p.Old < 0:
				come[plainText(new[p.New].Text)] = true
			}
		}
	}
	var edits []edit
	for _, h := range c.Hunks {
		for _, p := range h.Pairs {
			e := edit{oldBlock: p.Old, newBlock: p.New, words: p.Edits}
			if p.Old >= 0 {
				e.old, e.menu, e.section = old[p.Old].Text, isMenu(c.Old, p.Old), oldHeads[p.Old]
			}
			if p.New >= 0 {
				e.new, e.menu, e.section = new[p.New].Text, isMenu(c.New, p.New), heads[p.New]
			}
			if p.Old < 0 && gone[plainText(e.new)] || p.New < 0 && come[plainText(e.old)] {
				continue
			}
			if len(edits) == maxEdits {
				return edits
			}
			edits = append(edits, e)
		}
	}
	return edits
}

// isSpellingOnly reports whether an edit changes only the spelling: punctuation, case, or a letter or two
// in a word.
func (e edit) isSpellingOnly() bool {
	if e.old == "" || e.new == "" {
		return false
	}
	for _, w := range e.words {
		o, n := lettersAndDigits(e.old[w.Old.Start:w.Old.End]), lettersAndDigits(e.new[w.New.Start:w.New.End])
		if o != n && (strings.ContainsAny(o+n, "0123456789") || min(len(o), len(n)) < minMisspelt || editDistance(o, n) > maxMisspelt) {
			return false
		}
	}
	return true
}

// isNumbersOnly reports whether the two texts differ only in numbers.
func (e edit) isNumbersOnly() bool {
	return len(e.words) > 0 && !slices.ContainsFunc(e.words, func(w diff.WordEdit) bool {
		return strings.ContainsFunc(e.old[w.Old.Start:w.Old.End]+e.new[w.New.Start:w.New.End], unicode.IsLetter)
	})
}

const (
	minMisspelt  = 4  // bytes of a word that may be misspelt
	maxMisspelt  = 2  // letters that differ in one
	maxMisspells = 40 // bytes of words compared by letter
)

// editDistance returns the Levenshtein distance of two short texts; for long ones their length.
func editDistance(a, b string) int {
	if max(len(a), len(b)) > maxMisspells {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			last, row[j+1] = row[j+1], min(last+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// lettersAndDigits returns the letters and digits of a text in lower case.
func lettersAndDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// plainText returns a text in lower case without punctuation and spaces at its ends.
func plainText(s string) string {
	return strings.ToLower(strings.Trim(s, " .,:;!-–—•·»›▾▼"))
}

// isMenu reports whether block i consists of a link, or is in navigation.
func isMenu(t *tagtree.Tree, i int) bool {
	b := t.Blocks()[i]
	if 10*b.Linked >= 8*len(b.Text) {
		return true
	}
	a := t.Analysis()
	n := a.AreaOfBlock(i)
	return n >= 0 && a.Areas[n].Kind == tagtree.Navigation
}

// maxHeadLine bounds a line that counts as a heading without being marked up as one, in bytes.
const maxHeadLine = 70

// sectionHeadings returns the text of the heading above each block. It is the nearest heading element, or
// the nearest short line that names a part of a page.
func sectionHeadings(t *tagtree.Tree) []string {
	blocks := t.Blocks()
	out := make([]string, len(blocks))
	head := ""
	for i, b := range blocks {
		out[i] = head
		if isSection(b) {
			head = b.Text
		}
	}
	return out
}

func isSection(b tagtree.Block) bool {
	if b.Kind == tagtree.Heading {
		return true
	}
	if len(b.Text) > maxHeadLine || b.Linked > 0 {
		return false
	}
	return b.Kind != tagtree.Item && b.Kind != tagtree.Cell && (strings.HasSuffix(b.Text, ":") ||
		newsWords.MatchString(b.Text) || len(strings.Fields(b.Text)) <= 4 && (committeeWords.MatchString(b.Text) || speakerWords.MatchString(b.Text)))
}
