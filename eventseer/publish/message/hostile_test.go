package message

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/PuerkitoBio/goquery"
)

// hostileTexts are what pages and readers may write anywhere.
var hostileTexts = map[string]string{
	"script":    `"><script>alert(1)</script><img src=x onerror=alert(1)>{{.}}</title></bdi>`,
	"lines":     "x\r\nBcc: all@home.example\r\n\r\n<html>",
	"controls":  "a\x00b\x1b[31mc\u0085d\u2028e\u2029f\ufefF",
	"direction": "\u202eevil\u202c \u2067שלום עולם\u2069 مؤتمر",
	"long":      strings.Repeat("word ", 2000) + strings.Repeat("x", 10_000),
	"emoji":     strings.Repeat("👩\u200d💻🎓 ", 100),
	"invalid":   "a\xff\xfe\xc3\x28b",
	"wide":      strings.Repeat("会議の論文募集", 60),
	"marks":     "e" + strings.Repeat("\u0301", 5000),
	"empty":     "",
	"stars":     "*** ** * _x_ |",
	"quoted":    `=?utf-8?q?=0D=0ABcc:_x@y.example?=`,
	"address":   "javascript:alert(1)",
	"query":     "?é\xb6\u202e",
}

// hostileDigest has a text in each field.
func hostileDigest(s string) eventseer.Digest {
	d := eventseer.Deadline{Kind: eventseer.DeadlineKind(s), Track: s, Date: eventseer.Date(s), TZ: s, TZPrinted: s, Text: s, Instant: letterDay}
	list := eventseer.List{ID: "l1", Name: s, Query: s}
	var items []eventseer.Item
	for _, kind := range []eventseer.ItemKind{eventseer.Moved, eventseer.Closing, eventseer.NewCall, eventseer.ItemKind(s)} {
		items = append(items, eventseer.Item{
			ID: s, Kind: kind, Event: eventseer.EventID(s), Title: s, Place: s, Passage: s, Source: s, Why: slices.Repeat([]string{s}, 40),
			Marks: [][2]int{{-5, 1}, {3, 2}, {0, 1 << 40}, {len(s) / 2, len(s)}}, Next: d, Old: d,
		})
	}
	return eventseer.Digest{ID: s, At: letterDay, Subject: s, Sections: []eventseer.Section{{Items: items}, {List: list, Items: items, More: -3}, {List: list, More: 12}}}
}

// hostileLinks inserts its arguments unchanged, as careless code would.
func hostileLinks(s string) Links {
	return Links{
		Page: s, Lists: s, LeaveAll: "https://seer.example/" + s, Leave: func(list string) string { return s + list },
		Vote:    func(i eventseer.Item, _ bool) string { return "https://seer.example/vote/" + i.ID },
		Event:   func(id eventseer.EventID) string { return "https://seer.example/e/" + string(id) },
		History: func(id eventseer.EventID) string { return string(id) },
	}
}

// checkLetter checks the rules for every mail.
func checkLetter(t *testing.T, l Email) {
	t.Helper()
	switch {
	case strings.ContainsFunc(l.Subject, unicode.IsControl), utf8.RuneCountInString(l.Subject) > maxSubject, l.Subject == "":
		t.Errorf("subject %q", l.Subject)
	case len(l.HTML) >= 100_000:
		t.Errorf("%d bytes of HTML", len(l.HTML))
	case !utf8.ValidString(l.Text) || !utf8.ValidString(l.HTML):
		t.Error("no UTF-8")
	}
	for line := range strings.SplitSeq(l.Text, "\n") {
		if strings.ContainsFunc(line, func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) && r != '\u2068' && r != '\u2069'
		}) {
			t.Errorf("controls in the text: %q", line)
		}
		if textColumns(line) > letterWidth && !strings.Contains(line, "http") {
			t.Errorf("a line of %d columns: %s", textColumns(line), line)
		}
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(l.HTML))
	if err != nil {
		t.Fatal(err)
	}
	if n := doc.Find("script, img, iframe, object, embed, form, input, link, svg, base, style, video, audio, meta[http-equiv]").Length(); n > 0 {
		t.Errorf("%d elements that have no place in a mail", n)
	}
	doc.Find("*").Each(func(_ int, s *goquery.Selection) {
		for _, a := range s.Nodes[0].Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "src", a.Key == "background", strings.Contains(a.Val, "url("):
				t.Errorf("attribute %s=%q", a.Key, a.Val)
			case a.Key == "href":
				if u, err := url.Parse(a.Val); err != nil || u.Scheme != "http" && u.Scheme != "https" {
					t.Errorf("link %q", a.Val)
				}
			}
		}
	})
	if doc.Find("body").Length() != 1 || doc.Find("h2").Length() > 60 {
		t.Error("the page is no longer one")
	}
}

func TestHostileMails(t *testing.T) {
	for name, s := range hostileTexts {
		t.Run(name, func(t *testing.T) {
			site := Site{Name: s, Base: s, Contact: s}
			digest, err := NewDigestMail(site, s, hostileDigest(s), hostileLinks(s), nil)
			if err != nil {
				t.Fatal(err)
			}
			checkLetter(t, digest)
			confirm, err := NewConfirmation(site, s, "https://seer.example/in/tok", eventseer.List{Name: s, Query: s + "x", Rhythm: eventseer.Rhythm(s)}, letterDay)
			if err != nil {
				t.Fatal(err)
			}
			checkLetter(t, confirm)
			test, err := NewTestMail(site, s, letterDay)
			if err != nil {
				t.Fatal(err)
			}
			checkLetter(t, test)
			if _, err := NewConfirmation(site, "ann@home.example", s, eventseer.List{}, letterDay); err == nil {
				t.Error("a link that is none is sent")
			}
		})
	}
}

func FuzzDigestMail(f *testing.F) {
	for _, s := range hostileTexts {
		f.Add(s[:min(len(s), 300)])
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := hostileDigest(s)
		l, err := NewDigestMail(Site{Name: s, Base: s, Contact: s}, s, d, hostileLinks(s), nil)
		if err != nil {
			t.Fatal(err)
		}
		checkLetter(t, l)
		if again, _ := NewDigestMail(Site{Name: s, Base: s, Contact: s}, s, d, hostileLinks(s), nil); again != l {
			t.Error("another writing differs")
		}
	})
}

// TestDigestLetterFits fills a digest beyond the limit of a mail: items that are not shown are counted.
func TestDigestLetterFits(t *testing.T) {
	for _, n := range []struct{ lists, items int }{{1, 100}, {3, 100}, {50, 2}, {50, 100}} {
		d := eventseer.Digest{ID: "d", At: letterDay}
		for i := range n.lists {
			s := eventseer.Section{List: eventseer.List{ID: fmt.Sprint("l", i), Name: fmt.Sprint("List ", i)}, More: 1}
			for j := range n.items {
				s.Items = append(s.Items, eventseer.Item{
					ID: fmt.Sprint(i, "-", j), Kind: eventseer.NewCall, Event: eventseer.EventID(fmt.Sprint("e", j)), Title: strings.Repeat("Title ", 40), Passage: strings.Repeat("passage <b> ", 80),
					Source: "https://conf.example/" + strings.Repeat("a", 300), Why: []string{"one", "two"}, Next: eventseer.Deadline{Kind: eventseer.Submission, Date: "2027-01-31"},
				})
			}
			d.Sections = append(d.Sections, s)
		}
		l, err := NewDigestMail(letterSite, "ann@home.example", d, testLinks(), nil)
		if err != nil {
			t.Fatal(err)
		}
		checkLetter(t, l)
		shown := strings.Count(l.HTML, ">Not useful</a>")
		more := 0
		for line := range strings.SplitSeq(l.Text, "\n") {
			var k int
			if _, err := fmt.Sscanf(line, "%d more on the page.", &k); err == nil {
				more += k
			} else if _, err := fmt.Sscanf(line, "%d on the page.", &k); err == nil {
				more += k
			}
		}
		if want := n.lists * (n.items + 1); shown+more != want || shown == 0 {
			t.Errorf("%d lists of %d items: %d shown and %d counted, want %d", n.lists, n.items, shown, more, want)
		}
		t.Logf("%d lists of %d items: %d shown, %d bytes of HTML, %d of text", n.lists, n.items, shown, len(l.HTML), len(l.Text))
	}
}

func TestConfirmationMail(t *testing.T) {
	const link = "https://seer.example/in/tok"
	signIn, err := NewConfirmation(letterSite, "ann@home.example", link, eventseer.List{}, letterDay)
	if err != nil {
		t.Fatal(err)
	}
	list, err := NewConfirmation(letterSite, "ann@home.example", link, eventseer.List{Name: "Web crawling", Query: `"web crawling" -spam`, Rhythm: eventseer.Weekly}, letterDay)
	if err != nil {
		t.Fatal(err)
	}
	until := mailTime(letterDay.Add(LinkHolds))
	for _, c := range []struct {
		letter  Email
		subject string
		says    []string
	}{
		{signIn, "Sign in to EventSeer", []string{"asked to sign in to EventSeer as ann@home.example", " " + link + " ", "works once, until " + until, "no one is signed in"}},
		{list, "Confirm your list at EventSeer", []string{"asked EventSeer to send calls", "List: Web crawling", `Query: "web crawling" -spam`, "at most one mail a week", " " + link + " ", until, "no list begins"}},
	} {
		checkLetter(t, c.letter)
		if c.letter.Subject != c.subject || !c.letter.At.Equal(letterDay) || c.letter.To != "ann@home.example" {
			t.Errorf("letter %q to %s at %s", c.letter.Subject, c.letter.To, c.letter.At.Format(time.RFC3339))
		}
		for _, want := range c.says {
			if !strings.Contains(strings.Join(strings.Fields(c.letter.Text), " "), want) {
				t.Errorf("the text lacks %q:\n%s", want, c.letter.Text)
			}
		}
		if strings.Count(c.letter.HTML, `href="`+link+`"`) != 1 {
			t.Errorf("the page has no one link:\n%s", c.letter.HTML)
		}
	}
}

// A stranger who has a mail sent to another's address can put no link into it, and only a little text.
func TestConfirmLetterLeadsNowhereElse(t *testing.T) {
	l, err := NewConfirmation(letterSite, "ann@home.example", "https://seer.example/in/tok", eventseer.List{
		Name: "Win at https://casino.example now", Query: "www.casino.example OR mail:me@casino.example " + strings.Repeat("buy ", 300),
	}, letterDay)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{l.Text, l.HTML} {
		if strings.Contains(text, "casino.example") || strings.Contains(text, "://casino") || strings.Contains(text, "me@casino") {
			t.Errorf("a mail program would make a link of it:\n%s", text)
		}
		if n := strings.Count(text, "buy"); n > 60 {
			t.Errorf("%d words of the asker", n)
		}
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct {
		text  string
		marks [][2]int
		want  string
	}{
		{"on web crawling here", [][2]int{{3, 15}}, "on [web crawling] here"},
		{"on  web\n crawling here", [][2]int{{4, 17}}, "on [web crawling] here"},
		{"ab", [][2]int{{0, 1}, {1, 2}}, "[ab]"},
		{"größe hier", [][2]int{{0, 7}}, "[größe] hier"},
		{"größe", [][2]int{{3, 4}}, "größe"}, // inside a rune
		{"abc", [][2]int{{2, 99}}, "ab[c]"},
		{"abcdefghijklmno", nil, "abcdefghi…"},
	} {
		var b strings.Builder
		for _, s := range cleanSpans(c.text, c.marks, 10+11*len(c.marks)) {
			if s.Mark {
				b.WriteString("[" + s.Text + "]")
			} else {
				b.WriteString(s.Text)
			}
		}
		if b.String() != c.want {
			t.Errorf("%q %v: %q, want %q", c.text, c.marks, b.String(), c.want)
		}
	}
}
