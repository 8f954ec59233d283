package template

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestURLPattern(t *testing.T) {
	got := make(map[string]string)
	want := map[string]string{
		"https://Conf.example":                                          "conf.example/",
		"https://conf.example/index.html":                               "conf.example/",
		"http://conf.example/2026/cfp.html#dates":                       "conf.example/#/cfp.html",
		"https://conf.example/talks/a-quick-look-at-owls/":              "conf.example/talks/*/",
		"https://conf.example/talks/a-quick-look-at-owls/index.php":     "conf.example/talks/*/",
		"https://conf.example/call-for-papers":                          "conf.example/call-for-papers",
		"https://conf.example/paper10.1.html":                           "conf.example/paper#.html",
		"https://conf.example/2026-05-01/x":                             "conf.example/#/x",
		"https://conf.example/p/9f86d081884c7d65":                       "conf.example/p/*",
		"https://conf.example/p/123e4567-e89b-12d3-a456-426614174000":   "conf.example/p/*",
		"https://conf.example/show?id=77&copy=9a":                       "conf.example/show?copy=#a&id=#",
		"https://conf.example/show?q=the+early+owl+catches+them&view=x": "conf.example/show?q=*&view=x",
		"https://conf.example:8080/a":                                   "conf.example:8080/a",
		"mailto:chair@conf.example":                                     "",
		"not a url":                                                     "",
	}
	for raw := range want {
		got[raw] = URLPattern(raw)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestURLPatternLimits(t *testing.T) {
	long := "https://conf.example/" + strings.Repeat("ab/", 1000) + "?" + strings.Repeat("k=v&", 1000)
	for i := range 100 {
		long += fmt.Sprintf("key%d%s=v&", i, strings.Repeat("x", 500))
	}
	if n := len(URLPattern(long)); n > (maxPatternSegments+2*maxPatternKeys+1)*(maxPatternSegment+1) {
		t.Errorf("a pattern of %d bytes", n)
	}
}

func TestURLPatternsLearnWhatVaries(t *testing.T) {
	var p URLPatterns
	add := func(urls ...string) {
		for _, u := range urls {
			p.Add("https://conf.example/" + u)
			p.Add("https://conf.example/" + u)
		}
	}
	check := func(url, want string) {
		t.Helper()
		if got := p.Pattern("https://conf.example/" + url); got != "conf.example/"+want {
			t.Errorf("Pattern(%q) = %q, want conf.example/%s", url, got, want)
		}
	}
	add("talks/owls/", "talks/eagles/", "talks/bees/", "talks/ants/", "cfp.html", "venue.html")
	check("talks/owls/", "talks/owls/")
	add("talks/crows/")
	check("talks/owls/", "talks/*/")
	check("talks/moths/", "talks/*/") // not seen yet
	check("talks/", "talks/")
	check("cfp.html", "cfp.html")

	// Entries below each year are separate pages, not records.
	for year := 2018; year < 2026; year++ {
		for _, name := range []string{"cfp", "dates", "committee", "venue", "program", "travel"} {
			add(fmt.Sprintf("%d/%s.html", year, name))
		}
	}
	check("2026/cfp.html", "#/cfp.html")

	for _, who := range []string{"ann", "bob", "cem", "dee", "eve", "fay"} {
		add("people/"+who+"/cv.html", "people/"+who+"/papers.html")
	}
	check("people/ann/cv.html", "people/*/cv.html")
	check("people/gus/cv.html", "people/gus/cv.html") // nothing known of it
}

func TestURLPatternsAreBounded(t *testing.T) {
	var p URLPatterns
	for i := range maxPatternURLs + 100 {
		p.Add(fmt.Sprintf("https://conf.example/a%s/b", strings.Repeat("x", i%50)+fmt.Sprint(i)))
	}
	if len(p.seen) != maxPatternURLs {
		t.Errorf("learned %d URLs, want %d", len(p.seen), maxPatternURLs)
	}
}

func FuzzURLPattern(f *testing.F) {
	f.Add("https://conf.example/talks/3-owls.html?id=4&x=%zz")
	f.Fuzz(func(t *testing.T, raw string) {
		var p URLPatterns
		p.Add(raw)
		if got, want := p.Pattern(raw), URLPattern(raw); got != want {
			t.Errorf("Pattern(%q) = %q after one URL, URLPattern gives %q", raw, got, want)
		}
	})
}
