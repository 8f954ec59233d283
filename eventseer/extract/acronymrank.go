package extract

import (
	"slices"
	"strings"
)

// An acronymRival is an acronym with what its features ask.
type acronymRival struct {
	acronym string
	*votes
	most    int // the votes of the rival that has most
	rest    int // the votes of all rivals
	title   string
	inSite  bool
	initial bool // its letters begin words of the title
	spelled bool // the title spells it
	part    bool // of a longer rival: "ICX" of "ICX-ICY"
	whole   bool // a rival is a part of it
}

// rivals returns the acronyms in the order of their letters.
func (b *ballot) rivals(title string) []acronymRival {
	names := make([]string, 0, len(b.votes))
	most, all := 0, 0
	for a, v := range b.votes {
		names = append(names, a)
		most, all = max(most, v.sum), all+v.sum
	}
	slices.Sort(names)
	out := make([]acronymRival, len(names))
	for i, a := range names {
		v := b.votes[a]
		out[i] = acronymRival{
			acronym: a, votes: v, most: most, rest: all - v.sum, title: title,
			inSite: len(letters(a)) > 2 && b.inSite(a), initial: initials(a, title), spelled: spells(a, title),
		}
	}
	for i := range out {
		for j := range out {
			if i != j && partOfCompound(out[i].acronym, out[j].acronym) && out[j].sum >= minVotes {
				out[i].part, out[j].whole = true, true
			}
		}
	}
	return out
}

// partOfCompound reports whether a is one of the parts of "A-B", "A/B" or "A B".
func partOfCompound(a, compound string) bool {
	return len(a) < len(compound) && slices.Contains(strings.FieldsFunc(compound, func(r rune) bool { return strings.ContainsRune("-/& +", r) }), a)
}

func (r acronymRival) few(in polling) float64 { return float64(min(r.of[in], 4)) / 2 }

// acronymFeatures are what the ranker of acronyms looks at. That there is no
// acronym weighs 0.
var acronymFeatures = []feature[acronymRival]{
	{"acronym", func(acronymRival) float64 { return 1 }},
	{"votes", func(r acronymRival) float64 { return float64(min(r.sum, 40)) / 10 }},
	{"most votes", func(r acronymRival) float64 { return is(r.sum == r.most) }},
	{"share of votes", func(r acronymRival) float64 { return float64(r.sum) / float64(max(r.sum+r.rest, 1)) }},
	{"in title", func(r acronymRival) float64 { return r.few(inTitle) }},
	{"in title element", func(r acronymRival) float64 { return r.few(inTitleElement) }},
	{"in headings", func(r acronymRival) float64 { return r.few(inHeadings) }},
	{"at top", func(r acronymRival) float64 { return r.few(atTop) }},
	{"in text", func(r acronymRival) float64 { return r.few(inBody) }},
	{"in text alone", func(r acronymRival) float64 { return is(r.of[inTitle]+r.of[inTitleElement]+r.of[inHeadings] == 0) }},
	{"in address", func(r acronymRival) float64 { return is(r.inSite) }},
	{"initials of title", func(r acronymRival) float64 { return is(r.initial) }},
	{"spelt by title", func(r acronymRival) float64 { return is(r.spelled) }},
	{"printed in title", func(r acronymRival) float64 { return is(strings.Contains(r.title, r.acronym)) }},
	{"first of title", func(r acronymRival) float64 { return is(strings.HasPrefix(r.title, r.acronym)) }},
	{"after at", func(r acronymRival) float64 { return is(behindAt(r.title, r.acronym)) }},
	{"short", func(r acronymRival) float64 { return is(len(r.acronym) < 3) }},
	{"part of compound", func(r acronymRival) float64 { return is(r.part) }},
	{"compound", func(r acronymRival) float64 { return is(r.whole) }},
	{"space within", func(r acronymRival) float64 { return is(strings.Contains(r.acronym, " ")) }},
}

// behindAt reports whether the title says that the event is held at that of the
// acronym.
func behindAt(title, acronym string) bool {
	at := strings.Index(title, acronym)
	return at > 0 && host.MatchString(title[:at])
}

var acronymRanker = newRanker(acronymFeatures, acronymWeights)

// acronymConfidence returns the share of acronyms with such a belief that were
// right on sites held out (go test -run LearnAcronym).
func acronymConfidence(belief float64) float64 {
	for _, s := range acronymShare {
		if belief >= s.belief {
			return s.right
		}
	}
	return acronymShare[len(acronymShare)-1].right
}

var acronymShare = []struct{ belief, right float64 }{{0.9, 0.97}, {0, 0.78}}
