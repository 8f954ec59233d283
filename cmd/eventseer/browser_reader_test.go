package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer/publish/mailertest"
	"github.com/eventseer/eventseer/internal/browsertest"
)

// A reader subscribes at the page, opens the link of the mail, gets the call that the crawler then
// finds by mail, and follows it. Then the reader ends the mails as a mail program does; nothing is
// sent to the address from then on. One reader does it with the scripts of pages and one without.
func TestBrowserReader(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(serveCall))
	t.Cleanup(site.Close)
	f := newFair(t, t.TempDir())
	seeds := filepath.Join(t.TempDir(), "seeds.txt")
	crawl := func(path string) {
		t.Helper()
		write(t, seeds, site.URL+path+"\n")
		f.start("--seeds", seeds, "--allow-private", "--host-delay", "0s")
	}
	crawl("/cfp/alpha")
	f.waitFor("/search?q=matters&all=1", "/e/alpha-2027")
	b := browsertest.Open(t, f.url)
	b.See(browsertest.PhoneLight)
	subscribe(t, f, b, "ann@home.example", "daily", true)
	subscribe(t, f, b, "bob@home.example", "immediate", false)

	restart := func(later time.Duration, path string) {
		t.Helper()
		if code := f.stop(); code != 0 {
			t.Fatalf("serve exits with %d\n%s", code, f.talk)
		}
		f.server.Forget()
		f.ahead.Add(int64(later))
		crawl(path)
	}
	restart(time.Hour, "/cfp/beta")
	bobs := f.letter(t, "bob@home.example", "/e/beta-2027")
	b.Scripts(false)
	b.Go("/clips") // bob's: he signed in last, and stays so over the restart
	b.Want(".find", "Water Matters")
	b.Want(".reader", "bob@home.example")
	if got := len(f.to("ann@home.example")); got > 0 {
		t.Errorf("ann has %d letters before it is morning", got)
	}

	restart(20*time.Hour, "/cfp/beta")
	anns := f.letter(t, "ann@home.example", "/e/beta-2027")
	follow(t, b, bobs)
	for _, l := range []mailertest.Letter{anns, bobs} {
		leave(t, f, l)
	}
	checkEach(b, browsertest.Looks(), pathOf(t, letterLink(t, anns, "/d/")), pathOf(t, letterLink(t, anns, "/v/")), pathOf(t, letterLink(t, anns, "/unsubscribe/")), "/clips", "/account", "/e/beta-2027/star")

	b.Go("/signin")
	subscribe(t, f, b, "cat@home.example", "immediate", true)
	restart(24*time.Hour, "/cfp/gamma")
	f.letter(t, "cat@home.example", "/e/gamma-2027") // everything to be sent has been sent by then
	for _, who := range []string{"ann@home.example", "bob@home.example"} {
		if got := f.to(who); len(got) > 0 {
			t.Errorf("%s has left and gets %q", who, got[0].Subject())
		}
	}
}

// serveCall serves the calls of three events that have little in common but a word.
func serveCall(w http.ResponseWriter, r *http.Request) {
	calls := map[string]string{
		"/cfp/alpha": "<title>ALPHA 2027: Workshop on Stone Matters</title><h1>Workshop on Stone Matters (ALPHA 2027)</h1><p>June 3-4, 2027, Oslo, Norway</p><p>We invite original papers on quarries, walls and the weathering of stone.</p><ul><li>Paper submission deadline: March 1, 2027",
		"/cfp/beta":  "<title>BETA 2027: Conference on Water Matters</title><h1>International Conference on Water Matters (BETA 2027)</h1><p>September 14-16, 2027, Lyon, France</p><p>Authors are invited to submit articles about rivers, wells and the law of water.</p><ul><li>Full papers due: April 12, 2027",
		"/cfp/gamma": "<title>GAMMA 2027: Symposium on Light Matters</title><h1>Third Symposium on Light Matters (GAMMA 2027)</h1><p>October 20-22, 2027, Kyoto, Japan</p><p>The symposium calls for contributions on lamps, shadows and the colours of dusk.</p><ul><li>Submission deadline: May 5, 2027",
	}
	body, ok := calls[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	_, _ = fmt.Fprint(w, body, "<li>Notification of acceptance: July 1, 2027</ul><p>Call for papers. Submissions of up to ten pages are reviewed by three members of the programme committee.</p>")
}

// subscribe requests a list, sees a preview of it, and confirms it.
func subscribe(t *testing.T, f *fair, b *browsertest.Tab, address, rhythm string, scripts bool) {
	t.Helper()
	b.Scripts(scripts)
	b.Go("/clips")
	if b.Count(`form[action="/signout"] button`) > 0 {
		b.Press(`form[action="/signout"] button`)
	}
	b.Go("/subscribe")
	b.Type("#address", address)
	b.Type("#q", "matters")
	b.Do(clickOn("#rhythm-" + rhythm))
	b.Press("button[value=preview]")
	b.Want(".preview", "Stone Matters")
	b.Check("/subscribe with a preview")
	b.Shoot("subscribe preview")
	if n := len(f.to(address)); n > 0 {
		t.Errorf("a preview sends %d mails", n)
	}
	b.Press("button[value=save]")
	b.Want("h1", "Look in your mail")
	b.Check("/sent")
	b.Shoot("sent")
	b.Go(f.letter(t, address, "").Links()[0])
	b.Want("h1", "Begin this list?")
	b.Check("/signin/TOKEN")
	b.Shoot("begin this list")
	b.Press("main form button")
	b.Want(".said", "Your list has begun.")
	b.Check("/clips of a new reader")
	b.Shoot("clips new")
}

// follow opens the call of a mail, votes for it and follows it.
func follow(t *testing.T, b *browsertest.Tab, l mailertest.Letter) {
	t.Helper()
	b.Go(letterLink(t, l, "/e/"))
	b.Want("h1", "Water Matters")
	b.Do(clickOn("details.follow summary")) // opens without scripts, too
	b.Press(`details.follow a[href$="/star"]`)
	b.Press(`button[value=follow]`)
	b.Go("/clips")
	b.Want(".stars", "BETA")
	b.Check("/clips with a star")
	b.Shoot("clips with a star")
	b.Press(".find button[value=yes]")
	b.Want(".said", "Thank you")
	b.Go(letterLink(t, l, "/unsubscribe/"))
	b.Want("h1", "Stop these mails?") // looking changes nothing
}

// leave ends the mails of a mail's list by RFC 8058: one POST that requests it, without cookies.
func leave(t *testing.T, f *fair, l mailertest.Letter) {
	t.Helper()
	h := l.Header()
	if got := h.Get("List-Unsubscribe-Post"); got != "List-Unsubscribe=One-Click" {
		t.Errorf("List-Unsubscribe-Post: %q", got)
	}
	link := strings.Trim(strings.Split(h.Get("List-Unsubscribe"), ",")[0], "<> ")
	if h.Get("List-Id") == "" || !strings.HasPrefix(link, f.url+"/unsubscribe/") {
		t.Fatalf("List-Id %q, List-Unsubscribe %q", h.Get("List-Id"), h.Get("List-Unsubscribe"))
	}
	answer, err := http.PostForm(link, url.Values{"List-Unsubscribe": {"One-Click"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("POST %s: %s", link, answer.Status)
	}
}

// to returns the mails to an address since the last restart.
func (f *fair) to(address string) (letters []mailertest.Letter) {
	for _, l := range f.server.Letters() {
		if l.To[0] == address {
			letters = append(letters, l)
		}
	}
	return letters
}

// letter waits for a mail to an address that contains a text.
func (f *fair) letter(t *testing.T, address, text string) mailertest.Letter {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), browsertest.Limit)
	defer cancel()
	for n := 1; ; n++ {
		for _, l := range f.to(address) {
			if strings.Contains(l.Text(), text) && strings.Contains(l.HTML(), text) {
				return l
			}
		}
		if letters, err := f.server.Wait(ctx, n); err != nil {
			for _, l := range letters {
				t.Logf("to %q: %s\n%s", l.To, l.Subject(), l.Text())
			}
			t.Fatalf("no letter to %s says %q: %v\n%s", address, text, err, f.talk)
		}
	}
}

// letterLink returns the first link of a mail that contains a path.
func letterLink(t *testing.T, l mailertest.Letter, path string) string {
	t.Helper()
	for _, link := range l.Links() {
		if strings.Contains(link, path) {
			return link
		}
	}
	t.Fatalf("no link to %s in\n%s", path, l.Text())
	return ""
}

func pathOf(t *testing.T, link string) string {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return u.RequestURI()
}
