package mailbox

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func lines(l ...string) string { return strings.Join(l, "\r\n") + "\r\n" }

func TestMessage(t *testing.T) {
	for _, tt := range []struct {
		name, raw, url, text, html string
	}{
		{
			name: "plain with ids",
			raw: lines("From: Ann <ann@example.org>", "To: list@example.org", "Message-ID: <m1@example.org>",
				"X-Corpus-Id: mail-7", "Subject: Call  for", " papers", "", "Send papers.", ""),
			url: "mail-7", text: "Subject: Call for papers\n\nSend papers.\n\n",
		},
		{
			name: "quoted-printable, latin1 and encoded subject",
			raw: lines("Message-ID: <m2@example.org>", "Subject: =?iso-8859-1?Q?Z=FCrich?= 2027",
				"Content-Type: text/plain; charset=iso-8859-1", "Content-Transfer-Encoding: quoted-printable", "",
				"In Z=FCrich, long=", " line"),
			url: "mid:m2@example.org", text: "Subject: Zürich 2027\n\nIn Zürich, long line\n",
		},
		{
			name: "base64 utf-8",
			raw: lines("Message-ID: <m3@x>", "Subject: s", "Content-Type: text/plain; charset=utf-8",
				"Content-Transfer-Encoding: base64", "", "R3LDvMOfZQ=="),
			url: "mid:m3@x", text: "Subject: s\n\nGrüße",
		},
		{
			name: "flowed",
			raw: lines("Message-ID: <m4@x>", "Subject: s", "Content-Type: text/plain; format=flowed", "",
				"one ", "two", "> quoted ", "> on", "-- ", "sig"),
			url: "mid:m4@x", text: "Subject: s\n\none two\n> quoted on\n-- \nsig\n",
		},
		{
			name: "alternative prefers plain",
			raw: lines("Message-ID: <m5@x>", "Subject: s", `Content-Type: multipart/alternative; boundary="b"`, "",
				"--b", "Content-Type: text/html", "", "<p>rich</p>", "--b", "Content-Type: text/plain", "", "poor", "--b--"),
			url: "mid:m5@x", text: "Subject: s\n\npoor",
		},
		{
			name: "html only",
			raw: lines("Message-ID: <m6@x>", "Subject: a < b", "Content-Type: text/html; charset=iso-8859-1", "",
				"<p>Z\xfcrich</p>"),
			url: "mid:m6@x", html: "<title>a &lt; b</title>\n<h1>a &lt; b</h1>\n<p>Zürich</p>\n",
		},
		{
			name: "attachments are left out",
			raw: lines("Message-ID: <m7@x>", "Subject: s", "Content-Type: multipart/mixed; boundary=b", "",
				"--b", "Content-Type: text/plain", "", "call", "--b", "Content-Type: text/plain",
				"Content-Disposition: attachment; filename=x.txt", "", "secret", "--b--"),
			url: "mid:m7@x", text: "Subject: s\n\ncall",
		},
		{
			name: "no charset said",
			raw:  lines("Message-ID: <m8@x>", "Subject: s", "", "caf\xe9"),
			url:  "mid:m8@x", text: "Subject: s\n\ncafé\n",
		},
		{
			name: "unknown charset and encoding",
			raw: lines("Message-ID: <m9@x>", "Subject: s", "Content-Type: text/plain; charset=klingon",
				"Content-Transfer-Encoding: wooden", "", "text"),
			url: "mid:m9@x", text: "Subject: s\n\ntext\n",
		},
		{
			name: "multipart that breaks off",
			raw: lines("Message-ID: <m10@x>", "Subject: s", "Content-Type: multipart/mixed; boundary=b", "",
				"--b", "Content-Type: text/plain", "", "kept"),
			url: "mid:m10@x", text: "Subject: s\n\nkept",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page, err := Message(strings.NewReader(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if page.URL != tt.url {
				t.Errorf("URL = %q, want %q", page.URL, tt.url)
			}
			if diff := cmp.Diff(tt.text, page.Text); diff != "" {
				t.Errorf("Text (-want +got):\n%s", diff)
			}
			if tt.html != "" && string(page.Body) != tt.html {
				t.Errorf("Body = %q, want %q", page.Body, tt.html)
			}
			if strings.Contains(string(page.Body), "ann@example.org") {
				t.Error("the sender's address is kept")
			}
		})
	}
}

func TestMessageDate(t *testing.T) {
	page, err := Message(strings.NewReader(lines("Subject: s", "Date: Thu, 23 Feb 2006 16:53:44 +0100 (CET)", "", "x")))
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2006, 2, 23, 15, 53, 44, 0, time.UTC); !page.FetchedAt.Equal(want) {
		t.Errorf("FetchedAt = %v, want %v", page.FetchedAt, want)
	}
	if !strings.HasPrefix(page.URL, "mid:sha256:") {
		t.Errorf("URL of a message without id = %q", page.URL)
	}
}

func TestMessageBroken(t *testing.T) {
	for _, raw := range []string{"", "no header at all\r\nreally", ": x\r\n\r\n", "\r\n\r\nbody only"} {
		if _, err := Message(strings.NewReader(raw)); !errors.Is(err, ErrMessage) {
			t.Errorf("Message(%q) error = %v, want ErrMessage", raw, err)
		}
	}
}

func TestMessageBounds(t *testing.T) {
	raw := lines("Subject: "+strings.Repeat("s", 600), "Content-Type: text/plain; charset=utf-8", "") + strings.Repeat("é", MaxText)
	page, err := Message(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if !page.Truncated || len(page.Text) > MaxText+MaxSubject+20 || strings.Contains(page.Text, "Ã") {
		t.Errorf("truncated = %v, %d bytes", page.Truncated, len(page.Text))
	}
	deep := "Subject: s\r\n"
	for range 50 {
		deep += "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n"
	}
	if page, err = Message(strings.NewReader(deep + "\r\ndeep\r\n")); err == nil && strings.Contains(page.Text, "deep") {
		t.Error("a part below maxDepth was read")
	}
	many := "Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat("--b\r\n\r\np\r\n", 500) + "--b--"
	if page, err = Message(strings.NewReader(many)); err != nil || !page.Truncated || strings.Count(page.Text, "p") > maxParts {
		t.Errorf("500 parts: truncated %v, error %v", page.Truncated, err)
	}
}

func TestMessages(t *testing.T) {
	const from = "From a@example.org Thu Jan  1 00:00:00 1970\n"
	box := from + "Message-ID: <1@x>\nSubject: one\n\nFrom the chairs of it\n>From us\n\n" +
		from + "rotten header\n\n" +
		from + "Message-ID: <3@x>\nSubject: three\n\n" + strings.Repeat("long ", 40_000) + "\n"
	var got []string
	for page, err := range new(Reader).Messages(strings.NewReader(box), "b.mbox") {
		if err != nil {
			got = append(got, page.URL+" "+err.Error())
			continue
		}
		got = append(got, page.URL+" "+strings.ReplaceAll(page.Text[:min(50, len(page.Text))], "\n", "|"))
	}
	want := []string{
		"mid:1@x Subject: one||From the chairs of it|From us|",
		`b.mbox#2 b.mbox:8: message 2: broken message: it has no header: add at least a line "Subject: …" and an empty line; the other messages are read`,
		"mid:3@x Subject: three||long long long long long long long",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for page, err := range new(Reader).Messages(strings.NewReader("<html>no mbox</html>"), "x") {
		if err == nil || page.URL != "x#1" || !strings.Contains(err.Error(), "x:1: this is not an mbox") {
			t.Errorf("not an mbox: %v, %v", page.URL, err)
		}
	}
	for page, err := range new(Reader).Messages(strings.NewReader("\n"), "empty") {
		t.Logf("an empty file: %v, %v", page.URL, err)
		if err == nil {
			t.Error("an empty file is taken for an mbox")
		}
	}
}

func TestSharedMails(t *testing.T) {
	mails := golden.Gunzip(t, golden.SharedPath(t, "corpora/mails/mails.mbox.gz"))
	var pages []*webgraph.Page
	for page, err := range new(Reader).Messages(bytes.NewReader(mails), "mails") {
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.HasPrefix(page.URL, "mail-") || !strings.HasPrefix(page.Text, "Subject: ") && len(page.Body) == 0 {
			t.Errorf("%s: text %.40q", page.URL, page.Text)
		}
		pages = append(pages, page)
	}
	if len(pages) != 248 {
		t.Errorf("%d messages, want 248", len(pages))
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte("From a 1:00 1999\nSubject: s\n\nFrom x\n"))
	f.Add([]byte("From a 1:00 1999\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n"))
	f.Add([]byte("From a 1:00 1999\nSubject: =?utf-8?B?//8=?=\nContent-Type: text/plain; format=flowed; delsp=yes\n\na \n>b \n-- \n"))
	f.Fuzz(func(t *testing.T, box []byte) {
		for page, err := range new(Reader).Messages(strings.NewReader(string(box)), "fuzz") {
			if err == nil && (page.URL == "" || len(page.Body) == 0) {
				t.Fatalf("page without URL or body: %+v", page)
			}
		}
	})
}
