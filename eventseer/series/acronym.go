package series

import (
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/internal/text"
)

// archives are names of archives and mailing lists of calls, normalized and without spaces. Pages
// and mails print them in the position of an acronym, but they are not events.
var archives = text.WordSet(`dbworld wikicfp seworld aisworld dbworldmessage linguistlist linguist corporalist callforpapers conferencealerts
	easychair allconferences allconference confsearch conferencepartner myhuiban ccfddl researchr hnet upenncfp cfplist tccc hciannounce
	theoryannounce isworld aisworldlist semanticweb irlist sigirlist mlnews uai connectionists visionlist robotworldwide agentslist
	openresearch papercrowd resurchify 10times eventseer`)

// IsArchive reports whether an acronym is the name of an archive or a mailing list of calls.
func IsArchive(acronym string) bool {
	key := withoutSpaces(text.FoldForComparison(WithoutYears(text.CutName(acronym))))
	return archives[key] && key != "uai" && key != "semanticweb"
}

func withoutSpaces(s string) string { return strings.ReplaceAll(s, " ", "") }

// acronymKey returns an acronym in the form for comparisons: its letters and digits, normalized.
func acronymKey(acronym string) string {
	return withoutSpaces(text.FoldForComparison(text.CutName(acronym)))
}

// sponsors precede acronyms: "ACM CHI", "IEEE/ACM ASE".
var sponsors = text.WordSet("acm ieee ifip siam usenix isoc iapr iacr aaai aclweb cvf rsj bcs iet eai ima eurographics euro springer")

// WithoutSponsor returns an acronym without the sponsors before it, if at least three letters
// remain: "CGO" for "IEEE/ACM CGO".
func WithoutSponsor(acronym string) string {
	words := strings.FieldsFunc(acronym, func(r rune) bool { return unicode.IsSpace(r) || r == '/' })
	for len(words) > 1 && sponsors[strings.ToLower(words[0])] {
		words = words[1:]
	}
	if s := strings.Join(words, " "); isAcronym(s) && len(s) > 2 {
		return s
	}
	return acronym
}

// Spellings returns the keys of an acronym and of its variants, see spellings.
func Spellings(acronym string) (keys []string) {
	for _, s := range spellings(acronym) {
		if key := acronymKey(s); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// spellings returns an acronym and its variants: without sponsors, and each part of a joint one,
// "ESEC/FSE".
func spellings(acronym string) []string {
	acronym = strings.TrimSpace(WithoutYears(text.CutName(acronym)))
	out := []string{acronym}
	add := func(s string) {
		if s = strings.TrimSpace(s); isAcronym(s) {
			out = nonEmpty(out[0], append(out, s))
		}
	}
	words := strings.FieldsFunc(acronym, func(r rune) bool { return unicode.IsSpace(r) || r == '/' || r == '-' })
	for len(words) > 1 && sponsors[strings.ToLower(words[0])] {
		words = words[1:]
		add(strings.Join(words, " "))
	}
	if before, in, ok := strings.Cut(acronym, "("); ok { // "S&P (Oakland)"
		add(before)
		add(strings.TrimRight(in, ") "))
	}
	for _, part := range strings.FieldsFunc(acronym, func(r rune) bool { return r == '/' || r == '+' }) {
		if !sponsors[strings.ToLower(strings.TrimSpace(part))] {
			add(part)
		}
	}
	return out
}

// isAcronym reports whether a text has the form of an acronym: three or more letters, at least two
// of them capitals.
func isAcronym(s string) bool {
	letters, capitals := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
		if unicode.IsUpper(r) {
			capitals++
		}
	}
	return letters >= 2 && capitals >= 2
}

// isSpelled reports whether an acronym is distinguished from a word by its spelling: two capitals
// in one word.
func isSpelled(s string) bool { return isAcronym(s) && !strings.ContainsAny(s, " \t") && len(s) >= 3 }

// acronymsIn returns the words of a title that are acronyms of the table, as spelled there. They
// must be first or last in the title, in brackets, or before a year or punctuation, so that
// sponsors do not count: "CAiSE'19: …", "… (SIGMOD 2027)".
func (t *Table) acronymsIn(title string) (found []string) {
	words := strings.Fields(text.CutName(title))
	words = words[:min(len(words), MaxTitleWords)]
	for i, w := range words {
		bare := strings.Trim(w, "()[],:;.\"“”|–—")
		stands := i == 0 && len(words) == 1 || i == len(words)-1 || strings.HasPrefix(w, "(") || strings.HasPrefix(w, "[") || strings.ContainsAny(w[len(w)-1:], ",:;|)]")
		if next := i + 1; next < len(words) {
			after := strings.Trim(words[next], "()[],:;.'’‘")
			stands = stands || isYear(after) || strings.HasPrefix(words[next], "'") || strings.HasPrefix(words[next], "’") || strings.Trim(words[next], "-–—|:") == ""
		}
		short, _, quoted := strings.Cut(strings.ReplaceAll(bare, "’", "'"), "'")
		for _, s := range []string{bare, short, trimYear(bare)} {
			if len(t.spelled[s]) > 0 && !IsArchive(s) && (stands || quoted || s != bare) {
				found = nonEmpty("", append(found, s))
			}
		}
	}
	return found
}

// trimYear removes a year from the end of a word: "CAiSE19", "CAiSE-2019".
func trimYear(word string) string {
	bare := strings.TrimRight(word, "0123456789")
	if n := len(word) - len(bare); n != 2 && n != 4 {
		return word
	}
	return strings.TrimRight(bare, "-_ ")
}
