package worker

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// A web is pages 0 to pages-1 on some hosts, each with links to others; all can be reached from page 0. It
// counts the requests by crawler.
type web struct {
	pages, hosts int
	answers      time.Duration // after that, a page comes

	mu     sync.Mutex // guards below
	asked  map[string]int
	inHand map[webgraph.Host]string // the crawlers that request a host now
	broken []string                 // rules
}

func newWeb(pages, hosts int) *web {
	return &web{pages: pages, hosts: hosts, answers: time.Millisecond, asked: map[string]int{}, inHand: map[webgraph.Host]string{}}
}

func (w *web) url(page int) string {
	return fmt.Sprintf("https://h%d.example/p%d", page*7919%w.hosts, page)
}

func (w *web) links(url string) (urls []string) {
	page, _ := strconv.Atoi(url[strings.LastIndex(url, "/p")+2:])
	for i := 1; i <= 3; i++ {
		if to := 3*page + i; to < w.pages {
			urls = append(urls, w.url(to))
		}
	}
	return append(urls, w.url((page*31+7)%w.pages), w.url(0))
}

// Visit implements crawler.Strategy.
func (w *web) Visit(_ context.Context, a crawler.Arrival) (v crawler.Verdict, err error) {
	if a.Tree == nil {
		return v, nil
	}
	for _, url := range w.links(a.Lease.URL) {
		v.Forward = append(v.Forward, crawler.Candidate{URL: url, Score: 1})
	}
	return v, nil
}

func (w *web) count() (once, more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.asked {
		if once++; n > 1 {
			more++
		}
	}
	return once, more
}

// A visitor is the web as one crawler's fetcher asks it.
type visitor struct {
	*web
	name string
}

func (v visitor) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	host := webgraph.HostOf(r.URL)
	v.mu.Lock()
	if by := v.inHand[host]; by != "" {
		v.broken = append(v.broken, fmt.Sprintf("%s is asked by %s and %s", host, by, v.name))
	}
	v.inHand[host] = v.name
	v.mu.Unlock()
	err := crawler.WaitFor(ctx, v.answers)
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.inHand, host)
	if err != nil {
		return nil, &crawler.FetchError{URL: r.URL, Fate: crawler.TryLater, HostFailed: true, Err: err}
	}
	v.asked[r.URL]++
	return &webgraph.Page{URL: r.URL, Requested: r.URL, Status: 200, FetchedAt: time.Now(), Header: http.Header{"Content-Type": {"text/html"}},
		Body: []byte("<p>page " + r.URL + strings.Repeat(" word", len(r.URL)))}, nil
}
