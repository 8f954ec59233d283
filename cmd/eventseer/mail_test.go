package main

import (
	"html"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/eventseer/mailbox"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// maxApart is the maximum difference between the scores of a message and of its page in an archive.
const maxApart = 0.25

// pipermailPage is a message as Mailman's archive shows it.
func pipermailPage(subject, body string) *webgraph.Page {
	title := html.EscapeString("[Gardens] " + subject)
	markup := "<HTML><HEAD><TITLE> " + title + "</TITLE></HEAD><BODY><H1>" + title + "</H1>\n" +
		"<B>Chair</B> <A HREF=\"mailto:gardens%40lists.example?Subject=x\">chair at conf.example</A><BR>\n" +
		"<I>Mon Jan 11 10:00:00 CET 2027</I>\n<P><UL><LI>Previous message: <A HREF=\"000001.html\">older</A></li>" +
		"<LI> <B>Messages sorted by:</B> <a href=\"date.html#2\">[ date ]</a></LI></UL><HR>\n" +
		"<!--beginarticle-->\n<PRE>" + html.EscapeString(body) + "</PRE>\n<!--endarticle--><HR></BODY></HTML>"
	return &webgraph.Page{
		URL: "https://lists.example/pipermail/gardens/2027-January/000002.html", Status: http.StatusOK,
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(markup),
	}
}

// dbworldPage is a message as an archive shows it that gives all messages the
// same title.
func dbworldPage(body string) *webgraph.Page {
	return &webgraph.Page{
		URL: "https://archive.example/messages/2027-01/1.html", Status: http.StatusOK,
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body:   []byte("<html><head><title>Archive message</title></head><body><pre>" + html.EscapeString(body) + "</pre></body></html>"),
	}
}

const (
	gardenCall = `Call for papers

Second International Workshop on Gardens and Computing, Lyon, France, 4-6 June 2027

We invite original papers on all aspects of gardening with computers. Topics of
interest include, but are not limited to:
 - models of growth
 - sensors in soil
 - planning of beds and borders

Important dates
 Paper submission: 1 March 2027
 Notification of acceptance: 9 April 2027
 Camera-ready copy: 1 May 2027

Papers of up to ten pages in PDF should be submitted through the web page of the
workshop. Accepted papers will appear in the proceedings. Each paper will be
reviewed by three members of the programme committee.
`
	gardenQuestion = `Hello all,

I tried to read the moisture sensor with the new release and it prints zero for
every bed. Does anybody know what I am doing wrong? My script is below.

  x = read(bed)
  print(x)

Thanks, Bob
`
	gardenReply = `On Monday Bob wrote:
> Does anybody know what I am doing wrong?

You have to open the port first, see the manual. I had the same problem with my
old sensor last year.
`
)

// TestMailsAndArchivesAreJudgedAlike holds the shipped models to one judgement
// of a message, raw or on a page of an archive.
func TestMailsAndArchivesAreJudgedAlike(t *testing.T) {
	judge, err := judges.Set{}.PageJudge()
	if err != nil {
		t.Fatal(err)
	}
	score := func(p *webgraph.Page) (bool, float64) {
		tree, err := tagtree.Parse(p)
		if err != nil {
			t.Fatal(err)
		}
		j := judge.For(p.URL).JudgeDocument(features.Read(tree))
		return j.IsCFP, j.CFPScore
	}
	for _, tt := range []struct {
		name, subject, body string
		want                bool
	}{
		{"call", "Call for papers: Gardens and Computing 2027", gardenCall, true},
		{"question", "sensor prints zero", gardenQuestion, false},
		{"reply", "Re: sensor prints zero", gardenReply, false},
	} {
		raw := "From: Chair <chair@conf.example>\r\nDate: Mon, 11 Jan 2027 10:00:00 +0100\r\nMessage-ID: <1@conf.example>\r\n" +
			"Subject: [Gardens] " + tt.subject + "\r\n\r\n" + tt.body
		mail, err := mailbox.Message(strings.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		isCall, want := score(mail)
		if isCall != tt.want {
			t.Errorf("%s, raw: is_cfp %v at %.3f", tt.name, isCall, want)
		}
		for form, page := range map[string]*webgraph.Page{"pipermail": pipermailPage(tt.subject, tt.body), "dbworld": dbworldPage(tt.body)} {
			isCall, got := score(page)
			if isCall != tt.want || math.Abs(got-want) > maxApart {
				t.Errorf("%s, %s: is_cfp %v at %.3f, raw at %.3f", tt.name, form, isCall, got, want)
			}
		}
	}
}
