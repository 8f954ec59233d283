// Package wrappertest holds pages of templates, and a plain extractor, for tests.
package wrappertest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// Subjects are the subjects of the calls of CallPage.
var Subjects = []string{"Quiet Engines", "Slow Rivers", "Paper Boats", "Warm Stones", "Loud Clocks", "Green Glass", "Cold Lamps", "Small Bridges", "Soft Metals", "Deep Wells", "Old Maps", "Thin Ice"}

// CallPage returns the n-th page of a template, and what an extractor reads on it.
func CallPage(t *testing.T, n int) (*tagtree.Tree, eventseer.Event) {
	t.Helper()
	subject, day := Subjects[n%len(Subjects)], fmt.Sprintf("2027-%02d-%02d", 1+n%12, 10+n)
	body := fmt.Sprintf(`<html><head><title>Calls</title></head><body><div id=nav><a href="/">Home</a></div>
<h1>Workshop on %s</h1><p class=due>Papers due: <b>%s</b></p><ul class=topics><li>theory of %s</li><li>practice of %s</li></ul>
<p class=seen>Visitors: <i>%d</i></p><p><a class=submit href="/submit?conf=%d">Submit</a></p></body></html>`, subject, day, subject, subject, 7919*(n+1), n)
	url := fmt.Sprintf("https://calls.example/%d.html", n)
	tree := ParsePage(t, url, body)
	at := strings.Index(tree.Text(), day)
	e := eventseer.Event{
		URL: url, Title: "Workshop on " + subject, Topics: []string{"theory of " + subject, "practice of " + subject},
		SubmissionURL: fmt.Sprintf("https://calls.example/submit?conf=%d", n),
		Deadlines: []eventseer.Deadline{{
			Kind: eventseer.Submission, Date: eventseer.Date(day), Text: "Papers due: " + day,
			Source: eventseer.Provenance{URL: url, Offset: [2]int{at, at + len(day)}},
		}},
	}
	return tree, e
}

// OtherPage returns a page of another template.
func OtherPage(t *testing.T, n int) *tagtree.Tree {
	t.Helper()
	return ParsePage(t, fmt.Sprintf("https://calls.example/%d.html", n), fmt.Sprintf(
		`<html><body><table><tr><td>All new %d</td><td>We moved</td></tr><tr><td>Contact</td><td>us %d</td></tr></table><p>Nothing %d is as it was.</p></body></html>`, n, n, n))
}

// Lines reads a page as plainly as a standardized one is written.
type Lines struct{}

// Extract implements eventseer.Extractor.
func (Lines) Extract(t *tagtree.Tree) (eventseer.Event, bool) {
	e := eventseer.Event{URL: t.Page.URL, Title: t.Title(), Year: 2027}
	list := ""
	for _, b := range t.Blocks() {
		name, value, labelled := strings.Cut(b.Text, ": ")
		switch {
		case b.Text == "Topics of interest" || b.Text == "Program committee" || b.Text == "Important dates":
			list = b.Text
		case labelled && name == "Venue":
			e.Location = &eventseer.Venue{City: value}
		case labelled && name == "Conference dates":
			e.EventStart = eventseer.Date(value)
		case labelled && name == "Paper submission deadline" && strings.Contains(value, "2027-"):
			e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: eventseer.Submission, Date: eventseer.Date(value[strings.Index(value, "2027-"):]), Text: value})
		case list == "Topics of interest":
			e.Topics = append(e.Topics, b.Text)
		case list == "Program committee":
			e.Committee = append(e.Committee, eventseer.Person{Name: b.Text})
		}
	}
	for _, l := range t.Links() {
		e.SubmissionURL = l.Target
	}
	return e, true
}

// ParsePage parses a page, and fails the test if it cannot.
func ParsePage(t testing.TB, url, body string) *tagtree.Tree {
	t.Helper()
	tree, err := Parse(url, body)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return tree
}

// Parse parses a page in UTF-8.
func Parse(url, body string) (*tagtree.Tree, error) {
	return tagtree.Parse(&webgraph.Page{URL: url, Body: []byte(body), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}})
}
