package app

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestMeter: two seconds of silence, then a line every five with share, rate and time left.
func TestMeter(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pages.txt")
	if err := os.WriteFile(file, make([]byte, 4_000_000), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var talk strings.Builder
		a := &App{Stderr: &talk, Config: Config{Progress: "plain", LogFormat: "text"}}
		m := MeterFiles(a, "reading", []string{file})
		for range 10 { // 10 pages of 200 kB in 10 seconds
			time.Sleep(time.Second)
			m.Add(200_000, 1)
		}
		m.RemoveBar()
		want := "reading 10 % of 4.0 MB, 2 pages, 1/s, 18s left\nreading 35 % of 4.0 MB, 7 pages, 1/s, 13s left\n"
		if talk.String() != want {
			t.Errorf("said\n%swant\n%s", &talk, want)
		}
		talk.Reset()
		m = NewMeter(a, "importing", 0) // the size of a pipe is not known
		time.Sleep(3 * time.Second)
		if _, err := io.Copy(io.Discard, m.Reader(strings.NewReader(strings.Repeat("x", 100_000)))); err != nil {
			t.Fatal(err)
		}
		if got := talk.String(); !strings.HasPrefix(got, "importing 0.") || !strings.HasSuffix(got, "in 3s so far\n") {
			t.Errorf("said %s", got)
		}
	})
	if got := counterTalk(t); got != "exporting 60 % of 10 calls, 6 calls, 1.2/s, 3s left\nexporting 60 % of 10 calls, 6 calls, 0.6/s, 7s left\n" {
		t.Errorf("said\n%s", got)
	}
	if m := NewMeter(&App{Config: Config{Quiet: true}}, "reading", 1); m != nil {
		t.Error("a meter with --quiet")
	}
	var none *Meter
	none.Add(1, 1)
	none.RemoveBar()
	if err := none.ShowDuring(func() error { return io.EOF }); err != io.EOF {
		t.Errorf("error %v", err)
	}
}

// counterTalk returns the output of a counter of 10 calls for work that does 6 at once and then nothing for
// 11 seconds.
func counterTalk(t *testing.T) string {
	var talk strings.Builder
	synctest.Test(t, func(t *testing.T) {
		a := &App{Stderr: &talk, Config: Config{Progress: "plain", LogFormat: "text"}}
		m := NewCounter(a, "exporting", "calls", 10)
		if err := m.ShowDuring(func() error {
			m.Add(0, 6)
			time.Sleep(11 * time.Second)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		m.RemoveBar()
	})
	return talk.String()
}
