package sitemap

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// listPage is a page that may be a list.
func listPage(contentType string, body string) *webgraph.Page {
	return &webgraph.Page{
		URL: "https://conf.example/maps/sitemap.xml", Status: 200,
		Header: http.Header{"Content-Type": {contentType}}, Body: []byte(body),
	}
}

func pack(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// urlsOf returns the entries of a page in short, without the host.
func urlsOf(t *testing.T, p *webgraph.Page) []string {
	t.Helper()
	es, err := Entries(p)
	if err != nil {
		t.Fatal(err)
	}
	if es == nil {
		return nil
	}
	got := []string{}
	for _, e := range es {
		got = append(got, strings.Replace(inShort(e), "https://conf.example", "", 1))
	}
	return got
}

// inShort returns an entry's URL, with "+" before it for a sitemap, and date and title after it.
func inShort(e webgraph.Entry) string {
	s := e.URL
	if e.Sitemap {
		s = "+" + s
	}
	if !e.Changed.IsZero() {
		s += " " + e.Changed.Format("2006-01-02T15:04")
	}
	if e.Title != "" {
		s += " " + e.Title
	}
	return s
}

const ns = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`

func utf16le(s string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for _, r := range s {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

func TestSitemapEntries(t *testing.T) {
	small := `<urlset` + ns + `><url><loc>https://conf.example/a</loc></url></urlset>`
	tests := []struct {
		name, contentType, body string
		want                    []string
	}{
		{"urlset", "application/xml", `<?xml version="1.0" encoding="UTF-8"?>` + "\n<!-- by hand --><urlset" + ns + `><url><loc>
			https://conf.example/a </loc><lastmod>2026-05-01</lastmod><changefreq>daily</changefreq><priority>0.1</priority></url>
			<url><lastmod>2026-05-01T10:30:00+02:00</lastmod><loc>https://conf.example/b#x</loc></url></urlset>`,
			[]string{"/a 2026-05-01T00:00", "/b 2026-05-01T08:30"}},
		{"index", "text/xml", `<sitemapindex` + ns + `><sitemap><loc>https://conf.example/1.xml.gz</loc><lastmod>2026</lastmod></sitemap></sitemapindex>`,
			[]string{"+/1.xml.gz 2026-01-01T00:00"}},
		{"no namespace", "text/xml", `<urlset><url><loc>https://conf.example/a</loc></url></urlset>`, []string{"/a"}},
		{"other namespace", "text/xml", `<urlset xmlns="urn:x"><url><loc>https://conf.example/a</loc></url></urlset>`, []string{"/a"}},
		{"prefix", "text/xml", `<s:urlset xmlns:s="x"><s:url><s:loc>https://conf.example/a</s:loc></s:url></s:urlset>`, []string{"/a"}},
		{"letter case", "text/xml", `<URLSET><Url><LOC>https://conf.example/a</LOC></Url></URLSET>`, []string{"/a"}},
		{"byte order mark", "text/xml", "\xef\xbb\xbf" + small, []string{"/a"}},
		{"utf-16", "text/xml", utf16le(`<?xml version="1.0" encoding="UTF-16"?>` + small), []string{"/a"}},
		{"latin-1 by declaration", "text/xml", `<?xml version='1.0' encoding='iso-8859-1'?><urlset><url><loc>https://conf.example/caf` + "\xe9</loc></url></urlset>", []string{"/caf%C3%A9"}},
		{"latin-1 by header", "text/xml; charset=ISO-8859-1", "<urlset><url><loc>https://conf.example/caf\xe9</loc></url></urlset>", []string{"/caf%C3%A9"}},
		{"unknown charset", "text/xml; charset=klingon", small, []string{"/a"}},
		{"declared as html", "text/html", small, []string{"/a"}},
		{"gzip", "application/x-gzip", pack(t, small), []string{"/a"}},
		{"gzip within gzip", "application/octet-stream", pack(t, pack(t, small)), []string{"/a"}},
		{"gzip cut off", "application/gzip", pack(t, small)[:len(pack(t, small))-9], []string{"/a"}},
		{"entities", "text/xml", `<urlset><url><loc>https://conf.example/?a=1&amp;copy=2&#38;d&#x3d;3</loc></url></urlset>`, []string{"/?a=1&copy=2&d=3"}},
		{"ampersand not escaped", "text/xml", `<urlset><url><loc>https://conf.example/?a=1&copy=2&d=3</loc></url></urlset>`, []string{"/?a=1&copy=2&d=3"}},
		{"cdata", "text/xml", `<urlset><url><loc>https://conf.example/<![CDATA[?a&b]]></loc></url></urlset>`, []string{"/?a&b"}},
		{"relative", "text/xml", `<urlset><url><loc>/a</loc></url><url><loc>b?c</loc></url></urlset>`, []string{"/a", "/maps/b?c"}},
		{"twice", "text/xml", `<urlset><url><loc>/a</loc></url><url><loc>/a#b</loc></url></urlset>`, []string{"/a"}},
		{"no address", "text/xml", `<urlset><url/><url></url><url><loc/></url><url><loc> </loc></url><url><loc>mailto:x</loc></url></urlset>`, []string{}},
		{"pictures are no pages", "text/xml", `<urlset><url><image:image><image:loc>/p.jpg</image:loc></image:image><loc>/a</loc><P xmlns="x"><loc>/q</loc></P></url></urlset>`, []string{"/a"}},
		{"news", "text/xml", `<urlset><url><loc>/a</loc><news:news><news:publication><news:name>N</news:name></news:publication>
			<news:publication_date>2026-02-03</news:publication_date><news:title>A &amp; B</news:title></news:news></url></urlset>`, []string{"/a 2026-02-03T00:00 A & B"}},
		{"address without loc", "text/xml", `<sitemapindex><sitemap> https://conf.example/1.xml </sitemap></sitemapindex>`, []string{"+/1.xml"}},
		{"tags left open", "text/xml", `<urlset><url><loc>/a<url><loc>/b</loc><url><loc>/c</loc></url>`, []string{"/a", "/b", "/c"}},
		{"an extension's url", "text/xml", `<urlset><url><loc>/a</loc><x:url>https://conf.example/x</x:url></url></urlset>`, []string{"/a"}},
		{"broken off", "text/xml", `<urlset><url><loc>/a</loc></url><url><loc>/b`, []string{"/a"}},
		{"comment in it", "text/xml", `<urlset><!-- <url><loc>/x</loc></url> --><url><loc>/a</loc></url></urlset>`, []string{"/a"}},
		{"document type", "text/xml", `<!DOCTYPE urlset [<!ENTITY a "b>">]><urlset><url><loc>/a</loc></url></urlset>`, []string{"/a"}},
		{"empty", "text/xml", `<urlset/>`, []string{}},
		{"text", "text/plain", "https://conf.example/a\r\n\r\nhttps://conf.example/b?c&d\r\n", []string{"/a", "/b?c&d"}},
		{"text with a mark", "text/plain; charset=utf-8", "\xef\xbb\xbfhttps://conf.example/a", []string{"/a"}},
		{"text packed", "application/gzip", pack(t, "https://conf.example/a\nhttps://conf.example/b"), []string{"/a", "/b"}},
		{"text that is to be read", "text/plain", "https://conf.example/a is where\nwe meet", nil},
		{"text of addresses, declared as html", "text/html", "https://conf.example/a", nil},
		{"html", "text/html", "<!doctype html><html><p>x", nil},
		{"xhtml", "application/xml", `<?xml version="1.0"?><!-- x --><html xmlns="http://www.w3.org/1999/xhtml"/>`, nil},
		{"another vocabulary", "application/xml", `<opml version="2.0"><body/></opml>`, nil},
		{"text before the element", "application/xml", `x<urlset/>`, nil},
		{"other json", "application/json", `{"items":[]}`, nil},
		{"nothing", "text/xml", "", nil},
		{"spaces", "text/plain", " \n ", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, urlsOf(t, listPage(tt.contentType, tt.body))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestSitemapLimits(t *testing.T) {
	var many strings.Builder
	many.WriteString("<urlset>")
	for i := range maxSitemapURLs + 10 {
		fmt.Fprintf(&many, "<url><loc>/%d</loc></url>", i)
	}
	if got, _ := Entries(listPage("text/xml", many.String())); len(got) != maxSitemapURLs {
		t.Errorf("%d entries, want %d", len(got), maxSitemapURLs)
	}
	relative := listPage("text/xml", strings.ReplaceAll(many.String(), "<loc>/", "<loc>"))
	relative.URL = "https://conf.example/" + strings.Repeat("x", 2000) + "/map.xml"
	if got, _ := Entries(relative); len(got) < maxListKept/2048 || len(got) > maxListKept/2000 {
		t.Errorf("%d entries of 2 kB are kept", len(got))
	}
	useless := "<urlset>" + strings.Repeat("<url><loc>mailto:x</loc></url>", maxRefused) + "<url><loc>/a</loc></url>"
	if got := urlsOf(t, listPage("text/xml", useless)); len(got) != 0 {
		t.Errorf("behind %d that are none: %v", maxRefused, got)
	}
	// Nothing behind 50 MiB counts, and no part of that is kept.
	bomb := pack(t, "<urlset><url><loc>/a</loc></url><!--"+strings.Repeat(" ", maxSitemapBytes)+"--><url><loc>/b</loc></url>")
	if got := urlsOf(t, listPage("application/gzip", bomb)); len(got) != 1 {
		t.Errorf("behind the limit: %v", got)
	}
	long := "<urlset><url><loc>/" + strings.Repeat("a", maxTagText) + "</loc></url><url><loc>/b</loc></url>"
	deep := "<urlset><url>" + strings.Repeat("<a>", 1<<20) + "</url><url><loc>/b</loc></url>"
	for _, body := range []string{long, deep + strings.Repeat("</a>", 1<<20) + "</url><url><loc>/b</loc></url>"} {
		if got := urlsOf(t, listPage("text/xml", body)); len(got) != 1 || got[0] != "/b" {
			t.Errorf("%.30s…: got %.100v", body, got)
		}
	}
}

func TestW3CTime(t *testing.T) {
	for written, want := range map[string]string{
		"2026": "2026-01-01T00:00:00Z", "2026-05": "2026-05-01T00:00:00Z", " 2026-05-04\n": "2026-05-04T00:00:00Z",
		"2026-05-04T10:20+01:00": "2026-05-04T09:20:00Z", "2026-05-04T10:20:30.45Z": "2026-05-04T10:20:30Z",
		"2026-05-04T10:20:30+0100": "2026-05-04T09:20:30Z", "2026-05-04 10:20:30": "2026-05-04T10:20:30Z",
		"4 May 2026": "0001-01-01T00:00:00Z", "": "0001-01-01T00:00:00Z",
	} {
		if got := w3cTime(written).Format(time.RFC3339); got != want {
			t.Errorf("%q: got %s, want %s", written, got, want)
		}
	}
}

func TestPlainText(t *testing.T) {
	for markup, want := range map[string]string{
		"plain &amp; simple":                     "plain & simple",
		"<p>one</p><p>two <b>th</b>ree<br/>four": "one two three four",
		"a < b, c<d":                             "a < b, c",
		"<script>x<y</script>z<style>q</style>":  "z",
		"<![CDATA[in]]> &nbsp; out\xff":          "in out\ufffd",
		"<a href='x>y'>z</a>":                    "z",
	} {
		if got := plainText(markup); got != want {
			t.Errorf("%q: got %q, want %q", markup, got, want)
		}
	}
}

// Whatever the bytes, reading ends and every entry is canonical and within the
// limits of webgraph.
func FuzzEntries(f *testing.F) {
	for _, seed := range []string{
		`<urlset><url><loc>/a</loc></url>`, "https://conf.example/a\nx", pack(f, `<sitemapindex><sitemap>http://a/</sitemap>`),
		`<rss><channel><item><link>/a</link><title><![CDATA[<b>x</b>]]></title></item></channel></rss>`,
		`<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/a"/><content type="xhtml"><div>x</div></content></entry>`,
		`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><item><link>/a</link></item></rdf:RDF>`,
		`{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"/a","title":"x"}]}`, utf16le("<urlset><url>"),
	} {
		f.Add("text/plain", []byte(seed))
		f.Add("text/xml; charset=iso-8859-1", []byte(seed))
	}
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		es, err := Entries(listPage(contentType, string(body)))
		if err != nil && es != nil {
			t.Error("entries beside an error")
		}
		for _, e := range es {
			if c, err := webgraph.Canonical(e.URL); err != nil || c != e.URL {
				t.Errorf("URL %q: %q, %v", e.URL, c, err)
			}
			if len([]rune(e.Title)) > webgraph.MaxAnchor || len([]rune(e.Summary)) > webgraph.MaxContext {
				t.Errorf("title of %d bytes, summary of %d", len(e.Title), len(e.Summary))
			}
		}
	})
}
