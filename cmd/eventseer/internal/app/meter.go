package app

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A Meter shows the progress of long work: the fraction done, the rate and the time left. Work of less
// than two seconds is not shown. A nil Meter shows nothing. It is safe for concurrent use.
type Meter struct {
	a      *App
	label  string // what is done, "reading"
	noun   string // plural noun for the items
	counts bool   // total is of items
	total  int64  // bytes or items; 0 if unknown
	start  time.Time
	pause  time.Duration
	bar    *progressbar.ProgressBar // nil without a terminal

	bytes, items atomic.Int64

	mu    sync.Mutex // guards next
	next  time.Time  // when to say something
	spoke bool
}

// NewMeter returns a Meter for work on total bytes, nil if progress is not to be shown.
func NewMeter(a *App, label string, total int64) *Meter {
	mode := a.ProgressMode()
	if mode == "none" || a.Session != nil {
		return nil
	}
	m := &Meter{a: a, label: label, noun: "pages", total: total, start: time.Now(), pause: LinePause}
	m.next = m.start.Add(firstSign)
	if mode == "bar" {
		m.pause = BarPause
		steps := total
		if steps == 0 {
			steps = -1 // a spinner
		}
		m.bar = progressbar.NewOptions64(steps, progressbar.OptionSetWriter(a.Stderr), progressbar.OptionSetWidth(20),
			progressbar.OptionThrottle(BarPause), progressbar.OptionClearOnFinish())
	}
	return m
}

// NewCounter returns a Meter for work on total items, nil if progress is not to be shown. The argument
// noun is the name of the items in the plural.
func NewCounter(a *App, label, noun string, total int) *Meter {
	m := NewMeter(a, label, int64(total))
	if m != nil {
		m.counts, m.noun = true, noun
	}
	return m
}

// WithNoun sets the plural noun for the items. It must be called before the first Add.
func (m *Meter) WithNoun(noun string) *Meter {
	if m != nil {
		m.noun = noun
	}
	return m
}

// ShowDuring calls f and meanwhile shows the progress, even if f adds nothing for long.
func (m *Meter) ShowDuring(f func() error) error {
	if m == nil {
		return f()
	}
	ended := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(m.pause)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				m.Add(0, 0)
			}
		}
	})
	defer done.Wait()
	defer close(ended)
	return f()
}

// Add counts finished work, and shows the progress from time to time.
func (m *Meter) Add(bytes, items int64) {
	if m == nil {
		return
	}
	done, n := m.bytes.Add(bytes), m.items.Add(items)
	if m.counts {
		done = n
	}
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Before(m.next) {
		return
	}
	m.next, m.spoke = now.Add(m.pause), true
	took := now.Sub(m.start)
	if m.bar != nil {
		m.bar.Describe(m.describe(done, n, took))
		_ = m.bar.Set64(min(done, max(m.total, 1))) // a progress bar that cannot be drawn is not an error
		return
	}
	share, left := shareAndLeft(done, m.total, took)
	m.a.Status(map[string]any{"doing": m.label, "share": share, m.noun: n, "seconds_left": left.Seconds()}, "%s", m.describe(done, n, took))
}

// RemoveBar removes the bar from the terminal.
func (m *Meter) RemoveBar() {
	if m != nil && m.bar != nil && m.spoke {
		_ = m.bar.Finish()
	}
}

// shareAndLeft estimates the progress of work, from 0 to 1, and the time left at the rate so far.
// Both are 0 if the total is unknown.
func shareAndLeft(done, total int64, took time.Duration) (share float64, left time.Duration) {
	if total <= 0 || done <= 0 {
		return 0, 0
	}
	share = min(1, float64(done)/float64(total))
	return share, time.Duration(float64(took) * (1 - share) / share).Round(time.Second)
}

// describe describes the progress: done of the total, with n items.
func (m *Meter) describe(done, n int64, took time.Duration) string {
	rate, whole := "", fmt.Sprintf("%.1f MB", float64(m.total)/1e6)
	if n > 0 {
		rate = fmt.Sprintf(", %d %s, %.3g/s", n, m.noun, float64(n)/took.Seconds())
	}
	if m.counts {
		whole = fmt.Sprintf("%d %s", m.total, m.noun)
	}
	switch part, left := shareAndLeft(done, m.total, took); {
	case part > 0:
		return fmt.Sprintf("%s %.0f %% of %s%s, %s left", m.label, 100*part, whole, rate, left)
	case m.total > 0:
		return fmt.Sprintf("%s %s, for %s", m.label, whole, took.Round(time.Second))
	case m.counts:
		return fmt.Sprintf("%s%s, for %s", m.label, rate, took.Round(time.Second))
	}
	return fmt.Sprintf("%s %.1f MB%s, in %s so far", m.label, float64(done)/1e6, rate, took.Round(time.Second))
}

// Reader returns a reader that counts the bytes read from r.
func (m *Meter) Reader(r io.Reader) io.Reader {
	if m == nil {
		return r
	}
	return meteredReader{r, m}
}

// Writer returns a writer that counts the bytes written to w.
func (m *Meter) Writer(w io.Writer) io.Writer {
	if m == nil {
		return w
	}
	return meteredWriter{w, m}
}

type meteredWriter struct {
	io.Writer
	m *Meter
}

func (w meteredWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.m.Add(int64(n), 0)
	return n, err
}

type meteredReader struct {
	io.Reader
	m *Meter
}

func (r meteredReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.m.Add(int64(n), 0)
	return n, err
}

// OffsetCounter returns a function to be called with the offsets of the records of one file, in order.
func (m *Meter) OffsetCounter() func(offset int64) {
	last := int64(0)
	return func(offset int64) {
		m.Add(offset-last, 1)
		last = offset
	}
}

// MeterFiles returns a Meter of reading files and folders.
func MeterFiles(a *App, label string, paths []string) *Meter {
	total := int64(0)
	for _, path := range paths {
		if err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil // the error is reported when the input is read
			}
			if info, err := d.Info(); err == nil {
				total += info.Size()
			}
			return nil
		}); err != nil {
			return nil
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() && !info.IsDir() {
			return NewMeter(a, label, 0) // stdin, a URL, a pipe
		}
	}
	return NewMeter(a, label, total)
}

// MeterInputs shows the progress of reading INPUT until the returned function is called, unless it
// is shown already.
func MeterInputs(a *App, inputs []string) (stop func()) {
	if a.inputs == nil {
		return func() {}
	}
	m := MeterFiles(a, "reading", inputs)
	if m == nil || !a.inputs.CompareAndSwap(nil, m) {
		return func() {}
	}
	return func() {
		a.inputs.Store(nil)
		m.RemoveBar()
	}
}

// InputMeter returns the Meter of INPUT, nil without one.
func InputMeter(a *App) *Meter {
	if a.inputs == nil {
		return nil
	}
	return a.inputs.Load()
}
