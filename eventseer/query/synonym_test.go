package query

import "testing"

func TestIsSearchedInTexts(t *testing.T) {
	for _, c := range []struct {
		synonym, term string
		want          bool
	}{
		{"nlp", "natural language processing", true},
		{"HCI", "human-computer interaction", true},
		{"iot", "internet of things", true},
		{"ux", "user experience", true},
		{"ids", "intrusion detection systems", false},
		{"recommendation", "recommender systems", false},
		{"cloud", "cloud computing", false},
		{"privacy", "data protection", false},
		{"natural language processing", "NLP", true},
		{"recommendation systems", "recommender systems", true},
		{"visualisation", "visualization", true},
		{"", "machine learning", true},
	} {
		if got := IsSearchedInTexts(c.synonym, c.term); got != c.want {
			t.Errorf("%q for %q: %t", c.synonym, c.term, got)
		}
	}
}
