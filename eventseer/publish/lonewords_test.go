package publish_test

import (
	"path/filepath"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/match"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/features/dictionary"
)

// TestLoneWordsInTexts: search and lists agree on words with a hyphen and on other names in texts of pages.
func TestLoneWordsInTexts(t *testing.T) {
	words, err := dictionary.Open(dictionary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	index, err := search.Open(filepath.Join(t.TempDir(), "index"), search.Options{Synonyms: words.Synonyms, Same: words.SameNames})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = index.Close() }()
	cases := []struct {
		query, text, topic string
		want               bool
	}{
		{"double-blind", "Reviewing is double blind.", "", true},
		{"double-blind", "At most 25 double spaced pages. The blind may send a recording.", "", false},
		{"recommender systems", "Early registration is recommended.", "", false},
		{"recommender systems", "Dams.", "Recommendation", true},
		{"recommender systems", "We also discuss recommendation systems.", "", true},
		{"intrusion detection", "Send the paper ID with your mail.", "", false},
		{"world wide web", "See www.dams.example for more.", "", false},
		{"natural language processing", "NLP for dams.", "", true},
		{"NLP", "Natural language processing for dams.", "", true},
		{"visualisation", "Visual effects of dams.", "", false},
		{"visualisation", "Dams.", "Visualization", true},
	}
	for _, c := range cases {
		d := eventseer.Document{
			Event: eventseer.Event{ID: "dams-2027", URL: "https://dams.example/", Title: "Workshop on Dams", FirstSeen: day},
			Texts: []eventseer.PageText{{URL: "https://dams.example/", Text: c.text, Seen: day}},
		}
		if c.topic != "" {
			d.Event.Topics = []string{c.topic}
		}
		if err := index.Update(t.Context(), []eventseer.Document{d}); err != nil {
			t.Fatal(err)
		}
		found, err := index.Find(t.Context(), eventseer.Query{Text: c.query, Now: day, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		l, err := match.Compile(eventseer.List{ID: "l", Query: c.query, Synonyms: true}, words, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, matched := l.Explain(d, day); found.Total == 1 != c.want || matched != c.want {
			t.Errorf("%s in %q, topic %q: search %d, list %t, want %t", c.query, c.text, c.topic, found.Total, matched, c.want)
		}
	}
}
