//go:build measure

package extract

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"html"
	"math/rand/v2"
	"strings"

	"eventseer/features/tagtree"
)

// madeWeight is how much a block of a restyled page counts in training.
const madeWeight = 0.5

// A madePage is a page made of another.
type madePage struct{ name, text string }

// restyled returns copies of a page whose lists are marked up in other ways: as paragraphs,
// lines, cells, parts of a sentence and plain text; one of the whole page and some of one
// list each with what stands around it. So the model learns that the mark-up of a list says
// little of what it lists.
func restyled(p *page, url string) []madePage {
	sum := sha256.Sum256([]byte("restyle " + url))
	draw := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), 0))
	tp := newTopicPage(p)
	var lists []int
	for k, r := range tp.runs {
		if isList(p, r) {
			lists = append(lists, k)
		}
	}
	made := []madePage{restyle(tp, 0, len(tp.runs), draw)}
	draw.Shuffle(len(lists), func(i, k int) { lists[i], lists[k] = lists[k], lists[i] })
	for _, k := range lists[:min(len(lists), 4)] {
		made = append(made, restyle(tp, max(k-draw.IntN(4)-1, 0), min(k+1+draw.IntN(4), len(tp.runs)), draw))
	}
	return made
}

// isList reports whether a run is of three items or more, none of them long.
func isList(p *page, r topicRun) bool {
	if r.to-r.from < leastParts || r.to-r.from > 2*maxTopics {
		return false
	}
	for _, b := range p.blocks[r.from:r.to] {
		if len(b.Text) > 300 || b.Kind == tagtree.Heading {
			return false
		}
	}
	return true
}

func restyle(tp *topicPage, from, to int, draw *rand.Rand) madePage {
	var b strings.Builder
	plain := draw.IntN(5) == 0
	for k := from; k < to; k++ {
		blocks := tp.p.blocks[tp.runs[k].from:tp.runs[k].to]
		if isList(tp.p, tp.runs[k]) {
			var items []string
			for _, x := range blocks {
				items = append(items, bullet.ReplaceAllString(x.Text, ""))
			}
			if plain {
				writePlain(&b, items, draw)
			} else {
				writeStyled(&b, items, draw)
			}
			continue
		}
		for _, x := range blocks {
			switch s := html.EscapeString(x.Text); {
			case plain:
				b.WriteString(x.Text + "\n\n")
			case x.Kind == tagtree.Heading:
				fmt.Fprintf(&b, "<h%d>%s</h%d>\n", x.Level, s, x.Level)
			case x.Kind == tagtree.Item:
				b.WriteString("<ul><li>" + s + "</ul>\n")
			default:
				b.WriteString("<p>" + s + "</p>\n")
			}
		}
	}
	if plain {
		return madePage{"p.txt", b.String()}
	}
	return madePage{"p.html", b.String()}
}

func writePlain(b *strings.Builder, items []string, draw *rand.Rand) {
	style := draw.IntN(4)
	for i, s := range items {
		switch style {
		case 0:
			s = "* " + s
		case 1:
			s = " - " + s
		case 2:
			s = fmt.Sprintf("%d. %s", i+1, s)
		}
		b.WriteString(s + "\n")
	}
	b.WriteString("\n")
}

// sentenceOf joins items as a sentence lists them.
func sentenceOf(items []string, draw *rand.Rand) string {
	sep := ", "
	if draw.IntN(3) == 0 || strings.Contains(strings.Join(items, ""), ",") {
		sep = "; "
	}
	var parts []string
	for _, s := range items {
		parts = append(parts, strings.TrimRight(s, ".;, "))
	}
	last := len(parts) - 1
	switch draw.IntN(3) {
	case 0:
		return strings.Join(parts[:last], sep) + " and " + parts[last] + "."
	case 1:
		return strings.Join(parts[:last], sep) + sep + "and " + parts[last] + "."
	}
	return strings.Join(parts, sep)
}

func writeStyled(b *strings.Builder, items []string, draw *rand.Rand) {
	style := draw.IntN(9)
	if style >= 6 {
		s := html.EscapeString(sentenceOf(items, draw))
		// A sentence may go on from its lead-in.
		if text := b.String(); strings.HasSuffix(text, ":</p>\n") && style > 6 {
			b.Reset()
			b.WriteString(strings.TrimSuffix(text, "</p>\n") + " " + s + "</p>\n")
			return
		}
		b.WriteString("<p>" + s + "</p>\n")
		return
	}
	before, between, after := "<ul><li>", "</li><li>", "</li></ul>\n"
	switch style {
	case 1:
		before, between, after = "<p>", "</p><p>", "</p>\n"
	case 2:
		before, between, after = "<p>", "<br>", "</p>\n"
	case 3:
		before, between, after = "<table><tr><td>", "</td></tr><tr><td>", "</td></tr></table>\n"
	case 4:
		before, between, after = "<div class=row><div>", "</div><div>", "</div></div>\n"
	case 5:
		before, between, after = "<p>• ", "<br>• ", "</p>\n"
	}
	b.WriteString(before)
	for i, s := range items {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(html.EscapeString(s))
	}
	b.WriteString(after)
}
