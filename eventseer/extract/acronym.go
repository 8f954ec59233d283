package extract

import (
	"regexp"
	"sort"
	"strings"
	"unicode"

	"eventseer/eventseer"
)

const maxAcronym = 24 // bytes

var (
	bracketed = regexp.MustCompile(`[(（]\s*([^()（）]{2,30}?)\s*[)）]`)
	withYear  = regexp.MustCompile(`\b(\p{Ll}{0,3}[\p{Lu}\p{N}][\p{L}\p{N}+&/.-]*[\p{L}\p{N}+](?: [A-Z]{2,8}\b)?)\s?[-–]?\s?(?:['’‘](\d\d)\b|((?:19[89]|20\d)\d)\b)`)
	// gluedYear is a name that is no acronym by its letters but is printed with
	// the year: Oceania'27, Oceania-2027.
	gluedYear = regexp.MustCompile(`\b(\p{Lu}\p{L}{3,})(?:['’-]\d\d|-?20\d\d)\b`)
	// publishers, sponsors and words in capitals that name no event.
	noAcronym = wordSet("github gitlab wordpress easychair callforpapers bst pst pdt est edt cet cest kst jst acm ieee ifip aaai usa uk cfp lncs aoe utc gmt pdf html springer elsevier dblp acm/ieee ieee/acm call papers important dates the conference workshop symposium copyright in on of and for since vol issn isbn phd january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec spring summer fall autumn winter international annual ceur eptcs siggraph sigplan sigops sigmod sigsoft sigchi covid faq doi nsf eu icml's call-for-papers committee deadline version edition year session home program series congress meeting forum summit school online new date until before by from to at updated submission proceedings junio julio mayo abril marzo septiembre octubre noviembre diciembre agosto enero febrero março maio outubro")
	yearTail  = regexp.MustCompile(`[\s'’‘-]*((19[89]|20\d)\d|['’‘]\d\d)$`)
)

// acronymShape reports whether s may be an acronym: short, with at least two
// capitals, or a capital and a plus.
func acronymShape(s string) bool {
	if len(s) < 2 || len(s) > maxAcronym || noAcronym[strings.ToLower(s)] || strings.Count(s, " ") > 1 {
		return false
	}
	if z, _ := zone(s); z != "" {
		return false
	}
	upper, lower := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r):
			lower++
		case !unicode.IsDigit(r) && !strings.ContainsRune(" -&+/@.", r):
			return false
		}
	}
	return upper >= 2 && lower <= 2*upper+4 || upper == 1 && strings.ContainsAny(s, "+")
}

// bareAcronym strips the year and the quotes of "ICX'27".
func bareAcronym(s string) string {
	s = strings.Trim(strings.TrimSpace(s), `"“”'’‘:,.;*`)
	s = strings.Trim(yearTail.ReplaceAllString(s, ""), " -–'’:")
	s = editionLead.ReplaceAllString(s, "")
	if m := editionTail.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	return strings.TrimRight(romanTail.ReplaceAllString(s, ""), "-")
}

// editionLead and editionTail are the edition's number or year glued to an
// acronym: "7th ICX", "ICX27".
var (
	editionLead = regexp.MustCompile(`^\d{1,3}(st|nd|rd|th)\s+`)
	romanTail   = regexp.MustCompile(`-[IVX]+$`)
	editionTail = regexp.MustCompile(`^([\p{Lu}][\p{L}&+-]{2,})-?\d\d?$`)
)

// ownName cuts off the event a workshop is held at: "WXY @ ICX 2027".
func ownName(s string) string {
	if own, _, ok := strings.Cut(s, "@"); ok && len(strings.TrimSpace(own)) > 2 {
		return own
	}
	return s
}

// acronymInTitle returns the acronym a title prints in brackets or with the
// year, or "".
func acronymInTitle(s string) string {
	for _, m := range bracketed.FindAllStringSubmatch(s, 4) {
		if a := bareAcronym(m[1]); acronymShape(a) {
			return a
		}
	}
	for _, m := range withYear.FindAllStringSubmatch(s, 4) {
		if a := bareAcronym(m[1]); acronymShape(a) || namedLike(a) {
			return a
		}
	}
	return ""
}

// namedLike accepts short names that are no acronyms, as JuliaCon or Oceania
// before a year, if they have a capital inside.
func namedLike(s string) bool {
	if len(s) < 3 || len(s) > 2*maxAcronym/3 || noAcronym[strings.ToLower(s)] || strings.ContainsAny(s, " -/") {
		return false
	}
	upper := 0
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			upper++
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+&.@", r):
			return false
		}
	}
	return upper >= 2
}

// acronym finds the event's acronym by counting how it is printed: in brackets
// behind the title, before the year, in the title element, alone in a heading.
func (p *page) acronym(title string) (string, eventseer.Provenance) {
	site := letters(clip(p.url, maxLabel))
	element := clip(ownName(p.t.Title()), maxTitleBlock)
	title = ownName(title)
	votes := map[string]int{}
	where := map[string]eventseer.Provenance{}
	vote := func(s string, n int, src eventseer.Provenance) {
		a := bareAcronym(s)
		if !acronymShape(a) && !namedLike(a) || nouns.MatchString(a) || len(a) < 3 && n < 4 {
			return
		}
		if _, ok := where[a]; !ok {
			where[a] = src
		}
		if l := letters(a); votes[a] == 0 && len(l) >= 3 && strings.Contains(site, l) {
			n += 6 + min(len(l), 8)/2
		}
		votes[a] += n
	}
	scan := func(s string, weight int, src eventseer.Provenance) {
		for _, m := range gluedYear.FindAllStringSubmatch(s, 4) {
			if !nouns.MatchString(m[1]) && !noAcronym[strings.ToLower(m[1])] {
				votes[m[1]] += weight
				where[m[1]] = src
			}
		}
		for _, m := range withYear.FindAllStringSubmatchIndex(s, 10) {
			if host.MatchString(s[:m[0]]) || hostOf.MatchString(s[m[1]:]) && !strings.Contains(site, letters(s[m[2]:m[3]])) {
				continue // the event this one is held with
			}
			vote(s[m[2]:m[3]], 2*weight, src)
		}
		for _, m := range bracketed.FindAllStringSubmatch(s, 10) {
			if initials(bareAcronym(m[1]), s) {
				vote(m[1], 2*weight, src)
			}
		}
	}
	head := eventseer.Provenance{URL: p.url, Path: "html/head/title", Rule: "acronym", Snippet: snippet(p.t.Title(), 0)}
	scan(title, 5, head)
	scan(element, 3, head)
	if a := acronymInTitle(title); a != "" && (strings.Contains(site, letters(a)) || !hostOf.MatchString(title[strings.Index(title, a)+len(a):])) {
		vote(a, 10, head)
	}
	for _, w := range ownWords(element) {
		vote(strings.Trim(w, "()[]|:,"), 2, head)
	}
	if strings.ToUpper(title) != title || !strings.Contains(title, " ") {
		for _, w := range ownWords(title) {
			vote(strings.Trim(w, "()[]|:,"), 2, head)
		}
	}
	for a := range votes {
		if initials(a, title) && len(strings.Fields(title)) > 3 {
			votes[a] += 3
		}
	}
	for i, b := range p.blocks {
		if i >= 8*maxTop {
			break
		}
		weight := 1
		if otherEvent(b.Text) {
			continue
		}
		if i < maxTop/3 {
			weight = 2
		}
		if isHeading(b) && i < maxTop && (strings.ToUpper(b.Text) != b.Text || !strings.Contains(b.Text, " ")) {
			for _, w := range ownWords(ownName(clip(b.Text, maxTitle))) {
				vote(strings.Trim(w, "()[]|:,"), 2, p.source(i, 0, len(b.Text), "acronym"))
			}
		}
		scan(clip(b.Text, maxTitleBlock), weight, p.source(i, 0, len(b.Text), "acronym"))
	}
	names := make([]string, 0, len(votes))
	for a := range votes {
		names = append(names, a)
	}
	sort.Slice(names, func(i, j int) bool {
		if votes[names[i]] != votes[names[j]] {
			return votes[names[i]] > votes[names[j]]
		}
		return names[i] < names[j]
	})
	if len(names) == 0 || votes[names[0]] < 3 {
		return p.siteAcronym(site)
	}
	return names[0], where[names[0]]
}

// ownWords returns the words of a name without those that say at, by or with
// whom the event is held: "ABC 7 at the XYZ".
func ownWords(s string) []string {
	words, named := strings.Fields(s), false
	for i, w := range words {
		if named && besideLink[strings.ToLower(w)] {
			return words[:i]
		}
		named = named || acronymShape(bareAcronym(w))
	}
	return words
}

var besideLink = wordSet("at by with")

// siteAcronym finds a short name in the page's text that its address holds too.
func (p *page) siteAcronym(site string) (string, eventseer.Provenance) {
	count := map[string]int{}
	for i, b := range p.blocks {
		if i >= maxTop {
			break
		}
		for _, w := range strings.Fields(clip(b.Text, 4*maxTitleBlock)) {
			a := bareAcronym(strings.TrimSuffix(strings.Trim(w, "()[]|:,.;"), "’s"))
			if l := letters(a); len(l) < 4 || !strings.Contains(site, l) || !acronymShape(a) && !namedLike(a) || nouns.MatchString(a) {
				continue
			}
			if count[a]++; count[a] == 2 || len(a) >= maxAcronym/2 {
				return a, p.source(i, 0, len(b.Text), "acronym-of-site")
			}
		}
	}
	return "", eventseer.Provenance{}
}

// host matches what stands before the name of the event a workshop is held at.
var host = regexp.MustCompile(`(?i)(@|\bat|\bwith|\bof|conjunction with)\s*(the )?(ACM |IEEE )?$`)

// hostOf matches what follows the name of the event a workshop is held at:
// "ICX 2027 Workshop".
var hostOf = regexp.MustCompile(`(?i)^[\s\d'’]*workshop`)

// letters returns the letters of s alone, in lower case: sites are named by
// the acronym of their event, with other marks between.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// initials reports whether most letters of an acronym begin words of the text.
func initials(a, text string) bool {
	first := map[rune]bool{}
	for _, w := range strings.Fields(text) {
		for _, r := range strings.TrimLeft(w, "([\"“'") {
			first[unicode.ToUpper(r)] = true
			break
		}
	}
	n, hit := 0, 0
	for _, r := range a {
		if unicode.IsUpper(r) {
			n++
			if first[r] {
				hit++
			}
		}
	}
	return n >= 2 && 3*hit >= 2*n
}
