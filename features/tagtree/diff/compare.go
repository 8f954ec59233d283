// Package diff compares two versions of a page: block by block, word by word and link by link,
// ignoring what differs at each visit.
package diff

import (
	"regexp"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/text/unicode/norm"
	"znkr.io/diff"
)

// A Comparison holds the differences between two versions of a page that matter to a reader.
// Counters, dates of printing, session ids, quotes and spaces are ignored. It is read-only.
type Comparison struct {
	Old, New *tagtree.Tree
	// Hunks are the runs of differing blocks, in order. A run has blocks of the old version, of the
	// new one, or of both.
	Hunks []Hunk
	// Restyled are the blocks with equal words and different mark-up, for example struck out in one version
	// only.
	Restyled []BlockPair
	// Kept are the blocks with equal words, between the hunks.
	Kept []BlockPair
	// Noise means that the texts only differ in ignored parts.
	Noise bool
	// Added and Removed are the links that only one version has, in its order.
	Added, Removed []webgraph.Link
	// Retargeted are the links of Added at the position of one of Removed, with the same words.
	Retargeted []ChangedTarget
}

// A Hunk is a run of differing blocks, as indexes into Tree.Blocks of both versions. Each of its
// blocks is in one pair, in display order.
type Hunk struct {
	Old, New tagtree.Range
	Pairs    []BlockPair
}

// A BlockPair is a block in both versions, as indexes into Tree.Blocks: Old is -1 for a new block,
// New for a removed one. Edits are the differing words.
type BlockPair struct {
	Old, New int
	Edits    []WordEdit
}

// A WordEdit is a run of differing words, as bytes of Block.Text of both versions; one of the two
// may be empty.
type WordEdit struct{ Old, New tagtree.Span }

// A ChangedTarget is a link whose target changed.
type ChangedTarget struct{ Old, New webgraph.Link }

// Compare compares two versions of a page, block by block and link by link. It is pure;
// the work is near-linear in the blocks.
func Compare(old, new *tagtree.Tree) *Comparison {
	c := &Comparison{Old: old, New: new}
	c.compareBlocks()
	c.compareLinks()
	return c
}

func (c *Comparison) compareBlocks() {
	x, y := comparedTexts(c.Old.Blocks(), c.New.Blocks())
	i, j := 0, 0
	for _, h := range diff.Hunks(x, y, diff.Context(0)) {
		c.recordUnchanged(i, j, h.PosX)
		k := Hunk{Old: tagtree.Range{Start: h.PosX, End: h.EndX}, New: tagtree.Range{Start: h.PosY, End: h.EndY}}
		k.Pairs = c.pairBlocks(k)
		c.Hunks = append(c.Hunks, k)
		i, j = h.EndX, h.EndY
	}
	c.recordUnchanged(i, j, len(x))
}

// recordUnchanged records the blocks from i and j on, up to the old block end, as unchanged.
func (c *Comparison) recordUnchanged(i, j, end int) {
	for ; i < end; i, j = i+1, j+1 {
		a, b := c.Old.Blocks()[i], c.New.Blocks()[j]
		pair := BlockPair{Old: i, New: j}
		c.Kept = append(c.Kept, pair)
		c.Noise = c.Noise || a.Text != b.Text
		if a.Kind != b.Kind || a.Level != b.Level || struckBytes(a) != struckBytes(b) {
			c.Restyled = append(c.Restyled, pair)
		}
	}
}

func struckBytes(b tagtree.Block) int {
	n := 0
	for _, s := range b.Struck {
		n += s.End - s.Start
	}
	return n
}

// comparedTexts returns the compared texts of the blocks of two versions. Texts in both are
// compared unchanged, so only others must be normalized.
func comparedTexts(old, new []tagtree.Block) (x, y []string) {
	inOld, inNew := textSet(old), textSet(new)
	return foldUnshared(old, inNew), foldUnshared(new, inOld)
}

func textSet(blocks []tagtree.Block) map[string]bool {
	set := make(map[string]bool, len(blocks))
	for _, b := range blocks {
		set[b.Text] = true
	}
	return set
}

func foldUnshared(blocks []tagtree.Block, shared map[string]bool) []string {
	texts := make([]string, len(blocks))
	folded := 0
	for i, b := range blocks {
		texts[i] = b.Text
		if shared[b.Text] {
			continue
		}
		if texts[i] = foldType(b.Text); folded < maxFolded {
			folded++
			texts[i] = foldVisit(texts[i])
		}
	}
	return texts
}

// maxFolded is the maximum number of differing texts of a version that are normalized. Beyond it, the
// versions are in effect different pages.
const maxFolded = 4_000

// foldType returns a text with typographic variants of quotes, dashes and spaces unified.
func foldType(s string) string {
	return strings.Join(strings.Fields(typography.Replace(norm.NFC.String(s))), " ")
}

// foldVisit removes the parts of a text that change with every visit.
func foldVisit(s string) string {
	if !strings.ContainsAny(s, "0123456789") {
		return s
	}
	if len(s) <= maxVolatile {
		if m := volatileLine.FindStringIndex(s); m != nil && !ofCall.MatchString(s) {
			return s[:m[0]] + digits.ReplaceAllString(dateWords.ReplaceAllString(s[m[0]:], "#"), "#")
		}
		s = countdown.ReplaceAllString(s, "#")
		s = rights.ReplaceAllStringFunc(s, func(m string) string { return digits.ReplaceAllString(m, "#") })
	}
	return nonce.ReplaceAllStringFunc(s, maskNonce)
}

// maxVolatile is the maximum length of lines with counters and dates of printing, in bytes.
const maxVolatile = 300

var typography = strings.NewReplacer(
	"‘", "'", "’", "'", "‚", "'", "‛", "'", "´", "'", "`", "'",
	"“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "''", `"`,
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "−", "-",
	"\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u200a", " ",
	"\u00ad", "", "\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "",
	"…", "...",
)

var (
	// volatileLine matches the beginning of text that changes with every visit or printing. Its
	// numbers, months and days are not about the event.
	volatileLine = regexp.MustCompile(`(?i)\b(last|page) (update[ds]?|modified|modification|changed?|edit(ed)?|revised|refreshed|generated|visited)\b|` +
		`\b(updated|modified|generated|rendered|built|printed|retrieved|compiled|loaded)( (on|at|in|by|with))? ?:?[^.]{0,12}\d|` +
		`\b(letzte (änderung|aktualisierung)|zuletzt (geändert|aktualisiert)|stand:|(dernière|derniere) (mise à jour|modification)|mis à jour|(última|ultima) (actualización|atualização|modificación|modificação|modifica)|ultimo aggiornamento|aggiornato)|` +
		`最終更新|更新日|最后更新|最後更新|最近更新|마지막 수정|` +
		`\b(today is|current (date|time)|local time|server time|it is now)\b|` +
		`\b(visitors?|visits|visited|page ?views?|hits|unique (visitors?|ips?)|users? online|online (now|users?)|besucher|visiteurs|visitas|visitantes|访问(量|次数))\b\W{0,4}\d|` +
		`\d[\d,. ]* (visitors?|visits|page ?views?|hits|users? online|online users?|views|downloads|besucher|visiteurs|visitas)\b|` +
		`\b(you are|du bist|sie sind) (the )?(visitor|besucher)|\b\d+ (seconds?|minutes?|hours?|days?|weeks?|months?|years?) ago\b`)
	// ofCall matches text that is never ignored: "Updated: papers are due on 3 May".
	ofCall = regexp.MustCompile(`(?i)deadline|submission|submit|\bdue\b|notification|camera|abstract|papers?\b|extended|extension|postponed|registration`)
	// countdown matches the time left.
	countdown = regexp.MustCompile(`(?i)\b\d+ ?(days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|weeks?|months?|tage?|stunden|jours?|heures?|d[ií]as?|horas?|giorni)\b([ ,:and]*\b\d+ ?(days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|weeks?|stunden|heures?|horas?)\b)*( (left|to go|remaining|until|till|to the|übrig|restants?|restantes)\b| bis\b)|` +
		`^\W*\d+ ?(d|days?)?[ :]+\d+ ?(h|hours?|hrs?)?[ :]+\d+ ?(m|mins?|minutes?)?([ :]+\d+ ?(s|secs?|seconds?)?)?\W*$|^\W*\d+ (days?|hours?|minutes?|seconds?)\W*$`)
	rights    = regexp.MustCompile(`(?i)(©|&copy;|\(c\)|copyright)[^.;]{0,12}(19|20)\d\d( ?[-,] ?(19|20)?\d\d)?|\b(19|20)\d\d ?(©|all rights reserved)`)
	digits    = regexp.MustCompile(`\d+`)
	dateWords = regexp.MustCompile(`(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-zä]{0,8}\b\.?|\b[ap]\.?m\b\.?|\b(utc|gmt|[ce]?e?s?t|cest|[ecmp][sd]t)\b|(st|nd|rd|th)\b|\b(seconds?|minutes?|hours?|days?|weeks?|months?|years?|yesterday|today)\b`)
	// nonce matches a word that may be an identifier generated for one visit.
	nonce = regexp.MustCompile(`[0-9A-Za-z_-]{16,}`)
)

// maskNonce returns "#" for a long mix of letters and digits, which people do not write, and s otherwise.
func maskNonce(s string) string {
	digits, turns := 0, 0
	was := false
	for i, r := range s {
		is := r >= '0' && r <= '9'
		if is {
			digits++
		}
		if i > 0 && is != was {
			turns++
		}
		was = is
	}
	if digits >= 4 && turns >= 4 {
		return "#"
	}
	return s
}
