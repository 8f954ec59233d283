// Package render reads pages that show nothing until their scripts have run. It is a
// crawler.Fetcher around another: a page without visible text is opened in a headless Chromium, and
// the result of its scripts is returned. The browser has no network access. Each of its requests is
// intercepted and served by a Loader, which obeys robots.txt, delays and limits as for any page;
// other connections fail, because names are not resolved and the proxy does not exist.
package render

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// Limits and defaults.
const (
	DefaultTimeout  = 60 * time.Second // for one page, including the delays between its files
	DefaultRequests = 30               // files one page may load
	DefaultBytes    = 10 << 20         // for all files of one page
	DefaultTabs     = 2

	// maxVisible is the maximum number of visible letters of a page that is rendered: "Loading…", a
	// heading, a request to enable JavaScript.
	maxVisible = 200
	maxHTML    = 10 << 20 // bytes read of a rendered page
	// maxWait is how long a page waits for a tab, in units of Options.Timeout, so that its lease
	// does not expire.
	maxWait = 3
)

// ErrNoBrowser is returned by New if no Chromium is found.
var ErrNoBrowser = errors.New("no Chromium found: install chromium to render pages with scripts")

// ErrRoot is returned by New if root requests a sandbox, which Chromium only supports for other
// users.
var ErrRoot = errors.New("no sandbox for Chromium if it runs as root: run as another user, or render unsandboxed")

// A Loader returns a file of any type that a page's scripts request.
type Loader interface {
	Load(ctx context.Context, r crawler.Request) (*webgraph.Page, error)
}

// Options are the settings of a Renderer.
type Options struct {
	Fetcher crawler.Fetcher // brings the pages
	Loader  Loader          // loads their files

	// Browser is the program. "" looks for chromium and its siblings in PATH.
	Browser string
	// NoSandbox runs Chromium without its sandbox, which it needs when run as
	// root. Scripts of strangers then run with the rights of this user.
	NoSandbox bool
	// Pause is left between two requests to the host of the page; a longer
	// Crawl-delay holds if Fetcher is a crawler.Pacer.
	Pause time.Duration
	// Timeout bounds the rendering of a page; when it is over, the contents so far are used. Requests and
	// Bytes bound what it loads. Tabs is how many pages are rendered at once. Zero means the defaults.
	Timeout         time.Duration
	Requests, Bytes int
	Tabs            int
	// Log records which pages could not be rendered. Nil logs nothing.
	Log *slog.Logger
}

// A Renderer is a crawler.Fetcher. It is safe for concurrent use. The browser is
// started with the first page that needs it.
type Renderer struct {
	crawler.Wrapped // Options.Fetcher
	o               Options
	browser         *browser
	files           *fileCache
	tabs            chan struct{}
}

var (
	_ crawler.Fetcher = (*Renderer)(nil)
	_ crawler.Pacer   = (*Renderer)(nil)
	_ crawler.Lister  = (*Renderer)(nil)
)

// New returns a Renderer. The error is ErrNoBrowser or ErrRoot, or says what is
// missing.
func New(o Options) (*Renderer, error) {
	switch {
	case o.Fetcher == nil || o.Loader == nil:
		return nil, errors.New("render: fetcher and loader must be set")
	case os.Geteuid() == 0 && !o.NoSandbox:
		return nil, ErrRoot
	}
	path, err := findBrowser(o.Browser)
	if err != nil {
		return nil, err
	}
	o.Timeout, o.Requests = cmp.Or(o.Timeout, DefaultTimeout), cmp.Or(o.Requests, DefaultRequests)
	o.Bytes, o.Tabs = cmp.Or(o.Bytes, DefaultBytes), cmp.Or(o.Tabs, DefaultTabs)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Renderer{Wrapped: crawler.Wrapped{Fetcher: o.Fetcher}, o: o, browser: newBrowser(path, o.NoSandbox), files: newFileCache(), tabs: make(chan struct{}, o.Tabs)}, nil
}

func findBrowser(path string) (string, error) {
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"}
	if path != "" {
		names = []string{path}
	}
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("%w (looked for %s)", ErrNoBrowser, strings.Join(names, ", "))
}

// Close ends the browser.
func (r *Renderer) Close() error { return r.browser.closeBrowser() }

// Fetch fetches a page, and renders it if it shows nothing without scripts. A page that
// cannot be rendered is returned unchanged.
func (r *Renderer) Fetch(ctx context.Context, q crawler.Request) (*webgraph.Page, error) {
	page, err := r.Wrapped.Fetch(ctx, q)
	if err != nil || !needsScripts(page) {
		return page, err
	}
	full := time.NewTimer(maxWait * r.o.Timeout)
	defer full.Stop()
	select {
	case r.tabs <- struct{}{}:
		defer func() { <-r.tabs }()
	case <-full.C:
		r.o.Log.Warn("page not rendered: all tabs are busy", "url", page.URL)
		return page, nil
	case <-ctx.Done():
		return page, nil
	}
	html, err := r.render(ctx, page, q)
	if err != nil {
		r.o.Log.Warn("page not rendered", "url", page.URL, "err", err)
	}
	if len(html) == 0 {
		return page, nil
	}
	rendered := *page
	rendered.Header = http.Header{}
	maps.Copy(rendered.Header, page.Header)
	rendered.Header.Set("Content-Type", "text/html; charset=utf-8")
	rendered.Body, rendered.Rendered = html, true
	return &rendered, nil
}

// needsScripts reports whether a page holds scripts and next to no text.
func needsScripts(p *webgraph.Page) bool {
	if p.Status != http.StatusOK || p.Truncated || p.Text != "" || p.Entries != nil || !bytes.Contains(bytes.ToLower(p.Body), []byte("<script")) {
		return false
	}
	tree, err := tagtree.Parse(p)
	return err == nil && len(strings.Join(strings.Fields(tree.Text()), "")) <= maxVisible
}
