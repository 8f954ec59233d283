package match

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/internal/eventstest"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func sampleDocument() eventseer.Document {
	return eventseer.Document{
		Event: eventseer.Event{
			ID: "icx-2027", Title: "International Conference on Crawling 2027", Acronym: "ICX", Kind: eventseer.Conference, Year: 2027,
			Topics:   []string{"Web crawlers and spiders", "Café culture", "digital libraries"},
			Location: &eventseer.Venue{City: "Trondheim", Country: "Norway", CountryCode: "NO"},
		},
		Clips: []eventseer.Clip{
			{Summary: "Papers are due on 1 May."},
			{Summary: "We ask for work on focused crawling, on archives of the web, and on preservation."},
		},
	}
}

func matcherOf(t testing.TB, lists ...eventseer.List) *Matcher {
	t.Helper()
	d, err := dictionary.Open(dictionary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := New(d)
	if err := m.Set(lists...); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		query string
		list  eventseer.List
		want  []string // why; nil: no match
	}{
		{query: "crawling", want: []string{`"crawling" in the title`}},
		{query: "crawled", want: []string{`"crawled" in the title`}},
		{query: "crawled", list: eventseer.List{Exact: true}},
		{query: "crawling -spiders"},
		{query: "crawling -workshop", want: []string{`"crawling" in the title`}},
		{query: `"web crawler"`, want: []string{`"web crawler" in topics`}},
		{query: `"crawler web"`},
		{query: `"web crawling" OR preservation`, want: []string{`"preservation" in the text`}},
		{query: "cafe culture", want: []string{`"cafe" in topics`, `"culture" in topics`}},
		{query: "title:preservation"},
		{query: "topic:libraries country:NO", want: []string{`"libraries" in topics`, "country:NO"}},
		{query: "norway year:2027 kind:conference", want: []string{`"norway" in the place`, "year:2027", "kind:conference"}},
		{query: "2027", want: []string{`"2027" in the title`}},
		{query: "the icx", want: []string{`"icx" in the acronym`}},
		{query: "no"},
		{query: "web-spiders", want: []string{`"web-spiders" in topics`}},
		{query: "web-culture", want: []string{`"web-culture" in topics`}},
		{query: `"archives of a web"`, want: []string{`"archives of a web" in the text`}},
		{query: `"archives of a web"`, list: eventseer.List{Exact: true}},
		{query: `"trondheim norway"`, want: []string{`"trondheim norway" in the place`}},
		{query: `"archives crawling"~4`, want: []string{`"archives crawling" in the text`}},
		{query: `"archives crawling"~1`},
		{query: "where:europe due<90d", want: nil},
		{query: "crawling rank:core>=A"},
		{query: "person:ann"},
		{query: "year:2026"},
	} {
		c.list.ID, c.list.Query = "l", c.query
		var got []string
		for _, m := range matcherOf(t, c.list).Match(sampleDocument(), noon) {
			got = m.Why
		}
		if diff := gocmp(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.query, diff)
		}
	}
}

func gocmp(want, got any) string { return cmp.Diff(want, got) }

func TestMatchShowsPassage(t *testing.T) {
	marked := func(m Match) (words []string) {
		for _, r := range m.Marks {
			words = append(words, m.Passage[r[0]:r[1]])
		}
		return words
	}
	for query, want := range map[string][]string{
		"crawl archives":       {"crawling", "archives"},
		`spider "web crawler"`: {"Web crawlers", "spiders"},
		`"digital library"`:    {"digital libraries"},
		"trondheim":            nil,
	} {
		found := matcherOf(t, eventseer.List{ID: "l", Query: query}).Match(sampleDocument(), noon)
		if len(found) != 1 {
			t.Fatalf("%q: %d matches", query, len(found))
		}
		if diff := cmp.Diff(want, marked(found[0])); diff != "" {
			t.Errorf("%q: %s\nin %q", query, diff, found[0].Passage)
		}
	}
}

// TestPassageOfWordsAsWritten prefers words as the query writes them to other words of one stem.
func TestPassageOfWordsAsWritten(t *testing.T) {
	const engines = "Rule engines and more search engines of all kinds run here."
	for query, want := range map[string]string{
		"engineering": "Papers on the engineering of large catalogues are welcome.",
		"engine":      engines,
		"catalogue":   "Papers on the engineering of large catalogues are welcome.",
	} {
		d := sampleDocument()
		d.Texts = []eventseer.PageText{{URL: "https://icx.example/cfp", Text: engines + "\n\nBring boots to the harbour in the evening.\n\nPapers on the engineering of large catalogues are welcome."}}
		found := matcherOf(t, eventseer.List{ID: "l", Query: query}).Match(d, noon)
		if len(found) != 1 || !strings.Contains(found[0].Passage, want) || len(found[0].Marks) == 0 {
			t.Errorf("%q: %+v, want a passage with %q", query, found, want)
		} else if first := found[0].Marks[0]; !strings.Contains(want, found[0].Passage[first[0]:first[1]]) {
			t.Errorf("%q: marked is %q", query, found[0].Passage[first[0]:first[1]])
		}
	}
}

func TestMatchSynonyms(t *testing.T) {
	d, err := dictionary.Open(dictionary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const term = "deadline"
	same := d.Synonyms(term)
	if len(same) == 0 {
		t.Fatalf("the dictionary has no synonyms of %q", term)
	}
	doc := eventseer.Document{Event: eventseer.Event{Title: same[0]}}
	for _, c := range []struct {
		list eventseer.List
		want int
	}{
		{eventseer.List{Synonyms: true}, 1},
		{eventseer.List{}, 0},
		{eventseer.List{Synonyms: true, Without: []string{strings.ToUpper(same[0])}}, 0},
	} {
		c.list.ID, c.list.Query = "l", term
		if got := matcherOf(t, c.list).Match(doc, noon); len(got) != c.want {
			t.Errorf("%+v on %q: %d matches, want %d", c.list, same[0], len(got), c.want)
		}
	}
}

func TestMatchOfNewPartsOnly(t *testing.T) {
	m := matcherOf(t, eventseer.List{ID: "new", Query: "archives"}, eventseer.List{ID: "old", Query: "crawling"})
	before, now := sampleDocument(), sampleDocument()
	before.Clips = before.Clips[:1]
	got := m.MatchNew(now, &before, noon, noon)
	if len(got) != 1 || got[0].List.ID != "new" {
		t.Errorf("got %+v, want the list that the new clip brings alone", got)
	}
}

// naiveMatch holds one list against a document word by word, without any index.
func naiveMatch(t *testing.T, l eventseer.List, doc eventseer.Document) bool {
	t.Helper()
	expr, err := query.Parse(l.Query)
	if err != nil {
		t.Fatal(err)
	}
	type piece struct {
		name  string
		text  string
		names bool
	}
	e := doc.Event
	pieces := []piece{{"acronym", e.Acronym, true}, {"title", e.Title, false}}
	for _, topic := range e.Topics {
		pieces = append(pieces, piece{"topic", topic, false})
	}
	if v := e.Location; v != nil {
		pieces = append(pieces, piece{"place", v.String(), true}, piece{"place", v.Text, true})
	}
	for _, c := range doc.Clips {
		pieces = append(pieces, piece{"clip", c.Summary, false})
	}
	facts := query.FactsOf(doc)
	has := func(term query.Term) bool {
		if term.IsFact() {
			return term.FactTest(noon)(&facts)
		}
		if term.Field == "" && term.IsYear() && term.Text == strconv.Itoa(facts.Year) {
			return true
		}
		fields := map[string][][]string{} // the words of each piece
		for _, p := range pieces {
			if term.IsStop() && p.name != "acronym" || term.Field != "" && term.Field != p.name {
				continue
			}
			asWritten := l.Exact || p.names
			var want, got []string
			for _, w := range wordsOf(term.Text) {
				if asWritten || !query.IsStopWord(w.text) {
					want = append(want, wordOrStem(w.text, w.stem, asWritten))
				} else if len(want) > 0 {
					want = append(want, "*")
				}
			}
			for len(want) > 0 && want[len(want)-1] == "*" {
				want = want[:len(want)-1]
			}
			for _, w := range wordsOf(p.text) {
				got = append(got, wordOrStem(w.text, w.stem, asWritten))
			}
			fields[p.name] = append(fields[p.name], got)
			if len(want) > 0 && stands(want, got, fields[p.name], term.Phrase) {
				return true
			}
		}
		return false
	}
	for _, clause := range expr.RelevantClauses() {
		if !slices.ContainsFunc(clause, has) {
			return false
		}
	}
	return !slices.ContainsFunc(expr.Excluded, has)
}

// A naiveWord is a word of a text; wordsOf caches those of every text, because every list needs them.
type naiveWord struct{ text, stem string }

var remembered = map[string][]naiveWord{}

func wordsOf(s string) []naiveWord {
	words, ok := remembered[s]
	if !ok {
		for w := range dictionary.Words(s, "") {
			words = append(words, naiveWord{w.Text, w.Stem})
		}
		remembered[s] = words
	}
	return words
}

// stands reports whether words follow each other in a piece, or, if they are not a phrase, occur anywhere in
// those of its field.
func stands(want, piece []string, field [][]string, phrase bool) bool {
	if !phrase {
		all := slices.Concat(field...)
		return !slices.ContainsFunc(want, func(w string) bool { return w != "*" && !slices.Contains(all, w) })
	}
	for i := 0; i+len(want) <= len(piece); i++ {
		same := true
		for k, w := range want {
			same = same && (w == "*" || piece[i+k] == w)
		}
		if same {
			return true
		}
	}
	return false
}

func wordOrStem(word, stem string, asWritten bool) string {
	if asWritten {
		return text.FoldForComparison(word)
	}
	return stem
}

// TestMatchEqualsNaive holds generated lists against generated events with the index and
// without it, while lists come and go.
func TestMatchEqualsNaive(t *testing.T) {
	lists := eventstest.Lists(7, 250)
	for i := range lists {
		if i%7 == 0 {
			lists[i].Query = strings.ReplaceAll(lists[i].Query, `"`, "") + " web-based OR " + strings.Fields(lists[i].Query)[0]
		}
		if _, err := query.Parse(lists[i].Query); err != nil {
			lists[i].Query = "data-mining OR networks"
		}
		lists[i].Synonyms = false
		lists[i].Exact = i%5 == 0
	}
	m := matcherOf(t, lists...)
	for i, gone := range lists[:25] {
		m.Remove(gone.ID)
		lists[i].Query += " 2027"
	}
	if err := m.Set(lists[:20]...); err != nil {
		t.Fatal(err)
	}
	lists = append(lists[:20:20], lists[25:]...)
	total := 0
	for _, e := range eventstest.Events(7, 60, noon) {
		doc := eventseer.Document{Event: e, Clips: eventstest.Clips(e)}
		var want, got []string
		for _, l := range lists {
			if naiveMatch(t, l, doc) {
				want = append(want, l.ID)
			}
		}
		for _, found := range m.Match(doc, noon) {
			got = append(got, found.List.ID)
			checkMatch(t, found)
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: %s", e.Title, diff)
		}
		total += len(got)
	}
	if total < 100 {
		t.Errorf("only %d matches: the test shows little", total)
	}
}

// checkMatch verifies what every match must be.
func checkMatch(t *testing.T, m Match) {
	t.Helper()
	at := 0
	for _, r := range m.Marks {
		if r[0] < at || r[1] <= r[0] || r[1] > len(m.Passage) {
			t.Fatalf("marks %v of a passage of %d bytes", m.Marks, len(m.Passage))
		}
		at = r[1]
	}
	if len(m.Why) == 0 {
		t.Fatalf("list %q matches without a reason", m.List.Query)
	}
}

func TestMatcherForgetsWords(t *testing.T) {
	m := matcherOf(t, eventseer.List{ID: "stays", Query: "crawling"})
	for range 10_100 {
		if err := m.Set(eventseer.List{ID: "x", Query: "some words that nobody else has"}); err != nil {
			t.Fatal(err)
		}
		m.Remove("x")
	}
	if keys, terms := m.terms.Len(); keys > 100 || terms > 100 || m.dropped > 10_000 {
		t.Errorf("%d words and %d dropped lists are kept", keys, m.dropped)
	}
	if len(m.Match(sampleDocument(), noon)) != 1 {
		t.Error("the list that stays is gone")
	}
}

func FuzzMatch(f *testing.F) {
	f.Add(`"web crawling" OR archives -x`, "We ask for web crawling", "Café; archives", true)
	f.Add(`"a b"~3 2027`, "b \xff a", "", false)
	f.Fuzz(func(t *testing.T, query, clip, topic string, exact bool) {
		m := New(nil)
		if m.Set(eventseer.List{ID: "l", Query: query, Exact: exact}) != nil {
			return
		}
		doc := eventseer.Document{
			Event: eventseer.Event{Title: topic, Topics: []string{topic, clip}, Year: 2027},
			Clips: []eventseer.Clip{{Summary: clip}},
		}
		for _, found := range m.Match(doc, noon) {
			at := 0
			for _, r := range found.Marks {
				if r[0] < at || r[1] <= r[0] || r[1] > len(found.Passage) {
					t.Fatalf("marks %v of %q", found.Marks, found.Passage)
				}
				at = r[1]
			}
		}
	})
}
