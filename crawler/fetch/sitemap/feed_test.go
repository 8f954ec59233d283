package sitemap

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func TestFeedEntries(t *testing.T) {
	day := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	want := []webgraph.Entry{{URL: "https://conf.example/cfp", Title: "CFP: A & B", Summary: "Papers are due soon.", Changed: day}}
	tests := []struct {
		name, contentType, body string
		want                    []webgraph.Entry
	}{
		{"rss 2.0", "application/rss+xml", `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://conf.example/</link>
			<item><title>CFP: A &amp;amp; B</title><link>https://conf.example/cfp</link><description>&lt;p&gt;Papers are &lt;b&gt;due&lt;/b&gt; soon.&lt;/p&gt;</description>
			<pubDate>Mon, 04 May 2026 12:00:00 +0200</pubDate></item></channel></rss>`, want},
		{"rss 0.91", "text/xml", `<rss version="0.91"><channel><item><title>x</title><link>/cfp</link></item></channel></rss>`,
			[]webgraph.Entry{{URL: "https://conf.example/cfp", Title: "x"}}},
		{"rdf", "application/rdf+xml", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
			<channel rdf:about="x"><title>News</title></channel><item rdf:about="https://conf.example/cfp"><title>CFP: A &amp; B</title><link>https://conf.example/cfp</link>
			<description>Papers are due soon.</description><dc:date>2026-05-04T10:00:00Z</dc:date></item></rdf:RDF>`, want},
		{"atom", "application/atom+xml", `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><entry><title type="html">CFP: A &amp;amp; B</title>
			<link rel="edit" href="/edit"/><link rel="alternate" type="text/html" href="https://conf.example/cfp"/>
			<summary>Papers are due soon.</summary><published>2025-01-01T00:00:00Z</published><updated>2026-05-04T10:00:00Z</updated></entry></feed>`, want},
		{"json feed", "application/feed+json", `{"version":"https:\/\/jsonfeed.org\/version\/1.1","title":"News","items":[{"id":"1","url":"https://conf.example/cfp",
			"title":"CFP: A & B","content_html":"<p>Papers are due soon.</p>","date_published":"2026-05-04T10:00:00Z"}]}`, want},
		{"identifier in place of a link", "text/xml", `<rss version="2.0"><channel><item><guid isPermaLink="false">https://conf.example/g</guid></item><item><guid>17</guid></item></channel></rss>`,
			[]webgraph.Entry{{URL: "https://conf.example/g"}}},
		{"the address before a service's own", "text/xml", `<rss version="2.0" xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0"><channel><item><link>https://feeds.example/1</link>
			<feedburner:origLink>https://conf.example/cfp</feedburner:origLink></item></channel></rss>`, []webgraph.Entry{{URL: "https://conf.example/cfp"}}},
		{"latin-1", "text/xml", `<?xml version="1.0" encoding="ISO-8859-1"?><rss version="2.0"><channel><item><link>/a</link><title>caf` + "\xe9</title></item></channel></rss>",
			[]webgraph.Entry{{URL: "https://conf.example/a", Title: "café"}}},
		{"broken off", "text/xml", `<rss version="2.0"><channel><item><link>/a</link></item><item><link>/b</link><title>half a`,
			[]webgraph.Entry{{URL: "https://conf.example/a"}}},
		{"no items", "text/xml", `<rss version="2.0"><channel><title>x</title></channel></rss>`, []webgraph.Entry{}},
		{"control characters", "text/xml", "<rss version=\"2.0\"><channel><item><link>/a</link><title>a\x02b</title></item></channel></rss>",
			[]webgraph.Entry{{URL: "https://conf.example/a", Title: "ab"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Entries(listPage(tt.contentType, tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestFeedLimits(t *testing.T) {
	item := func(i int) string { return fmt.Sprintf("<item><link>/%d</link></item>", i) }
	var many strings.Builder
	many.WriteString(`<rss version="2.0"><channel>`)
	for i := range maxFeedItems + 10 {
		many.WriteString(item(i))
	}
	if got, err := Entries(listPage("text/xml", many.String())); len(got) != maxFeedItems || err != nil {
		t.Errorf("%d entries, %v, want %d", len(got), err, maxFeedItems)
	}
	head := `<rss version="2.0"><channel>` + item(1) + "<item>"
	for name, body := range map[string]string{
		"too deep":         head + strings.Repeat("<a>", 1<<20),
		"a long tag":       head + "<a " + strings.Repeat("b='c' ", maxFeedTag/5) + ">",
		"nothing whole":    `<rss version="2.0"><channel><item><link>/a`,
		"too many objects": `{"version":"https://jsonfeed.org/version/1","items":[` + strings.Repeat("{},", maxFeedTags/10) + "{}]}",
	} {
		if got, err := Entries(listPage("", body)); err == nil || got != nil {
			t.Errorf("%s: got %v, want an error", name, got)
		}
	}
	if got, err := Entries(listPage("text/xml", head+strings.Repeat("<a/>", maxFeedTags))); len(got) != 1 || err != nil {
		t.Errorf("too many tags: got %v, %v, want what came before", got, err)
	}
	long := `<rss version="2.0"><channel><item><link>/a</link><title>` + strings.Repeat("é ", 5000) + "</title></item></channel></rss>"
	if got, err := Entries(listPage("text/xml", long)); err != nil || len(got) != 1 || len([]rune(got[0].Title)) > webgraph.MaxAnchor {
		t.Errorf("long title: got %v, %v", got, err)
	}
}
