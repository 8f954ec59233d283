package tagtree

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// A site returns pages by address and records the requests.
type site struct {
	pages map[string]string
	asked []string
}

func (s *site) frame(url string) *webgraph.Page {
	s.asked = append(s.asked, strings.TrimPrefix(url, "http://conf.example.org"))
	body, ok := s.pages[strings.TrimPrefix(url, "http://conf.example.org")]
	if !ok {
		return nil
	}
	p := page(body, "text/html")
	p.URL = url
	return p
}

func (s *site) parse(t *testing.T, body string) *Tree {
	t.Helper()
	tree, err := ParseWithFrames(page(body, "text/html"), s.frame)
	if err != nil {
		t.Fatal(err)
	}
	check(t, tree)
	return tree
}

func TestFrames(t *testing.T) {
	s := &site{pages: map[string]string{
		"/2026/dates/list.html": "<title>Dates</title><html lang=de><p>Papers: 1 May <a href=form.html>form</a> <a href=list.html>here</a> <a href=../>home</a>",
		"/moved":                "<base href=http://b.example.org/y/><p>b <a href=z>z</a>",
	}}
	tree := s.parse(t, "<title>Owls 2026</title><p>before <iframe src=dates/list.html>no frames?</iframe> after</p>"+
		"<table><tr><td>cell <iframe src=/gone></iframe><td><iframe src=/moved></iframe></table><p>end")
	var got []string
	for _, b := range tree.Blocks() {
		got = append(got, b.Path+": "+b.Text)
	}
	want := []string{
		"html/body/p[1]: before",
		"html/body/p[1]/iframe/html/body/p: Papers: 1 May form here home",
		"html/body/p[1]: after",
		"html/body/table/tbody/tr/td[1]: cell",
		"html/body/table/tbody/tr/td[2]/iframe/html/body/p: b z",
		"html/body/p[2]: end",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var links []string
	for _, l := range tree.Links() {
		links = append(links, l.Target+" on "+l.Source)
	}
	wantLinks := []string{
		"http://conf.example.org/2026/dates/form.html on " + pageURL,
		"http://conf.example.org/gone on " + pageURL,
		"http://b.example.org/y/z on " + pageURL,
	}
	if diff := cmp.Diff(wantLinks, links); diff != "" {
		t.Errorf("links, without those to a frame itself and to the page: %s", diff)
	}
	if base := tree.FrameBase(tree.docs[2].frame); base != "http://b.example.org/y/" {
		t.Errorf("base %s of the second frame", base)
	}
	if base := tree.FrameBase(nil); base != pageURL {
		t.Errorf("base %s of no frame", base)
	}
	if tree.Title() != "Owls 2026" || tree.Lang() != "" {
		t.Errorf("title %q and language %q of a frame", tree.Title(), tree.Lang())
	}
}

func TestFramesetsAreShown(t *testing.T) {
	s := &site{pages: map[string]string{
		"/menu": "<a href=a>Dates</a><br><a href=b>Topics</a>", "/main": "<frameset><frame src=top><frame src=text></frameset>",
		"/text": "<p>Call for papers</p>",
	}}
	const page = "<frameset cols=20%,*><frame src=/menu><frame src=/main><noframes><p>Get a browser</noframes></frameset>"
	tree := s.parse(t, page)
	if want := "Dates\nTopics\nCall for papers"; tree.Text() != want {
		t.Errorf("text %q, want %q", tree.Text(), want)
	}
	if got, want := tree.Blocks()[2].Path, "html/frameset/frame[2]/html/frameset/frame[2]/html/body/p"; got != want {
		t.Errorf("path %s, want %s", got, want)
	}
	if n := len(tree.Links()); n != 3 {
		t.Errorf("%d links, want two of the menu and the frame that was not had", n)
	}
	if tree := parse(t, page); tree.Text() != "Get a browser" || len(tree.Links()) != 2 {
		t.Errorf("without frames: text %q, %d links", tree.Text(), len(tree.Links()))
	}
	s.pages = map[string]string{"/menu": "<a href=a><img src=b></a>"}
	if tree := s.parse(t, page); tree.Text() != "" || len(tree.Links()) != 2 {
		t.Errorf("a frame of pictures: text %q, %d links", tree.Text(), len(tree.Links()))
	}
}

func TestFrameDocuments(t *testing.T) {
	s := &site{pages: map[string]string{}}
	tree := s.parse(t, `<base href=/x/><iframe srcdoc="<p>a &amp;amp; b <a href=c>c</a>" src=unread></iframe>`)
	if tree.Text() != "a & b c" || tree.Links()[0].Target != "http://conf.example.org/x/c" || len(s.asked) != 0 {
		t.Errorf("srcdoc: text %q, links %v, asked for %v", tree.Text(), tree.Links(), s.asked)
	}
	if tree, err := ParseWithFrames(page("<iframe srcdoc='<p>a'></iframe><iframe src=b></iframe>", "text/html"), nil); err != nil || tree.Text() != "a" {
		t.Errorf("srcdoc without a function: text %q, %v", tree.Text(), err)
	}
	tree, err := ParseWithFrames(page("<ul><li><s><iframe src=a></iframe></s></ul>", "text/html"), func(url string) *webgraph.Page {
		return &webgraph.Page{URL: url, Text: "Topics <owls>\n bats\xff", Header: http.Header{}}
	})
	if err != nil {
		t.Fatal(err)
	}
	check(t, tree)
	want := []Block{
		{Kind: Line, Text: "Topics <owls>", Path: "html/body/ul/li/s/iframe/html/body/pre"},
		{Kind: Line, Text: "bats\ufffd", Start: 14, Path: "html/body/ul/li/s/iframe/html/body/pre"},
	}
	if diff := cmp.Diff(want, tree.Blocks()); diff != "" {
		t.Errorf("plain text: %s", diff)
	}
	tree, err = ParseWithFrames(page("<p>x<iframe src=a></iframe>", "text/html"), func(url string) *webgraph.Page {
		return &webgraph.Page{URL: url, Body: []byte("\x89PNG\r\n\x1a\n"), Header: http.Header{}}
	})
	if err != nil || tree.Text() != "x" || len(tree.Links()) != 1 {
		t.Errorf("a picture: text %q, %d links, %v", tree.Text(), len(tree.Links()), err)
	}
}

func TestFramesNotAskedFor(t *testing.T) {
	for _, html := range []string{
		"<div style='display: none'><iframe src=a></iframe></div>", "<iframe hidden src=a></iframe>",
		"<noscript><iframe src=a></iframe></noscript>", "<template><iframe src=a></iframe></template>",
		"<iframe src=a width=1 height=1></iframe>", "<iframe src=a height=0px></iframe>",
		"<iframe src></iframe>", "<iframe src='javascript:x()'></iframe>", "<iframe src='about:blank'></iframe>",
		"<iframe src=" + pageURL + "></iframe>", "<!-- <iframe src=a></iframe> -->",
	} {
		s := &site{pages: map[string]string{"/2026/a": "<p>a"}}
		if tree := s.parse(t, "<p>text"+html); len(s.asked) > 0 || tree.Text() != "text" {
			t.Errorf("%s: asked for %v, text %q", html, s.asked, tree.Text())
		}
	}
}

func TestFrameLimits(t *testing.T) {
	t.Run("cycle", func(t *testing.T) {
		s := &site{pages: map[string]string{"/a": "<p>a<iframe src=/b></iframe>", "/b": "<p>b<iframe src=/a></iframe><iframe src=/2026/></iframe>"}}
		tree := s.parse(t, "<p>page<iframe src=/a></iframe><iframe src=/a></iframe>")
		if want := "page\na\nb\na\nb"; tree.Text() != want {
			t.Errorf("text %q, want %q", tree.Text(), want)
		}
	})
	t.Run("redirect to the page", func(t *testing.T) {
		p := page("<p>page<iframe src=/a></iframe>", "text/html")
		tree, err := ParseWithFrames(p, func(string) *webgraph.Page { return p })
		if err != nil || tree.Text() != "page" {
			t.Errorf("text %q, %v", tree.Text(), err)
		}
	})
	t.Run("depth", func(t *testing.T) {
		s := &site{pages: map[string]string{}}
		for i := range 6 {
			s.pages[fmt.Sprintf("/%d", i)] = fmt.Sprintf("<p>%d<iframe src=/%d></iframe>", i, i+1)
		}
		tree := s.parse(t, "<iframe src=/1></iframe>")
		if want := "1\n2\n3"; tree.Text() != want || tree.Links()[0].Target != "http://conf.example.org/4" {
			t.Errorf("text %q, links %v, want %q", tree.Text(), tree.Links(), want)
		}
	})
	t.Run("number", func(t *testing.T) {
		s := &site{pages: map[string]string{"/a": strings.Repeat("<iframe src=/b></iframe>", 50), "/b": "<p>b"}}
		tree := s.parse(t, strings.Repeat("<iframe src=/a></iframe>", 50))
		if len(s.asked) != maxFrames || strings.Count(tree.Text(), "b") != maxFrames-1 {
			t.Errorf("asked %d times, text %q", len(s.asked), tree.Text())
		}
	})
	t.Run("bytes", func(t *testing.T) {
		s := &site{pages: map[string]string{"/big": "<p>big<p>" + strings.Repeat(" ", maxFrameBytes*2/3), "/small": "<p>small"}}
		tree := s.parse(t, "<iframe src=/big></iframe><iframe src=/big></iframe><iframe src=/small></iframe>")
		if want := "big\nsmall"; tree.Text() != want || len(tree.Links()) != 1 {
			t.Errorf("text %q, %d links, want %q", tree.Text(), len(tree.Links()), want)
		}
	})
	t.Run("nodes", func(t *testing.T) {
		s := &site{pages: map[string]string{"/a": "<p>" + strings.Repeat("<b><i><u>", 6) + strings.Repeat("<p>x", 110_000)}}
		tree := s.parse(t, "<p>x<iframe src=/a></iframe><iframe src=/a></iframe>")
		nodes := 0
		for n := tree.Root(); n != nil; n = htmltree.NodeAfter(n, tree.Root()) {
			nodes++
		}
		if nodes > 2*maxFrameNodes || len(tree.Links()) != 1 {
			t.Errorf("%d nodes, %d frames left as links", nodes, len(tree.Links()))
		}
	})
}

func FuzzFrames(f *testing.F) {
	f.Add("<p>a<iframe src=b>c</iframe><frame src=d>", "<base href=/x><p>b<a href=c>d</a><iframe src=e></iframe>")
	f.Add("<frameset><frame src=a><frame src=a><noframes><p>b", "plain text\nhttp://a.example.org/")
	f.Add("<table><td><iframe srcdoc='<td>a<iframe src=b>'></iframe><pre><s><iframe src=c>", "<iframe srcdoc='</iframe><p>x'><li>y")
	f.Fuzz(func(t *testing.T, body, inner string) {
		p := page(body, "text/html")
		tree, err := ParseWithFrames(p, func(url string) *webgraph.Page {
			frame := page(inner, "")
			frame.URL = url
			return frame
		})
		if err != nil {
			return
		}
		check(t, tree)
		for i, l := range tree.Links() {
			if l.Source != p.URL {
				t.Fatalf("link %d has the source %s", i, l.Source)
			}
		}
	})
}
