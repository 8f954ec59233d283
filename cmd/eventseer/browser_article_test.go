package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventseer/eventseer/internal/browsertest"
)

// articlePath is the twelfth call of a department. Its page is an article, not a call.
const articlePath = "/call/11"

// serveArticle serves an article about the twelfth workshop, which announces neither dates nor a call.
func serveArticle(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, `<html lang="en"><head><title>Winter on the lake</title></head><body><article><h1>Winter on the lake</h1>
<p>Every January the people of the valley walk over the lake to the church on the other side. The way is marked with birches.</p>
<p>Skaters who carry sensors now measure thin ice before anyone walks on it. The children of the village school read the figures and draw a map each morning. Nobody has fallen in since then.</p>
<p>The oldest of the walkers remembers winters when horses pulled sledges over the same way, and bells rang from both shores.</p>
</article></body></html>`)
}

// TestBrowserArticle: a row of a watched list matches a reader's list, and its page is an article, not a call.
// The mail, the reader's page, its feed and its JSON form have the passage of the article. The mail for a page
// that robots.txt forbids has the text of the link.
func TestBrowserArticle(t *testing.T) {
	t.Parallel()
	d := newDepartment(t)
	var articles atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case articlePath:
			articles.Add(1)
			serveArticle(w)
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /call/12\n")
		case "/calls":
			list := httptest.NewRecorder()
			d.ServeHTTP(list, r)
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, strings.Replace(list.Body.String(), "16th Workshop on Quiet Engines", "16th Workshop on River Rafts", 1)) // to the crawler
		default:
			d.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(site.Close)
	f := newFair(t, t.TempDir())
	m := &monitored{t: t, data: f.data, now: opening.AddDate(0, 0, -20)}
	if code, _, talk := m.run("monitor", "add", site.URL+"/calls"); code != 0 {
		t.Fatal(talk)
	}
	m.pass()

	f.start("--parts", "web,mail")
	b := browsertest.Open(t, f.url)
	b.Go("/subscribe")
	b.Type("#address", "ann@home.example")
	b.Type("#q", `"thin ice" OR "river rafts"`)
	b.Do(clickOn("#rhythm-immediate"))
	b.Press("button[value=save]")
	b.Want("h1", "Look in your mail")
	b.Go(f.letter(t, "ann@home.example", "").Links()[0])
	b.Press("main form button")
	b.Want(".said", "Your list has begun.")
	if code := f.stop(); code != 0 {
		t.Fatalf("serve exits with %d\n%s", code, f.talk)
	}
	f.server.Forget()

	d.set(func() { d.calls = 13 })
	f.ahead.Add(int64(time.Hour))
	f.start("--allow-private", "--host-delay", "0s")
	passage := "Skaters who carry sensors now measure *thin ice* before anyone walks on it."
	mail := f.letter(t, "ann@home.example", "sensors")
	if said := strings.Join(strings.Fields(strings.ReplaceAll(mail.Text(), "\n  | ", " ")), " "); !strings.Contains(said, passage) || !strings.Contains(said, site.URL+articlePath) {
		t.Errorf("no %q in:\n%s", passage, said)
	}
	teaser := f.letter(t, "ann@home.example", "River Rafts")
	if said := strings.Join(strings.Fields(teaser.Text()), " "); !strings.Contains(said, "the text of a link only, since its page was not read: its site's robots.txt or owner forbids it") || !strings.Contains(said, site.URL+"/calls") {
		t.Errorf("the page that may not be read:\n%s", said)
	}
	b.Go("/clips")
	b.Want("main", "Skaters who carry sensors now measure thin ice before anyone walks on it.")
	b.Want(".find:last-of-type mark", "thin ice")
	b.Check("/clips with an article")
	b.Shoot("clips article")
	b.Press(`a.button[href^="/clips/"]`)
	for _, format := range []string{"atom", "json"} {
		feed := browsertest.Evaluate[string](b, `document.querySelector(".feeds a[href$='.`+format+`']").getAttribute("href")`)
		if body := f.get(feed); !strings.Contains(body, "carry sensors") || !strings.Contains(body, articlePath) {
			t.Errorf("no passage of the article in %s:\n%s", feed, body)
		}
	}
	if n := articles.Load(); n != 2 { // the watch visits it as a new source, and it is read for the clip
		t.Errorf("the article was requested %d times", n)
	}
	b.Go("/e/5th-workshop-on-slow-rivers-2027")
	b.Press(`a[href$="/similar"]`)
	if !strings.HasPrefix(b.Address(), "/search?") || b.Count("main h3 a, main h2 a") == 0 || b.Says("main", "5th Workshop on Slow Rivers") {
		t.Errorf("similar calls: %s says %.600q", b.Address(), b.Text("main"))
	}
}
