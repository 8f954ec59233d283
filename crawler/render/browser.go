package render

import (
	"context"
	"errors"
	"sync"

	"github.com/chromedp/chromedp"
)

// A browser is one Chromium process, started when first needed and restarted after it died. Each
// page has its own tab and profile.
type browser struct {
	path      string
	noSandbox bool

	mu     sync.Mutex // guards below
	ctx    context.Context
	stop   context.CancelFunc
	closed bool
}

func newBrowser(path string, noSandbox bool) *browser {
	return &browser{path: path, noSandbox: noSandbox}
}

var errClosed = errors.New("renderer is closed")

// openTab opens a tab, which the returned function closes.
func (b *browser) openTab() (context.Context, context.CancelFunc, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, nil, errClosed
	}
	if b.ctx == nil || b.ctx.Err() != nil {
		if err := b.startBrowser(); err != nil {
			return nil, nil, err
		}
	}
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	return ctx, cancel, nil
}

// startBrowser starts the browser. mu must be held.
func (b *browser) startBrowser() error {
	if b.stop != nil {
		b.stop()
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(b.path),
		chromedp.DisableGPU,
		chromedp.NoInheritEnv,
		// Connections that bypass the interception of requests must fail: web sockets, WebRTC,
		// prefetching.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"),
		chromedp.ProxyServer("http://127.0.0.1:1"),
		chromedp.Flag("proxy-bypass-list", "<-loopback>"),
		chromedp.Flag("force-webrtc-ip-handling-policy", "disable_non_proxied_udp"),
		chromedp.Flag("blink-settings", "imagesEnabled=false"),
		chromedp.Flag("mute-audio", true),
		chromedp.Flag("disable-background-timer-throttling", false),
	)
	if b.noSandbox {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	b.stop = func() { cancel(); stopAllocator() }
	if err := chromedp.Do(ctx); err != nil {
		b.stop()
		return err
	}
	b.ctx = ctx
	return nil
}

func (b *browser) closeBrowser() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.stop == nil {
		return nil
	}
	defer b.stop()
	if b.ctx == nil || b.ctx.Err() != nil {
		return nil
	}
	return chromedp.Cancel(b.ctx) // waits for the process
}
