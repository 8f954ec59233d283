package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler/replay"
	"eventseer/crawler/rundir"
	"eventseer/features/tagtree"
	"eventseer/internal/warc"
	"eventseer/webgraph"
)

// maxFrozenHops bounds the redirects a link is followed over.
const maxFrozenHops = 10

// A frozenNode is one URL of a frozen web.
type frozenNode struct {
	url, canonical string
	status         int
	mediaType      string
	location       string // canonical URL a redirect leads to; "" for none
}

// A freezer writes the files of a frozen web. It holds the nodes, not the pages.
type freezer struct {
	web    *replay.Web
	nodes  []frozenNode
	byURL  map[string]int // canonical URL → node
	judged map[string]rundir.Page
}

// newFreezer reads the answers to uris, which are sorted. An answer that cannot
// be read is left out.
func newFreezer(web *replay.Web, uris []string, judged map[string]rundir.Page, logf func(string, ...any)) (*freezer, error) {
	f := &freezer{web: web, byURL: map[string]int{}, judged: judged}
	for _, uri := range uris {
		_, page, err := f.read(uri)
		if err != nil {
			logf("%s: left out: %v", uri, err)
			continue
		}
		n := frozenNode{url: uri, canonical: uri, status: page.Status}
		if canonical, err := webgraph.Canonical(uri); err == nil {
			n.canonical = canonical
		}
		n.mediaType, _, _ = mime.ParseMediaType(page.Header.Get("Content-Type"))
		if to := page.Header.Get("Location"); page.Status/100 == 3 && to != "" {
			n.location, _ = webgraph.NewResolver(uri).Resolve(to) // "" where it leads out of the web
		}
		if at, known := f.byURL[n.canonical]; !known || f.nodes[at].url != n.canonical {
			f.byURL[n.canonical] = len(f.nodes)
		}
		f.nodes = append(f.nodes, n)
	}
	if len(f.nodes) == 0 {
		return nil, errors.New("the recording holds no answers")
	}
	return f, nil
}

func (f *freezer) read(uri string) (*warc.Record, *webgraph.Page, error) {
	rec, err := f.web.Record(uri)
	if err != nil {
		return nil, nil, err
	}
	page, err := rec.Page()
	return rec, page, err
}

// writeTo writes the WARC at path and its companions beside it, all or nothing
// of each.
func (f *freezer) writeTo(path string) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(dir, ".freeze-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	name := filepath.Base(path)
	err = errors.Join(
		f.writeWARC(filepath.Join(tmp, name)),
		writeFrozen(filepath.Join(tmp, frozenNodes), f.writeNodes),
		writeFrozen(filepath.Join(tmp, frozenLinks), func(w io.Writer) error {
			z := gzip.NewWriter(w)
			return errors.Join(f.writeLinks(z), z.Close())
		}),
		writeFrozen(filepath.Join(tmp, frozenHosts), func(w io.Writer) error {
			_, err := io.WriteString(w, frozenDefaults)
			return err
		}),
	)
	if err != nil {
		return err
	}
	for _, file := range []string{frozenHosts, frozenNodes, frozenLinks, name} {
		if err := os.Rename(filepath.Join(tmp, file), filepath.Join(dir, file)); err != nil {
			return err
		}
	}
	return nil
}

func writeFrozen(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	return errors.Join(write(out), out.Flush(), file.Sync(), file.Close())
}

// writeWARC writes one record a URL, in the order of the URLs.
func (f *freezer) writeWARC(path string) error {
	w, err := warc.Create(path, warc.WriterOptions{
		Software: engine.UserAgent(), Description: "frozen web: one answer a URL", Now: func() time.Time { return f.web.Newest() },
	})
	if err != nil {
		return err
	}
	for _, n := range f.nodes {
		rec, err := f.web.Record(n.url)
		if err == nil {
			err = w.Write(frozenRecord(rec))
		}
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", n.url, err), w.Close())
		}
	}
	return w.Close()
}

// frozenRecord is a record with digests of our own, and of what else a header may
// say only what a replay needs.
func frozenRecord(rec *warc.Record) *warc.Record {
	var out *warc.Record
	if rec.Type() == "resource" {
		out = warc.NewResource(rec.TargetURI(), rec.Date(), rec.Header.Get("Content-Type"), rec.Block)
	} else {
		out = warc.NewResponse(rec.TargetURI(), rec.Date(), rec.Block)
	}
	for _, name := range []string{"WARC-Truncated", "WARC-IP-Address"} {
		if value := rec.Header.Get(name); value != "" {
			out.Header.Set(name, value)
		}
	}
	return out
}

// writeNodes writes a line a URL. A page was allowed by robots.txt when it was
// crawled; what was not is not in the recording.
func (f *freezer) writeNodes(w io.Writer) error {
	lines := []string{"url", "status", "page_type", "is_cfp", "event_site", "added", "host", "kind", "ctype", "allowed"}
	if _, err := fmt.Fprintln(w, strings.Join(lines, "\t")); err != nil {
		return err
	}
	for _, n := range f.nodes {
		pageType, isCFP := "", ""
		if p, ok := f.judged[n.canonical]; ok {
			pageType, isCFP = p.PageType, strconv.FormatBool(p.IsCFP)
		}
		_, err := fmt.Fprintln(w, strings.Join([]string{
			frozenField(n.url), strconv.Itoa(n.status), pageType, isCFP, "", "false",
			string(webgraph.HostOf(n.canonical)), n.kind(), frozenField(n.mediaType), "true",
		}, "\t"))
		if err != nil {
			return err
		}
	}
	return nil
}

// kind is what sort of answer a node is, in the words of the shared corpora.
func (n *frozenNode) kind() string {
	u, err := url.Parse(n.canonical)
	path := ""
	if err == nil {
		path = strings.ToLower(u.Path)
	}
	switch {
	case path == "/robots.txt":
		return "robots"
	case n.status/100 == 3:
		return "redirect"
	case n.status == http.StatusNotFound, n.status == http.StatusGone:
		return "dead"
	case n.status != http.StatusOK:
		return "error"
	case n.mediaType == "application/pdf":
		return "pdf"
	case n.isHTML(), n.mediaType == "text/plain":
		return "real"
	case strings.Contains(path, "sitemap"):
		return "sitemap"
	}
	return "file"
}

func (n *frozenNode) isHTML() bool {
	return n.mediaType == "" || n.mediaType == "text/html" || n.mediaType == "application/xhtml+xml"
}

// writeLinks writes a line for every link of every page, in their order.
func (f *freezer) writeLinks(w io.Writer) error {
	if _, err := fmt.Fprintln(w, "source\ttarget\tanchor\tvia\torigin\tnofollow"); err != nil {
		return err
	}
	for _, n := range f.nodes {
		if n.status != http.StatusOK || !n.isHTML() {
			continue
		}
		_, page, err := f.read(n.url)
		if err != nil {
			return err
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			continue // no text, whatever its type says
		}
		for _, l := range tree.Links() {
			target, via, nofollow := f.resolve(l.Target), "", ""
			if target != l.Target {
				via = l.Target
			}
			if l.NoFollow {
				nofollow = "1"
			}
			fields := []string{frozenField(n.url), frozenField(target), frozenField(l.Anchor), frozenField(via), "real", nofollow}
			if _, err := fmt.Fprintln(w, strings.Join(fields, "\t")); err != nil {
				return err
			}
		}
	}
	return nil
}

// resolve returns the stored URL at which a link ends, through redirects; the
// last known where they lead out of the web or in a circle.
func (f *freezer) resolve(target string) string {
	end := target
	for range maxFrozenHops {
		i, ok := f.byURL[end]
		if !ok {
			return end
		}
		n := &f.nodes[i]
		if n.location == "" {
			return cmp.Or(n.url, end)
		}
		end = n.location
	}
	return target
}

// frozenField makes a text fit into one field of a line.
func frozenField(s string) string { return strings.Join(strings.Fields(s), " ") }
