package extract

import (
	"regexp"
	"strings"
	"unicode"
)

// replaces decides between two dates under one label with link printed between
// them. If one replaces the other it leaves the newer in a and reports true.
func replaces(a, b *entry, link string) bool {
	if listLink.MatchString(link) && !extensionWords.MatchString(link) && a.date.struck == b.date.struck {
		return false
	}
	switch {
	case formerly.MatchString(strings.TrimRight(link, " (:")+" ") || b.date.struck && !a.date.struck:
		a.old = append(a.old, b.date)
	default:
		a.old = append(a.old, a.date)
		a.date, a.around = b.date, b.around
	}
	return true
}

var listLink = regexp.MustCompile(`(?i)^[\s,]*(and|or|&|/|und|oder|y|e|et|ou)\s*$|,\s*$|;\s*$`)

// joins reports whether the text between two dates leaves them under one label.
func joins(link string) bool {
	if len(link) > 60 {
		return false
	}
	rest := extensionWords.ReplaceAllString(link, "")
	rest = formerWords.ReplaceAllString(rest, "")
	rest = clockPattern.ReplaceAllString(rest, "")
	rest = zonePattern.ReplaceAllString(rest, "")
	rest = smallWords.ReplaceAllString(rest, "")
	return !says(rest)
}

var (
	formerWords = regexp.MustCompile(`(?i)\b(was|originally|original|previously|formerly|former|old|instead of|from|ursprünglich|statt|initially|initial|strict|firm|hard)\b`)
	smallWords  = regexp.MustCompile(`(?i)\b(to|until|till|and|or|the|on|by|at|bis|zum|auf|new|a|al|em|para|pm|am|hasta|até|time|end of day)\b|\b(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?\b`)
)

// joinRuns leaves out each date that another one replaces, and notes it there.
func (p *page) joinRuns(es []entry) []entry {
	plain := make([]plainText, len(es))
	for k, e := range es {
		plain[k] = plainText{plainLabel(e.label), extensionWords.MatchString(e.label)}
	}
	var out []entry
	gone := make([]bool, len(es))
	for k := range es {
		n := replaced(es, k)
		if n < 0 {
			n = p.replacement(es, plain, k)
		}
		if n >= 0 {
			es[n].old = append(es[n].old, es[k].date)
			gone[k] = true
		}
	}
	for k, e := range es {
		if !gone[k] {
			out = append(out, e)
		}
	}
	return out
}

// replacedBy matches a label in running text that names an earlier date.
var replacedBy = regexp.MustCompile(`(?i)\b(extended from|instead of|previously|originally|formerly)\b[^\d]{0,20}$`)

// replaced returns which of the entries before entry k replaces it by what its
// label says, or -1.
func replaced(es []entry, k int) int {
	if !replacedBy.MatchString(es[k].label) {
		return -1
	}
	for n := k - 1; n >= max(0, k-maxLabels); n-- {
		if es[n].kind == es[k].kind && es[k].date.from.before(es[n].date.from) {
			return n
		}
	}
	return -1
}

// replacement returns the entry that replaces entry k, or -1: of the same kind
// and label in the same section, and either k is struck out or the other is
// said to be extended and lies later.
func (p *page) replacement(es []entry, plain []plainText, k int) int {
	e := es[k]
	if e.label == "" {
		return -1
	}
	for n := max(0, k-maxRun); n < len(es) && n <= k+maxRun; n++ {
		o := es[n]
		if n == k || o.date.struck || o.kind != e.kind || o.track != e.track || p.head[o.date.block] != p.head[e.date.block] || plain[n].label != plain[k].label {
			continue
		}
		if e.date.struck {
			return n
		}
		if plain[n].extended && !plain[k].extended && e.date.from.before(o.date.from) {
			return n
		}
	}
	return -1
}

// A plainText is a label without what says that it is extended, and whether it
// says so.
type plainText struct {
	label    string
	extended bool
}

// plainLabel is a label without what says that it is extended.
func plainLabel(s string) string {
	s = asides.ReplaceAllString(extensionWords.ReplaceAllString(s, ""), "")
	return strings.ToLower(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }), " "))
}
