package extract

import (
	"fmt"
	"testing"
)

// TestOrder reads 04/03/2027 with different evidence on the page.
func TestOrder(t *testing.T) {
	for _, c := range []struct{ lang, url, text, want string }{
		{"en", "https://x.org/", "<p>Submission: 04/03/2027<p>Notification: 13/04/2027", "2027-3-4"},
		{"en", "https://x.org/", "<p>Submission: 04/03/2027<p>Notification: 04/13/2027", "2027-4-3"},
		{"en", "https://x.org/", "<p>Submission: 04/03/2027<p>Posted 1.2.2027", "2027-3-4"},
		{"de", "https://x.org/", "<p>Abgabe: 04/03/2027", "2027-3-4"},
		{"en", "https://x.edu/", "<p>Submission: 04/03/2027", "2027-4-3"},
		{"en", "https://x.de/", "<p>Submission: 04/03/2027", "2027-3-4"},
		{"en-US", "https://x.de/", "<p>Submission: 04/03/2027", "2027-3-4"},
		{"en-US", "https://x.org/", "<p>Submission: 04/03/2027", "2027-4-3"},
		{"en-US", "https://x.org/", "<p>Vienna, Austria<p>Submission: 04/03/2027", "2027-3-4"},
		{"en", "https://x.org/", "<p>Boston, MA, USA<p>Submission: 04/03/2027", "2027-4-3"},
		{"en", "https://x.org/", "<p>Submission: 05/03/2027<p>Notification: 04/05/2027", "2027-3-5"},
		{"en", "https://x.org/", "<p>Submission: 04/03/2027", "2027-3-4?"},
	} {
		tree := parse(t, "p.html", "<html lang="+c.lang+"><h1>Workshop on Bees</h1>"+c.text)
		tree.Page.URL = c.url
		d := preparePage(tree, 2037).dates[0]
		got := fmt.Sprintf("%d-%d-%d", d.From.Year, d.From.Month, d.From.Day)
		if d.Either {
			got += "?"
		}
		if got != c.want {
			t.Errorf("%s %s %q: %s, want %s", c.lang, c.url, c.text, got, c.want)
		}
	}
}
