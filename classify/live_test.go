package classify

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// A modelDir is a folder of models whose files get a new time at each change.
type modelDir struct {
	testing.TB
	path    string
	changes int
}

func newModelDir(t testing.TB) *modelDir {
	d := &modelDir{TB: t, path: t.TempDir()}
	d.put(cfpFile, encode(t, testModel(t, TaskCFP)))
	d.put(pageTypeFile, encode(t, testModel(t, TaskPageType)))
	return d
}

func (d *modelDir) put(name string, data []byte) {
	d.Helper()
	path := filepath.Join(d.path, name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		d.Fatal(err)
	}
	d.changes++
	at := time.Unix(1_800_000_000+int64(d.changes), 0)
	if err := os.Chtimes(path, at, at); err != nil {
		d.Fatal(err)
	}
}

// variant is a model that differs from testModel's by its threshold.
func variant(t testing.TB, task string, threshold float64) []byte {
	m := *testModel(t, task)
	m.Threshold = threshold
	return encode(t, &m)
}

func mustOpenLive(t testing.TB, dir string) *Live {
	t.Helper()
	l, err := OpenLive(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// check calls Check and fails unless the result is the expected one.
func check(t testing.TB, l *Live, swapped bool) {
	t.Helper()
	if got, err := l.Check(); err != nil || got != swapped {
		t.Fatalf("Check = %t, %v; want %t", got, err, swapped)
	}
}

func TestLiveSwaps(t *testing.T) {
	d := newModelDir(t)
	l := mustOpenLive(t, d.path)
	check(t, l, false)
	first := l.Current()
	cfp, pageType := variant(t, TaskCFP, 0.7), variant(t, TaskPageType, 0.7)
	d.put(cfpFile, cfp)
	check(t, l, false) // it may still be written
	d.put(pageTypeFile, pageType)
	check(t, l, false)
	if l.Current() != first {
		t.Fatal("half of a pair was taken up")
	}
	check(t, l, true)
	check(t, l, false)
	now := l.Current()
	if now.CFP().Threshold != 0.7 || now.PageType().Threshold != 0.7 || l.For("http://a.example/") != now.Judge {
		t.Error("the new models are not in use")
	}
	if now.CFPFile != webgraph.DigestOf(cfp) || now.PageTypeFile != webgraph.DigestOf(pageType) {
		t.Errorf("digests %s and %s", now.CFPFile, now.PageTypeFile)
	}
	d.put(cfpFile, cfp) // touched only
	check(t, l, false)
	check(t, l, false)
	if l.Current() != now {
		t.Error("equal files were swapped")
	}
}

func TestLiveRefuses(t *testing.T) {
	whole := encode(t, testModel(t, TaskCFP))
	future := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(future[len(modelMagic):], 99)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	turned := *testModel(t, TaskCFP)
	turned.Classes = []string{"cfp", "not_cfp"}
	for name, test := range map[string]struct {
		data         []byte
		incompatible bool
		want         string
	}{
		"another version": {future, true, "train the model again"},
		"another task":    {encode(t, testModel(t, TaskPageType)), true, `of task "page-type"`},
		"other classes":   {encode(t, &turned), true, "the classes of the cfp model"},
		"truncated":       {whole[:len(whole)-40], false, "copy or train it again"},
		"begun":           {whole[:10], false, "truncated"},
		"empty":           {nil, false, "another kind"},
		"bit flipped":     {flipped, false, "copy or train it again"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newModelDir(t)
			l := mustOpenLive(t, d.path)
			first := l.Current()
			d.put(cfpFile, test.data)
			check(t, l, false)
			_, err := l.Check()
			if err == nil || errors.Is(err, ErrIncompatible) != test.incompatible {
				t.Fatalf("got %v, ErrIncompatible wanted: %t", err, test.incompatible)
			}
			for _, part := range []string{d.path, test.want, "the models in use stay"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q lacks %q", err, part)
				}
			}
			check(t, l, false) // said once
			if l.Current() != first {
				t.Error("the models in use are gone")
			}
			if _, err := OpenLive(d.path, nil); errors.Is(err, ErrIncompatible) != test.incompatible || err == nil {
				t.Errorf("OpenLive: %v", err)
			}
			d.put(cfpFile, variant(t, TaskCFP, 0.9))
			check(t, l, false)
			check(t, l, true)
		})
	}
}

func TestLiveWithoutAFile(t *testing.T) {
	d := newModelDir(t)
	l := mustOpenLive(t, d.path)
	if err := os.Remove(filepath.Join(d.path, pageTypeFile)); err != nil {
		t.Fatal(err)
	}
	check(t, l, false)
	if _, err := l.Check(); err == nil || !strings.Contains(err.Error(), "train --task page-type") {
		t.Errorf("a missing file: %v", err)
	}
	if err := os.Mkdir(filepath.Join(d.path, pageTypeFile), 0o755); err != nil {
		t.Fatal(err)
	}
	check(t, l, false)
	if _, err := l.Check(); err == nil || !strings.Contains(err.Error(), "no file") {
		t.Errorf("a folder for a file: %v", err)
	}
}

// TestLiveFallsBack removes one of two models: the shipped one of its task takes its place, and both
// are swapped again when the file returns.
func TestLiveFallsBack(t *testing.T) {
	d := newModelDir(t)
	shipped := fstest.MapFS{
		cfpFile:      {Data: variant(t, TaskCFP, 0.3)},
		pageTypeFile: {Data: variant(t, TaskPageType, 0.3)},
	}
	d.put(cfpFile, variant(t, TaskCFP, 0.7))
	l, err := OpenLive(d.path, shipped)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(d.path, cfpFile)); err != nil {
		t.Fatal(err)
	}
	check(t, l, false)
	check(t, l, true)
	if now := l.Current(); !now.Own || now.CFP().Threshold != 0.3 || now.CFPFile != webgraph.DigestOf(shipped[cfpFile].Data) {
		t.Errorf("after the removal the threshold is %v, want that of the shipped model", now.CFP().Threshold)
	}
	d.put(cfpFile, variant(t, TaskCFP, 0.9))
	check(t, l, false)
	check(t, l, true)
	if got := l.Current().CFP().Threshold; got != 0.9 {
		t.Errorf("after the return the threshold is %v", got)
	}
	if l, err := OpenLive(filepath.Join(d.path, "absent"), shipped); err != nil || l.Current().Own {
		t.Errorf("a folder that is missing: %v", err)
	}
}

// TestLiveWhileJudging swaps while pages are judged: each is judged by two
// models of one pair. Run it with -race.
func TestLiveWhileJudging(t *testing.T) {
	d := newModelDir(t)
	l := mustOpenLive(t, d.path)
	page := tree(t, "http://a.example/", "<p>call for papers on rivers")
	ctx, cancel := context.WithCancel(t.Context())
	tick := make(chan time.Time)
	var swaps, refusals atomic.Int32
	var done sync.WaitGroup
	done.Go(func() {
		l.Watch(ctx, tick, func(now *Loaded, err error) {
			if swaps.Add(1); err != nil || now != l.Current() {
				swaps.Add(-1)
				refusals.Add(1)
			}
		})
	})
	for range 4 {
		done.Go(func() {
			for ctx.Err() == nil {
				j := l.Current()
				if cfp, pageType := j.CFP().Threshold, j.PageType().Threshold; cfp != pageType {
					t.Errorf("a pair of thresholds %v and %v", cfp, pageType)
				}
				j.JudgePage(page)
			}
		})
	}
	for n := range 10 {
		threshold := float64(n+1) / 20
		d.put(cfpFile, variant(t, TaskCFP, threshold))
		d.put(pageTypeFile, variant(t, TaskPageType, threshold))
		for range 3 { // the third begins when the second is done
			tick <- time.Time{}
		}
		if got := l.Current().CFP().Threshold; got != threshold {
			t.Errorf("swap %d: threshold %v, want %v", n, got, threshold)
		}
	}
	d.put(cfpFile, nil)
	for range 3 {
		tick <- time.Time{}
	}
	cancel()
	done.Wait()
	if swaps.Load() != 10 || refusals.Load() != 1 {
		t.Errorf("%d swaps and %d refusals reported, want 10 and 1", swaps.Load(), refusals.Load())
	}
}
