package tagtree

import (
	"strings"
	"testing"
)

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
