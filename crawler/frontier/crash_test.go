package frontier

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/crawler"

	"github.com/google/go-cmp/cmp"
)

// script is a short crawl; tick runs before every call that may write, and after it to record that it was
// acknowledged. It stops at the first error.
func script(t testing.TB, f *Frontier, tick func(), acknowledged func()) error {
	ctx := t.Context()
	call := func(err error) error {
		if err == nil {
			acknowledged()
		}
		return err
	}
	tick()
	if err := call(f.Push(ctx, seeds("https://a.org/1", "https://b.org/1", "https://c.org/1"))); err != nil {
		return err
	}
	for i := range 6 {
		var ends []crawler.End
		for range 1 + i%2 {
			l, err := f.Next(ctx)
			if err != nil {
				return err
			}
			if _, err := f.RecordAddress(ctx, l, fmt.Sprintf("https://e%d.org/", i)); err != nil {
				return err
			}
			o := fetched
			o.Clips, o.Notes, o.Text = []string{"c"}, []crawler.Note{{Key: "k", Value: []byte{byte(i)}}}, 7
			ends = append(ends, crawler.End{Lease: l, Outcome: o, Changes: crawler.Changes{Push: seeds(fmt.Sprintf("https://d%d.org/", len(l.URL)*i))}})
		}
		tick()
		if err := call(f.Push(ctx, seeds(fmt.Sprintf("https://d%d.org/", i), "https://a.org/2"))); err != nil {
			return err
		}
		tick()
		if err := call(f.Done(ctx, ends...)); err != nil {
			return err
		}
	}
	return nil
}

// contents is everything that a frontier's file contains.
func contents(t testing.TB, f *Frontier) string {
	t.Helper()
	var b bytes.Buffer
	err := f.ForEach(t.Context(), func(url string, r Record) error {
		_, err := fmt.Fprintf(&b, "%s %v %v %d %s\n", url, r.State, r.Interrupted, r.Seq, r.Via)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = f.Notes(t.Context(), func(n crawler.Note) error {
		_, err := fmt.Fprintf(&b, "%s=%x\n", n.Key, n.Value)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Progress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.Waiting, p.Leased = p.Waiting+p.Leased, 0 // leased links wait after a crash
	fmt.Fprintf(&b, "%+v\n", p)
	return b.String()
}

var quiet = Options{NoWait: true, NoSync: true, Now: func() time.Time { return time.Unix(1795000000, 0) }}

// kill leaves a frontier as kill -9 does.
func kill(t testing.TB, f *Frontier) {
	t.Helper()
	f.mu.Lock()
	f.stopTimer()
	f.err = errClosed
	f.mu.Unlock()
	if err := f.db.Close(); err != nil {
		t.Fatal(err)
	}
}

// The process ends after the n-th acknowledged call, for n = 1, 2, …: all that
// was acknowledged is there.
func TestKilled(t *testing.T) {
	type killed struct{ error }
	for n := 1; ; n++ {
		path := filepath.Join(t.TempDir(), "f.db")
		f := openAt(t, path, quiet)
		left := n
		var ended crawler.Progress
		err := func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = r.(killed).error
				}
			}()
			return script(t, f, func() {}, func() {
				if left--; left == 0 {
					var err error
					if ended, err = f.Progress(t.Context()); err != nil {
						t.Fatal(err)
					}
					panic(killed{errClosed})
				}
			})
		}()
		if err == nil {
			closeClean(t, f)
			return
		}
		kill(t, f)
		again := openAt(t, path, quiet)
		got, err := again.Progress(t.Context())
		want := ended
		want.Waiting, want.Leased = want.Waiting+want.Leased, 0
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("killed after %d calls: %v (-want +got):\n%s", n, err, diff)
		}
		closeClean(t, again)
	}
}

// TestKilledBetweenWrites ends the process after each acknowledged call while ends share
// transactions. The file is as it was after a call at most two ends before.
func TestKilledBetweenWrites(t *testing.T) {
	shared := quiet
	shared.EndsPerWrite = 3
	lost := 0
	for n, last := 1, false; !last; n++ {
		path := filepath.Join(t.TempDir(), "f.db")
		f := openAt(t, path, shared)
		var after []crawler.Progress // of the calls so far
		err := script(t, f, func() {}, func() {
			p, err := f.Progress(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			p.Waiting, p.Leased = p.Waiting+p.Leased, 0
			if after = append(after, p); len(after) == n {
				kill(t, f)
			}
		})
		if last = len(after) < n; last {
			if err != nil {
				t.Fatal(err)
			}
			closeClean(t, f)
			break
		}
		again := openAt(t, path, shared)
		got, err := again.Progress(t.Context())
		if err != nil || !slices.Contains(after, got) || after[n-1].Ended-got.Ended > 2 {
			t.Errorf("killed after %d calls: %v, %+v, want one of %+v", n, err, got, after)
		}
		lost += after[n-1].Ended - got.Ended
		closeClean(t, again)
	}
	if lost == 0 {
		t.Error("no end waited for another when the process ended")
	}
}

// The file rejects writes at the n-th call that writes. For n = 1, 2, … the error is returned, and
// again, and the file opens clean as it was.
func TestWriteFails(t *testing.T) {
	for n := 1; ; n++ {
		path := filepath.Join(t.TempDir(), "f.db")
		var file *os.File
		o := quiet
		o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
			var err error
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		}
		f := openAt(t, path, o)
		left, committed := n, f.committed
		err := script(t, f, func() {
			if left--; left == 0 {
				file.Close()
			}
		}, func() { committed = f.committed })
		if err != nil {
			if again := f.Push(t.Context(), seeds("https://z.org/")); again == nil {
				t.Errorf("after write %d failed: a push is acknowledged", n)
			}
		}
		if f.Close() == nil && err != nil {
			t.Errorf("write %d failed: Close says nothing", n)
		}
		again := openAt(t, path, quiet)
		if again.committed != committed && err != nil {
			t.Errorf("write %d failed: memory %+v, disk %+v", n, committed, again.committed)
		}
		closeClean(t, again)
		if left > 0 {
			if err != nil {
				t.Errorf("without a fault: %v", err)
			}
			return
		}
		if err == nil {
			t.Errorf("write %d failed without an error", n)
		}
	}
}

// A crash in the middle of a commit leaves the first n data pages of the new state under the old
// meta page. For n = 1, 2, … the file opens as it was before.
func TestTornCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.db")
	f := openAt(t, path, quiet)
	var before []byte
	err := script(t, f, func() { before = read(t, path) }, func() { tear(t, before, read(t, path)) })
	if err != nil {
		t.Fatal(err)
	}
	closeClean(t, f)
}

// tear opens every state of a file between two commits.
func tear(t *testing.T, before, after []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "torn.db")
	reopened := func(b []byte) string {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		f := openAt(t, path, quiet)
		defer closeClean(t, f)
		return contents(t, f)
	}
	page := os.Getpagesize()
	before, after = trim(before, page), trim(after, page)
	want := reopened(before)
	torn := append(before, make([]byte, max(0, len(after)-len(before)))...)
	for at := 2 * page; at < len(after); at += page { // pages 0 and 1 are the metas
		if bytes.Equal(torn[at:at+page], after[at:at+page]) {
			continue
		}
		copy(torn[at:], after[at:at+page])
		if diff := cmp.Diff(want, reopened(torn)); diff != "" {
			t.Errorf("torn at %d (-before +torn):\n%s", at, diff)
		}
	}
}

// trim cuts the pages off that nothing was written to yet.
func trim(b []byte, page int) []byte {
	used := len(bytes.TrimRight(b, "\x00"))
	return bytes.Clone(b[:(used+page-1)/page*page])
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A link during whose lease the process ends again and again is given up; before that it comes first.
func TestCrashes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "f.db")
		const bad = "https://bad.org/"
		for range MaxCrashes {
			f := openAt(t, path, Options{NoSync: true})
			push(t, f, bad, "https://good.org/")
			if l := next(t, f); l.URL != bad {
				t.Fatalf("got %s", l.URL)
			}
			time.Sleep(2 * leaseLag)
			synctest.Wait()
			push(t, f, "https://better.org/")
			kill(t, f)
		}
		f := openAt(t, path, Options{NoSync: true})
		defer closeClean(t, f)
		rec, _, err := f.Lookup(bad)
		want := fmt.Sprintf("the process ended %d times while the link was being fetched", MaxCrashes)
		if err != nil || rec.Fate != crawler.Gone || rec.Reason != want {
			t.Errorf("%+v, %v", rec, err)
		}
	})
}
