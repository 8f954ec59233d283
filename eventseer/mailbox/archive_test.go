package mailbox

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

const (
	pipermailPage = `<HTML><HEAD><TITLE> [Gardens] Call: Hedges &amp; Beds
   </TITLE><META http-equiv="Content-Type" content="text/html; charset=iso-8859-1"></HEAD><BODY bgcolor="#ffffff">
<H1>[Gardens] Call: Hedges &amp; Beds</H1>
<B>Ann Green</B> <A HREF="mailto:gardens%40lists.example?Subject=x" TITLE="x">ann at conf.example
</A><BR>
<I>Mon Jan 11 10:00:00 CET 2027</I>
<P><UL><LI>Previous message: <A HREF="000001.html">older</A></li></UL><HR>
<!--beginarticle-->
<PRE>In Z` + "\xfc" + `rich &lt;soon&gt;.
  <A HREF="http://conf.example/">http://conf.example/</A>

Write to <A HREF="http://lists.example/mailman/listinfo/gardens">ann at conf.example</A>
</PRE>
<!--endarticle-->
<HR><P><UL><LI>Next message: <A HREF="000003.html">newer</A></li></UL>
<a href="http://lists.example/mailman/listinfo/gardens">More information about the Gardens mailing list</a></body></html>`

	hypermailPage = `<!-- received="Mon Jan 11 09:00:05 2027" -->
<!-- isoreceived="20270111090005" -->
<!-- sent="Mon, 11 Jan 2027 10:00:00 +0100" -->
<!-- isosent="20270111090000" -->
<!-- name="Ann Green" -->
<!-- email="ann@conf.example" -->
<!-- subject="Call: Hedges &amp; Beds" -->
<!-- id="h1@conf.example" -->
<!-- body="start" -->
<p>
<em>&gt; quoted</em><br>
Send papers<br>
by March.
<p><pre>
-- 
Ann
</pre>
<!-- body="end" -->
<hr><ul><li><strong>Next message:</strong> <a href="0002.html">newer</a></ul>`

	mhonarcPage = `<!-- MHonArc v2.6.8 -->
<!--X-Subject: Call: Hedges &#38; Beds -->
<!--X-From-R13: Oaa <naa@pbas.rknzcyr> -->
<!--X-Date: Mon, 11 Jan 2027 10:00:00 +0100 -->
<!--X-Message-Id: m1@conf.example -->
<!--X-Head-End-->
<html><head><title>Call: Hedges</title></head><body>
<!--X-Body-Begin--><ul><li>From: Ann</li></ul>
<!--X-Body-of-Message-->
<pre style="margin: 0em;">Send papers
by March.</pre>
<!--X-Body-of-Message-End-->
<a href="msg00002.html">Next</a></body></html>`

	barePageText = `<html>
 <head><title>World Message</title></head>
 <body>
  <pre style="white-space: pre-wrap;">Call: Hedges

Send papers to <a href="http://conf.example/">http://conf.example/</a>.
</pre>
 </body>
</html>`
)

func pageOf(url, body string) *webgraph.Page {
	return &webgraph.Page{
		URL: url, Requested: url, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(body),
		FetchedAt: time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC),
	}
}

func TestArchived(t *testing.T) {
	const date = "Date: Mon, 11 Jan 2027 09:00:00 +0000\n"
	for _, tt := range []struct{ name, url, body, want string }{
		{
			"Pipermail", "https://lists.example/2.html", pipermailPage,
			"Subject: [Gardens] Call: Hedges & Beds\nDate: Mon, 11 Jan 2027 10:00:00 +0000\n\nIn Zürich <soon>.\n  http://conf.example/\n\nWrite to ann@conf.example\n",
		},
		{"Hypermail", "https://lists.example/2.html", hypermailPage, "Subject: Call: Hedges & Beds\n" + date + "\n> quoted\nSend papers\nby March.\n\n\n--\nAnn\n"},
		{"MHonArc", "https://lists.example/2.html", mhonarcPage, "Subject: Call: Hedges & Beds\n" + date + "\nSend papers\nby March.\n"},
		{"DBWorld", "https://archive.example/messages/2027-01/1799658000.html", barePageText, "Subject: \n" + date + "\nCall: Hedges\n\nSend papers to http://conf.example/.\n"},
	} {
		page, ok := ArchivedMessage(pageOf(tt.url, tt.body))
		if !ok {
			t.Errorf("%s is not known", tt.name)
			continue
		}
		if diff := cmp.Diff(tt.want, page.Text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if page.URL != tt.url || page.Sent.IsZero() || !page.FetchedAt.Equal(page.Sent) {
			t.Errorf("%s: %s at %v, sent %v", tt.name, page.URL, page.FetchedAt, page.Sent)
		}
	}
}

func TestArchivedInHTML(t *testing.T) {
	page, ok := ArchivedMessage(pageOf("https://lists.example/2.html", strings.Replace(hypermailPage, "<p>", "<h2>Dates</h2><table><tr><td>1 March</table>", 1)))
	if !ok || page.Text != "" || !strings.HasPrefix(string(page.Body), "<title>Call: Hedges &amp; Beds</title>") || strings.Contains(string(page.Body), "Next message") {
		t.Errorf("%v, text %q, body %q", ok, page.Text, page.Body)
	}
}

func TestNotArchived(t *testing.T) {
	for name, body := range map[string]string{
		"a call":                 "<title>Hedges 2027</title><h1>Hedges</h1><p>Send papers</p>",
		"text below":             "<title>A message</title><body><pre>x</pre><p>more of the page</p></body>",
		"two texts":              "<title>A message</title><body><pre>x</pre><pre>y</pre></body>",
		"text under a real name": "<title>Hedges 2027</title><body><pre>x</pre></body>",
		"empty":                  "",
	} {
		if page, ok := ArchivedMessage(pageOf("https://conf.example/", body)); ok {
			t.Errorf("%s is taken for a message: %q", name, page.Text)
		}
	}
}

func TestArchiveIndex(t *testing.T) {
	list := `<title>The Gardens Archive by thread</title><a href="date.html">[ date ]</a> <ul>
<LI><A HREF="000001.html">[Gardens] one</A><A NAME="1">&nbsp;</A> <LI><A HREF="000002.html">two</A> <LI><A HREF="000002.html#x">two</A> <LI><A HREF="000003.html">three</A></ul>`
	want := []string{"https://lists.example/2027-January/000001.html", "https://lists.example/2027-January/000002.html", "https://lists.example/2027-January/000003.html"}
	if diff := cmp.Diff(want, ArchiveIndex(pageOf("https://lists.example/2027-January/thread.html", list))); diff != "" {
		t.Error(diff)
	}
	for name, body := range map[string]string{"a message": pipermailPage, "a page": `<a href="cfp.html">call</a> <a href="2027.html">x</a> <a href="dates.html">y</a>`} {
		if got := ArchiveIndex(pageOf("https://lists.example/", body)); got != nil {
			t.Errorf("%s is taken for an index of %q", name, got)
		}
	}
}

// TestSharedArchives reads all messages that archives show among the labelled pages.
func TestSharedArchives(t *testing.T) {
	shown := map[string]int{}
	for page, err := range warc.Pages(golden.SharedPath(t, "corpora/pages/pages.warc.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		of := "other"
		switch {
		case strings.Contains(page.URL, "/dbworld/messages/"):
			of = "dbworld"
		case strings.Contains(string(page.Body), "<!--beginarticle-->"):
			of = "pipermail"
		}
		if message, ok := ArchivedMessage(page); ok {
			shown[of]++
			if of == "other" || len(strings.TrimSpace(message.Text)) == 0 && len(message.Body) == 0 {
				t.Errorf("%s: %.80q", page.URL, message.Text)
			}
		}
	}
	// 17 more of DBWorld are separate pages in HTML, with nothing around them.
	if diff := cmp.Diff(map[string]int{"dbworld": 385, "pipermail": 52}, shown); diff != "" {
		t.Error(diff)
	}
}

func FuzzArchived(f *testing.F) {
	for _, body := range []string{pipermailPage, hypermailPage, mhonarcPage, barePageText, "<!--beginarticle--><pre><pre></p></pre>&#0;<a b='>'>"} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		page := pageOf("https://lists.example/2.html", string(body))
		message, ok := ArchivedMessage(page)
		if !ok {
			ArchiveIndex(page)
			return
		}
		if message.URL != page.URL || len(message.Body) == 0 || len(message.Body) > 4*len(body)+8*MaxSubject+len("<title></title>")*4 {
			t.Fatalf("%s: %d bytes out of %d", message.URL, len(message.Body), len(body))
		}
	})
}

// TestArchivedMessages checks that the messages of a digest are read separately, and that text around one
// message of an archive does not belong to it.
func TestArchivedMessages(t *testing.T) {
	page := func(body string) *webgraph.Page {
		return &webgraph.Page{URL: "https://lists.example/1.html", Status: http.StatusOK, Body: []byte(body), Header: http.Header{"Content-Type": {"text/html"}}}
	}
	got := Messages(page(pipermailPage))
	if len(got) != 1 || got[0].URL != "https://lists.example/1.html" || !strings.Contains(got[0].Text, "Call: Hedges & Beds") {
		t.Errorf("one message: %+v", got)
	}
	rule := strings.Repeat("-", 30)
	digest := "<title>Post</title><!--beginarticle--><pre>Today's Topics\n\n" + rule + "\n\nFrom: a@conf.example\nSubject: Hedges 2027\n\nPapers by May.\n\n" +
		rule + "\n\nFrom: b@conf.example\nSubject: Beds 2027\n\nPapers by June.\n\n" + rule + "\n\nEnd of Gardens Digest\n</pre><!--endarticle-->"
	got = Messages(page(digest))
	if len(got) != 2 || got[1].URL != "https://lists.example/1.html#2" || !strings.Contains(got[1].Text, "Beds 2027") || strings.Contains(got[1].Text, "May") {
		t.Errorf("a digest: %d messages, %+v", len(got), got)
	}
	if got := Messages(page("<h1>Hedges 2027</h1><p>Papers by May.")); got != nil {
		t.Errorf("a page that shows no message: %+v", got)
	}
}
