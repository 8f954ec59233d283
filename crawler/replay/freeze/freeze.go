// Package freeze makes a frozen web from the recording of a crawl. It has one answer per URL, and
// beside them the links, the crawl's judgements of the pages, and how absent hosts answer.
package freeze

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
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler/replay"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// The files beside a frozen WARC, as in the shared corpora.
const (
	LinksFile = "links.tsv.gz"
	NodesFile = "nodes.tsv"
	HostsFile = "hosts.json"
)

// hostsDefaults is the hosts.json of a frozen crawl: what was never recorded is
// not there.
const hostsDefaults = `{
 "default": {"known_host_missing_url": {"status": 404}, "unknown_host": "dns_error"},
 "rules": []
}
`

// maxHops bounds the redirects a link is followed over.
const maxHops = 10

// A node is one URL of a frozen web.
type node struct {
	url, canonical string
	status         int
	mediaType      string
	location       string // canonical URL a redirect leads to; "" for none
}

// A Freezer writes the files of a frozen web. It holds the nodes, not the pages.
type Freezer struct {
	web    *replay.Web
	nodes  []node
	byURL  map[string]int // canonical URL → node
	judged map[string]rundir.Page
	step   func() error
}

// Hooks are what a Freezer calls while it works; none may be nil.
type Hooks struct {
	Log  func(format string, args ...any) // of what is left out
	Step func() error                     // of each answer that is read or written; its error ends the work
}

// Passes is how often each answer is read or written after Open.
const Passes = 2

// Open finds the URLs that a recording in these files has answers for, and
// says what is left out.
func Open(files []string, judged map[string]rundir.Page, hooks Hooks) (f *Freezer, err error) {
	web, err := replay.Open(files, replay.Options{})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, web.Close())
		}
	}()
	for _, bad := range web.Bad() {
		hooks.Log("%v: left out", bad)
	}
	var uris []string
	for _, path := range files {
		r, err := warc.Open(path)
		if err != nil {
			return nil, err
		}
		for r.Scan() {
			if rec, err := r.Record(); err == nil && rec.HoldsPage() {
				uris = append(uris, rec.TargetURI())
			}
		}
		if err := errors.Join(r.Err(), r.Close()); err != nil {
			return nil, err
		}
	}
	slices.Sort(uris)
	return newFreezer(web, slices.Compact(uris), judged, hooks)
}

// newFreezer reads the answers to uris, which are sorted. An answer that cannot
// be read is left out.
func newFreezer(web *replay.Web, uris []string, judged map[string]rundir.Page, hooks Hooks) (*Freezer, error) {
	f := &Freezer{web: web, byURL: map[string]int{}, judged: judged, step: hooks.Step}
	for _, uri := range uris {
		if err := f.step(); err != nil {
			return nil, err
		}
		page, err := f.read(uri)
		if err != nil {
			hooks.Log("%s: left out: %v", uri, err)
			continue
		}
		n := node{url: uri, canonical: uri, status: page.Status}
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

// Close closes the recording.
func (f *Freezer) Close() error { return f.web.Close() }

// Len returns how many URLs have an answer.
func (f *Freezer) Len() int { return len(f.nodes) }

func (f *Freezer) read(uri string) (*webgraph.Page, error) {
	rec, err := f.web.Record(uri)
	if err != nil {
		return nil, err
	}
	return rec.Page()
}

// WriteTo writes the WARC at path and its companions beside it, all or nothing
// of each. The WARC says that software wrote it.
func (f *Freezer) WriteTo(path, software string) (err error) {
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
		f.writeWARC(filepath.Join(tmp, name), software),
		writeFile(filepath.Join(tmp, NodesFile), f.writeNodes),
		writeFile(filepath.Join(tmp, LinksFile), func(w io.Writer) error {
			z := gzip.NewWriter(w)
			return errors.Join(f.writeLinks(z), z.Close())
		}),
		writeFile(filepath.Join(tmp, HostsFile), func(w io.Writer) error {
			_, err := io.WriteString(w, hostsDefaults)
			return err
		}),
	)
	if err != nil {
		return err
	}
	for _, file := range []string{HostsFile, NodesFile, LinksFile, name} {
		if err := os.Rename(filepath.Join(tmp, file), filepath.Join(dir, file)); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	return errors.Join(write(out), out.Flush(), file.Sync(), file.Close())
}

// writeWARC writes one record a URL, in the order of the URLs.
func (f *Freezer) writeWARC(path, software string) error {
	w, err := warc.Create(path, warc.WriterOptions{
		Software: software, Description: "frozen web: one answer a URL", Now: func() time.Time { return f.web.Newest() },
	})
	if err != nil {
		return err
	}
	for _, n := range f.nodes {
		rec, err := f.web.Record(n.url)
		if err == nil {
			err = errors.Join(w.Write(recordOf(rec)), f.step())
		}
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", n.url, err), w.Close())
		}
	}
	return w.Close()
}

// recordOf returns a record with digests of our own, and of what else a header may say only what a
// replay needs.
func recordOf(rec *warc.Record) *warc.Record {
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
func (f *Freezer) writeNodes(w io.Writer) error {
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
			field(n.url), strconv.Itoa(n.status), pageType, isCFP, "", "false",
			string(webgraph.HostOf(n.canonical)), n.kind(), field(n.mediaType), "true",
		}, "\t"))
		if err != nil {
			return err
		}
	}
	return nil
}

// kind returns what sort of answer a node is, in the words of the shared corpora.
func (n *node) kind() string {
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

func (n *node) isHTML() bool {
	return n.mediaType == "" || n.mediaType == "text/html" || n.mediaType == "application/xhtml+xml"
}

// writeLinks writes a line for every link of every page, in their order.
func (f *Freezer) writeLinks(w io.Writer) error {
	if _, err := fmt.Fprintln(w, "source\ttarget\tanchor\tvia\torigin\tnofollow"); err != nil {
		return err
	}
	for _, n := range f.nodes {
		if err := f.step(); err != nil {
			return err
		}
		if n.status != http.StatusOK || !n.isHTML() {
			continue
		}
		page, err := f.read(n.url)
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
			fields := []string{field(n.url), field(target), field(l.Anchor), field(via), "real", nofollow}
			if _, err := fmt.Fprintln(w, strings.Join(fields, "\t")); err != nil {
				return err
			}
		}
	}
	return nil
}

// resolve returns the stored URL at which a link ends, through redirects. If they lead out of the
// web or in a circle, it is the last known one.
func (f *Freezer) resolve(target string) string {
	end := target
	for range maxHops {
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

// field makes a text fit into one field of a line.
func field(s string) string { return strings.Join(strings.Fields(s), " ") }
