package query

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/field"
	"github.com/eventseer/eventseer/internal/text"
)

// A queryField is a field name that may precede a colon.
type queryField struct {
	name string
	// read checks a value and returns it and its operator in canonical form. Nil means that the
	// field contains words.
	read func(op, text string) (newOp, newText string, err error)
	// compares means that < and > are allowed.
	compares bool
	values   []string // all possible values, nil if they cannot be listed
}

// queryFields are the fields in the order shown to people: first those of words, then those of
// facts, which Term.Test decides.
var queryFields = []queryField{
	{name: "title"}, {name: "acronym"}, {name: "topic"}, {name: "place"}, {name: "clip"}, {name: "text"}, {name: "person"},
	{name: "city", read: readName}, {name: "country", read: readName}, {name: "where", read: readName}, {name: "mode", read: readMode, values: modeKeys()},
	{name: "field", read: readField, values: fieldWords()}, {name: "kind", read: readKind, values: queryKinds}, {name: "year", read: readYear, compares: true},
	{name: "rank", read: readRank, compares: true},
	{name: "due", read: readAhead, compares: true}, {name: "start", read: readAhead, compares: true},
	{name: "month", read: readMonth},
	{name: "series", read: readSlug}, {name: "id", read: readSlug},
	{name: "new", read: readAhead, compares: true}, {name: "changed", read: readAhead, compares: true},
	{name: "has", read: readHas, values: hasFacts},
}

// Fields returns the names a query may put before a colon or an operator.
func Fields() (names []string) {
	for _, f := range queryFields {
		names = append(names, f.name)
	}
	return names
}

// otherNames are alternative names of fields that people may try.
var otherNames = map[string]string{
	"deadline": "due", "deadlines": "due", "closing": "due", "closes": "due", "submission": "due", "abstract": "due", "until": "due",
	"date": "start", "begin": "start", "begins": "start", "when": "start",
	"location": "where", "loc": "where", "region": "where", "continent": "where", "venue": "place", "attendance": "mode", "format": "mode",
	"name": "title", "conference": "acronym", "conf": "acronym",
	"subject": "topic", "topics": "topic", "tag": "topic", "area": "field", "discipline": "field", "type": "kind",
	"author": "person", "chair": "person", "speaker": "person", "committee": "person", "editor": "person",
	"core": "rank", "ccf": "rank", "ggs": "rank", "ranking": "rank", "found": "new", "seen": "new", "updated": "changed", "modified": "changed",
}

// likelyField returns the field that a user may have meant, or "".
func likelyField(name string) string {
	name = strings.ToLower(name)
	if meant := otherNames[name]; meant != "" {
		return meant
	}
	for _, f := range queryFields {
		if n := min(len(name), len(f.name)); n >= 3 && name[:n] == f.name[:n] { // the same beginning, such as "countr" and "titles"
			return f.name
		}
	}
	return nearestWord(name, Fields())
}

func fieldNamed(name string) *queryField {
	for i := range queryFields {
		if strings.EqualFold(queryFields[i].name, name) {
			return &queryFields[i]
		}
	}
	return nil
}

// convertValue converts the value of t, which begins at from, to canonical form. For a fact, quotes
// only group its words.
func (s *scanner) convertValue(f *queryField, t *Term, from int) *Error {
	if t.Near > 0 {
		try := s.textWith(from, s.at, `"`+t.Text+`"`)
		return s.errorAt(t.Pos, s.at, try, "~ is for words, and the field %s: has none; leave it out", f.name)
	}
	value := strings.Join(strings.Fields(t.Text), " ")
	op, text, err := f.read(t.Op, value)
	if err != nil {
		return s.valueError(t, from, nearestWord(strings.ToLower(value), f.values), err)
	}
	t.Op, t.Text, t.Phrase = op, text, false
	return nil
}

// IsFact reports whether the term is about a fact, tested by Test, and not about words.
func (t Term) IsFact() bool {
	f := fieldNamed(t.Field)
	return f != nil && f.read != nil
}

func readName(op, name string) (string, string, error) {
	if text.FoldForComparison(name) == "" {
		return "", "", fmt.Errorf("needs a name")
	}
	return op, name, nil
}

func readKind(op, text string) (string, string, error) {
	kind := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(text))
	if alias, ok := kindAliases[kind]; ok {
		kind = alias
	}
	if !slices.Contains(queryKinds, kind) {
		return "", "", fmt.Errorf("needs one of %s", strings.Join(queryKinds, ", "))
	}
	return op, kind, nil
}

var (
	queryKinds = []string{
		string(eventseer.Conference), string(eventseer.Workshop), string(eventseer.Symposium), string(eventseer.SpecialIssue), string(eventseer.SummerSchool), string(eventseer.OtherKind),
	}
	kindAliases = map[string]string{"journal": string(eventseer.SpecialIssue), "issue": string(eventseer.SpecialIssue), "school": string(eventseer.SummerSchool)}
)

// readField reads the id or the name of a field, or of the general field of a discipline.
func readField(op, text string) (string, string, error) {
	if f, ok := field.Named(text); ok {
		return op, f.ID, nil
	}
	return "", "", fmt.Errorf("needs a field of research, such as field:databases; `eventseer fields` lists them")
}

// fieldWords returns the ids and the names of all fields.
func fieldWords() (words []string) {
	for _, f := range field.All() {
		words = append(words, f.ID, strings.ToLower(f.Name))
	}
	return words
}

func readYear(op, text string) (string, string, error) {
	if n, err := strconv.Atoi(text); err != nil || n < 1000 || n > 9999 || len(text) != 4 {
		return "", "", fmt.Errorf("needs four digits, such as year:2027")
	}
	return op, text, nil
}

var monthText = regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])$`)

func readMonth(op, text string) (string, string, error) {
	if !monthText.MatchString(text) {
		return "", "", fmt.Errorf("needs a month, such as month:2027-06")
	}
	return op, text, nil
}

func readSlug(op, text string) (string, string, error) {
	text = strings.ToLower(text)
	if strings.IndexFunc(text, func(r rune) bool { return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }) >= 0 {
		return "", "", fmt.Errorf("needs letters, digits and hyphens, such as icx-2027")
	}
	return op, text, nil
}

// hasFacts are the possible values of has:.
var hasFacts = []string{"extension", "rank", "deadline", "place", "parent", "warning", "doubt"}

func readHas(op, text string) (string, string, error) {
	text = strings.ToLower(text)
	if !slices.Contains(hasFacts, text) {
		return "", "", fmt.Errorf("needs one of %s", strings.Join(hasFacts, ", "))
	}
	return op, text, nil
}

// nearestWord returns the value with the most similar spelling, the first of several, or "". At
// most a third of the letters, and two, may differ.
func nearestWord(word string, values []string) string {
	asked := text.FoldForComparison(word)
	letters := utf8.RuneCountInString(asked)
	if letters == 0 || letters > maxNearest {
		return ""
	}
	best, least := "", min(2, (letters+1)/3)+1
	for _, v := range values {
		if n := text.EditDistance(asked, text.FoldForComparison(v), least); n < least {
			best, least = v, n
		}
	}
	return best
}

const maxNearest = 60 // runes
