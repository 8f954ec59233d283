package split

import (
	"strings"
	"testing"
)

// Each page is in the table once, none has the owner of a validation site, and a third or more are set aside.
func TestUnseenPages(t *testing.T) {
	pages, err := UnseenPages()
	if err != nil {
		t.Fatal(err)
	}
	validation := map[string]bool{}
	for line := range strings.Lines(SitesTable) {
		site, _, _ := strings.Cut(line, "\t")
		owner, _, _ := strings.Cut(strings.ToLower(site), "__")
		validation[owner] = IsValidation(site)
	}
	seen, aside, people := map[string]bool{}, 0, 0
	for _, p := range pages {
		if seen[p.URL] || validation[p.Owner] {
			t.Errorf("%s stands twice or is of an owner of validation sites", p.URL)
		}
		seen[p.URL] = true
		if p.Part == "aside" {
			aside++
		}
		for _, d := range append(append(p.People, p.Others...), p.Topics...) {
			people++
			if len(d) != 8 || strings.Trim(d, "0123456789abcdef") != "" {
				t.Errorf("%s: %q is no digest", p.URL, d)
			}
		}
	}
	if 3*aside < len(pages) || people < 500 {
		t.Errorf("%d of %d pages are set aside, with %d digests", aside, len(pages), people)
	}
}

func TestFactDigest(t *testing.T) {
	a := FactDigest("https://kites.example/", "Zoë  Ångström-Łuk")
	if b := FactDigest("https://kites.example/", "ångstrom luk, ZOE"); a != b {
		t.Errorf("%s and %s of one name", a, b)
	}
	if b := FactDigest("https://boats.example/", "Zoë Ångström-Łuk"); a == b {
		t.Error("the digest does not depend on the page")
	}
}
