package eval

import (
	"bytes"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
)

func TestHTML(t *testing.T) {
	var b bytes.Buffer
	r := report(t)
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "report.html", b.Bytes())
	page := b.String()
	for _, want := range []string{
		`<html lang="en">`, "<title>three classes</title>", "<caption>", `scope="row"`, `role="img"`, "<desc", "—",
		`<a href="https://site`, `rel="noopener noreferrer nofollow"`, "body:call", "prefers-color-scheme: dark", "@media print",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, not := range []string{"<script", "<link", "<img", "@import", "url(", "ZgotmplZ"} {
		if strings.Contains(page, not) {
			t.Errorf("the page holds %q", not)
		}
	}
}

// TestHTMLIsSafe puts hostile text everywhere text can come from outside.
func TestHTMLIsSafe(t *testing.T) {
	const attack = `"><script>alert(1)</script><svg onload=alert(1)>'{{.}}` + "\u202e\x00\x1b[2J"
	urls := []string{
		"javascript:alert(1)", "data:text/html,<script>alert(1)</script>", " javascript:alert(1)", "//evil.example/x",
		"https://evil.example/" + attack, "http://u:p@evil.example/\"onmouseover=alert(1)", "file:///etc/passwd", attack,
	}
	var ps []Prediction
	for i := range 80 {
		ps = append(ps, Prediction{
			Truth: i % 2, Guess: (i + i%3/2) % 2, Score: float64(i%10) / 10, Group: attack, URL: urls[i%len(urls)],
			Tags: []Tag{{attack, attack}, {"language", attack}},
		})
	}
	classes := []string{"no" + attack, "yes" + attack}
	r, err := New(attack, classes, ps, 1)
	if err != nil {
		t.Fatal(err)
	}
	r.About = []Tag{{attack, attack}}
	r.Warnings = append(r.Warnings, attack)
	for i := range r.Errors {
		r.Errors[i].Reasons = []Reason{{attack, 1}}
	}
	c, err := Compare(attack, attack, classes, ps, ps, 1)
	if err != nil {
		t.Fatal(err)
	}
	c.Disagreements = []Disagreement{{URL: urls[0], Truth: attack, GuessA: attack, GuessB: attack}, {URL: attack}}
	var one, two, text bytes.Buffer
	for _, err := range []error{r.WriteHTML(&one), c.WriteHTML(&two), r.WriteText(&text), r.WriteErrors(&text, 80), c.WriteText(&text), c.WriteErrors(&text, 2)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range []string{one.String(), two.String()} {
		lower := strings.ToLower(page)
		for _, not := range []string{"<script", "<svg onload", "\x00", "\x1b", "\u202e", `href="javascript`, `href=" javascript`, `href="data`, `href="file`, `href="//`, `"onmouseover`, "zgotmplz"} {
			if at := strings.Index(lower, not); at >= 0 {
				t.Errorf("the page holds %q: …%s…", not, page[max(0, at-60):min(len(page), at+60)])
			}
		}
	}
	for _, not := range []string{"\x00", "\x1b", "\u202e"} {
		if strings.Contains(text.String(), not) {
			t.Errorf("the text holds %q", not)
		}
	}
}

func TestHref(t *testing.T) {
	for url, want := range map[string]bool{
		"https://conf.example/cfp": true, "http://conf.example/": true, "HTTP://conf.example/": true,
		"mid:<1@host>": false, "pages/call.html": false, "https:relative": false, "ftp://conf.example/": false, "": false, "http://[": false,
	} {
		if got := safeHref(url) != ""; got != want {
			t.Errorf("%q is a link: %v, want %v", url, got, want)
		}
	}
}
