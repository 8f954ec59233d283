package tagtree

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func headTree(t *testing.T, markup string, links ...string) *Tree {
	t.Helper()
	tree, err := Parse(&webgraph.Page{
		URL: "https://conf.example/2027/cfp?lang=en", Body: []byte(markup),
		Header: http.Header{"Content-Type": {"text/html"}, "Link": links},
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestRobotsMeta(t *testing.T) {
	tests := []struct {
		name, markup string
		want         []string
	}{
		{"none", `<title>x</title><p>y`, nil},
		{"robots and own, any case", `<meta name=ROBOTS content="noindex"><meta name=" EventSeer " content=nofollow>`, []string{"noindex", "nofollow"}},
		{"others", `<meta name=otherbot content=none><meta property=robots content=none>`, nil},
		{"in the body", `<p>x<meta name=robots content=noindex>`, []string{"noindex"}},
		{"in a frame's document", `<p>x<iframe srcdoc="<meta name=robots content=none><p>y"></iframe>`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, headTree(t, tt.markup).RobotsMeta("EventSeer/0.1")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	framed, err := ParseWithFrames(&webgraph.Page{Body: []byte(tests[4].markup)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := framed.RobotsMeta("EventSeer"); got != nil {
		t.Errorf("with frames: got %q", got)
	}
	if got := headTree(t, strings.Repeat("<meta name=robots content=all>", 50)).RobotsMeta(""); len(got) != maxRobotsMeta {
		t.Errorf("%d contents, want %d", len(got), maxRobotsMeta)
	}
}

func TestCanonicalOfPage(t *testing.T) {
	tests := []struct {
		name, markup, header, want string
	}{
		{"none", `<title>x</title>`, "", ""},
		{"relative", `<link rel=canonical href="/2027/cfp">`, "", "https://conf.example/2027/cfp"},
		{"relative to the base", `<base href="/x/"><link rel=canonical href=cfp>`, "", "https://conf.example/x/cfp"},
		{"among other tokens", `<link rel="shortlink Canonical" href="/c">`, "", "https://conf.example/c"},
		{"twice the same", `<link rel=canonical href="/c"><link rel=canonical href="https://conf.example/c#top">`, "", "https://conf.example/c"},
		{"two that differ", `<link rel=canonical href="/c"><link rel=canonical href="/d">`, "", ""},
		{"in the body", `<p>guestbook<link rel=canonical href="/c">`, "", ""},
		{"empty", `<link rel=canonical href="">`, "", ""},
		{"header", `<p>x`, `</c>; rel="canonical"`, "https://conf.example/c"},
		{"header among others", `<p>x`, `<a.css>; rel=preload; as=style, <https://conf.example/c>; title="x, y"; rel=canonical`, "https://conf.example/c"},
		{"header about another page", `<p>x`, `</c>; rel="canonical"; anchor="/other"`, ""},
		{"header against head", `<link rel=canonical href="/c">`, `</d>; rel=canonical`, ""},
		{"broken header", `<p>x`, `</c; rel=canonical`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := headTree(t, tt.markup, tt.header).Canonical(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFeedsOfPage(t *testing.T) {
	tree := headTree(t, `<link rel="alternate" type="application/rss+xml" href="/news.rss">
		<link rel=alternate hreflang=de href="/de/"><link rel="ALTERNATE home" type="Application/Atom+XML; charset=utf-8" href="atom">
		<link rel=alternate type=application/rss+xml href="/news.rss#x"><link rel=stylesheet type=application/rss+xml href=/no>
		<link rel=alternate type=application/rss+xml href="ftp://conf.example/x"><p>x<a rel=alternate type=application/rss+xml href=/a>b</a>`,
		`</feed.json>; rel=alternate; type="application/feed+json"`)
	want := []string{"https://conf.example/news.rss", "https://conf.example/2027/atom", "https://conf.example/feed.json"}
	if diff := cmp.Diff(want, tree.Feeds()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var many strings.Builder
	for i := range 50 {
		fmt.Fprintf(&many, "<link rel=alternate type=application/rss+xml href=/%d>", i)
	}
	if got := headTree(t, many.String()).Feeds(); len(got) != maxFeeds {
		t.Errorf("%d feeds, want %d", len(got), maxFeeds)
	}
	one := strings.Repeat("<link rel=alternate type=application/rss+xml href=/0>", maxFeedLinks)
	if got := headTree(t, one+"<link rel=alternate type=application/rss+xml href=/1>").Feeds(); len(got) != 1 {
		t.Errorf("behind a hundred links to one feed: %v", got)
	}
	header := strings.Repeat("<a>;rel=next,", maxHeadLinks)
	if got := headTree(t, "<p>x", header[:len(header)-1], `</c>; rel=canonical`).Canonical(); got != "" {
		t.Errorf("behind the links of a header that count: %s", got)
	}
}

// Whatever a Link header holds, reading ends, and addresses come out canonical.
func FuzzLinkHeader(f *testing.F) {
	f.Add(`</c>; rel="canonical"; title="a, b", <d>;rel=alternate;type="application/rss+xml"`)
	f.Add(`<;>,<>;=;rel`)
	f.Fuzz(func(t *testing.T, header string) {
		tree := headTree(t, "<p>x", header)
		for _, url := range append(tree.Feeds(), tree.Canonical()) {
			if c, err := webgraph.Canonical(url); url != "" && (err != nil || c != url) {
				t.Errorf("%q: %q is not canonical: %v", header, url, err)
			}
		}
	})
}
