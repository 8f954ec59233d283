package render

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// quiet is how long a page must load nothing to count as finished.
const quiet = 500 * time.Millisecond

// A renderedPage is one page in one tab.
type renderedPage struct {
	*Renderer
	ctx     context.Context // context of the tab, in which commands run
	page    *webgraph.Page
	request crawler.Request
	host    webgraph.Host

	mu       sync.Mutex // guards below
	served   bool       // the page itself was passed to the browser
	requests int
	bytes    int
	pending  int
	active   time.Time // when the last file came
	asked    time.Time // when the page's host was last requested
}

// render returns the HTML of a page after its scripts have run. If the time is over before they are done, it
// returns an error and the partial result so far.
func (r *Renderer) render(ctx context.Context, p *webgraph.Page, q crawler.Request) ([]byte, error) {
	tab, cancel, err := r.browser.openTab()
	if err != nil {
		return nil, err
	}
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	now := time.Now()
	v := &renderedPage{Renderer: r, ctx: tab, page: p, request: q, host: webgraph.HostOf(p.URL), active: now, asked: now}
	if err := v.intercept(); err != nil {
		return nil, err
	}
	timed, stop := context.WithTimeout(tab, r.o.Timeout)
	defer stop()
	err = chromedp.Do(timed, chromedp.Navigate(p.URL))
	if err == nil {
		v.waitSettled(timed)
	}
	grace, stopGrace := context.WithTimeout(tab, r.o.Timeout/4)
	defer stopGrace()
	html, readErr := outerHTML(grace)
	return html, errors.Join(err, readErr)
}

// outerHTML reads the HTML of a tab, at most maxHTML bytes, in an isolated world. A page's scripts
// can replace outerHTML and slice in theirs.
func outerHTML(ctx context.Context) ([]byte, error) {
	frames, err := chromedp.Call(ctx, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	world, err := chromedp.Call(ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frames.FrameTree.Frame.ID})
	if err != nil {
		return nil, err
	}
	read := fmt.Sprintf("document.documentElement.outerHTML.slice(0, %d)", maxHTML)
	html, err := chromedp.Run(ctx, chromedp.Evaluate[string](read, func(p *runtime.EvaluateParams) { p.ContextID = world.ExecutionContextID }))
	return []byte(html[:min(len(html), maxHTML)]), err
}

// intercept makes the browser pass every request of the tab to answer.
func (v *renderedPage) intercept() error {
	err := chromedp.Listen(v.ctx, func(ev any) {
		switch e := ev.(type) {
		case *fetch.EventRequestPaused:
			go v.answerRequest(e)
		case *page.EventJavascriptDialogOpening:
			go chromedp.Call(v.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false})
		}
	})
	if err != nil {
		return err
	}
	_, err = chromedp.Call(v.ctx, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*"}}})
	return err
}

// waitSettled returns when the page no longer loads anything, or ctx ends.
func (v *renderedPage) waitSettled(ctx context.Context) {
	tick := time.NewTicker(quiet / 5)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			v.mu.Lock()
			done := v.pending == 0 && now.Sub(v.active) >= quiet
			v.mu.Unlock()
			if done {
				return
			}
		}
	}
}

// answerRequest sends the browser the requested resource, or an error.
func (v *renderedPage) answerRequest(e *fetch.EventRequestPaused) {
	v.mu.Lock()
	first := !v.served && e.ResourceType == network.ResourceTypeDocument
	v.served = v.served || first
	v.pending++
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		v.pending--
		v.active = time.Now()
		v.mu.Unlock()
	}()
	file := v.page
	if !first {
		file = v.loadFile(e)
	}
	if file == nil {
		_, _ = chromedp.Call(v.ctx, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
		return
	}
	headers := []*fetch.HeaderEntry{{Name: "Access-Control-Allow-Origin", Value: "*"}}
	if t := file.Header.Get("Content-Type"); t != "" {
		headers = append(headers, &fetch.HeaderEntry{Name: "Content-Type", Value: t})
	}
	_, _ = chromedp.Call(v.ctx, fetch.FulfillRequest, fetch.FulfillRequestParams{ // the tab may be closed
		RequestID: e.RequestID, ResponseCode: int64(file.Status), ResponseHeaders: headers, Body: file.Body,
	})
}

// loadFile returns a file that scripts request; nil if it is not available.
func (v *renderedPage) loadFile(e *fetch.EventRequestPaused) *webgraph.Page {
	script := e.ResourceType == network.ResourceTypeScript
	if !script && e.ResourceType != network.ResourceTypeXHR && e.ResourceType != network.ResourceTypeFetch || e.Request.Method != http.MethodGet {
		return nil
	}
	url, err := webgraph.Canonical(e.Request.URL)
	if err != nil {
		return nil
	}
	if script {
		if file := v.files.get(url); file != nil {
			return file
		}
	}
	if !v.countRequest() || !v.mayRequest(webgraph.HostOf(url)) {
		return nil
	}
	file, err := v.o.Loader.Load(v.ctx, crawler.Request{URL: url, Turn: v.turnAfter(webgraph.HostOf(url))})
	if err != nil {
		v.o.Log.Debug("file not loaded", "url", url, "page", v.page.URL, "err", err)
		return nil
	}
	v.mu.Lock()
	v.bytes += len(file.Body)
	v.mu.Unlock()
	if script && file.Status == http.StatusOK && !file.Truncated {
		v.files.put(url, file)
	}
	return file
}

// countRequest counts a request and reports whether the page may make it.
func (v *renderedPage) countRequest() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.requests++
	return v.requests <= v.o.Requests && v.bytes <= v.o.Bytes
}

// turnAfter returns a Turn for the requests that follow an allowed request to a host.
func (v *renderedPage) turnAfter(first webgraph.Host) func(webgraph.Host) bool {
	return func(host webgraph.Host) bool {
		if host == first {
			first = ""
			return true
		}
		return v.mayRequest(host)
	}
}

// mayRequest reports whether a host may be requested. The page's own host is leased, so this waits for its
// delay. Other hosts may be requested only if they are available now.
func (v *renderedPage) mayRequest(host webgraph.Host) bool {
	if host != v.host {
		return v.request.Turn == nil || v.request.Turn(host)
	}
	pause := max(v.o.Pause, v.CrawlDelay(v.page.URL))
	v.mu.Lock()
	now := time.Now()
	at := v.asked.Add(pause)
	if at.Before(now) {
		at = now
	}
	v.asked = at
	v.mu.Unlock()
	return crawler.WaitFor(v.ctx, at.Sub(now)) == nil
}
