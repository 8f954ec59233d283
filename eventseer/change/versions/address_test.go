package versions

import (
	"net/http"
	"testing"

	"github.com/eventseer/eventseer/webgraph"
)

func TestAssumeAddress(t *testing.T) {
	for name, tt := range map[string]struct{ old, new, want string }{
		"none":               {`<a href=dates.html>Dates</a>`, `<a href=/dates>Dates</a>`, "https://page.invalid/"},
		"canonical":          {`<p>Owls`, `<link rel=canonical href=https://owls.example/31/cfp>`, "https://owls.example/31/cfp"},
		"og:url":             {`<meta property=og:url content=https://owls.example/30/>`, `<p>Owls`, "https://owls.example/30/"},
		"the new one first":  {`<link rel=canonical href=https://old.example/>`, `<link rel=canonical href=https://new.example/>`, "https://new.example/"},
		"relative canonical": {`<link rel=canonical href=/cfp>`, `<p>Owls`, "https://page.invalid/"},
		"written in full": {`<a href=./dates.html>Dates</a> <a href=venue.html>Venue</a> <a href=https://hotel.example/venue.html>Hotel</a>`,
			`<a href=https://owls.example/31/dates.html>Dates</a> <a href=https://owls.example/31/venue.html>Venue</a>`, "https://owls.example/31/"},
		"from the root":      {`<a href=/31/dates.html>Dates</a>`, `<a href=dates.html#late>Dates</a>`, "https://page.invalid/31/"},
		"of a whole site":    {`<a href=/dates/>Dates</a>`, `<a href=http://owls.example/dates/>Dates</a>`, "https://owls.example/"},
		"index pages of any": {`<a href=index.html>Home</a>`, `<a href=https://other.example/index.html>Partner</a>`, "https://page.invalid/"},
		"broken":             {`<a href="http://[x">x</a><a href="%zz">y</a><a href=mailto:a@owls.example>z</a>`, `<a href=:>x</a>`, "https://page.invalid/"},
		"plain text":         {"Owls", "Wrens", "https://page.invalid/"},
	} {
		page := func(body string) *webgraph.Page {
			return &webgraph.Page{URL: "saved.html", Header: http.Header{}, Body: []byte(body)}
		}
		from, to := page(tt.old), page(tt.new)
		if err := AssumeAddress(from, to); err != nil {
			t.Fatal(err)
		}
		if from.URL != tt.want || to.URL != tt.want {
			t.Errorf("%s: taken for versions of %s and %s, want %s", name, from.URL, to.URL, tt.want)
		}
	}
}
