package features

import (
	"math"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
)

// mailNames are the dense features that distinguish a reply in a discussion from the announcement
// it replies to, in vector order.
var mailNames = [...]string{"reply", "quoted_share", "attributions"}

// mailCounts counts own and quoted words in a mail, or in its archive page. Quoted words belong to
// the page, because a forwarded call is a call; but a reply usually is not.
type mailCounts struct {
	blocks        int
	reply         bool // the subject says so
	bytes, quoted int  // of text
	attributions  int  // lines such as "Ann wrote:"
	ruled         bool // the last block is a separator like "--- Original Message ---"
	rest          bool // everything below is quoted
}

// subjectBlocks is the number of first blocks in which the subject is searched.
const subjectBlocks = 12

// addTitle checks the page's title for a reply mark. It is called before block.
func (m *mailCounts) addTitle(s string) { m.reply = m.reply || isReply(s) }

// addBlock counts the next block of the page.
func (m *mailCounts) addBlock(b tagtree.Block) {
	if m.blocks++; m.blocks <= subjectBlocks && !m.reply {
		subject, ok := cutPrefixFold(b.Text, "subject:")
		m.reply = (ok || b.Kind == tagtree.Heading) && isReply(subject)
	}
	m.bytes += len(b.Text)
	if m.rest = m.rest || m.ruled && beginsWithAny(b.Text, headerNames[:]); m.rest || isQuoted(b.Text) {
		m.quoted += len(b.Text)
		return
	}
	m.ruled = isRule(b.Text)
	if isAttribution(b.Text) {
		m.attributions++
	}
}

// featureValues returns the features named by mailNames, all in [0, 1].
func (m *mailCounts) featureValues() [len(mailNames)]float64 {
	var reply float64
	if m.reply {
		reply = 1
	}
	return [...]float64{reply, fraction(m.quoted, m.bytes), math.Min(1, float64(m.attributions)/2)}
}

// replyMarks begin the subjects of replies, as mail programs in various languages write them.
var replyMarks = [...]string{"re:", "re[", "re^", "aw:", "antw:", "sv:", "odp:", "rif:", "vs:", "回复:", "回复："}

// isReply reports whether a subject begins with a reply mark, maybe after a date or the names of
// lists in brackets.
func isReply(subject string) bool {
	s := strings.TrimSpace(subject)
	if len(s) > len("2006-01-02 -") && isDate(s[:10]) {
		s = strings.TrimLeft(s[10:], " -")
	}
	for strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return false
		}
		s = strings.TrimSpace(s[end+1:])
	}
	return beginsWithAny(s, replyMarks[:])
}

// isDate reports whether s looks like 2006-01-02.
func isDate(s string) bool {
	for i := range s {
		if dash := i == 4 || i == 7; dash != (s[i] == '-') || !dash && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}

// isQuoted reports whether a line is a quotation: "> text" or "JD> text".
func isQuoted(s string) bool {
	for i := 0; i < len(s) && i < 4; i++ {
		switch {
		case s[i] == '>':
			return true
		case !isASCIILetter(s[i]):
			return false
		}
	}
	return false
}

// attributionVerbs end lines that name the author of the quotation below.
var attributionVerbs = [...]string{"wrote", "writes", "schrieb", "écrit", "escribió", "escreveu", "ha scritto", "schreef", "skrev"}

func isAttribution(s string) bool {
	s, ok := strings.CutSuffix(s, ":")
	if !ok || len(s) > 200 {
		return false
	}
	s = strings.TrimRight(s, " \u00a0")
	return slices.ContainsFunc(attributionVerbs[:], func(verb string) bool { return strings.HasSuffix(s, verb) })
}

// isRule reports whether a line is a separator such as "-----Original Message-----" in any
// language, except for forwarded messages.
func isRule(s string) bool {
	const dashes = "----"
	if !strings.HasPrefix(s, dashes) || !strings.HasSuffix(s, dashes) {
		return false
	}
	inner := strings.ToLower(strings.Trim(s, "- "))
	return inner != "" && len(inner) < 80 && !strings.Contains(inner, "forward") && !strings.Contains(inner, "weitergeleitet")
}

// headerNames may begin the first line of a quoted header.
var headerNames = [...]string{"from:", "von:", "de:", "da:", "van:", "от:", "sent:", "发件人:"}

// beginsWithAny reports whether s begins with one of prefixes, in any letter case.
func beginsWithAny(s string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		_, ok := cutPrefixFold(s, prefix)
		return ok
	})
}

// cutPrefixFold is strings.CutPrefix without regard to case.
func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}
