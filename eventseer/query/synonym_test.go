package query

import (
	"strings"
	"testing"
)

func TestIsSearchedInTexts(t *testing.T) {
	for _, c := range []struct {
		name, names string
		want        bool
	}{
		{"nlp", "natural language processing", true},
		{"HCI", "human-computer interaction", true},
		{"chi", "hci, human-computer interaction, computer-human interaction", true},
		{"chi", "hci, human-computer interaction", false},
		{"chi", "hci", true},
		{"iot", "internet of things", true},
		{"ux", "user experience", true},
		{"ids", "intrusion detection systems", false},
		{"recommendation", "recommender systems", false},
		{"cloud", "cloud computing", false},
		{"privacy", "data protection", false},
		{"natural language processing", "NLP", true},
		{"recommendation systems", "recommender systems", true},
		{"visualisation", "visualization", true},
		{"visualization", "visualisation", false},
		{"personalization", "personalisation", false},
		{"behavior", "behaviour", true},
		{"it security", "information security", false},
		{"internet of things", "iot", true},
		{"www", "world wide web", false},
		{"", "machine learning", true},
	} {
		if got := IsSearchedInTexts(c.name, strings.Split(c.names, ", ")); got != c.want {
			t.Errorf("%q for %q: %t", c.name, c.names, got)
		}
	}
}
