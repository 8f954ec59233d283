package app

import (
	"strings"
	"testing"
)

// A value that is not a list of providers is refused in terms of the configuration, without printing the
// value, which may be a key.
func TestProvidersMisfit(t *testing.T) {
	for text, want := range map[string]string{
		"open-sesame":                                                       "must be a list",
		"[open-sesame]":                                                     "must be a list",
		"{type: moz, key: open-sesame}":                                     "must be a list",
		"[{type: moz, token: open-sesame}]":                                 `unknown key "token"`,
		"[{type: moz, key: [open-sesame]}]":                                 "must be single texts",
		"[{type: moz, key: {open-sesame: 1}}]":                              "must be single texts",
		"[{type: moz, calls-per-day: open-ses}]":                            "must be numbers",
		"[{type: searxng, url: 'https://search.example/?key=open-sesame'}]": "must end before its ?",
		"[{type: moz, calls-per-day: -1, key: open-sesame, url: 'http://a.example/'}]": "must not be negative",
	} {
		_, err := ParseProviders([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
			continue
		}
		for _, leak := range []string{"sesame", "open-ses", "main.", "line "} {
			if strings.Contains(err.Error(), leak) {
				t.Errorf("%s: the error shows %q: %v", text, leak, err)
			}
		}
	}
}
