package tagtree

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func TestPlain(t *testing.T) {
	const mail = "From: chair@example.org\r\nSubject: =?iso-8859-1?q?Caf=E9?=\r\n  workshop\r\n\r\n" +
		"Call for papers,\r\nsee (http://cafe.example.org/cfp/).\r\n\r\nAlso <www.example.net/a_(b)>.\r\n"
	for _, contentType := range []string{"text/plain", "", "text/html"} {
		tree := parseAs(t, mail, contentType)
		if tree.Root() != nil || tree.Title() != "Café workshop" {
			t.Fatalf("%q: title %q, root %v", contentType, tree.Title(), tree.Root())
		}
		want := []string{"text/p[1]", "text/p[1]", "text/p[1]", "text/p[2]", "text/p[2]", "text/p[3]"}
		var got []string
		for _, b := range tree.Blocks() {
			got = append(got, b.Path)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("paths (-want +got):\n%s", diff)
		}
		links := []webgraph.Link{
			{Source: pageURL, Target: "http://cafe.example.org/cfp/", Anchor: "http://cafe.example.org/cfp/",
				Context: "see (http://cafe.example.org/cfp/).", Path: "text/p[2]"},
			{Source: pageURL, Target: "http://www.example.net/a_(b)", Anchor: "www.example.net/a_(b)",
				Context: "Also <www.example.net/a_(b)>.", Path: "text/p[3]"},
		}
		if diff := cmp.Diff(links, tree.Links()); diff != "" {
			t.Errorf("links (-want +got):\n%s", diff)
		}
	}
}

func TestTextOfThePageIsRead(t *testing.T) {
	p := page("%PDF-1.4 \x00\x01", "application/pdf")
	p.Text = "Call\fPapers"
	tree, err := Parse(p)
	if err != nil {
		t.Fatal(err)
	}
	check(t, tree)
	if tree.Text() != "Call\nPapers" || tree.Blocks()[1].Path != "text/p[2]" {
		t.Errorf("got %q, %+v", tree.Text(), tree.Blocks())
	}
}

func TestHTMLDeclaredPlain(t *testing.T) {
	if tree := parseAs(t, "<!DOCTYPE html><p>x", "text/plain"); tree.Root() == nil {
		t.Error("a document with a doctype was read as plain text")
	}
	if tree := parseAs(t, "write <p> for a paragraph", "text/plain"); tree.Root() != nil {
		t.Error("plain text was read as HTML")
	}
}

func TestTrimURL(t *testing.T) {
	for s, want := range map[string]string{
		"http://a.example/x.": "http://a.example/x", "http://a.example/x).": "http://a.example/x",
		"http://a.example/(x)": "http://a.example/(x)", "http://a.example/(x)).],": "http://a.example/(x)",
		"http://a.example/[x](y)]": "http://a.example/[x](y)", "http://a.example/x)y)": "http://a.example/x)y",
		"http://a.example/x)(y)": "http://a.example/x)(y", ").": "",
		"http://a.example/" + strings.Repeat("x)]", maxText/100) + strings.Repeat(")", maxText): "http://a.example/" + strings.Repeat("x)]", maxText/100-1) + "x",
	} {
		if got := trimURL(s); got != want {
			t.Errorf("trimURL(%.40q) = %.40q, want %.40q", s, got, want)
		}
	}
}

func TestNoMail(t *testing.T) {
	for _, s := range []string{"", "Note: this\nand: that", "Date: today\n\nnothing more", "Subject:"} {
		if end := htmltree.MailHeaderEnd(s); end != 0 {
			t.Errorf("headerEnd(%q) = %d, want 0", s, end)
		}
	}
}
