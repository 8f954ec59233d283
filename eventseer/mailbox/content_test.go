package mailbox

import (
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMessageText(t *testing.T) {
	const multipart = "Content-Type: multipart/mixed; boundary=b"
	for _, tt := range []struct{ name, raw, want string }{
		{
			name: "forwarded message",
			raw: lines("Subject: Fwd: a call", multipart, "", "--b", "", "See below.", "--b", "Content-Type: message/rfc822", "",
				"From: Ann <ann@example.org>", "Subject: =?utf-8?Q?Caf=C3=A9?= 2027", "", "Send papers.", "--b--"),
			want: "Subject: Fwd: a call\n\nSee below.\nSubject: Café 2027\n\nSend papers.",
		},
		{
			name: "forwarded as attachment",
			raw: lines("Subject: s", multipart, "", "--b", "Content-Type: message/rfc822", "Content-Disposition: attachment", "",
				"Subject: inner", "", "text", "--b--"),
			want: "Subject: s\n\nSubject: inner\n\ntext",
		},
		{
			name: "forwarded message without header",
			raw:  lines("Subject: s", multipart, "", "--b", "", "own", "--b", "Content-Type: message/rfc822", "", "no header", "--b--"),
			want: "Subject: s\n\nown",
		},
		{
			name: "digest",
			raw: lines("Subject: Digest", "Content-Type: multipart/digest; boundary=b", "", "--b", "", "Subject: one", "", "first",
				"--b", "", "Subject: two", "", "second", "--b--"),
			want: "Subject: Digest\n\nSubject: one\n\nfirst\nSubject: two\n\nsecond",
		},
		{
			name: "reply whose archive took the mark away",
			raw:  lines("Subject: [list] a call", "In-Reply-To: <1@x>", "", "Is it late?"),
			want: "Subject: Re: [list] a call\n\nIs it late?\n",
		},
		{
			name: "marked replies and forwards keep their mark",
			raw:  lines("Subject: [list] AW: a call", "References: <1@x>", "", "x"),
			want: "Subject: [list] AW: a call\n\nx\n",
		},
		{
			name: "date",
			raw:  lines("Subject: s", "Date: Thu, 23 Feb 2006 16:53:44 +0100 (CET)", "", "x"),
			want: "Subject: s\nDate: Thu, 23 Feb 2006 15:53:44 +0000\n\nx\n",
		},
		{
			name: "subject in bytes of no charset",
			raw:  lines("Subject: Z\xfcrich", "", "x"),
			want: "Subject: Zürich\n\nx\n",
		},
		{name: "no subject", raw: lines("From: a@example.org", "", "x"), want: "Subject: \n\nx\n"},
		{
			name: "header with lines that are no fields",
			raw:  lines("Subject: a", " call", ">From somebody", "\tfolded", "To: b@example.org", "no field", "", "x"),
			want: "Subject: a call\n\nx\n",
		},
		{
			name: "uuencoded file",
			raw:  lines("Subject: s", "", "before", "begin 644 a.doc", "M"+strings.Repeat("A", 60), "#0V%T", "`", "end", "after"),
			want: "Subject: s\n\nbefore\nafter\n",
		},
		{
			name: "a sentence that begins like a file",
			raw:  lines("Subject: s", "", "begin 644 times", "and then stop again"),
			want: "Subject: s\n\nbegin 644 times\nand then stop again\n",
		},
		{
			name: "signed text",
			raw: lines("Subject: s", "", "-----BEGIN PGP SIGNED MESSAGE-----", "call", "-----BEGIN PGP SIGNATURE-----",
				"Comment: made by some program or other", "", "iQCVAwUB", "-----END PGP SIGNATURE-----", "tail"),
			want: "Subject: s\n\n-----BEGIN PGP SIGNED MESSAGE-----\ncall\ntail\n",
		},
		{
			name: "winmail.dat only",
			raw: lines("Subject: s", multipart, "", "--b", "Content-Type: application/ms-tnef; name=winmail.dat",
				"Content-Transfer-Encoding: base64", "", "eJ8+IgAA", "--b--"),
			want: "Subject: s\n\n",
		},
		{
			name: "base64 that breaks",
			raw:  lines("Subject: s", "Content-Type: text/plain", "Content-Transfer-Encoding: base64", "", "Y2FsbCBm!!!!"),
			want: "Subject: s\n\ncall f",
		},
		{
			name: "multipart that names no boundary",
			raw:  lines("Subject: s", "Content-Type: multipart/alternative", "", "call"),
			want: "Subject: s\n\ncall\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page, err := Message(strings.NewReader(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, page.Text); diff != "" {
				t.Errorf("Text (-want +got):\n%s", diff)
			}
			if strings.Contains(page.Text, "@") {
				t.Errorf("an address is kept: %q", page.Text)
			}
		})
	}
}

func TestMessageWithoutIDHasOneURL(t *testing.T) {
	const text = "Subject: s\n\nx\n"
	var urls []string
	for _, raw := range []string{text, strings.ReplaceAll(text, "\n", "\r\n"), text + "\n"} {
		page, err := Message(strings.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, page.URL)
	}
	if urls[0] != urls[1] || urls[0] != urls[2] || !strings.HasPrefix(urls[0], "mid:sha256:") {
		t.Errorf("URLs of one message: %q", urls)
	}
}

func TestMessageAfterBrokenBoundary(t *testing.T) {
	const from = "From a Thu Jan  1 00:00:00 1970\n"
	box := from + "Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n--other\n\nlost\n\n" + from + "Message-ID: <2@x>\n\ny\n"
	var got []string
	for page, err := range new(Reader).Messages(strings.NewReader(box), "b.mbox") {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, page.URL)
	}
	want := []string{"b.mbox:1: message 1: broken message: multipart: NextPart: EOF: correct the boundary in its Content-Type; the other messages are read", "mid:2@x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMessagesOfATruncatedFile(t *testing.T) {
	var zipped strings.Builder
	w := gzip.NewWriter(&zipped)
	_, err := io.WriteString(w, "From a Thu Jan  1 00:00:00 1970\nSubject: s\n\n"+strings.Repeat("0123456789 call\n", 10_000))
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(strings.NewReader(zipped.String()[:zipped.Len()-20]))
	if err != nil {
		t.Fatal(err)
	}
	var pages int
	var last error
	for page, err := range new(Reader).Messages(r, "cut.mbox.gz") {
		if last = err; err == nil {
			pages++
			if !page.Truncated {
				t.Error("the page does not say that it is cut")
			}
		}
	}
	if pages != 1 || last == nil || !strings.Contains(last.Error(), "cut.mbox.gz: nothing after message 1 can be read") {
		t.Errorf("%d pages, error %v", pages, last)
	}
}

func TestSniff(t *testing.T) {
	for _, tt := range []struct {
		name, head    string
		mbox, message bool
	}{
		{"mbox", "From a@b.example Thu Feb 23 16:53:44 2006\nSubject: s\n", true, false},
		{"pipermail mbox", "From ann at b.example  Thu Feb 23 16:53:44 2006\n", true, false},
		{"message", "Received: from x\n\tby y\nFrom: a\nSubject: s\n\ntext", false, true},
		{"header longer than what was read", "From: a\r\nSubject: s\r\nX-Long: aaa", false, true},
		{"prose", "From a point of view of 1999 it is 12:30\nand so on\n", false, false},
		{"notes", "Subject: notes\nAgenda: lunch\n\n", false, false},
		{"page", "<html>\n<title>From: To: Subject:</title>", false, false},
		{"empty", "", false, false},
	} {
		if got := IsMbox([]byte(tt.head)); got != tt.mbox {
			t.Errorf("IsMbox(%s) = %v", tt.name, got)
		}
		if got := IsMessage([]byte(tt.head)); got != tt.message {
			t.Errorf("IsMessage(%s) = %v", tt.name, got)
		}
	}
}

func FuzzMessage(f *testing.F) {
	f.Add("Subject: s\nContent-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: x\n\ny\n--b--\n")
	f.Add("Subject: s\n\nbegin 644 a\nM\nend\n-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----\n")
	f.Add("bad\nSubject: =?x?y?z?=\nReferences: <1>\nContent-Type: message/rfc822\n\nTo: a\n\nx")
	f.Fuzz(func(t *testing.T, raw string) {
		page, err := Message(strings.NewReader(raw))
		if err != nil {
			return
		}
		if page.URL == "" || len(page.Body) == 0 || len(page.Text) > MaxText+8*MaxSubject {
			t.Fatalf("URL %q, %d bytes of body, %d of text", page.URL, len(page.Body), len(page.Text))
		}
		again, err := Message(strings.NewReader(raw))
		if err != nil || cmp.Diff(page, again) != "" {
			t.Fatalf("a second reading differs: %v", err)
		}
	})
}
