package clip

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
)

// MaxTeaser is the maximum length of a link's teaser, in runes.
const MaxTeaser = 400

// nearLink is the maximum distance between a link and a keyword that refers to it in a hub area, in bytes.
const nearLink = 300

// Teaser returns the text that belongs to t.Links()[link]. In figure 3 of paper 000 it is the few
// lines about an article below its title; for a link within a text it is the text around it. It is
// one line of at most MaxTeaser runes, "" if there is none.
func Teaser(t *tagtree.Tree, link int) string {
	i := t.LinkBlock(link)
	if i < len(t.Blocks()) {
		b, at := t.Blocks()[i], t.LinkText(link).Start
		if 2*b.Linked <= len(b.Text) && at >= b.Start && at < endOf(b) {
			return excerptAround(b.Text, at-b.Start, MaxTeaser)
		}
	}
	r := t.Teaser(link)
	var teaser string
	for _, b := range t.Blocks()[r.Start:r.End] {
		if 2*b.Linked <= len(b.Text) {
			teaser = joinSentences(teaser, b.Text)
		}
	}
	return shortenToRunes(foldSpaces(teaser), MaxTeaser)
}

// linkAt returns the link whose text contains a range of the page's text, or -1.
func (p *page) linkAt(start, end int) int {
	if i := p.firstLink(start); i < len(p.tree.Links()) {
		if l := p.tree.LinkText(i); l.Start <= start && end <= l.End {
			return i
		}
	}
	return -1
}

// proseWords counts the words of a sentence outside links.
func (p *page) proseWords(sentence tagtree.Span) int {
	n, from := 0, sentence.Start
	text := p.tree.Text()
	for i := p.firstLink(from); i < len(p.tree.Links()) && p.tree.LinkText(i).Start < sentence.End; i++ {
		l := p.tree.LinkText(i)
		if l.Start > from {
			n += countWords(text[from:l.Start])
		}
		from = max(from, l.End)
	}
	return n + countWords(text[min(from, sentence.End):sentence.End])
}

// firstLink returns the first link whose text ends after an offset.
func (p *page) firstLink(offset int) int {
	return sort.Search(len(p.tree.Links()), func(i int) bool { return p.tree.LinkText(i).End > offset })
}

// followHub follows the links of a hub area that contain or adjoin keywords.
func (p *page) followHub(area int) {
	links := p.areas.Areas[area].Links
	p.findKeywords(area, func(h keywordHit) {
		if h.not {
			return
		}
		link := p.linkAt(h.start, h.end)
		if link < 0 {
			link = p.nearestLink(links, h.start)
		}
		if link >= 0 {
			p.followLink(link, h.term)
		}
	})
}

// nearestLink returns the link of a range that stands nearest to an offset, or -1.
func (p *page) nearestLink(links tagtree.Range, offset int) int {
	best, least := -1, nearLink
	next := max(links.Start, min(p.firstLink(offset), links.End))
	for _, i := range [...]int{next - 1, next} {
		if i < links.Start || i >= links.End {
			continue
		}
		l := p.tree.LinkText(i)
		if d := max(l.Start-offset, offset-l.End); d < least {
			best, least = i, d
		}
	}
	return best
}

// followWithin follows the links in a part of the text, for the keywords of its clip.
func (p *page) followWithin(part tagtree.Span, terms []Match) {
	terms = terms[:min(len(terms), maxLinkTerms)]
	for i := p.firstLink(part.Start); i < len(p.tree.Links()) && p.tree.LinkText(i).Start < part.End; i++ {
		for _, m := range terms {
			p.followLink(i, m.Term)
		}
	}
}

func (p *page) followLink(link int, term string) {
	terms, ok := p.follow[link]
	if !ok && len(p.follow) >= maxFollow || len(terms) >= maxLinkTerms || slices.Contains(terms, term) {
		return
	}
	p.follow[link] = append(terms, term)
}

// followedLinks returns the links to follow in order, one for each target.
func (p *page) followedLinks() []FollowedLink {
	links := slices.Sorted(maps.Keys(p.follow))
	var out []FollowedLink
	at := make(map[string]int) // target → index into out
	for _, link := range links {
		f := FollowedLink{Link: link, Teaser: Teaser(p.tree, link), Terms: p.follow[link]}
		target := p.tree.Links()[link].Target
		i, ok := at[target]
		if !ok {
			at[target] = len(out)
			out = append(out, f)
			continue
		}
		out[i].Teaser = cmp.Or(out[i].Teaser, f.Teaser)
		for _, term := range f.Terms {
			if !slices.Contains(out[i].Terms, term) {
				out[i].Terms = append(out[i].Terms, term)
			}
		}
	}
	return out
}

// useTeaserOf uses the teaser of the link that led here. It is returned with the clips, replaces a
// shorter summary of the page, and becomes the clip if the page has none and the teaser contains a
// keyword.
func (p *page) useTeaserOf(c Context) {
	teaser := shortenToRunes(foldSpaces(strings.ToValidUTF8(c.Teaser, "\ufffd")), min(MaxTeaser, p.o.MaxSummary))
	if teaser == "" {
		return
	}
	for i := range p.clips {
		p.clips[i].Context = teaser
		if countWords(p.clips[i].Summary) < minSummary && countWords(teaser) >= minSummary {
			p.clips[i].Summary = teaser
		}
	}
	if len(p.clips) > 0 {
		return
	}
	clip := Clip{Title: shortenToRunes(foldSpaces(strings.ToValidUTF8(c.Anchor, "\ufffd")), maxTitle), Summary: teaser, Context: teaser}
	excluded := make(map[int]bool)
	var hits []keywordHit
	p.match.findTerms(teaser, 0, func(h keywordHit) {
		excluded[h.list] = excluded[h.list] || h.not
		hits = append(hits, h)
	})
	for _, h := range hits {
		if !excluded[h.list] {
			clip.Keywords = append(clip.Keywords, Match{List: p.o.Lists[h.list].Name, Term: h.term})
		}
	}
	if clip.Keywords = clip.DistinctMatches(); clip.Keywords == nil {
		return
	}
	clip.Title = cmp.Or(clip.Title, shortenToRunes(p.tree.Title(), maxTitle))
	if len(p.blocks) > 0 {
		clip.Path = p.blocks[0].Path
	}
	p.clips = append(p.clips, clip)
}

// minSummary is the number of words of a summary that is not replaced by a teaser.
const minSummary = 8
