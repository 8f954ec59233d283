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
		m.End()
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
		if got := talk.String(); !strings.HasPrefix(got, "importing 0.") || !strings.HasSuffix(got, "for 3s\n") {
			t.Errorf("said %s", got)
		}
	})
	if m := NewMeter(&App{Config: Config{Quiet: true}}, "reading", 1); m != nil {
		t.Error("a meter with --quiet")
	}
	var none *Meter
	none.Add(1, 1)
	none.End()
}
