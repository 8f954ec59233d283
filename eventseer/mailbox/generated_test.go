package mailbox

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net/mail"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-mbox"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// generated is the number of mails made of all kinds.
const generated = 10_000

// A mailCharset is one that mails are written in, and words to write in it.
type mailCharset struct {
	name, words string
	encoding    encoding.Encoding // nil for none
}

var charsets = []mailCharset{
	{"us-ascii", "send papers", nil},
	{"utf-8", "Grüße, εργασίες, 征文", nil},
	{"iso-8859-1", "Zürich, résumé", charmap.ISO8859_1},
	{"windows-1252", "“papers” – résumé", charmap.Windows1252},
	{"iso-8859-2", "příspěvky", charmap.ISO8859_2},
	{"iso-8859-7", "εργασίες", charmap.ISO8859_7},
	{"koi8-r", "доклады", charmap.KOI8R},
	{"gb2312", "征文通知", simplifiedchinese.GBK},
	{"iso-2022-jp", "論文募集", japanese.ISO2022JP},
	{"utf-16", "papers 征文", unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
}

func encoded(t testing.TB, c mailCharset, text string) []byte {
	if c.encoding == nil {
		return []byte(text)
	}
	b, err := c.encoding.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	return b
}

func quoted(b []byte) string {
	var out strings.Builder
	w := quotedprintable.NewWriter(&out)
	_, _ = w.Write(b) // to a strings.Builder
	_ = w.Close()
	return out.String()
}

func inBase64(b []byte) string {
	text := base64.StdEncoding.EncodeToString(b)
	var out strings.Builder
	for ; len(text) > 76; text = text[76:] {
		out.WriteString(text[:76] + "\r\n")
	}
	return out.String() + text
}

// A mailKind makes the rest of a header and the body of a mail from its text, which the page must contain. ""
// means no text, and broken mails give no page.
type mailKind struct {
	name   string
	broken bool
	body   func(text string, b []byte, c mailCharset) string
}

func part(header, body string) string { return "--b\r\n" + header + "\r\n\r\n" + body + "\r\n" }

func textType(c mailCharset, encoding string) string {
	return "Content-Type: text/plain; charset=" + c.name + "\r\nContent-Transfer-Encoding: " + encoding
}

const mixed = "Content-Type: multipart/mixed; boundary=b\r\n\r\n"

var mailKinds = []mailKind{
	{"quoted-printable", false, func(_ string, b []byte, c mailCharset) string {
		return textType(c, "quoted-printable") + "\r\n\r\n" + quoted(b)
	}},
	{"base64", false, func(_ string, b []byte, c mailCharset) string {
		return textType(c, "base64") + "\r\n\r\n" + inBase64(b)
	}},
	{"base64 with a footer below", false, func(_ string, b []byte, c mailCharset) string {
		return textType(c, "base64") + "\r\n\r\n" + inBase64(b) + "\r\n_____________\r\nGardens mailing list"
	}},
	{"flowed", false, func(_ string, b []byte, c mailCharset) string {
		return strings.Replace(textType(c, "quoted-printable"), "\r\n", "; format=flowed; delsp=yes\r\n", 1) + "\r\n\r\n" + quoted(b)
	}},
	{"HTML only", false, func(_ string, b []byte, c mailCharset) string {
		return strings.Replace(textType(c, "base64"), "plain", "html", 1) + "\r\n\r\n" + inBase64(b)
	}},
	{"alternative", false, func(_ string, b []byte, c mailCharset) string {
		return strings.Replace(mixed, "mixed", "alternative", 1) + part("Content-Type: text/html", "<p>in HTML") + part(textType(c, "quoted-printable"), quoted(b)) + "--b--\r\n"
	}},
	{"with an attachment", false, func(_ string, b []byte, c mailCharset) string {
		return mixed + part(textType(c, "base64"), inBase64(b)) + part("Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64", inBase64(make([]byte, 3000))) + "--b--\r\n"
	}},
	{"unclosed multipart", false, func(_ string, b []byte, c mailCharset) string {
		return mixed + part(textType(c, "base64"), inBase64(b))
	}},
	{"forwarded", false, func(_ string, b []byte, c mailCharset) string {
		return mixed + part("Content-Type: message/rfc822", "Subject: inner\r\n"+textType(c, "base64")+"\r\n\r\n"+inBase64(b)) + "--b--\r\n"
	}},
	{"MIME digest", false, func(_ string, b []byte, c mailCharset) string {
		return strings.Replace(mixed, "mixed", "digest", 1) + part("", "Subject: one\r\n\r\nx") + part("", "Subject: two\r\n"+textType(c, "base64")+"\r\n\r\n"+inBase64(b)) + "--b--\r\n"
	}},
	{"plain digest", false, func(_ string, b []byte, c mailCharset) string {
		head := strings.Repeat("-", 30) + "\n\nFrom: a\nSubject: s\n\n"
		return textType(c, "base64") + "\r\n\r\n" + inBase64(append(encodedPlain(c, "Topics\n\n"+head+"x\n\n"+head), b...))
	}},
	{"unknown charset and encoding", false, func(string, []byte, mailCharset) string {
		return "Content-Type: text/plain; charset=klingon\r\nContent-Transfer-Encoding: wooden\r\n\r\nx"
	}},
	{"bytes of no charset, and zeros", false, func(string, []byte, mailCharset) string { return "\r\n\xff\xfe\x00\x80 x" }},
	{"lines in the header that are no fields", false, func(_ string, b []byte, c mailCharset) string {
		return "rotten line\r\n" + textType(c, "base64") + "\r\n\r\n" + inBase64(b)
	}},
	{"no body", false, func(string, []byte, mailCharset) string { return "" }},
	{"multiparts in each other", true, func(string, []byte, mailCharset) string { return strings.Repeat(mixed+"--b\r\n", 50) + "\r\nx" }},
	{"a boundary that never comes", true, func(string, []byte, mailCharset) string { return mixed + "--c\r\n\r\nx\r\n" }},
	{"no header", true, func(string, []byte, mailCharset) string { return "" }},
}

// encodedPlain encodes ASCII; charsets with a mark at their beginning take it as is.
func encodedPlain(c mailCharset, ascii string) []byte {
	if c.name == "utf-16" {
		b, _ := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder().Bytes([]byte(ascii)) // ASCII
		return b
	}
	return []byte(ascii)
}

// readable reports whether the text of a kind must be in the page.
func (k mailKind) readable() bool {
	switch k.name {
	case "unknown charset and encoding", "bytes of no charset, and zeros", "no body":
		return false
	}
	return !k.broken
}

// generateMails writes n mails of all kinds in all charsets as an mbox.
func generateMails(t testing.TB, w io.Writer, n int) error {
	for i := range n {
		k, c := mailKinds[i%len(mailKinds)], charsets[i/len(mailKinds)%len(charsets)]
		text := fmt.Sprintf("mail %d: %s\n%s\n", i, c.words, strings.Repeat("Papers on hedges are due soon. ", i%7))
		head := fmt.Sprintf("From: Ann <ann%d@conf.example>\r\nDate: Mon, 11 Jan 2027 10:00:00 +0100\r\nMessage-ID: <%d@x>\r\nSubject: mail %d\r\nReceived: from a by b\r\n", i, i, i)
		if k.name == "no header" {
			head = "no header at all\r\n"
		}
		raw := head + k.body(text, encoded(t, c, text), c) + "\r\n\r\n"
		if _, err := fmt.Fprintf(w, "From ann@conf.example Mon Jan 11 10:00:00 2027\r\n%s", raw); err != nil {
			return err
		}
	}
	return nil
}

// TestGeneratedMails reads 10,000 mails, split and whole, as they are made: each gives its text or a separate
// error, in bounded memory.
func TestGeneratedMails(t *testing.T) {
	for _, reader := range []Reader{{}, {Split: true}} {
		r, w := io.Pipe()
		go func() { _ = w.CloseWithError(generateMails(t, w, generated)) }() // read errors are the reader's
		text := make(map[int]string, generated)
		broken, pages := 0, 0
		for page, err := range reader.Messages(r, "g") {
			if err != nil {
				broken++
				continue
			}
			if pages++; pages%2000 == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				if m.HeapAlloc > 100<<20 {
					t.Errorf("%d MB are held after %d pages", m.HeapAlloc>>20, pages)
				}
			}
			var i int
			if n, _ := fmt.Sscanf(strings.TrimPrefix(page.URL, "mid:"), "%d@x", &i); n == 1 {
				text[i] += page.Text + string(page.Body)
			}
		}
		wantBroken := 0
		for i := range generated {
			k, c := mailKinds[i%len(mailKinds)], charsets[i/len(mailKinds)%len(charsets)]
			if k.broken {
				wantBroken++
				continue
			}
			got, read := text[i]
			if !read {
				t.Errorf("mail %d (%s, %s) is lost", i, k.name, c.name)
			} else if want := fmt.Sprintf("mail %d: %s", i, c.words); k.readable() && !strings.Contains(got, want) {
				t.Errorf("mail %d (%s, %s) lacks %q: %.300q", i, k.name, c.name, want, got)
			}
		}
		if broken != wantBroken {
			t.Errorf("%d mails are broken, want %d", broken, wantBroken)
		}
		t.Logf("split %v: %d pages and %d broken mails of %d", reader.Split, pages, broken, generated)
	}
}

// BenchmarkMessages reads the generated mails, and has net/mail, which decodes
// nothing, read the same: 2026-11, 2 cores under load, see doc/figures.md.
func BenchmarkMessages(b *testing.B) {
	var box bytes.Buffer
	if err := generateMails(b, &box, generated); err != nil {
		b.Fatal(err)
	}
	var ours, theirs time.Duration
	for b.Loop() {
		begun := time.Now()
		for page := range (Reader{Split: true}).Messages(bytes.NewReader(box.Bytes()), "g") {
			_ = page
		}
		ours += time.Since(begun)
		begun = time.Now()
		if err := readPlain(bytes.NewReader(box.Bytes())); err != nil {
			b.Fatal(err)
		}
		theirs += time.Since(begun)
	}
	b.SetBytes(int64(box.Len()))
	b.ReportMetric(float64(generated*b.N)/ours.Seconds(), "mails/s")
	b.ReportMetric(ours.Seconds()/theirs.Seconds(), "x-net/mail")
}

// readPlain reads the headers and bodies of an mbox by net/mail.
func readPlain(r io.Reader) error {
	for box := mbox.NewReader(r); ; {
		raw, err := box.NextMessage()
		if err != nil {
			return nil
		}
		m, err := mail.ReadMessage(raw)
		if err != nil {
			continue // broken
		}
		if _, err := io.Copy(io.Discard, m.Body); err != nil {
			return err
		}
	}
}
