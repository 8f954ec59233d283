package extract

import (
	"strings"
	"unicode"
)

// peopleIn reads the people of a text without contacts: one with an
// affiliation, or several separated by semicolons, bullets, commas or "and".
// The work is linear in the text, at most maxPeople are read.
func peopleIn(s string) []personEntry {
	var out []personEntry
	for _, part := range strings.FieldsFunc(s, strongBreak) {
		if len(out) >= maxPeople {
			break
		}
		people := listIn(part)
		if len(people) == 0 && len(out) > 0 && out[len(out)-1].Affiliation == "" && isAffiliation(strings.TrimSpace(part)) {
			last := &out[len(out)-1]
			last.Affiliation, _, _ = affiliationIn(part)
			last.Country = countryOf(last.Affiliation)
		}
		out = append(out, people...)
	}
	if len(s) > maxPersonBlock && len(out)*maxPersonBlock < len(s)*2 {
		return nil // prose in which names occur
	}
	return out[:min(len(out), maxPeople)]
}

func strongBreak(r rune) bool { return r == ';' || r == '；' || r == '•' || r == '|' || r == '\n' }

// A segment is what stands between two commas or conjunctions that are outside
// brackets.
type segment struct {
	text  string
	joint bool // a conjunction stands before it, or a bracket closed without a comma
	name  bool // it begins with a person's name
	entry personEntry
}

// listIn reads a part without strong breaks: names with their institutions in
// brackets, names alone, or names each followed by institution and country.
func listIn(s string) []personEntry {
	segs := segments(s)
	if len(segs) == 0 {
		return nil
	}
	names, closed := 0, 0
	for i := range segs {
		if segs[i].entry, segs[i].name = entryIn(segs[i].text); segs[i].name {
			names++
			if segs[i].entry.closed {
				closed++
			}
		}
	}
	if !segs[0].name {
		if e, ok := entryIn(s); ok { // "Roe, Jane (Hilltown)"
			return []personEntry{e}
		}
		return nil
	}
	var out []personEntry
	from := 0
	for i := 1; i <= len(segs); i++ {
		if i < len(segs) && !begins(segs, i, names, closed) {
			continue
		}
		e := segs[from].entry
		if i-from > 1 && !e.closed || i-from > 1 && e.Affiliation == "" {
			if whole, ok := entryIn(joined(segs[from:i])); ok {
				e = whole
			}
		}
		out = append(out, e)
		from = i
	}
	return out
}

// begins reports whether segment i begins another person.
func begins(segs []segment, i, names, closed int) bool {
	if !segs[i].name {
		return false
	}
	before := segs[i-1]
	switch {
	case segs[i].entry.closed && (closed >= 2 || names == len(segs)):
		return true
	case before.name && before.entry.closed:
		return true
	case names == len(segs):
		return len(segs) > 2 || segs[i].joint || hasGivenName(segs[i].entry.Name) && !isOrganization(segs[i].text)
	case segs[i].joint:
		return !isOrganization(segs[i].text) && (hasGivenName(segs[i].entry.Name) || before.name)
	}
	return hasGivenName(segs[i].entry.Name) && countryNamed(strings.Trim(before.text, " .")) != ""
}

func joined(segs []segment) string {
	var b strings.Builder
	for i, s := range segs {
		if i > 0 && s.joint {
			b.WriteString(" and ")
		} else if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strings.TrimSpace(s.text))
	}
	return b.String()
}

// conjunctions part the last two of a list.
var conjunctions = wordSet("and & und et y e i och og en")

// segments splits s at commas and conjunctions outside brackets, and behind a
// bracket that closes before a capital letter.
func segments(s string) []segment {
	var out []segment
	depth, from, joint := 0, 0, false
	cut := func(end, next int, conj bool) {
		if text := strings.TrimSpace(s[from:end]); text != "" {
			out = append(out, segment{text: text, joint: joint})
			joint = false
		}
		joint = joint || conj
		from = next
	}
	word := 0 // where the current word begins
	for i, r := range s {
		switch {
		case r == '(' || r == '（' || r == '[':
			depth++
		case r == ')' || r == '）' || r == ']':
			depth = max(depth-1, 0)
		case depth == 0 && (r == ',' || r == '，' || r == '、'):
			cut(i, i+len(string(r)), false)
		case r == ' ' && depth == 0:
			if conjunctions[s[word:i]] && word > from && capitalBehind(s[i:]) {
				cut(word, i+1, true)
			} else if i > 0 && (s[i-1] == ')' || s[i-1] == ']') && capitalBehind(s[i:]) && i > from+1 && !nickname.MatchString(s[max(0, strings.LastIndexAny(s[from:i], "([")+from):]) {
				cut(i, i+1, true)
			}
		}
		if r == ' ' {
			word = i + 1
		}
	}
	cut(len(s), len(s), false)
	return out
}

func capitalBehind(s string) bool {
	for _, r := range s {
		if r != ' ' {
			return unicode.IsUpper(r) || ideograph(r)
		}
	}
	return false
}
