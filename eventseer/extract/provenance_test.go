package extract

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/schema"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
)

// mostUntrue is, by field, the maximum number of values on the gold pages without a true source. It must
// not be increased.
var mostUntrue = map[string]int{"location": 1}

// TestProvenance checks the source of every value read from the gold pages. The offset must be in the
// page's text and the path must exist. The value must be there: a date, the words of a name, or the part
// that the source does not mark as inferred.
func TestProvenance(t *testing.T) {
	x := newTestExtractor()
	values, untrue := map[string]int{}, map[string][]string{}
	for page, err := range warc.Pages(golden.SharedPath(t, "corpora/gold/pages.warc.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		e, _ := x.Extract(tree)
		for _, s := range sourced(e) {
			values[s.field]++
			if why := s.lie(tree); why != "" {
				untrue[s.field] = append(untrue[s.field], fmt.Sprintf("%s %q: %s; %+v", page.URL, s.value, why, s.source))
			}
		}
	}
	for _, field := range slices.Sorted(maps.Keys(values)) {
		t.Logf("%-18s %4d values, %3d without a true source", field, values[field], len(untrue[field]))
		if len(untrue[field]) > mostUntrue[field] {
			t.Errorf("%s: %d values without a true source, %d are tolerated:", field, len(untrue[field]), mostUntrue[field])
			for _, text := range untrue[field][:min(len(untrue[field]), 8)] {
				t.Log(text)
			}
		}
	}
}

// A sourcedValue is a value of a record with its source.
type sourcedValue struct {
	field, value string
	date         bool // the value is a day
	source       eventseer.Provenance
	sourced      bool
}

// sourced returns the values of a record that are read from the page.
func sourced(e eventseer.Event) []sourcedValue {
	var all []sourcedValue
	add := func(field, value string, date bool) {
		if value != "" {
			source, ok := e.Sources[field]
			all = append(all, sourcedValue{field, value, date, source, ok})
		}
	}
	add("title", e.Title, false)
	add("acronym", e.Acronym, false)
	add("parent", e.Parent, false)
	add("event_start", string(e.EventStart), true)
	add("event_end", string(e.EventEnd), true)
	if e.Location != nil {
		add("location", cmp.Or(e.Location.City, e.Location.Country, e.Location.Text, "online"), false)
	}
	if len(e.Topics) > 0 {
		add("topics", e.Topics[0], false)
	}
	if len(e.Committee) > 0 {
		add("committee", e.Committee[0].Name, false)
	}
	add("publisher", e.Publisher, false)
	add("submission_url", e.SubmissionURL, false)
	for _, d := range e.Deadlines {
		all = append(all, sourcedValue{"deadlines", string(d.Date), true, d.Source, true})
	}
	return all
}

// structuredRules are the rules of structured data, which is not visible.
var structuredRules = []string{string(schema.JSONLD), string(schema.Microdata), string(schema.RDFa), string(schema.ICalendar)}

// lie returns an untrue statement of a source, or "".
func (v sourcedValue) lie(t *tagtree.Tree) string {
	s := v.source
	from, to := s.Offset[0], s.Offset[1]
	if to == 0 {
		for _, picture := range t.Pictures(maxPictures, minPictureName) {
			if t.ElementPath(int(picture.Element)) == s.Path {
				return standsIn(v, picture.Name, s)
			}
		}
	}
	hasPath := s.Path == "html/head/title" || slices.ContainsFunc(t.Blocks(), func(b tagtree.Block) bool { return b.Path == s.Path })
	switch {
	case !v.sourced:
		return "it has no source"
	case s.URL != t.Page.URL || s.Rule == "":
		return "its source says no page or no rule"
	case slices.Contains(structuredRules, s.Rule):
		return ""
	case !hasPath:
		return "no block has its path"
	case s.Path == "html/head/title" && to == 0:
		return standsIn(v, t.Title(), s)
	case v.field == "submission_url":
		return "" // an address is not visible
	case from < 0 || to <= from || to > len(t.Text()):
		return "its offset is not in the text"
	}
	why := standsIn(v, t.Text()[from:to], s)
	for _, b := range t.Blocks() {
		if why != "" && v.date && len(b.Struck) > 0 && b.Start <= from && to <= b.Start+len(b.Text) {
			kept, _ := separateStruck(b)
			return standsIn(v, kept[from-b.Start:to-b.Start], s)
		}
	}
	return why
}

// standsIn returns the error of a source that claims a value to be in a text, or "" if it is there.
func standsIn(v sourcedValue, text string, s eventseer.Provenance) string {
	if v.date {
		for _, d := range date.Read(text, "") {
			for _, day := range [...]date.Day{d.From, d.To, {Year: d.From.Year, Month: d.From.Day, Day: d.From.Month}, {Year: d.To.Year, Month: d.To.Day, Day: d.To.Month}} {
				if v.value == string(day.Date()) || s.Inferred != "" && strings.HasSuffix(v.value, fmt.Sprintf("-%02d-%02d", day.Month, day.Day)) {
					return ""
				}
			}
		}
		if s.Inferred != "" && anyDigit.MatchString(text) {
			return ""
		}
		return fmt.Sprintf("the date is not read in %q", cutToBytes(text, 80))
	}
	if s.Inferred != "" {
		return ""
	}
	said := printedLetters(text)
	for word := range strings.FieldsFuncSeq(v.value, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !strings.Contains(said, printedLetters(word)) {
			if s.Inferred != "" {
				return ""
			}
			return fmt.Sprintf("%q is not in %q", word, cutToBytes(text, 80))
		}
	}
	return ""
}

var anyDigit = regexp.MustCompile(`\p{N}`)

// printedLetters returns the letters and digits of a text in lower case.
func printedLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}
