package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A list that is none of providers is refused in words of the configuration, without
// a value, which may be a key.
func TestProvidersMisfit(t *testing.T) {
	for text, want := range map[string]string{
		"open-sesame":                                                       "a list is wanted",
		"[open-sesame]":                                                     "a list is wanted",
		"{type: moz, key: open-sesame}":                                     "a list is wanted",
		"[{type: moz, token: open-sesame}]":                                 `unknown key "token"`,
		"[{type: moz, key: [open-sesame]}]":                                 "want one text each",
		"[{type: moz, key: {open-sesame: 1}}]":                              "want one text each",
		"[{type: moz, calls-per-day: open-ses}]":                            "want a number",
		"[{type: searxng, url: 'https://search.example/?key=open-sesame'}]": "must end before its ?",
		"[{type: moz, calls-per-day: -1, key: open-sesame, url: 'http://a.example/'}]": "must not be negative",
	} {
		_, err := parseProviders([]byte(text))
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

// A key file holds the key in its first line; a provider without its key says where
// keys come from.
func TestProviderKey(t *testing.T) {
	a := newTestApp(t)
	path := filepath.Join(t.TempDir(), "moz.key")
	if err := os.WriteFile(path, []byte("\nopen-sesame \r\n# of the group\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if key, err := providerKey(a, providerConfig{Type: "moz", KeyFile: path}); key != "open-sesame" || err != nil {
		t.Errorf("key %q, %v", key, err)
	}
	a.config.Contact = "me@site.example"
	_, err := openProviders(a, providerList{{Type: "moz", Name: "big-one"}})
	if err == nil || !strings.Contains(err.Error(), "big-one: it has no key") || !strings.Contains(err.Error(), "EVENTSEER_BACKLINKS_BIG_ONE_KEY") {
		t.Errorf("without a key: %v", err)
	}
}
