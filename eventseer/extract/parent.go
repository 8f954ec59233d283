package extract

import (
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/eventseer/extract/name"
)

const maxParentBlocks = 8 * maxTop // blocks searched for the event this one is held with

// parent finds the event that a workshop, tutorial, session or competition is held with, or the
// journal of a special issue, as printed. It is the first of the hosts that is not the event
// itself, see hosts, else what is after "co-located with" further down. acronym is the event's own.
// Conferences, journals and schools have none.
func (p *page) parent(title, acronym string, kind eventseer.Kind) (string, eventseer.Provenance) {
	issue := issueWord.MatchString(title) || kind == eventseer.SpecialIssue && acronym == "" && !nouns.MatchString(title)
	if kind != eventseer.Workshop && !issue && !partEvent.MatchString(title) && !p.besideHost(title) {
		return "", eventseer.Provenance{}
	}
	own := letters(acronym)
	best := -1
	for i, h := range p.hosts() {
		if !p.isParent(h, title, own, issue) {
			continue
		}
		if best < 0 || h.Way == name.HeldWith && p.hostList[best].Way > name.HeldAt {
			best = i
		}
	}
	if best >= 0 {
		return p.parentAt(p.hostList[best])
	}
	for i, b := range p.blocks[:min(maxParentBlocks, len(p.blocks))] {
		if issue {
			break
		}
		if p.menu[i] {
			continue
		}
		if at := p.heldWith(clip(b.Text, maxBlockBytes), own); len(at) > 0 {
			from, to := at[0][0], at[0][1]
			return p.parentAt(name.Host{Text: b.Text[from:to], Block: i, From: from, To: to, Way: name.HeldWith})
		}
	}
	return "", eventseer.Provenance{}
}

// besideHost reports whether a line of the page names a session of a host that is not the
// title.
func (p *page) besideHost(title string) bool {
	for _, h := range p.hosts() {
		if h.Way == name.Beside && title != "" && !strings.Contains(h.Text, title) && !strings.Contains(title, h.Text) {
			return true
		}
	}
	return false
}

// isParent reports whether a host is one of the event of a title, whose acronym has the
// letters own.
func (p *page) isParent(h name.Host, title, own string, issue bool) bool {
	if h.Way == name.IssueOf {
		return issue && !strings.Contains(h.Text, title)
	}
	return !issue && p.isHost(h.Text, own) && !strings.EqualFold(h.Text, title)
}

// parentAt returns a host with where it stands.
func (p *page) parentAt(h name.Host) (string, eventseer.Provenance) {
	src := eventseer.Provenance{URL: p.url, Path: "html/head/title", Snippet: snippet(p.t.Title(), 0)}
	if h.Block >= 0 {
		src = p.source(h.Block, h.From, h.To, "")
	}
	src.Rule, src.Confidence = parentRules[h.Way], parentShare
	return h.Text, src
}

var parentRules = map[name.HostWay]string{
	name.HeldWith: "parent-held-with", name.HeldAt: "parent-at", name.BeforePart: "parent-before-part", name.IssueOf: "parent-journal", name.Beside: "parent-in-next-line",
}

// parentShare is the share of parents that were right, checked by reading. It was 24 of 26 on half
// of the gold sites and half of the plain-text calls.
const parentShare = 0.92

// partEvent matches titles of what is held within another event though it is no
// workshop.
var partEvent = compile(`(?i)\b(workshop|tutorial|competition|challenge|contest|shared task|doctoral (consortium|symposium)|special (session|track)|hackathon)\b`)

// issueWord matches titles of special issues.
var issueWord = compile(`(?i)\b(?:special|themed?|topical) (?:issue|section|collection)\b`)

// namesPart reports whether a name is that of a part of an event or a journal.
func namesPart(s string) bool { return partEvent.MatchString(s) || issueWord.MatchString(s) }

var (
	// heldWithEvent is what is before the event that another is held with.
	heldWithEvent = compile(`(?i)\b(?:co-?\s?located|collocated|in (?:conjunction|association|co-?location)|affiliated|(?:held|run|organi[sz]ed)(?: (?:together|jointly|in parallel))?) with\b:?|\b(?:held|organi[sz]ed|run|taking place) (?:as part of|within|during)\b|\bin (?:parallel|collaboration) with\b|\b(?:now|as|an?) part of\b|^(?:part of|within)\b|\b(?:special (?:session|track)|workshop|tutorial)\b[^.:;]{0,120}? within\b|\b(?:is|be|as) (?:a )?part of\b|\bsatellite (?:event|workshop|symposium) (?:of|at|to)\b`)
	// heldAtEvent is what is before it in a title or a line of its own.
	heldAtEvent = compile(`(?i)@|\b(?:workshop|tutorial|competition|challenge|contest|consortium|session|track) (?:at|of|in)\b|,? at\b`)
	// earlier matches what speaks of an earlier edition.
	earlier = compile(`(?i)\b(previous|past|last|earlier|was|were|had|editions?|series|proceedings|so far|history)\b`)
)

// heldWith returns where a text names events that this one is held with, whose acronym has
// the letters own.
func (p *page) heldWith(s, own string) (at [][2]int) {
	for _, m := range heldWithEvent.FindAllStringIndex(s, 4) {
		if earlier.MatchString(tail(s[:m[0]], maxHeading)) {
			continue
		}
		if from, to := p.hostName(s, m[1], own); to > from {
			at = append(at, [2]int{from, to})
		}
	}
	return at
}

// hostName returns where the name of an event stands that begins at from, maybe
// after an article: capitalised words, at most to a year.
func (p *page) hostName(s string, from int, own string) (int, int) {
	rest := clip(s[from:], maxTitle)
	if m := hostLead.FindStringIndex(rest); m != nil {
		from, rest = from+m[1], rest[m[1]:]
	}
	words, end, at := strings.Fields(rest), 0, 0
	for i, w := range words {
		part := partOfName(w) || quotedYear.MatchString(w)
		if i >= maxNameWords || !part && !linksOn(words, i) {
			break
		}
		at += strings.Index(rest[at:], w)
		at += len(w)
		if part {
			end = at
		}
		if endsName(w) || strings.HasSuffix(w, ",") || strings.HasSuffix(w, ".") || i > 0 && yearPattern.MatchString(w) {
			if next := i + 1; next == len(words) || !strings.HasPrefix(words[next], "(") {
				break
			}
		}
	}
	name := strings.TrimRight(rest[:end], " ,;:.–—-")
	if strings.Count(name, ")") > strings.Count(name, "(") {
		name = strings.TrimRight(name, " )")
	}
	if rest := strings.TrimSpace(rest[len(name):]); nameLink[rest] || goesOn.MatchString(name) || !p.isHost(name, own) {
		return from, from // the line breaks within the name, or it is none
	}
	return from, from + len(name)
}

var quotedYear = compile(`^['’]\d\d\b`)

// hostLead is what may be between "with" and the name.
var hostLead = compile(`(?i)^[\s:(]*(?:(?:the|an?|its|this(?: year['’]s)?|conference|events?)\s+)*`)

// isHost reports whether a text is the name of an event of this edition's year that is not the
// event itself. It has an acronym, or the event's noun and subject.
func (p *page) isHost(name, own string) bool {
	if name == "" || len(name) > maxTitle || institution.MatchString(name) {
		return false
	}
	if ys := date.Years(name); p.year != 0 && len(ys) > 0 && ys[0] != p.year {
		return false
	}
	a := acronymInTitle(name)
	if a == "" {
		if bare := bareAcronym(name); acronymShape(bare) {
			a = bare
		}
	}
	if a != "" {
		return letters(a) != own && !noAcronym[strings.ToLower(a)]
	}
	return nouns.MatchString(name) && len(strings.Fields(name)) > 2 && (own == "" || !strings.Contains(letters(name), own))
}
