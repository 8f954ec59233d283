package query

import (
	"errors"
	"strings"
	"testing"
)

// An unreadable query gets an error that shows where, and what to write instead.
func TestQueryErrorsSayWhatToWrite(t *testing.T) {
	for _, tt := range []struct{ text, at, try string }{
		{`web "open`, `"open`, `web "open"`},
		{`„web crawling`, `„web crawling`, `"web crawling"`},
		{"titel:web crawling", "titel", "title:web crawling"},
		{"deadline<30d", "deadline", "due<30d"},
		{"core:A*", "core", "rank:core:A*"},
		{"crawling foo:bar", "foo", `crawling "foo:bar"`},
		{"topic: web mining", "topic:", "topic:web mining"},
		{"mining topic:", "topic:", "mining"},
		{"OR mining", "OR", "mining"}, {"mining OR", "OR", "mining"}, {"a OR -b", "OR", "a -b"},
		{"country<norway", "<", "country:norway"},
		{"kind:worksop", "kind:worksop", "kind:workshop"}, {"has:extention", "has:extention", "has:extension"},
		{`"web crawling"~many`, "~many", `"web crawling"~5`},
		{`where:"a b"~5`, `where:"a b"~5`, `where:"a b"`},
		{"due<soon", "due<soon", ""}, {"kind:party", "kind:party", ""},
		{strings.Repeat("x ", maxQueryTerms+1), "x ", ""},
	} {
		_, err := Parse(tt.text)
		var bad *Error
		if !errors.As(err, &bad) {
			t.Errorf("Parse(%q) error = %v", tt.text, err)
			continue
		}
		before, at, after := bad.SplitAtError()
		if before+at+after != tt.text || at != tt.at || bad.Try != tt.try {
			t.Errorf("Parse(%q) marks %q and offers %q, want %q and %q", tt.text, at, bad.Try, tt.at, tt.try)
		}
	}
}

func TestNearestWord(t *testing.T) {
	values := []string{"Norway", "Namibia", "Oman", "Greece"}
	for word, want := range map[string]string{
		"norwya": "Norway", "NORWAY": "Norway", "gréece": "Greece", "naminia": "Namibia", "xyz": "", "": "", "om": "", "oma": "Oman",
		strings.Repeat("n", 100): "",
	} {
		if got := nearestWord(word, values); got != want {
			t.Errorf("nearestWord(%q) = %q, want %q", word, got, want)
		}
	}
}
