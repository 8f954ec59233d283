package extract

import (
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/eventseer/extract/name"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
)

const maxParentBlocks = 8 * maxTop // blocks searched for the event that this one is held with

// readParent returns the event that a workshop, tutorial, session or competition is held with, or the journal
// of a special issue, as printed. It is one of the hosts other than the event itself. Without such a host
// it is the event after "co-located with" further down. acronym is the event's own. Conferences and schools
// have no parent; "" is returned for them.
func (n *nameReader) readParent(title, acronym string, kind eventseer.Kind) (string, eventseer.Provenance) {
	issue := issueWord.MatchString(title) || kind == eventseer.SpecialIssue && acronym == "" && !nouns.MatchString(title)
	if kind != eventseer.Workshop && !issue && !partEvent.MatchString(title) && !n.namesSessionOfHost(title) {
		return "", eventseer.Provenance{}
	}
	own := lowerLetters(acronym)
	best := -1
	for i, h := range n.eventHosts() {
		if !n.isParent(h, title, own, issue) {
			continue
		}
		if best < 0 || h.Wording == name.HeldWith && n.hostList[best].Wording > name.HeldAt {
			best = i
		}
	}
	if best >= 0 {
		return n.parentAt(n.hostList[best])
	}
	for i, b := range n.blocks[:min(maxParentBlocks, len(n.blocks))] {
		if issue {
			break
		}
		if n.menu[i] {
			continue
		}
		if at := n.eventsHeldWith(cutToBytes(b.Text, maxBlockBytes), own); len(at) > 0 {
			from, to := at[0][0], at[0][1]
			return n.parentAt(name.Host{Text: b.Text[from:to], Block: i, From: from, To: to, Wording: name.HeldWith})
		}
	}
	return "", eventseer.Provenance{}
}

// namesSessionOfHost reports whether a line beside a host names a session, and the host is not the title.
func (n *nameReader) namesSessionOfHost(title string) bool {
	for _, h := range n.eventHosts() {
		if h.Wording == name.InAdjacentLine && title != "" && !strings.Contains(h.Text, title) && !strings.Contains(title, h.Text) {
			return true
		}
	}
	return false
}

// isParent reports whether a host may be the parent of the event. own are the letters of the event's
// acronym; issue means that it is a special issue.
func (n *nameReader) isParent(h name.Host, title, own string, issue bool) bool {
	if h.Wording == name.IssueOf {
		return issue && !strings.Contains(h.Text, title)
	}
	return !issue && n.isHost(h.Text, own) && !strings.EqualFold(h.Text, title)
}

// parentAt returns the name of a host and its source.
func (n *nameReader) parentAt(h name.Host) (string, eventseer.Provenance) {
	src := eventseer.Provenance{URL: n.url, Path: "html/head/title", Snippet: snippet(n.t.Title(), 0)}
	if h.Block >= 0 {
		src = n.provenanceOf(h.Block, h.From, h.To, "")
	}
	src.Rule, src.Confidence = parentRules[h.Wording], parentShare
	return h.Text, src
}

var parentRules = map[name.HostWording]string{
	name.HeldWith: "parent-held-with", name.HeldAt: "parent-at", name.BeforePart: "parent-before-part", name.IssueOf: "parent-journal", name.InAdjacentLine: "parent-in-next-line",
}

// parentShare is the share of correct parents, checked by reading: 24 of 26 on half of the gold sites and
// half of the plain-text calls.
const parentShare = 0.92

// partEvent matches titles of events that are held within another event.
var partEvent = compilePattern(`(?i)\b(workshop|tutorial|competition|challenge|contest|shared task|doctoral (consortium|symposium)|special (session|track)|hackathon)\b`)

// issueWord matches titles of special issues.
var issueWord = compilePattern(`(?i)\b(?:special|themed?|topical) (?:issue|section|collection)\b`)

// namesPart reports whether a name is that of a part of an event or of a journal.
func namesPart(s string) bool {
	var t pattern.Text
	t.Set(s)
	return partEvent.MatchPart(&t, s) || issueWord.MatchPart(&t, s)
}

// heldWith matches words such as "co-located with".
const heldWith = `\b(?:co-?\s?located|collocated|in (?:conjunction|association|co-?location)|affiliated|(?:held|run|organi[sz]ed)(?: (?:together|jointly|in parallel))?) with\b:?|\b(?:held|organi[sz]ed|run|taking place) (?:as part of|within|during)\b|\bin (?:parallel|collaboration) with\b|\b(?:now|as|an?) part of\b|^(?:part of|within)\b|\b(?:special (?:session|track)|workshop|tutorial)\b[^.:;]{0,120}? within\b|\b(?:is|be|as) (?:a )?part of\b|\bsatellite (?:event|workshop|symposium) (?:of|at|to)\b`

var (
	// heldWithEvent matches words such as "co-located with", which precede the name of a host.
	heldWithEvent = compilePattern(`(?i)` + heldWith)
	// heldAtEvent matches words such as "workshop at", which precede the name of a host in a title or a
	// separate line.
	heldAtEvent = compilePattern(`(?i)@|\b(?:workshop|tutorial|competition|challenge|contest|consortium|session|track) (?:at|of|in)\b|,? at\b`)
	// earlier matches words about earlier editions.
	earlier = compilePattern(`(?i)\b(previous|past|last|earlier|was|were|had|editions?|series|proceedings|so far|history)\b`)
)

// eventsHeldWith returns the byte ranges of names in s of events that this one is held with. own are the
// letters of this event's acronym.
func (n *nameReader) eventsHeldWith(s, own string) (at [][2]int) {
	for _, m := range heldWithEvent.FindAllStringIndex(s, 4) {
		if earlier.MatchString(lastBytes(s[:m[0]], maxHeading)) {
			continue
		}
		if from, to := n.hostName(s, m[1], own); to > from {
			at = append(at, [2]int{from, to})
		}
	}
	return at
}

// hostName returns the offsets of the name of an event that begins at byte from of s, after an optional
// article. It consists of capitalised words and ends with a year at the latest. Two equal offsets mean
// none. own are the letters of this event's acronym.
func (n *nameReader) hostName(s string, from int, own string) (int, int) {
	rest := cutToBytes(s[from:], maxTitle)
	if m := hostLead.FindStringIndex(rest); m != nil {
		from, rest = from+m[1], rest[m[1]:]
	}
	words, end, at := strings.Fields(rest), 0, 0
	for i, w := range words {
		part := mayBePartOfName(w) || quotedYear.MatchString(w)
		if i >= maxNameWords || !part && !linkWordsContinueName(words, i) {
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
	if rest := strings.TrimSpace(rest[len(name):]); nameLink[rest] || cannotEndTitle.MatchString(name) || !n.isHost(name, own) {
		return from, from // the line ends within the name, or it is not a name
	}
	return from, from + len(name)
}

var quotedYear = compilePattern(`^['’]\d\d\b`)

// hostLead matches the words between "with" and the name.
var hostLead = compilePattern(`(?i)^[\s:(]*(?:(?:the|an?|its|this(?: year['’]s)?|conference|events?)\s+)*`)

// isHost reports whether a text is the name of another event in the year of this edition. It must have an
// acronym, or a noun for events and a subject. own are the letters of this event's acronym.
func (n *nameReader) isHost(name, own string) bool {
	if name == "" || len(name) > maxTitle || institution.MatchString(name) {
		return false
	}
	if ys := date.Years(name); n.year != 0 && len(ys) > 0 && ys[0] != n.year {
		return false
	}
	a := acronymInTitle(name)
	if a == "" {
		if bare := bareAcronym(name); isAcronymShaped(bare) {
			a = bare
		}
	}
	if a != "" {
		return lowerLetters(a) != own && !noAcronym[strings.ToLower(a)]
	}
	return nouns.MatchString(name) && len(strings.Fields(name)) > 2 && (own == "" || !strings.Contains(lowerLetters(name), own))
}
