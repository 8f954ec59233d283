package app

import (
	"slices"
	"strings"
	"testing"
)

// TestSections checks that each setting is at the top or in one section. Settings that wait for a restart are
// those that no turn reads.
func TestSections(t *testing.T) {
	places := map[string]int{}
	for _, key := range Essential {
		places[key]++
	}
	for _, s := range Sections {
		if _, err := FindSetting(s.Name); err == nil {
			t.Errorf("%s is a section and a key", s.Name)
		}
		for _, key := range s.Keys {
			places[key]++
		}
	}
	for _, s := range Settings {
		if places[s.Key] != 1 {
			t.Errorf("%s stands in %d places", s.Key, places[s.Key])
		}
		delete(places, s.Key)
	}
	if len(places) > 0 {
		t.Errorf("no settings: %v", places)
	}
	for _, key := range slices.Concat(turnKeys, reloadable) {
		if _, err := FindSetting(key); err != nil || NeedsRestart(key) {
			t.Errorf("%s: %v, or it needs a restart", key, err)
		}
	}
	if len(Essential) != 6 || !NeedsRestart("listen") {
		t.Errorf("%d essential keys", len(Essential))
	}
}

// TestParseConfig reads sections, keys at the top as in version 0.8, lists and booleans as people
// write them. Errors name the line that is not accepted.
func TestParseConfig(t *testing.T) {
	file, err := parseConfig([]byte(`contact: ops@seer.example
seeds: [https://a.example/, b.txt]
workers: 4
quiet: yes
crawl:
  lists: false
  render: true
  host-delay2: # a comment
`))
	if err == nil || !strings.HasPrefix(err.Error(), `line 8: unknown key "host-delay2"; did you mean host-delay?`) {
		t.Errorf("%v", err)
	}
	file, err = parseConfig([]byte(`contact: ops@seer.example
seeds: [https://a.example/, b.txt]
workers: 4
quiet: yes
crawl:
  lists: false
  render: on
  per-host:
hosts: {host-delay: 3s, allow-private: no}
backlinks:
  providers:
    - {type: moz, key-file: moz.key}
  backlink-cost: 2
`))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"contact": "ops@seer.example", "seeds": "https://a.example/,b.txt", "workers": "4", "quiet": true, "lists": "off", "render": "on",
		"per-host": nil, "host-delay": "3s", "allow-private": false, "backlink-cost": "2",
	} {
		if got := file.values[key]; got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	if list, ok := file.values[ProvidersKey].(ProviderList); !ok || len(list) != 1 || !slices.Equal(file.loose, []string{"workers", "quiet"}) {
		t.Errorf("providers %v, loose %v", file.values[ProvidersKey], file.loose)
	}
	for text, want := range map[string]string{
		"a\n": "line 1: expected lines such as `contact: you@example.org`",
		"contact: a@b.example\ncontact: c@d.example": "line 2: contact is already set in line 1",
		"workers: 3\ncrawl: {workers: 4}":            "line 2: workers is already set in line 1",
		"mail: {workers: 3}":                         "line 1: workers belongs in crawl, not in mail",
		"crawl:\n  contact: a@b.example":             "line 2: contact belongs at the top of the file",
		"crawl: fast":                                "line 1: crawl is a section: its keys stand below it",
		"quiet: perhaps":                             `line 1: quiet: "perhaps" is neither true nor false`,
		"mail: {smtp-server: {host: a}}":             "line 1: smtp-server: the value must be a single one",
		"backlinks: {provider: []}":                  `unknown key "backlinks.provider"`,
		"contact: [":                                 "line 1: ",
	} {
		if _, err := parseConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, empty := range []string{"", "# nothing\n", "---\n", "crawl:\n"} {
		if file, err := parseConfig([]byte(empty)); err != nil || len(file.values) > 0 {
			t.Errorf("%q: %v, %v", empty, file.values, err)
		}
	}
}

// TestSectionConfig moves keys into their sections, with the comments above them, and what it
// writes means the same.
func TestSectionConfig(t *testing.T) {
	old := "# who we are\ncontact: ops@seer.example\n# be slow\nhost-delay: 9s\nworkers: 4\ncrawl:\n  strategy: hub\n"
	got, err := SectionConfig([]byte(old))
	want := "# who we are\ncontact: ops@seer.example\ncrawl:\n  strategy: hub\n  workers: 4\nhosts:\n  # be slow\n  host-delay: 9s\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	file, err := parseConfig(got)
	if err != nil || len(file.loose) > 0 || file.values["host-delay"] != "9s" {
		t.Errorf("%v, %v", file, err)
	}
}
