package features

import (
	"fmt"
	"github.com/eventseer/eventseer/internal/text"
	"math"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// Structure returns the dense features in the order of structureNames.
func (d *Document) Structure() []float64 {
	values := make([]float64, len(structureNames))
	for i, ix := range d.dense[structureBlock].Index {
		values[ix] = d.dense[structureBlock].Value[i]
	}
	return values
}

// structureOf returns the dense features by name.
func structureOf(d *Document) map[string]float64 {
	m := make(map[string]float64)
	for i, x := range d.Structure() {
		m[structureNames[i]] = x
	}
	return m
}

func TestStructureNamesAreDistinct(t *testing.T) {
	seen := make(map[string]bool)
	for _, name := range structureNames {
		if seen[name] || name == "" || strings.ContainsAny(name, ": \n") {
			t.Errorf("feature %q stands twice, or is no name", name)
		}
		seen[name] = true
	}
	if n := len(newReader(english).page.appendFeatures(nil, nil)); n != len(seen) {
		t.Errorf("%d features for %d names", n, len(seen))
	}
}

func TestStructure(t *testing.T) {
	got := structureOf(Read(tree(t, `<h2>Call for Papers</h2><p>We invite you. Mail chair@example.org</p>
		<ul><li>Submission deadline: 12 May 2026<li>Notification<li>2026-06-30</ul>
		<table><tr><td>June 3-5, 2027<td><a href="http://x.example.net/">x</a></table>`)))
	for name, want := range map[string]float64{
		"words": scaledCount(15, 3000), "menu_words": scaledCount(1, 500), "menu_share": 1. / 16, "blocks": scaledCount(7, 500),
		"block_words": scaledCount(15/6, 100), "items": scaledCount(3, 100), "cells": scaledCount(2, 200), "tables": scaledCount(1, 10),
		"headings": scaledCount(1, 30), "paragraphs": scaledCount(1, 200), "lines": 0, "long_blocks": 0,
		"dates": scaledCount(3, 50), "due_dates": scaledCount(3, 20), "due_blocks": scaledCount(2, 50), "date_block_share": 3. / 7, "due_block_share": 2. / 7,
		"first_call": 3. / 15, "first_due": 13. / 15,
		"years": scaledCount(2, 15), "year_mentions": scaledCount(3, 100), "main_year_share": 2. / 3, "mail_addresses": scaledCount(1, 20),
		"repeated_blocks": scaledCount(3, 100), "repeated_share": 3. / 7,
	} {
		if !near6(got[name], want) {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

// TestScopes checks that a cue is counted in the part of the page that contains it, and in no other.
func TestScopes(t *testing.T) {
	filler := strings.Repeat("owls fly by night. ", leadWords)
	for _, tt := range []struct {
		name, url, markup string
		want              string // the scopes, besides share
	}{
		{"content far down", "", "<p>" + filler + "<p>call for papers", "content"},
		{"content above", "", "<p>call for papers<p>" + filler, "content lead"},
		{"title of the page", "", "<title>Call for Papers</title><p>" + filler, "title"},
		{"first heading", "", "<h1>Call for Papers</h1><p>" + filler, "content lead headings title"},
		{"fourth heading", "", "<h1>a<h2>b<h2>c<p>" + filler + "<h2>Call for Papers", "content headings"},
		{"link", "", "<p>" + filler + `<p><a href="x">Call for Papers</a>`, "menu"},
		{"navigation", "", `<nav><a href="/">Home</a><li><a href="/venue">Venue</a><li>Call for Papers<li><a href="/team">Team</a></nav><p>` + filler, "menu"},
		{"footer", "", "<p>" + filler + "<footer>The Call for Papers is open</footer>", "menu"},
		{"path", "http://a.example.org/CallForPapers.html", "<p>" + filler, "url"},
		{"host", "http://call-for-papers.example.org/", "<p>" + filler, ""},
		{"two blocks", "", "<p>call for<p>papers" + filler, ""},
	} {
		url := tt.url
		if url == "" {
			url = "http://a.example.org/x"
		}
		got := structureOf(Read(treeAt(t, url, tt.markup)))
		want := text.WordSet(tt.want)
		for _, scope := range scopeNames {
			most := 10
			if scope == scopeNames[inContent] {
				most = 50
			}
			n := 0
			if want[scope] {
				n = 1
			}
			if x := got[scope+"_call"]; !near6(x, scaledCount(n, most)) {
				t.Errorf("%s: %s_call is %v, want %v", tt.name, scope, x, scaledCount(n, most))
			}
		}
	}
}

func TestShareOfACue(t *testing.T) {
	// Twice in ten words: 20 · 2 / (10 + 50).
	got := structureOf(ReadText("call for papers, call for papers, owls fly by night"))
	if x := got["share_call"]; !near6(x, 40./60) {
		t.Errorf("share_call is %v, want %v", x, 40./60)
	}
	if x := structureOf(ReadText(strings.Repeat("cfp ", 1000)))["share_call"]; x != 1 {
		t.Errorf("share_call of nothing else is %v, want 1", x)
	}
}

func TestMailHeader(t *testing.T) {
	got := structureOf(ReadText("From: a\nSubject: b\n\nI think"))
	for name, want := range map[string]float64{"content_mail_header": scaledCount(2, 50), "lead_mail_header": scaledCount(2, 10), "content_i": scaledCount(1, 50)} {
		if !near6(got[name], want) {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

// hostile pages hold much of what features count or keep.
var hostile = []string{
	"", "<p>", strings.Repeat("<p>deadline 12 May 2026 ICX 2027 ", 5000), strings.Repeat("a", 1<<20),
	strings.Repeat("cfp ", 50_000), strings.Repeat("<div>", 3000) + "call for papers",
	strings.Repeat("<a href=/2027/05/x>2027</a>", 5000), strings.Repeat("1/", 100_000), strings.Repeat(": @ '", 50_000),
	strings.Repeat("請", 50_000), strings.Repeat("\xff\xfe", 1000), strings.Repeat("'27 A’27 ", 10_000),
}

func TestStructureOfHostilePages(t *testing.T) {
	for i, markup := range hostile {
		checkStructure(t, fmt.Sprint("page ", i), Read(treeAt(t, "http://a.example.org/"+strings.Repeat("2027/05/", 100), markup)))
		checkStructure(t, fmt.Sprint("text ", i), ReadText(markup))
	}
}

func checkStructure(t *testing.T, name string, d *Document) {
	t.Helper()
	for i, x := range d.Structure() {
		if !(x >= 0 && x <= 20) || x != float64(float32(x)) || strings.HasSuffix(structureNames[i], "share") && x > 1 {
			t.Errorf("%s: %s is %v", name, structureNames[i], x)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("http://a.example.org/~x/2027/05/", "<title>Call</title><h1>ICX 2027</h1><nav>x</nav><p>due 12 May 2026 <a href=/y>y</a>")
	f.Add("http://a.example.org/", "Subject: Re: cfp\nFrom: a\n\n> call for papers\n")
	f.Fuzz(func(t *testing.T, url, markup string) {
		tr, err := tagtree.Parse(&webgraph.Page{URL: url, Body: []byte(markup)})
		if err != nil {
			return
		}
		d := Read(tr, markup)
		checkStructure(t, "page", d)
		if diff := cmp.Diff(d.Structure(), Read(tr).Structure()); diff != "" {
			t.Errorf("read twice, with and without anchors:\n%s", diff)
		}
		for _, x := range d.Structure() {
			if math.IsNaN(x) {
				t.Fatal("NaN")
			}
		}
	})
}

// Patterns that are reported as the same must be so; of usual paths, those that differ only in numbers are.
func TestHaveSamePattern(t *testing.T) {
	paths := []string{
		"html/body/p", "html/body/p[1]", "html/body/p[2]", "html/body/p[12]", "html/body/div[1]/p[1]", "html/body/div[12]/p[3]", "html/body/div[2]/p",
		"html/body/h1", "html/body/h2", "html/body/h1[2]", "", "a]b[1]", "ab[1]", "a[", "a[1", "a[b]", "a[c]", "html/body/table/tr[3]/td[1]", "html/body/table/tr[4]/td[2]",
	}
	for _, a := range paths {
		for _, b := range paths {
			same := string(appendPattern(nil, a)) == string(appendPattern(nil, b))
			if haveSamePattern(a, b) && !same {
				t.Errorf("%q and %q are said to have the same pattern", a, b)
			}
		}
	}
	if !haveSamePattern("html/body/div[1]/p[1]", "html/body/div[12]/p[3]") || !haveSamePattern("p[9]", "p[10]") {
		t.Error("paths that differ only in numbers are not found to be the same")
	}
}
