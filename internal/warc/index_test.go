package warc

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/webgraph"
)

func openIndex(t testing.TB, path string) *Index {
	t.Helper()
	x, err := OpenIndex(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func TestIndex(t *testing.T) {
	const session = "http://a.example/item?id=1&sid=44694b16"
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	uris := []string{"http://a.example/", session, "http://B.example/x", "http://a.example/y?utm_source=z", "http://a.example/y", "hard::no.url"}
	write(t, path, uris...)
	x := openIndex(t, path)
	if len(x.exact) != len(uris) {
		t.Errorf("%d URLs are found, want %d", len(x.exact), len(uris))
	}
	for _, uri := range uris {
		rec, err := x.Find(uri)
		if err != nil || rec.TargetURI() != uri {
			t.Errorf("Find(%q) = %v, %v", uri, rec, err)
		}
	}
	for canonical, want := range map[string]string{
		"http://a.example/":          "http://a.example/",
		"http://a.example/item?id=1": session,
		"http://b.example/x":         "http://B.example/x",
		"http://a.example/y":         "http://a.example/y",
	} {
		rec, err := x.FindCanonical(canonical)
		if err != nil || rec.TargetURI() != want {
			t.Errorf("FindCanonical(%q) = %v, %v", canonical, rec, err)
		}
	}
	if _, err := x.Find("http://a.example/none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Find: %v", err)
	}
	if _, err := x.FindCanonical("http://a.example/none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("FindCanonical: %v", err)
	}
	hosts := x.Hosts()
	slices.Sort(hosts)
	if diff := cmp.Diff([]webgraph.Host{"a.example", "b.example"}, hosts); diff != "" || !x.HasHost("b.example") || x.HasHost("c.example") {
		t.Error("hosts", diff)
	}
}

func TestIndexOfOtherForms(t *testing.T) {
	rs := records(t, 30)
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"plain":      slicesConcat(rs...),
		"one member": zip(t, slicesConcat(rs...)),
		"rotten":     slicesConcat(zip(t, rs[0])[:99], zip(t, slicesConcat(rs...))),
	} {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		x := openIndex(t, path)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for _, uri := range []string{"http://a.example/29", "http://a.example/0", "http://a.example/13"} {
					rec, err := x.Find(uri)
					if err != nil || rec.TargetURI() != uri || rec.Verify() != nil {
						t.Errorf("%s: Find(%q) = %v, %v", name, uri, rec, err)
					}
				}
			})
		}
		wg.Wait()
		if (name == "rotten") != (len(x.Bad()) == 1) {
			t.Errorf("%s: bad records %v", name, x.Bad())
		}
	}
}

func TestIndexRefusesWhatIsNoWARC(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, bytes.Repeat([]byte("text\n"), 10), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenIndex(path); !errors.Is(err, ErrNoRecords) {
		t.Errorf("OpenIndex: %v", err)
	}
	if _, err := OpenIndex(path + ".missing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("OpenIndex: %v", err)
	}
}

func TestIndexTakesTheLastOfSeveral(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.warc")
	a := raw(t, NewResponse("http://a.example/", testTime, answer("old")))
	b := raw(t, NewResponse("http://a.example/", testTime, answer("new")))
	if err := os.WriteFile(path, slicesConcat(a, b), 0o644); err != nil {
		t.Fatal(err)
	}
	rec, err := openIndex(t, path).Find("http://a.example/")
	if err != nil || !bytes.HasSuffix(rec.Block, []byte("new")) {
		t.Errorf("%v, %v", rec, err)
	}
}

// BenchmarkOpenIndex opens the shared frozen web, 73 MB of 28,874 records.
func BenchmarkOpenIndex(b *testing.B) {
	path := golden.SharedPath(b, "corpora/web/web.warc.gz")
	for b.Loop() {
		x, err := OpenIndex(path)
		if err != nil {
			b.Fatal(err)
		}
		x.Close()
	}
}
