package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A page has about 15 KB and 40 links, of which 32 lead to pages of the web. Eight of these stay on its
// own host, two connect the whole web, and the others lead to random pages.
const (
	internalLinks = 30
	otherLinks    = 8 // to fragments and e-mail addresses
	paragraphs    = 200
)

// A generator writes the pages of a web of any size.
type generator struct {
	hosts int
	text  []string // paragraphs
}

func newGenerator(hosts int) *generator {
	g := &generator{hosts: hosts}
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 2000)
	for i := range words {
		for range 2 + r.IntN(3) {
			words[i] += string("bcdfghklmnprstvw"[r.IntN(16)]) + string("aeiou"[r.IntN(5)])
		}
	}
	for range paragraphs {
		var b strings.Builder
		for range 30 + r.IntN(40) {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(' ')
		}
		g.text = append(g.text, b.String())
	}
	return g
}

// pageURL returns the address of page i in a web of the given size.
func (g *generator) pageURL(pages, i int) string {
	return fmt.Sprintf("http://www.site%d.example/w%d/topic/page-%d.html", i%g.hosts, pages, i)
}

// writePage writes page i of a web of the given size.
func (g *generator) writePage(pages, i int) []byte {
	r := rand.New(rand.NewPCG(uint64(i), 3))
	b := make([]byte, 0, 20<<10)
	b = fmt.Appendf(b, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Page %d on a topic</title>"+
		"<meta name=\"description\" content=\"%s\"></head>\n<body><div id=\"page\" class=\"wrap\"><nav class=\"menu\"><ul>\n", i, g.text[i%paragraphs])
	link := func(to int) {
		b = fmt.Appendf(b, "<li class=\"item\"><a href=\"%s\" title=\"go on\">page %d of the series</a></li>\n", g.pageURL(pages, to), to)
	}
	for _, to := range []int{2*i + 1, 2*i + 2} {
		link(to % pages)
	}
	for range 8 {
		link((i + g.hosts*r.IntN(1+pages/g.hosts)) % pages)
	}
	b = append(b, "</ul></nav><main class=\"content\"><h1>A page</h1>\n"...)
	for n := range internalLinks - 8 {
		b = fmt.Appendf(b, "<div class=\"block\"><h2>Part %d</h2><p>%s", n, g.text[r.IntN(paragraphs)])
		to := r.IntN(pages)
		b = fmt.Appendf(b, "<a href=\"%s\">call %d</a> <em>%s</em></p></div>\n", g.pageURL(pages, to), to, g.text[r.IntN(paragraphs)][:40])
	}
	for n := range otherLinks {
		b = fmt.Appendf(b, "<a href=\"#part-%d\">up</a> <a href=\"mailto:someone%d@site.example\">write</a>\n", n, n)
	}
	return append(b, "</main></div></body></html>\n"...)
}

// A clientCount is what the server recorded about a client.
type clientCount struct {
	Pages    int     `json:"pages"`    // answered with 200
	Distinct int     `json:"distinct"` // of them
	Robots   int     `json:"robots"`
	Seconds  float64 `json:"seconds"` // from the first to the last request
	Bytes    int     `json:"bytes"`
}

type server struct {
	g *generator

	mu          sync.Mutex // guards below
	c           clientCount
	seen        map[int]bool
	first, last time.Time
}

// serveWeb serves the web until ctx ends. It first prints its address.
func serveWeb(ctx context.Context, o options) error {
	l, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return err
	}
	s := &server{g: newGenerator(o.Hosts), seen: map[int]bool{}}
	h := &http.Server{Handler: s}
	context.AfterFunc(ctx, func() { h.Close() })
	fmt.Fprintln(os.Stdout, l.Addr())
	if err := h.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/count":
		s.sendCount(w)
		return
	case "/robots.txt":
		s.updateCount(func(c *clientCount) { c.Robots++ })
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
		return
	}
	var pages, i int
	if _, err := fmt.Sscanf(r.URL.Path, "/w%d/topic/page-%d.html", &pages, &i); err != nil || i < 0 || i >= pages {
		http.NotFound(w, r)
		return
	}
	body := s.g.writePage(pages, i)
	s.updateCount(func(c *clientCount) {
		c.Pages++
		c.Bytes += len(body)
		if !s.seen[i] {
			s.seen[i] = true
			c.Distinct++
		}
	})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

func (s *server) updateCount(f func(*clientCount)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first.IsZero() {
		s.first = time.Now()
	}
	s.last = time.Now()
	f(&s.c)
}

// sendCount sends the count and begins a new one.
func (s *server) sendCount(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.c.Seconds = s.last.Sub(s.first).Seconds()
	_ = json.NewEncoder(w).Encode(s.c)
	s.c, s.seen, s.first, s.last = clientCount{}, map[int]bool{}, time.Time{}, time.Time{}
}
