package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/net/html"
)

// seedURL returns the page from which every client starts.
func seedURL(o options) string {
	return newGenerator(o.Hosts).pageURL(o.Pages, 0)
}

// testTransport returns a transport that connects to the test server whatever the host name.
func testTransport(o options) *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, o.Web)
		},
		DisableCompression:  true,
		MaxIdleConns:        o.Hosts,
		MaxIdleConnsPerHost: 1,
	}
}

// crawlBare crawls with net/http, html.Parse, net/url and a queue in memory.
func crawlBare(ctx context.Context, o options) (result, error) {
	b := &bareCrawler{client: &http.Client{Transport: testTransport(o)}, seen: map[string]bool{}}
	b.cond.L = &b.mu
	b.pushURLs([]string{seedURL(o)})
	var wg sync.WaitGroup
	for range o.Workers {
		wg.Go(func() { b.runWorker(ctx) })
	}
	wg.Wait()
	return result{Pages: int(b.pages.Load())}, nil
}

type bareCrawler struct {
	client *http.Client
	pages  atomic.Int64

	mu    sync.Mutex // guards below
	cond  sync.Cond
	queue []string
	seen  map[string]bool
	busy  int
}

func (b *bareCrawler) pushURLs(urls []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range urls {
		if !b.seen[u] {
			b.seen[u] = true
			b.queue = append(b.queue, u)
		}
	}
	b.cond.Broadcast()
}

// nextURL waits for a URL. It returns "" when there are no more.
func (b *bareCrawler) nextURL() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) == 0 && b.busy > 0 {
		b.cond.Wait()
	}
	if len(b.queue) == 0 {
		return ""
	}
	u := b.queue[0]
	b.queue = b.queue[1:]
	b.busy++
	return u
}

func (b *bareCrawler) runWorker(ctx context.Context) {
	for u := b.nextURL(); u != ""; u = b.nextURL() {
		if urls, err := b.fetchLinks(ctx, u); err == nil {
			b.pages.Add(1)
			b.pushURLs(urls)
		}
		b.mu.Lock()
		b.busy--
		b.cond.Broadcast()
		b.mu.Unlock()
	}
}

func (b *bareCrawler) fetchLinks(ctx context.Context, u string) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		return nil, err
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	root, err := html.Parse(resp.Body)
	if err != nil {
		return nil, err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return linksOf(root, req.URL), nil
}

// linksOf returns the URLs of the pages that a page links to.
func linksOf(root *html.Node, base *url.URL) []string {
	var urls []string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "a" {
			continue
		}
		for _, a := range n.Attr {
			if a.Key != "href" {
				continue
			}
			to, err := base.Parse(strings.TrimSpace(a.Val))
			if err != nil || to.Scheme != "http" && to.Scheme != "https" {
				continue
			}
			to.Fragment = ""
			urls = append(urls, to.String())
		}
	}
	return urls
}
