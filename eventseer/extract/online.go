package extract

import (
	"strings"
)

// remoteWords are words about remote participation.
const remoteWords = `(?:online|on-line|virtual(?:ly)?|remote(?:ly)?|hybrid(?:ly)?|h[ií]brid[ao]|en línea|en ligne|in linea|à distance|a distancia|via zoom|on zoom)`

// remoteOffered matches an offer of remote participation.
const remoteOffered = `(?:remote|virtual|online) (?:participation|attendance|presentations?) (?:is|are|will be) (?:possible|allowed|supported|offered|available|welcome|conducted|held|given)`

const gathering = `(?:conference|workshop|event|symposium|meeting|congress|edition|summit|forum|school|seminar|attendance|participation|mode|format|form)`

var (
	// remoteHeld matches a sentence which says that an event is held remotely.
	remoteHeld = compilePattern(`(?i)\b(?:held|hosted|take[s]? place|taking place|organi[sz]ed|conducted|convened?|celebrar\p{L}*|realizar\p{L}*)\b[^.;]{0,60}?\b` + remoteWords + `\b` +
		`|\b(?:online|virtual|hybrid)[ -](?:only |and in-person )?` + gathering + `\b` +
		`|\b(?:conference|workshop|event|symposium|meeting|congress|it)\b[^.;]{0,30} (?:will be|is|goes|go) (?:a |an |be )?(?:fully |entirely |completely )?(?:online|virtual|hybrid|remote)\b(?: ` + gathering + `)?[^\p{L}]*(?:$|[,.;(]|due|because|and in|via|on|from)` +
		`|\b(?:attend|attending|participate|participating|participation|join|joining)\b[^.;]{0,40}\b(?:online|virtually|remotely|via zoom)\b` +
		`|\b(?:(?:format|mode|modality|modalidad|modalidade)\b|modalit[éà])[^.;]{0,20}\b` + remoteWords + `\b` +
		`|\b` + remoteOffered + `\b` +
		`|\bin virtual\b|virtual land|\b(?:fully|entirely|completely|all|both) (?:online|virtual|remote)\b`)
	// hybridWords matches a text that offers the event both on site and remotely.
	hybridWords = compilePattern(`(?i)\bhybrid\b|h[ií]brid[ao]|\b` + remoteOffered + `\b|(?:in[- ]person|on[- ]?site|physical\w*|face[- ]to[- ]face|f2f|presencial|en présentiel|offline)\b.{0,60}\b` + remoteWords + `\b|\b` + remoteWords + `\b.{0,60}\b(?:in[- ]person|on[- ]?site|physical\w*|face[- ]to[- ]face|f2f|presencial|offline)\b|线上线下|線上線下|ハイブリッド|하이브리드`)
	// remoteBeside matches a word for remote participation beside the days of the event or instead of its
	// place.
	remoteBeside = compilePattern(`(?i)\b(online|virtually|virtual|hybrid|remotely|remote (?:participation|attendance|presentations?)|h[ií]brid[ao]|en línea)\b|オンライン|ハイブリッド|线上|線上|온라인`)
	remoteCJK    = compilePattern(`(?:线上|線上|オンライン|ハイブリッド|온라인)(?:会议|會議|开催|開催|举行|舉行|线下|で|으로|개최|及|和|与|與)`)
	// remotePlace matches a word for remote participation that is printed instead of a place.
	remotePlace = compilePattern(`(?i)^\W*(?:fully |entirely |held )?(?:online|virtual(?:ly)?|hybrid)(?:[ -]` + gathering + `)?\W*$`)
	// notRemote matches "online" and "hybrid" about other things than the event.
	notRemote = compilePattern(`(?i)\bonline[- ](submissions?|systems?|proceedings|publications?|registrations?|first|appendi\w+|version|journal|social|learning|algorithms?|communit\w+|manuscript|form|tool|paper|at|games?|services?|library|materials?|resources?|reviews?)|submi\w*[^.;]{0,60}\b(on-?line|electronic\w*|remotely)\b|\b(publish|submi|upload|regist|availab|accessib|appear|review|post)\w*\b[^.;]{0,40}\b(on-?line)\b|virtual[- ](worlds?|environments?|realit\w+|machines?|memor\w+|agents?|humans?|teams?|organi[sz]ations?|assistants?|labs?|learning|communit\w+|spaces?)|hybrid[- ](models?|model\w+|systems?|intelligen\w+|methods?|approach\w*|algorithms?|learning|clouds?|electric|control|automata|simulation|energy|architectures?|network\w*|quantum|techniques?|work)|remote (sensing|work\w*|control|access)`)
	// otherOccasionWords matches words about other editions, exceptions and possibilities.
	otherOccasionWords = compilePattern(`(?i)\b(previous|past|earlier|last year|former|was held|were held|has been held|have been held|not be|no (online|virtual|hybrid|remote)|unable|emergency|only if|in case|study|exception\w*|might|visa|upon request|allowed for)\b`)
	sentenceStop       = compilePattern(`[.;!?。；！？]\s|[。；！？]|$`)
)

// A remoteSpan is a sentence about remote participation, bytes [from, to) of a block. hybrid means that
// participation on site is possible too.
type remoteSpan struct {
	block, from, to int
	hybrid          bool
}

// findRemoteSentence returns the sentence which says that the event is held online, entirely or in part.
// dateBlock is the block with the days of the event, -1 for none.
func (p *page) findRemoteSentence(dateBlock int) (remoteSpan, bool) {
	for i, b := range p.blocks {
		if i > 8*maxTop && i > dateBlock+1 {
			break
		}
		if !p.mayMatch(i, remoteBeside) || !remoteBeside.MatchString(cutToBytes(b.Text, maxPlaceText)) {
			continue
		}
		near := dateBlock >= 0 && i >= dateBlock-1 && i <= dateBlock+1 && len(b.Text) <= maxPlaceBlock
		place := len(b.Text) <= maxPlaceBlock && (venueHeading.MatchString(cutToBytes(b.Text, 20)) || i-p.head[i] <= 2 && venueHeading.MatchString(cutToBytes(p.headingAbove(i), maxHeading)))
		from := 0
		for _, end := range sentenceStop.FindAllStringIndex(cutToBytes(b.Text, maxPlaceText), maxSentences) {
			s := b.Text[from:end[0]]
			if p.saysRemote(s, i, near || place) {
				return remoteSpan{i, from, end[0], hybridWords.MatchString(s)}, true
			}
			from = end[1]
		}
	}
	return remoteSpan{}, false
}

// maxSentences is the maximum number of sentences read per block.
const maxSentences = 200

// saysRemote reports whether a sentence of block i says that the event is held remotely. beside means that
// it is beside the event's days or place.
func (p *page) saysRemote(s string, i int, beside bool) bool {
	if !remoteBeside.MatchString(s) || notRemote.MatchString(s) || otherOccasionWords.MatchString(s) {
		return false
	}
	switch {
	case beside && isShortRemote(s), remotePlace.MatchString(s) && i < maxTop, remoteCJK.MatchString(s):
		return true
	}
	return remoteHeld.MatchString(s) && !p.isUnderPeopleHeading(i) && (len(s) > maxHeading || i < maxTop || heldWords.MatchString(s))
}

// isShortRemote reports whether a part of an address, or a part of few words, contains a word for remote
// participation.
func isShortRemote(s string) bool {
	for _, q := range addressParts(withoutDates(s)) {
		if remoteBeside.MatchString(q.text) && len(strings.Fields(q.text)) <= maxRemoteWords {
			return true
		}
	}
	return false
}

const maxRemoteWords = 4
