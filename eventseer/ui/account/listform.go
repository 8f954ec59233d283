package account

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

const maxWithout = 100 // synonyms that a form excludes

const MaxSynonym = 80 // runes

const MaxTermsSeen = 30 // terms shown of a query, and synonyms of a term

// ListFields are the elements of the list form, by the fields of a List.
var ListFields = map[string]string{"query": "q", "name": "name", "rhythm": "rhythm-daily", "address": "address", "without": "synonyms"}

// rhythms are in the order in which they are offered.
var rhythms = []rhythmRow{
	{Rhythm: eventseer.Daily, Text: "One mail a day", About: "contains all new items; nothing is sent if there are none"},
	{Rhythm: eventseer.Weekly, Text: "One mail a week", About: "contains all new items; nothing is sent if there are none"},
	{Rhythm: eventseer.Immediate, Text: "At once", About: "a mail for each new item"},
	{Rhythm: eventseer.Quiet, Text: "No mail", About: "only a page of your own and a secret feed"},
}

func RhythmText(r eventseer.Rhythm) string {
	for _, known := range rhythms {
		if known.Rhythm == r {
			return strings.ToLower(known.Text)
		}
	}
	return views.Clip(string(r), 20)
}

// A ListForm is a filled-in list form.
type ListForm struct {
	Query, Name     string
	Exact, Synonyms bool
	Rhythms         []rhythmRow
	Helper          WordHelper
	Preview         *PreviewView
}

type rhythmRow struct {
	Rhythm      eventseer.Rhythm
	Text, About string
	Chosen      bool
}

// A WordHelper has words to add to a query.
type WordHelper struct{ All, Phrase, Any, None string }

// ReadList reads the form of a list. Errors are recorded in f.
func ReadList(form url.Values, f *OwnFrame) eventseer.List {
	l := eventseer.List{
		Query: strings.TrimSpace(form.Get("q")), Name: OneLine(form.Get("name")),
		Exact: form.Get("exact") != "", Synonyms: form.Get("synonyms") != "", Rhythm: eventseer.Rhythm(form.Get("rhythm")),
	}
	for _, w := range form["without"] {
		if w = OneLine(w); w != "" && utf8.RuneCountInString(w) <= MaxSynonym && len(l.Without) < maxWithout && !slices.Contains(l.Without, w) {
			l.Without = append(l.Without, w)
		}
	}
	l.Rhythm = cmp.Or(l.Rhythm, eventseer.Daily)
	if !slices.ContainsFunc(rhythms, func(r rhythmRow) bool { return r.Rhythm == l.Rhythm }) {
		f.AddProblem("rhythm-daily", "Choose how often mails come.")
		l.Rhythm = eventseer.Daily
	}
	if n := utf8.RuneCountInString(l.Name); n > eventseer.MaxListName {
		f.AddProblem("name", "The name has %d characters; at most %d are allowed.", n, eventseer.MaxListName)
	}
	if problem := listProblem(l.Query); problem != "" {
		f.AddProblem("q", "%s", problem)
	}
	return l
}

// listProblem returns the error of a list's query, "" if there is none.
func listProblem(text string) string {
	if text == "" {
		return "Write the words that a call must contain, such as web crawling."
	}
	expr, err := query.Parse(text)
	if err != nil {
		return views.QueryText(err)
	}
	if len(expr.Clauses) == 0 {
		return "Also write what a call must contain, not only what it must not contain."
	}
	return ""
}

// OneLine makes a text one line without control characters.
func OneLine(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// NewListForm fills the form with a list, limited to what a form can contain.
func NewListForm(l eventseer.List) ListForm {
	form := ListForm{Query: views.Clip(l.Query, query.MaxText), Name: views.Clip(l.Name, 2*eventseer.MaxListName), Exact: l.Exact, Synonyms: l.Synonyms}
	for _, r := range rhythms {
		r.Chosen = r.Rhythm == l.Rhythm
		form.Rhythms = append(form.Rhythms, r)
	}
	return form
}

// AddWords appends the words of the helper to a query.
func (h WordHelper) AddWords(query string) string {
	parts := []string{strings.TrimSpace(query)}
	for _, w := range strings.Fields(h.All) {
		parts = append(parts, quoteWord(w))
	}
	if p := withoutQuotes(h.Phrase); p != "" {
		parts = append(parts, `"`+p+`"`)
	}
	var any []string
	for _, w := range strings.Fields(h.Any) {
		if w = quoteWord(w); w != "" {
			any = append(any, w)
		}
	}
	parts = append(parts, strings.Join(any, " OR "))
	for _, w := range strings.Fields(h.None) {
		if w = quoteWord(w); w != "" {
			parts = append(parts, "-"+w)
		}
	}
	return strings.Join(views.NonEmpty(parts...), " ")
}

// quoteWord quotes a word so that the query language treats it literally.
func quoteWord(word string) string {
	word = withoutQuotes(word)
	plain := word != "OR" && word != "AND" && !strings.HasPrefix(word, "-") &&
		!strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' })
	if word == "" || plain {
		return word
	}
	return `"` + word + `"`
}

// withoutQuotes returns a text without the quotes of the language of queries.
func withoutQuotes(text string) string {
	return OneLine(strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"“”„«»", r) {
			return ' '
		}
		return r
	}, text))
}

// A PreviewView shows what a list would have found.
type PreviewView struct {
	Since   views.TimeStamp
	Total   int
	PerWeek string
	Items   []ItemView
	Terms   []TermRow
	Without []string // synonyms left out
	Busy    bool     // too many previews are running: nothing is shown
}

// A TermRow is a term of a query with its synonyms.
type TermRow struct {
	Term string
	Same []string
	More int
}

const MaxPreview = 20

// PerWeek describes how many items a list finds per week.
func PerWeek(mean float64) string {
	switch {
	case mean <= 0 || math.IsNaN(mean):
		return ""
	case mean < .75:
		return "less than one a week"
	case mean < 1.5:
		return "about one a week"
	}
	return fmt.Sprintf("about %.0f a week", min(mean, 1e6))
}
