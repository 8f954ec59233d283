package tagtree

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func TestLinks(t *testing.T) {
	type links = []webgraph.Link
	tests := []struct {
		name, html string
		want       links
	}{
		{"anchor and context", `<ul><li>See the <a href="/cfp.html">call for <b>papers</b></a> now</ul>`, links{
			{Target: "http://conf.example.org/cfp.html", Anchor: "call for papers", Context: "See the call for papers now", Path: "html/body/ul/li/a"},
		}},
		{"image, title", `<p><a href=a><img alt="Call  A"></a> text <a href=b title=B></a></p><p><a href=c></a></p>`, links{
			{Target: pageURL + "a", Anchor: "Call A", Context: "text", Path: "html/body/p[1]/a[1]"},
			{Target: pageURL + "b", Anchor: "B", Context: "text", Path: "html/body/p[1]/a[2]"},
			{Target: pageURL + "c", Path: "html/body/p[2]/a"},
		}},
		{"left out", `<a href="#top">t</a><a href="">e</a><a href="mailto:a@b.org">m</a><a href="javascript:x()">j</a>
			<a href="http://conf.example.org/2026/#x">self</a><a href="http://[bad">b</a><a>none</a>`, links{}},
		{"nofollow", `<a href=x rel="external NoFollow">x</a>`, links{
			{Target: pageURL + "x", Anchor: "x", Context: "x", Path: "html/body/a", NoFollow: true},
		}},
		{"frames and maps", `<iframe src=f title=F></iframe><map><area href=g alt=G></map>`, links{
			{Target: pageURL + "f", Anchor: "F", Path: "html/body/iframe"},
			{Target: pageURL + "g", Anchor: "G", Path: "html/body/map/area"},
		}},
		{"base", `<base href="http://other.example.org/d/"><a href=x>x</a>`, links{
			{Target: "http://other.example.org/d/x", Anchor: "x", Context: "x", Path: "html/body/a"},
		}},
		{"relative base", `<base href="../old/"><a href=x>x</a>`, links{
			{Target: "http://conf.example.org/old/x", Anchor: "x", Context: "x", Path: "html/body/a"},
		}},
		{"menu that a style hides", `<ul style="display:none"><li><a href=x>Calls</a></ul><p>text`, links{
			{Target: pageURL + "x", Anchor: "Calls", Path: "html/body/ul/li/a"},
		}},
		{"link around blocks", `<a href=x><div>Head</div><p>body</p></a>`, links{
			{Target: pageURL + "x", Anchor: "Head body", Context: "Head", Path: "html/body/a"},
		}},
		{"every occurrence", `<a href=x>x</a> <a href=x>x</a>`, links{
			{Target: pageURL + "x", Anchor: "x", Context: "x x", Path: "html/body/a[1]"},
			{Target: pageURL + "x", Anchor: "x", Context: "x x", Path: "html/body/a[2]"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := parse(t, tt.html).Links()
			for i := range tt.want {
				tt.want[i].Source = pageURL
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("links of %s (-want +got):\n%s", tt.html, diff)
			}
		})
	}
}

func TestContextIsCutAroundTheAnchor(t *testing.T) {
	word := strings.Repeat("wörd ", 300)
	l := parse(t, "<p>"+word+"<a href=x>HERE</a> "+word).Links()[0]
	if n := len([]rune(l.Context)); n < webgraph.MaxContext-2 || n > webgraph.MaxContext {
		t.Errorf("context has %d runes, want about %d", n, webgraph.MaxContext)
	}
	if i := strings.Index(l.Context, "HERE"); i < 150 {
		t.Errorf("anchor stands at %d of the context, want in the middle", i)
	}
	l = parse(t, "<p><a href=x>"+strings.Repeat("a", 900)+"</a>").Links()[0]
	if len(l.Anchor) != webgraph.MaxAnchor || len(l.Context) != webgraph.MaxContext {
		t.Errorf("anchor of %d and context of %d runes, want %d and %d", len(l.Anchor), len(l.Context), webgraph.MaxAnchor, webgraph.MaxContext)
	}
}

func TestAround(t *testing.T) {
	tests := []struct {
		s        string
		from, to int
		n        int
		want     string
	}{
		{"abcdefghij", 4, 6, 10, "abcdefghij"},
		{"abcdefghij", 4, 6, 4, "defg"},
		{"abcdefghij", 0, 2, 4, "abcd"},
		{"abcdefghij", 8, 10, 4, "ghij"},
		{"abcdefghij", 2, 8, 3, "cde"},
		{"", 0, 0, 3, ""},
	}
	for _, tt := range tests {
		if got := textAround(tt.s, tt.from, tt.to, tt.n); got != tt.want {
			t.Errorf("around(%q, %d, %d, %d) = %q, want %q", tt.s, tt.from, tt.to, tt.n, got, tt.want)
		}
	}
}

// TestLinksOfAFile looks for the address that a saved page names as its own.
func TestLinksOfAFile(t *testing.T) {
	for _, tt := range []struct{ head, want string }{
		{`<link rel=canonical href="https://www.Owls.example/2027/cfp.html">`, "https://www.owls.example/2027/dates.html"},
		{`<meta property=og:url content="https://owls.example/a/b">`, "https://owls.example/a/dates.html"},
		{`<link rel=canonical href="/cfp">`, ""},
		{`<base href="https://base.example/x/"><link rel=canonical href="https://owls.example/">`, "https://base.example/x/dates.html"},
	} {
		p := page(tt.head+`<p><a href="dates.html">dates</a>`, "text/html")
		p.URL = "saved/cfp.html"
		tree, err := Parse(p)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, l := range tree.Links() {
			got = l.Target
		}
		if got != tt.want {
			t.Errorf("%s: the link leads to %q, want %q", tt.head, got, tt.want)
		}
	}
}

// A page that sends its reader on has a link there.
func TestRefreshIsLink(t *testing.T) {
	for _, tt := range []struct{ head, want string }{
		{`<meta http-equiv="refresh" content="0; url=/cfp.html">`, "http://conf.example/cfp.html"},
		{`<META HTTP-EQUIV=REFRESH CONTENT="5;URL='cfp.html'">`, "http://conf.example/dir/cfp.html"},
		{`<meta http-equiv=refresh content='0;url="http://other.example/a b"'>`, "http://other.example/a%20b"},
		{`<meta http-equiv=refresh content="0, url = //other.example/">`, "http://other.example/"},
		{`<meta http-equiv=refresh content="0.5 ; /cfp.html">`, "http://conf.example/cfp.html"},
		{`<base href="/base/"><meta http-equiv=refresh content="0; url=cfp.html">`, "http://conf.example/base/cfp.html"},
		{`<meta http-equiv=refresh content="30">`, ""},
		{`<meta http-equiv=refresh content="30; url=">`, ""},
		{`<meta http-equiv=refresh content="0; url=page.html">`, ""}, // itself
		{`<meta http-equiv=refresh content="0; url=javascript:go()">`, ""},
		{`<meta http-equiv=refresh content="url=/cfp.html">`, ""},
		{`<meta name=refresh content="0; url=/cfp.html">`, ""},
		{`<meta http-equiv=refresh content="0; url=/` + strings.Repeat("x", 100_000) + `">`, ""},
	} {
		p := page("<html><head>"+tt.head+"</head><body><p>moved</body></html>", "text/html")
		p.URL = "http://conf.example/dir/page.html"
		tree, err := Parse(p)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, l := range tree.Links() {
			got += l.Target
		}
		if got != tt.want {
			t.Errorf("%.80s: links %q, want %q", tt.head, got, tt.want)
		}
	}
}

// TestScriptOfClickIsLink checks that an address which a click opens by a script is a link.
func TestScriptOfClickIsLink(t *testing.T) {
	for _, tt := range []struct{ element, want string }{
		{`<button onclick="location.href='cfp.html'">Calls</button>`, "http://conf.example/dir/cfp.html"},
		{`<div onclick="window.location = &quot;/dates&quot;; return false">Dates</div>`, "http://conf.example/dates"},
		{`<a href="#" onclick="window.open('cfp.html', '_blank')">Calls</a>`, "http://conf.example/dir/cfp.html"},
		{`<a href="javascript:document.location.replace('cfp.html')">Calls</a>`, "http://conf.example/dir/cfp.html"},
		{`<a href="dates.html" onclick="location.href='cfp.html'">Dates</a>`, "http://conf.example/dir/dates.html"},
		{`<a onclick="window.location.href='mai'+'lto:a'">Mail</a>`, ""},
		{`<button onclick="location.href='#top'">Up</button>`, ""},
		{`<button onclick="location.href=next">Next</button>`, ""},
		{`<button onclick="location.href='javascript:go()'">Go</button>`, ""},
		{`<button onclick="relocation='cfp.html'">Go</button>`, ""},
		{`<button onclick="location='` + strings.Repeat("x", 100_000) + `'">Go</button>`, ""},
	} {
		p := page("<html><body><p>"+tt.element+"</p></body></html>", "text/html")
		p.URL = "http://conf.example/dir/page.html"
		tree, err := Parse(p)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, l := range tree.Links() {
			got += l.Target
		}
		if got != tt.want {
			t.Errorf("%.80s: links %q, want %q", tt.element, got, tt.want)
		}
	}
}
