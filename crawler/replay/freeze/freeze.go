// Package freeze makes a frozen web from the recording of a crawl. It has one response per URL. Files next to
// it have the links, the crawl's judgements of the pages, and the responses of unknown hosts.
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

// Files next to a frozen WARC, as in the shared corpora.
const (
	LinksFile = "links.tsv.gz"
	NodesFile = "nodes.tsv"
	HostsFile = "hosts.json"
)

// hostsDefaults is the hosts.json of a frozen crawl. URLs that were not recorded do not exist.
const hostsDefaults = `{
 "default": {"known_host_missing_url": {"status": 404}, "unknown_host": "dns_error"},
 "rules": []
}
`

// maxHops is the maximum number of redirects from a link's target.
const maxHops = 10

// A node is one URL of a frozen web.
type node struct {
	url, canonical string
	status         int
	mediaType      string
	location       string // canonical target URL of a redirect, otherwise ""
}

// A Freezer writes the files of a frozen web. It has the nodes in memory, but not the pages.
type Freezer struct {
	web    *replay.Web
	nodes  []node
	byURL  map[string]int // index in nodes by canonical URL
	judged map[string]rundir.Page
	step   func() error
}

// Hooks are functions that a Freezer calls while it works. None may be nil.
type Hooks struct {
	Log  func(format string, args ...any) // called for each record that is omitted
	Step func() error                     // called for each response read or written; its error stops the work
}

// Passes is the number of times that each response is read or written after Open.
const Passes = 2

// Open finds the URLs with a response in the files of a recording. It logs the records that are omitted.
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

// newFreezer reads the responses to uris, which must be sorted. A response that cannot be read is omitted.
func newFreezer(web *replay.Web, uris []string, judged map[string]rundir.Page, hooks Hooks) (*Freezer, error) {
	f := &Freezer{web: web, byURL: map[string]int{}, judged: judged, step: hooks.Step}
	for _, uri := range uris {
		if err := f.step(); err != nil {
			return nil, err
		}
		page, err := f.readPage(uri)
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
			n.location, _ = webgraph.NewResolver(uri).Resolve(to) // "" if it is not a web address
		}
		if at, known := f.byURL[n.canonical]; !known || f.nodes[at].url != n.canonical {
			f.byURL[n.canonical] = len(f.nodes)
		}
		f.nodes = append(f.nodes, n)
	}
	if len(f.nodes) == 0 {
		return nil, errors.New("the recording holds no responses")
	}
	return f, nil
}

func (f *Freezer) Close() error { return f.web.Close() }

// Len returns the number of URLs with a response.
func (f *Freezer) Len() int { return len(f.nodes) }

func (f *Freezer) readPage(uri string) (*webgraph.Page, error) {
	rec, err := f.web.Record(uri)
	if err != nil {
		return nil, err
	}
	return rec.Page()
}

// WriteTo writes the WARC at path and its companions next to it. Each file is written completely or not at
// all. software is the program named in the WARC.
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

// writeWARC writes one record per URL, in order of URL.
func (f *Freezer) writeWARC(path, software string) error {
	w, err := warc.Create(path, warc.WriterOptions{
		Software: software, Description: "frozen web: one response per URL", Now: func() time.Time { return f.web.Newest() },
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

// recordOf returns a copy of a record with new digests. Of the optional headers it has only those needed for
// a replay.
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

// writeNodes writes one line per URL. Column allowed is always true, because pages that robots.txt forbids
// are not in the recording.
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
			fieldText(n.url), strconv.Itoa(n.status), pageType, isCFP, "", "false",
			string(webgraph.HostOf(n.canonical)), n.responseKind(), fieldText(n.mediaType), "true",
		}, "\t"))
		if err != nil {
			return err
		}
	}
	return nil
}

// responseKind returns the kind of a node's response, as used in the shared corpora.
func (n *node) responseKind() string {
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

// writeLinks writes one line per link, in order of pages and links.
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
		page, err := f.readPage(n.url)
		if err != nil {
			return err
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			continue // the body is not text, whatever its media type
		}
		for _, l := range tree.Links() {
			target, via, nofollow := f.resolveRedirect(l.Target), "", ""
			if target != l.Target {
				via = l.Target
			}
			if l.NoFollow {
				nofollow = "1"
			}
			fields := []string{fieldText(n.url), fieldText(target), fieldText(l.Anchor), fieldText(via), "real", nofollow}
			if _, err := fmt.Fprintln(w, strings.Join(fields, "\t")); err != nil {
				return err
			}
		}
	}
	return nil
}

// resolveRedirect returns the stored URL that a link's target redirects to. If the redirects leave the web, it
// returns the last URL; if there are too many, the target itself.
func (f *Freezer) resolveRedirect(target string) string {
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

// fieldText returns s with white space folded, so that it fits into one field of a line.
func fieldText(s string) string { return strings.Join(strings.Fields(s), " ") }
