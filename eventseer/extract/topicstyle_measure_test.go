//go:build measure

package extract

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/features/tagtree"
)

// madeWeight is the weight in training of a block of a generated page, by how it was generated.
var madeWeight = map[string]float64{"restyled": 0.5, "short": 0.2, "disguised": 0.2}

// A madePage is a page generated from another.
type madePage struct {
	name, text string
	style      string
	cipher     func(string) string // applied to topics; nil if they are unchanged
}

// restyled returns copies of a page whose lists have other mark-up: paragraphs, lines, cells, parts of a
// sentence and plain text. One copy has the whole page, the others one list each with its surroundings. From
// these the model learns that the mark-up of a list is weak evidence for its content.
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
	var made []madePage
	add := func(style string, m madePage) {
		m.style = style
		made = append(made, m)
	}
	add("restyled", restyle(tp, 0, len(tp.runs), draw))
	draw.Shuffle(len(lists), func(i, k int) { lists[i], lists[k] = lists[k], lists[i] })
	for _, k := range lists[:min(len(lists), 4)] {
		add("restyled", restyle(tp, max(k-draw.IntN(4)-1, 0), min(k+1+draw.IntN(4), len(tp.runs)), draw))
	}
	if len(lists) > 0 {
		add("short", shorten(tp, lists, draw))
		add("disguised", disguise(shorten(tp, lists, draw), draw))
	}
	add("disguised", disguise(restyle(tp, 0, len(tp.runs), draw), draw))
	return made
}

// shorten returns a page with one or two of the lists, shortened, and the text that introduces them. The
// model thereby learns to use that text if the page has little else.
func shorten(tp *topicPage, lists []int, draw *rand.Rand) madePage {
	var b strings.Builder
	if draw.IntN(3) > 0 {
		b.WriteString("<h1>" + html.EscapeString(cutToBytes(tp.p.blocks[0].Text, 120)) + "</h1>\n")
	}
	for _, k := range lists[:min(len(lists), 1+draw.IntN(3))] {
		r := tp.runs[k]
		var leads []int
		if h := tp.above[r.from]; h >= 0 {
			if u := tp.sectionOf(r.from); u >= 0 && u != h && draw.IntN(2) == 0 {
				leads = append(leads, u)
			}
			leads = append(leads, h)
		}
		if o := tp.opener[r.from]; o >= 0 && (len(leads) == 0 || leads[len(leads)-1] != o) {
			leads = append(leads, o)
		}
		for _, i := range leads {
			x := &tp.p.blocks[i]
			if s := html.EscapeString(cutToBytes(x.Text, 400)); x.Kind == tagtree.Heading {
				fmt.Fprintf(&b, "<h%d>%s</h%d>\n", x.Level, s, x.Level)
			} else {
				b.WriteString("<p>" + s + "</p>\n")
			}
		}
		from := draw.IntN(r.to - r.from - 1)
		var items []string
		for _, x := range tp.p.blocks[r.from+from : min(r.from+from+2+draw.IntN(5), r.to)] {
			items = append(items, bullet.ReplaceAllString(x.Text, ""))
		}
		switch draw.IntN(4) {
		case 0:
			writeGroups(&b, [][]string{items[:len(items)/2], items[len(items)/2:]}, tp, draw)
		case 1:
			b.WriteString("<ul><li>" + joinItems(items) + "</li></ul>\n")
		default:
			writeStyled(&b, items, tp.since[r.from] == 0, draw)
		}
	}
	return madePage{name: "p.html", text: b.String()}
}

// writeGroups writes items in groups. Each group is below a heading or an item with the beginning of some
// other text of the page.
func writeGroups(b *strings.Builder, groups [][]string, tp *topicPage, draw *rand.Rand) {
	style := draw.IntN(4)
	if style == 3 {
		b.WriteString("<ul>\n")
	}
	for _, items := range groups {
		if len(items) == 0 {
			continue
		}
		words := strings.Fields(tp.p.blocks[draw.IntN(len(tp.p.blocks))].Text)
		name := html.EscapeString(strings.Trim(strings.Join(words[:min(len(words), 1+draw.IntN(3))], " "), ".,:;"))
		switch style {
		case 0, 1:
			fmt.Fprintf(b, "<h%d>%s</h%d>\n<ul><li>%s</li></ul>\n", 3+style, name, 3+style, joinItems(items))
		case 2:
			fmt.Fprintf(b, "<p><b>%s</b></p>\n<ul><li>%s</li></ul>\n", name, joinItems(items))
		case 3:
			fmt.Fprintf(b, "<li>%s:\n<ul><li>%s</li></ul></li>\n", name, joinItems(items))
		}
	}
	if style == 3 {
		b.WriteString("</ul>\n")
	}
}

func joinItems(items []string) string {
	var out []string
	for _, s := range items {
		out = append(out, html.EscapeString(s))
	}
	return strings.Join(out, "</li>\n<li>")
}

// namesOfTopics are headings of lists of topics.
var namesOfTopics = []string{
	"Topics", "Topics of interest", "Themes", "Subject areas", "Keywords", "Themen", "Themenbereiche", "Schlagwörter", "Temas", "Temas de interés", "Áreas temáticas", "Tópicos de interesse",
	"Eixos temáticos", "Palavras-chave", "Thèmes", "Axes thématiques", "Mots-clés", "Temi", "Onderwerpen", "Konular", "Tematyka", "Témata", "Ämnen", "Emner", "Темы", "Тематика конференции",
	"主题", "征文主题", "征文范围", "會議主題", "研究领域", "募集テーマ", "トピック", "주제",
}

// leadsOfTopics are beginnings of sentences that list topics.
var leadsOfTopics = append([]string{
	"Topics include", "Topics of interest include, but are not limited to", "Areas of interest are", "The main themes are", "Keywords", "Keywords", "Suggested topics",
}, namesOfTopics...)

// disguise writes a page in an invented language. Every letter is replaced by another, or every word by one
// or two ideographs. Headings that name topics do so in some language. The model thereby learns features
// that do not depend on words.
func disguise(m madePage, draw *rand.Rand) madePage {
	cipher := changeLetters(draw)
	if draw.IntN(3) == 0 {
		cipher = changeWords(draw)
	}
	var b strings.Builder
	for line := range strings.Lines(m.text) {
		text := strings.TrimSpace(mark.ReplaceAllString(line, ""))
		if len(text) > 0 && len(text) <= topicLeadBytes && topicNames.MatchString(text) && (strings.HasPrefix(line, "<h") || strings.HasSuffix(text, ":")) {
			name := namesOfTopics[draw.IntN(len(namesOfTopics))]
			if draw.IntN(2) == 0 && !isIdeograph(firstRune(name)) {
				name = cipher("We invite papers on any of the ") + strings.ToLower(name)
			}
			if strings.HasSuffix(text, ":") {
				name += ":"
			}
			b.WriteString(strings.Replace(line, text, name, 1))
			continue
		}
		at := 0
		for _, loc := range mark.FindAllStringIndex(line, -1) {
			b.WriteString(cipher(line[at:loc[0]]) + line[loc[0]:loc[1]])
			at = loc[1]
		}
		b.WriteString(cipher(line[at:]))
	}
	return madePage{name: m.name, text: b.String(), cipher: cipher}
}

// mark matches a tag or a character reference.
var mark = regexp.MustCompile(`<[^<>]*>|&#?[a-z0-9]+;`)

// changeLetters returns a function that replaces each letter by another, vowels by vowels.
func changeLetters(draw *rand.Rand) func(string) string {
	var to [26]rune
	for _, group := range []string{"aeiou", "bcdfghjklmnpqrstvwxyz"} {
		for i, k := range draw.Perm(len(group)) {
			to[group[i]-'a'] = rune(group[k])
		}
	}
	return func(s string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z':
				return to[r-'a']
			case r >= 'A' && r <= 'Z':
				return unicode.ToUpper(to[r-'A'])
			}
			return r
		}, s)
	}
}

// changeWords returns a function that replaces each word by one or two ideographs without spaces, and
// commas and full stops by those of such scripts.
func changeWords(draw *rand.Rand) func(string) string {
	seed := draw.Uint32()
	stops := strings.NewReplacer(", ", "、", "; ", "；", ": ", "：")
	if draw.IntN(2) == 0 {
		stops = strings.NewReplacer(", ", "，", "; ", "；", ": ", "：")
	}
	return func(s string) string {
		var b strings.Builder
		word := uint32(0)
		end := func() {
			if word == 0 {
				return
			}
			b.WriteRune('一' + rune((word^seed)*2654435761>>19))
			if word&1 == 0 {
				b.WriteRune('一' + rune((word^seed)*40503>>19))
			}
			word = 0
		}
		for _, r := range stops.Replace(s) {
			if unicode.IsLetter(r) {
				word = word*31 + uint32(unicode.ToLower(r))
				continue
			}
			gap := word != 0 && r == ' '
			end()
			if !gap {
				b.WriteRune(r)
			}
		}
		end()
		return b.String()
	}
}

// isList reports whether a run has three or more items, none of them long.
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
	plain, width := draw.IntN(5) == 0, 0
	if draw.IntN(4) == 0 { // lines with explicit breaks
		width = 60 + draw.IntN(50)
	}
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
				writeStyled(&b, items, tp.since[tp.runs[k].from] == 0, draw)
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
				b.WriteString("<p>" + broken(s, width) + "</p>\n")
			}
		}
	}
	if plain {
		return madePage{name: "p.txt", text: b.String()}
	}
	return madePage{name: "p.html", text: b.String()}
}

// broken returns a text in lines of at most width bytes, or in one line if width is 0.
func broken(s string, width int) string {
	if width == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for w := range strings.FieldsSeq(s) {
		if at > 0 && at+len(w) > width {
			b.WriteString("<br>")
			at = 0
		} else if at > 0 {
			b.WriteString(" ")
		}
		b.WriteString(w)
		at += len(w) + 1
	}
	return b.String()
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

// sentenceOf joins items to a sentence.
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

func writeStyled(b *strings.Builder, items []string, named bool, draw *rand.Rand) {
	style := draw.IntN(9)
	if style >= 6 {
		s := html.EscapeString(sentenceOf(items, draw))
		if named && draw.IntN(3) == 0 {
			b.WriteString("<p>" + leadsOfTopics[draw.IntN(len(leadsOfTopics))] + ": " + s + "</p>\n")
			return
		}
		// The list may continue the sentence that introduces it.
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
