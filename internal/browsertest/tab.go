// Package browsertest shows pages to tests in a real chromium, and reports their faults. They are
// what axe-core finds, what is wider than the screen, and what a script logged.
package browsertest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// Limit is the time limit for one step, on a slow machine too.
const Limit = 2 * time.Minute

// A Look is the setting in which a reader sees a page. It has width and height in CSS pixels, a phone or
// none, the colour scheme "light" or "dark".
type Look struct {
	Name          string
	Width, Height int64
	Phone         bool
	Scheme        string
}

// The looks that pages are checked in.
var (
	PhoneLight   = Look{"phone-light", 390, 844, true, "light"}
	PhoneDark    = Look{"phone-dark", 390, 844, true, "dark"}
	DesktopLight = Look{"desktop-light", 1280, 900, false, "light"}
	DesktopDark  = Look{"desktop-dark", 1280, 900, false, "dark"}
)

// Looks returns all of them.
func Looks() []Look { return []Look{PhoneLight, PhoneDark, DesktopLight, DesktopDark} }

// A Tab is that of a headless chromium of its own before one site. It is for one test.
type Tab struct {
	t       testing.TB
	ctx     context.Context
	base    string // URL of the site, without the last slash
	axe     string // the source of axe-core
	noPages bool   // scripts of pages are off
}

// Open starts a chromium before the site at base. It skips the test where chromium or
// the file that EVENTSEER_AXE names is missing, and fails it there if CI=true.
func Open(t testing.TB, base string) *Tab {
	t.Helper()
	path, axe := needed(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(path), chromedp.DisableGPU, chromedp.NoSandbox, chromedp.Flag("hide-scrollbars", true), chromedp.WSURLReadTimeout(Limit))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() { cancel(); stop() })
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return &Tab{t: t, ctx: ctx, base: strings.TrimSuffix(base, "/"), axe: axe}
}

// Need skips a test like Open, before the test prepares its pages.
func Need(t testing.TB) {
	t.Helper()
	needed(t)
}

func needed(t testing.TB) (chromium, axe string) {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		lacking(t, "chromium is not installed: %v", err)
	}
	source, err := os.ReadFile(os.Getenv("EVENTSEER_AXE")) // #nosec G304 -- named by the user who runs the tests
	if err != nil {
		lacking(t, "EVENTSEER_AXE names no axe.min.js: %v", err)
	}
	return path, string(source)
}

func lacking(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// See sets how pages are seen from now on.
func (b *Tab) See(l Look) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, Limit)
	defer cancel()
	metrics := emulation.SetDeviceMetricsOverrideParams{Width: l.Width, Height: l.Height, DeviceScaleFactor: 1, Mobile: l.Phone}
	_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, metrics)
	if err == nil {
		_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: l.Scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// Zone has pages believe that they are read in an IANA time zone.
func (b *Tab) Zone(id string) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: id}); err != nil {
		b.t.Fatal(err)
	}
}

// SlowNetwork slows the network to slow 4G as Lighthouse has it: 150 ms to and fro, 1.6 Mbit/s down
// and 0.75 up. Nothing is taken from the cache of the browser.
func (b *Tab) SlowNetwork() {
	b.t.Helper()
	const bitsPerByte = 8
	slow := &network.Conditions{Latency: 150, DownloadThroughput: 1.6e6 / bitsPerByte, UploadThroughput: 0.75e6 / bitsPerByte}
	_, err := chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{slow}})
	if err == nil {
		_, err = chromedp.Call(b.ctx, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// LargestPaint returns when the largest part of the open page was painted, counted from its request.
func (b *Tab) LargestPaint() time.Duration {
	b.t.Helper()
	ms := Evaluate[float64](b, `new Promise(done => new PerformanceObserver(list => done(list.getEntries().at(-1).startTime)).observe({type: "largest-contentful-paint", buffered: true}))`)
	return time.Duration(ms * float64(time.Millisecond))
}

// Go opens a path of the site, or a URL.
func (b *Tab) Go(path string) {
	b.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = b.base + path
	}
	b.Do(chromedp.Navigate(path))
}

// Do runs steps in the page that is open.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, Limit)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("at %s: %v", b.Address(), err)
	}
}

// Type replaces the text of a field, as a keyboard does.
func (b *Tab) Type(selector, text string) {
	b.t.Helper()
	b.run(`document.querySelector(` + quoted(selector) + `).value = ""`)
	b.Do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Press presses a link or a button with the mouse and waits for the page it leads to.
func (b *Tab) Press(selector string) {
	b.t.Helper()
	b.leave(chromedp.Click(chromedp.CSS(selector)))
}

// Enter presses the enter key in a field and waits for the page it leads to.
func (b *Tab) Enter(selector string) {
	b.t.Helper()
	b.leave(chromedp.SendKeys(chromedp.CSS(selector), "\r"))
}

// PressKey presses a key of the keyboard, wherever the focus is, and waits for the page it
// leads to.
func (b *Tab) PressKey(key string) {
	b.t.Helper()
	b.leave(chromedp.KeyEvent(key))
}

func (b *Tab) leave(step chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.run(`document.body.dataset.old = "1"`)
	b.Do(step, chromedp.WaitReady(chromedp.CSS("body:not([data-old]) footer")))
}

// Unfold opens whatever folds in the page.
func (b *Tab) Unfold() {
	b.t.Helper()
	b.run(`document.querySelectorAll("details").forEach(d => d.open = true)`)
}

// Text returns the text of the first element that matches a selector, in one line; "" if there is none.
func (b *Tab) Text(selector string) string {
	b.t.Helper()
	text := Evaluate[string](b, `(document.querySelector(`+quoted(selector)+`) || {innerText: ""}).innerText`)
	return strings.Join(strings.Fields(text), " ")
}

// Says reports whether the first element of a selector contains a text.
func (b *Tab) Says(selector, text string) bool {
	b.t.Helper()
	return strings.Contains(b.Text(selector), text)
}

// Want fails the test unless the first element of a selector contains a text.
func (b *Tab) Want(selector, text string) {
	b.t.Helper()
	if got := b.Text(selector); !strings.Contains(got, text) {
		b.t.Fatalf("%s: %s says %.600q, want %q; the page says %.1500q", b.Address(), selector, got, text, b.Text("main"))
	}
}

// Count counts the elements of a selector.
func (b *Tab) Count(selector string) int {
	b.t.Helper()
	return Evaluate[int](b, `document.querySelectorAll(`+quoted(selector)+`).length`)
}

// Address returns the path and query of the page that is open.
func (b *Tab) Address() string {
	b.t.Helper()
	return Evaluate[string](b, `location.pathname + location.search`)
}

// Scripts switches the scripts of pages on or off. Those of the test run all the same.
func (b *Tab) Scripts(on bool) {
	b.t.Helper()
	b.noPages = !on
	b.switchScripts(on)
}

func (b *Tab) switchScripts(on bool) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *Tab) run(script string) {
	b.t.Helper()
	Evaluate[int](b, script+`, 0`)
}

// Evaluate runs a script of the test in the page that is open and returns what it, or
// its promise, gives.
func Evaluate[T any](b *Tab, script string) T {
	b.t.Helper()
	if b.noPages {
		b.switchScripts(true)
		defer b.switchScripts(false)
	}
	ctx, cancel := context.WithTimeout(b.ctx, Limit)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%.100s: %v", script, err)
	}
	return v
}

func quoted(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string of Go
	}
	return string(quoted)
}
