package extract

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer/extract/name"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
)

// Limits on the names of events and journals that the event called for is held with.
const (
	maxHosts     = 24 // per page
	maxHostLines = 12 // blocks at the top in which a journal may be above its special issue
)

// eventHosts returns the events and journals that the event called for is a part of or held with, at most
// maxHosts. They are read once, from the title element and the top of the page, and are in printed order.
func (n *nameReader) eventHosts() []name.Host {
	if n.hostsRead {
		return n.hostList
	}
	n.hostsRead = true
	n.addHosts(cutToBytes(n.t.Title(), maxTitleBlock), -1, true)
	shown := 0
	for i := 0; i < len(n.blocks) && shown < maxTop && len(n.hostList) < maxHosts; i++ {
		if n.menu[i] {
			continue
		}
		b := n.blocks[i]
		n.addHosts(cutToBytes(b.Text, maxBlockBytes), i, len(b.Text) <= maxTitle)
		if i > 0 && n.mayMatch(i-1, hostEnd) && hostEnd.MatchString(lastBytes(n.blocks[i-1].Text, maxHeading)) {
			lines := b.Text
			if cannotEndTitle.MatchString(lines) && i+1 < len(n.blocks) {
				lines += " " + n.blocks[i+1].Text
			}
			if from, to := n.hostName(cutToBytes(lines, maxTitle), 0, ""); to > from {
				n.addHost(lines, i, from, to, name.HeldWith)
			}
		}
		if shown < maxHostLines && partLine.MatchString(cutToBytes(b.Text, maxHeading)) {
			n.addHostInAdjacentLine(i)
		}
		shown++
	}
	return n.hostList
}

func (n *nameReader) addHost(s string, block, from, to int, way name.HostWording) {
	same := func(h name.Host) bool { return h.Block == block && h.From == from }
	if len(n.hostList) < maxHosts && !slices.ContainsFunc(n.hostList, same) {
		n.hostList = append(n.hostList, name.Host{Text: s[from:to], Block: block, From: from, To: to, Wording: way})
	}
}

// addHosts adds the hosts named in s, the text of a block. line means that s is a title or a single line.
func (n *nameReader) addHosts(s string, block int, line bool) {
	mayMatch := func(e *pattern.Pattern) bool { return block < 0 || n.mayMatch(block, e) }
	if mayMatch(heldWithEvent) {
		for _, at := range n.eventsHeldWith(s, "") {
			n.addHost(s, block, at[0], at[1], name.HeldWith)
		}
	}
	if mayMatch(issueOf) {
		for _, m := range issueOf.FindAllStringIndex(s, 2) {
			if from, to := journalName(s, m[1]); to > from {
				n.addHost(s, block, from, to, name.IssueOf)
			}
		}
	}
	if !line {
		return
	}
	if mayMatch(issueWord) {
		if m := issueWord.FindStringIndex(s); m != nil {
			if from, to := journalName(s[:m[0]], 0); to > from && journalWord.MatchString(s[from:to]) {
				n.addHost(s, block, from, to, name.IssueOf)
			}
		}
	}
	if mayMatch(heldAtEvent) {
		n.addEventsAt(s, block)
	}
	if !mayMatch(withYear) {
		return
	}
	for _, m := range withYear.FindAllStringIndex(s, 4) {
		from := m[0]
		if lead := hostLead.FindStringIndex(s[from:m[1]]); lead != nil {
			from += lead[1]
		}
		if partAfterHost.MatchString(s[m[1]:]) && n.isHost(s[from:m[1]], "") {
			n.addHost(s, block, from, m[1], name.BeforePart)
		}
	}
}

// addEventsAt adds the events with a year after "@" or "workshop at".
func (n *nameReader) addEventsAt(s string, block int) {
	for _, m := range heldAtEvent.FindAllStringIndex(s, 4) {
		if from, to := n.hostName(s, m[1], ""); to > from && withYear.MatchString(s[from:to]) {
			n.addHost(s, block, from, to, name.HeldAt)
		}
	}
}

// addHostInAdjacentLine adds the journal or event in a line close to block i, which begins with a special
// issue or session. Lines above are tried first. Calls and addresses between them are skipped.
func (n *nameReader) addHostInAdjacentLine(i int) {
	way := name.InAdjacentLine
	if issueWord.MatchString(cutToBytes(n.blocks[i].Text, maxHeading)) {
		way = name.IssueOf
	}
	for _, step := range []int{-1, 1} {
		for k := i + step; k >= 0 && k < len(n.blocks) && k != i+4*step; k += step {
			s := n.blocks[k].Text
			if n.menu[k] || len(s) > maxTitle || (n.mayMatch(k, partEvent) || n.mayMatch(k, issueWord)) && namesPart(s) {
				break
			}
			from, to := journalName(s, 0)
			if way == name.InAdjacentLine {
				if from, to = n.hostName(s, 0, ""); to > from && !withYear.MatchString(s[from:to]) && !nouns.MatchString(s[from:to]) {
					to = from
				}
			} else if step > 0 && to > from && !journalWord.MatchString(s[from:to]) {
				to = from
			}
			if to > from {
				n.addHost(s, k, from, to, way)
				return
			}
			if containsWord(cleanTitle(s)) && !strings.Contains(s, "://") && len(n.datesIn(k)) == 0 {
				break
			}
		}
	}
}

var (
	// partAfterHost matches the text after an event's name that names a part of it, such as a workshop.
	partAfterHost = compilePattern(`(?i)^[\s\d'’:–-]*(?:workshop|special (?:session|track)|tutorial|challenge|competition|doctoral consortium)\b`)
	// issueOf matches the text between a special issue and the name of its journal.
	issueOf = compilePattern(`(?i)\b(?:special|themed?|topical) (?:issues?|sections?|collections?) (?:cfp ?:|of|in|for) ?(?:the )?`)
	// partLine matches a line that names a special issue or session.
	partLine = compilePattern(`^[^.\p{Ll}]{0,20}(?:(?i:call for papers?)\W+(?:for |to )?(?:an? |the )?)?(?:(?:19|20)\d\d |\p{Lu}\p{L}+ )?(?i:special|themed?|topical) (?i:issue|section|collection|session|track)\b`)
	// journalWord matches words in names of journals.
	journalWord = compilePattern(`(?i)\b(?:journal|transactions|letters|magazine|annals|archives|proceedings|review|revista|revue|zeitschrift)\b`)
	// journalEnd matches the text after the name of a journal.
	journalEnd = compilePattern(`(?i)\s+on\s+(?:["“‘'?]|(?-i:\p{Ll}))|["“”]|\s[-–—|:]\s|[:|;(]|,\s|\.\s|\bspecial\b`)
	// journalLead matches the text before the name of a journal.
	journalLead = compilePattern(`(?i)^[\W_]*(?:(?:call for papers|cfp|journal|the)\s*[:–-]\s*|the\s+)*`)
)

// journalName returns the offsets of a journal's name in s that begins at byte from. Most of its words must
// be capitalised. Two equal offsets mean that there is none.
func journalName(s string, from int) (int, int) {
	rest := cutToBytes(s[from:], maxTitle)
	if m := journalLead.FindStringIndex(rest); m != nil {
		from, rest = from+m[1], rest[m[1]:]
	}
	if m := journalEnd.FindStringIndex(rest); m != nil {
		rest = rest[:m[0]]
	}
	rest = strings.TrimRight(rest, " \t,;:|–—-·•*=_.#<>«»")
	words := nameWords(rest)
	if len(words) < 2 || len(words) > 14 || !isCapitalised(rest) || smallWordShare(rest) > 0.3 || noTitle.MatchString(rest) || hasYear(rest) {
		return from, from
	}
	return from, from + len(rest)
}
