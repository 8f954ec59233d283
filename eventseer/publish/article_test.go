package publish

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/publish/records"
)

// A fakeSite has the texts of pages, or their errors, and counts requests.
type fakeSite struct {
	texts  map[string]string
	fails  map[string]error
	asked  []string
	during func() // called by each request
}

func (f *fakeSite) read(_ context.Context, url string) (string, error) {
	f.asked = append(f.asked, url)
	if f.during != nil {
		f.during()
	}
	return f.texts[url], f.fails[url]
}

// listed is a call that is known only from the row of a list.
func listed(id, title string) eventseer.Event {
	e := call(id, title, "2027-02-01")
	e.URL = "https://conf.example/" + id
	e.Sources = map[string]eventseer.Provenance{"title": {URL: "https://hub.example/calls", Rule: eventseer.ListRule}}
	return e
}

// articleWorld is a world whose publisher reads pages of a fake site.
func articleWorld(t *testing.T) (*world, *fakeSite) {
	site := &fakeSite{texts: map[string]string{}, fails: map[string]error{}}
	return newWorld(t, func(o *Options) { o.Article = site.read }), site
}

// readDue reads all pages that are due.
func (w *world) readDue() {
	w.t.Helper()
	for {
		read, err := w.readNextArticle(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		if !read {
			return
		}
	}
}

// waiting is the number of events whose pages are awaited.
func (w *world) waiting() (n int) {
	w.eachRecord(func(bucket string, _, _ []byte) {
		if bucket == string(records.ArticleBucket) {
			n++
		}
	})
	return n
}

func plain(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\n  | ", " ")), " ")
}

// TestArticleInsteadOfTeaser: a row of a list matches and its page is read. The reader gets the passage of the
// page, once, in the mail and in the stream.
func TestArticleInsteadOfTeaser(t *testing.T) {
	w, site := articleWorld(t)
	a, lists := w.subscribe("ann@uni.example", eventseer.List{Query: "spillways", Rhythm: eventseer.Immediate})
	e := listed("dams-2027", "Workshop on Spillways")
	site.texts[e.URL] = "# Scope\nThe workshop is about dams. Papers on spillways of any height are welcome. Posters come later."
	w.store.put(e, eventseer.Change{New: true, At: noon})
	w.publish()
	if got := w.mail.taken(); len(got) > 0 || w.waiting() != 1 {
		t.Fatalf("%d mails before the page is read, %d pages awaited", len(got), w.waiting())
	}
	w.readDue()
	w.publish()
	mails := w.mail.taken()
	if len(mails) != 1 || len(site.asked) != 1 || w.waiting() != 0 {
		t.Fatalf("%d mails, requests for %q, %d pages awaited", len(mails), site.asked, w.waiting())
	}
	want := "The workshop is about dams. Papers on *spillways* of any height are welcome. Posters come later."
	if said := plain(mails[0].Text); !strings.Contains(said, want) || !strings.Contains(said, e.URL) {
		t.Errorf("no %q with %s in:\n%s", want, e.URL, mails[0].Text)
	}
	items, _, err := w.Items(t.Context(), a.ID, lists[0].ID, 0, 10)
	if err != nil || len(items) != 1 || items[0].Source != e.URL || !strings.Contains(items[0].Passage, "any height") {
		t.Errorf("stream: %+v, %v", items, err)
	}
	w.store.put(e, eventseer.Change{At: noon}) // a further visit of the list
	w.publish()
	w.readDue()
	if got := w.mail.taken(); len(got) > 0 || len(site.asked) != 1 {
		t.Errorf("%d more mails, requests for %q", len(got), site.asked)
	}
}

// TestTeaserIfThePageFails: a page that may not be read is not requested again; one that fails is requested
// three times. Then the text of the link goes out, once, and says so.
func TestTeaserIfThePageFails(t *testing.T) {
	w, site := articleWorld(t)
	a, lists := w.subscribe("ann@uni.example", eventseer.List{Query: "spillways", Rhythm: eventseer.Immediate})
	for n, c := range []struct {
		err       error
		requests  int
		wait      time.Duration
		published string
	}{
		{NoArticle("robots.txt forbids it"), 1, 0, "robots.txt forbids it"},
		{errors.New("the site did not respond"), maxArticleTries, 2 * articleRetry, "the site did not respond"},
		{nil, 1, 0, "it has no text"},
	} {
		e := listed(fmt.Sprintf("dams%d-2027", n), fmt.Sprintf("Workshop %d on Spillways", n))
		site.fails[e.URL], site.asked = c.err, nil
		w.store.put(e, eventseer.Change{New: true, At: w.clock})
		w.publish()
		began := w.clock
		for ; w.waiting() > 0; w.until(w.clock.Add(articleRetry / 2)) {
			if got := w.mail.taken(); len(got) > 0 {
				t.Errorf("page %d: %d mails before it is known", n, len(got))
			}
			w.readDue()
			w.publish()
		}
		mails := w.mail.taken()
		if took := w.clock.Sub(began) - articleRetry/2; len(mails) != 1 || len(site.asked) != c.requests || took != c.wait {
			t.Fatalf("page %d: %d mails, %d requests, %s", n, len(mails), len(site.asked), took)
		}
		said := plain(mails[0].Text)
		for _, want := range []string{fmt.Sprintf("Workshop %d on *Spillways*", n), "the text of a link only, since its page was not read: ", c.published, "https://hub.example/calls"} {
			if !strings.Contains(said, want) {
				t.Errorf("page %d: no %q in:\n%s", n, want, mails[0].Text)
			}
		}
	}
	if items, _, err := w.Items(t.Context(), a.ID, lists[0].ID, 0, 10); err != nil || len(items) != 3 {
		t.Errorf("%d items, %v", len(items), err)
	}
}

// TestArticleTime: a page whose request never ends delays a notification by articleTime at most, also if
// the program that reads pages does not run.
func TestArticleTime(t *testing.T) {
	w, site := articleWorld(t)
	w.subscribe("ann@uni.example", eventseer.List{Query: "spillways", Rhythm: eventseer.Immediate})
	w.store.put(listed("dams-2027", "Workshop on Spillways"), eventseer.Change{New: true, At: noon})
	w.publish()
	w.until(w.clock.Add(articleTime - time.Second))
	if w.publish(); len(w.mail.taken()) > 0 {
		t.Fatal("a mail before the time")
	}
	w.until(w.clock.Add(time.Second))
	if w.publish(); len(w.mail.taken()) != 1 || len(site.asked) != 0 {
		t.Fatal("no mail after the time")
	}
}

// TestArticleAfterRestart closes the service between match and request, during the request, and between request
// and mail. Nothing is lost, and nothing is sent twice.
func TestArticleAfterRestart(t *testing.T) {
	w, site := articleWorld(t)
	w.subscribe("ann@uni.example", eventseer.List{Query: "spillways", Rhythm: eventseer.Immediate})
	e := listed("dams-2027", "Workshop on Spillways")
	site.texts[e.URL] = "Papers on spillways of any height are welcome."
	w.store.put(e, eventseer.Change{New: true, At: noon})
	restart := func() {
		t.Helper()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		w.open(func(o *Options) { o.Article = site.read })
		if n := w.publish(); n.Items > 0 && w.waiting() > 0 {
			t.Fatalf("%+v", n)
		}
	}
	w.publish()
	restart() // before the request
	ctx, kill := context.WithCancel(t.Context())
	site.during = kill
	if read, err := w.readNextArticle(ctx); read || err == nil {
		t.Fatalf("a request that is cut off: %t, %v", read, err)
	}
	site.during = nil
	restart() // during the request
	if got := w.mail.taken(); len(got) > 0 {
		t.Fatalf("%d mails before the page is read", len(got))
	}
	w.readDue()
	restart() // before the mail
	restart()
	if got := w.mail.taken(); len(got) != 1 || !strings.Contains(plain(got[0].Text), "any height are welcome") {
		t.Fatalf("mails: %v", got)
	}
	if len(site.asked) != 2 {
		t.Errorf("requests: %q", site.asked)
	}
}

// TestArticleOrCrawl: a crawl reads the page of an event first, and an event is merged with a known one. A list
// with an excluded word and one that began later do not report it.
func TestArticleOrCrawl(t *testing.T) {
	w, site := articleWorld(t)
	w.subscribe("ann@uni.example", eventseer.List{Query: "spillways", Rhythm: eventseer.Immediate})
	bob, bobs := w.subscribe("bob@uni.example", eventseer.List{Query: "spillways -concrete", Rhythm: eventseer.Immediate})

	e := listed("dams-2027", "Workshop on Spillways")
	w.store.put(e, eventseer.Change{New: true, At: noon})
	w.publish()
	cat, cats := w.subscribe("cat@uni.example", eventseer.List{Query: "spillways", Rhythm: eventseer.Immediate})
	w.store.putText(e.ID, "We ask for papers on spillways made of concrete.", w.clock)
	w.store.put(e, eventseer.Change{At: w.clock})
	w.publish()
	w.readDue()
	w.publish()
	mails := w.mail.taken()
	if len(mails) != 1 || mails[0].To != "ann@uni.example" || !strings.Contains(plain(mails[0].Text), "made of concrete") || len(site.asked) > 0 {
		t.Errorf("read by the crawl: %v, requests for %q", mails, site.asked)
	}
	for account, list := range map[string]string{bob.ID: bobs[0].ID, cat.ID: cats[0].ID} {
		if items, _, err := w.Items(t.Context(), account, list, 0, 10); err != nil || len(items) > 0 {
			t.Errorf("%d items, %v", len(items), err)
		}
	}

	lost, kept := listed("lost-2027", "Symposium on Spillways"), call("kept-2027", "Symposium on Spillways", "2027-02-01")
	w.store.putText(kept.ID, "Spillways and nothing else.", w.clock)
	w.store.put(lost, eventseer.Change{New: true, At: w.clock})
	w.publish()
	w.store.put(kept, eventseer.Change{New: true, At: w.clock})
	w.publish()
	first := len(w.mail.taken())
	w.store.unite(lost.ID, kept.ID)
	w.publish()
	w.readDue()
	w.publish()
	if got := w.mail.taken(); first != 3 || len(got) > 0 || w.waiting() > 0 {
		t.Errorf("merged: %d mails, then %d, %d pages awaited", first, len(got), w.waiting())
	}
}

// TestArticleLimits: the lists of a reader have pages read up to the limit of a day. Further items say so.
func TestArticleLimits(t *testing.T) {
	w, site := articleWorld(t)
	a, lists := w.subscribe("ann@uni.example", eventseer.List{Query: "spillways", Rhythm: eventseer.Quiet})
	for n := range maxArticlesAccount + 2 {
		e := listed(fmt.Sprintf("dams%02d-2027", n), fmt.Sprintf("Workshop %d on Spillways", n))
		site.texts[e.URL] = "Papers on spillways of any height are welcome."
		w.store.put(e, eventseer.Change{New: true, At: noon})
	}
	w.publish()
	w.readDue()
	w.publish()
	items, total, err := w.Items(t.Context(), a.ID, lists[0].ID, 0, 100)
	teasers := 0
	for _, i := range items {
		if strings.Contains(strings.Join(i.Why, " "), "the limit of pages a day is reached") {
			teasers++
		}
	}
	if err != nil || total != maxArticlesAccount+2 || teasers != 2 || len(site.asked) != maxArticlesAccount {
		t.Errorf("%d items, %d teasers, %d requests, %v", total, teasers, len(site.asked), err)
	}
	w.until(w.clock.Add(3 * 24 * time.Hour))
	w.store.put(listed("later-2027", "Later Workshop on Spillways"), eventseer.Change{New: true, At: w.clock})
	w.publish()
	counts := 0
	w.publish() // removes the counts of the first day
	w.eachRecord(func(bucket string, _, _ []byte) {
		if bucket == string(records.ArticleCountBucket) {
			counts++
		}
	})
	if w.waiting() != 1 || counts != 2 {
		t.Errorf("on a later day: %d pages awaited, %d counts", w.waiting(), counts)
	}
	if err := w.DeleteAccount(t.Context(), a.ID); err != nil {
		t.Fatal(err)
	}
	w.eachRecord(func(bucket string, k, _ []byte) {
		if bucket == string(records.ArticleCountBucket) && strings.Contains(string(k), a.ID) {
			t.Error("a count of a deleted account is left")
		}
	})
}

// TestRunArticles reads awaited pages while Run publishes.
func TestRunArticles(t *testing.T) {
	w, site := articleWorld(t)
	w.subscribe("ann@uni.example", eventseer.List{Query: "spillways", Rhythm: eventseer.Immediate})
	e := listed("dams-2027", "Workshop on Spillways")
	site.texts[e.URL] = "Papers on spillways of any height are welcome."
	w.store.put(e, eventseer.Change{New: true, At: noon})
	ctx, stop := context.WithCancel(t.Context())
	sent := make(chan struct{})
	w.mail.fail = func(message.Email) error { close(sent); return nil }
	var running sync.WaitGroup
	running.Go(func() { _ = w.RunArticles(ctx) })
	running.Go(func() { _ = w.Run(ctx) })
	<-sent
	stop()
	running.Wait()
	if got := w.mail.taken(); len(got) != 1 || !strings.Contains(plain(got[0].Text), "any height") {
		t.Errorf("mails: %v", got)
	}
}
