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

// seed returns the page from which every client starts.
func seed(o options) string {
	return newGenerator(o.Hosts).url(o.Pages, 0)
}

// transport returns a transport that connects to the test server whatever the host name.
func transport(o options) *http.Transport {
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
	b := &bare{client: &http.Client{Transport: transport(o)}, seen: map[string]bool{}}
	b.cond.L = &b.mu
	b.push([]string{seed(o)})
	var wg sync.WaitGroup
	for range o.Workers {
		wg.Go(func() { b.work(ctx) })
	}
	wg.Wait()
	return result{int(b.pages.Load())}, nil
}

type bare struct {
	client *http.Client
	pages  atomic.Int64

	mu    sync.Mutex // guards below
	cond  sync.Cond
	queue []string
	seen  map[string]bool
	busy  int
}

func (b *bare) push(urls []string) {
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

// next waits for a URL. It returns "" when there are no more.
func (b *bare) next() string {
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

func (b *bare) work(ctx context.Context) {
	for u := b.next(); u != ""; u = b.next() {
		if urls, err := b.fetch(ctx, u); err == nil {
			b.pages.Add(1)
			b.push(urls)
		}
		b.mu.Lock()
		b.busy--
		b.cond.Broadcast()
		b.mu.Unlock()
	}
}

func (b *bare) fetch(ctx context.Context, u string) ([]string, error) {
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
	return links(root, req.URL), nil
}

// links returns the URLs of the pages that a page links to.
func links(root *html.Node, base *url.URL) []string {
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
