package collection

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ingest"
	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/eventseer/wrapper/wrappertest"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// A reader keeps its wrappers across processes, takes a version of a page once, and uses only wrappers that
// are trusted.
func TestReader(t *testing.T) {
	dir := t.TempDir()
	log := NewNoticeLog(filepath.Join(dir, "notices.jsonl"))
	var reader *Reader
	for n := range 9 {
		set, err := OpenSet(dir, SetOptions{Warn: func(err error) { t.Error(err) }})
		if err != nil {
			t.Fatal(err)
		}
		reader = NewReader(ReaderOptions{Set: set, Extractor: wrappertest.Lines{}, Notices: log, Known: func(context.Context, string) (eventseer.Event, error) {
			return eventseer.Event{}, eventseer.ErrNotFound
		}})
		tree, e := wrappertest.CallPage(t, n)
		if _, ok := reader.Read(tree, e); ok != (n > 6) && n != 6 {
			t.Errorf("page %d is read: %v", n, ok)
		}
		for range 2 {
			if err := reader.Learn(t.Context(), tree, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	list, err := reader.o.Set.List()
	if err != nil || len(list) != 1 || list[0].Wrapper.Pages > 9 {
		t.Fatalf("%+v, %v", list, err)
	}
	tree, e := wrappertest.CallPage(t, 10)
	if got, ok := reader.Read(tree, e); !ok || got.Title != e.Title || got.Sources["title"].Rule != eventseer.WrapperRule {
		t.Errorf("read %+v, %v", got, ok)
	}
	if _, ok := reader.Read(wrappertest.OtherPage(t, 30), eventseer.Event{}); ok {
		t.Error("a page of another template is read")
	}
	fails := errors.New("disk full")
	reader.o.Known = func(context.Context, string) (eventseer.Event, error) { return eventseer.Event{}, fails }
	if err := reader.Learn(t.Context(), tree, e); !errors.Is(err, fails) {
		t.Errorf("Learn = %v", err)
	}
}

// A wrapper whose pages all have another form is learned again, from the archive or from later pages.
func TestReaderLearnsAnew(t *testing.T) {
	for _, archived := range []bool{false, true} {
		dir := t.TempDir()
		pages := map[string]*webgraph.Page{}
		o := SetOptions{}
		if archived {
			o.Archive = shelf(pages)
		}
		set, err := OpenSet(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		log := NewNoticeLog(filepath.Join(dir, "notices.jsonl"))
		reader := NewReader(ReaderOptions{Set: set, Extractor: wrappertest.Lines{}, Notices: log})
		for n := range 20 {
			tree, e := wrappertest.CallPage(t, n%12)
			if n >= 8 { // the fields change their places
				body := strings.NewReplacer("<h1>", "<h1>404 ", "<b>", "<b>Long ago, nobody knows when exactly: ", "<li>", "<li>12345 67890 ", "/submit?conf=", "https://elsewhere.example/a/very/long/way/to/go/").Replace(string(tree.Page.Body))
				tree = wrappertest.ParsePage(t, tree.Page.URL+"?new", body)
				e = eventseer.Event{URL: tree.Page.URL, Title: "404 " + e.Title}
			}
			if err := reader.Learn(t.Context(), tree, e); err != nil {
				t.Fatal(err)
			}
			pages[tree.Page.URL] = tree.Page
		}
		notices, err := log.List()
		if err != nil {
			t.Fatal(err)
		}
		told := slices.DeleteFunc(noticeKinds(notices), func(k wrapper.NoticeKind) bool { return k == wrapper.NewFields })
		if diff := cmp.Diff([]wrapper.NoticeKind{wrapper.Trusted, wrapper.SetAside, wrapper.Reinduced, wrapper.Trusted}, told); diff != "" {
			t.Errorf("with an archive: %v; told (-want +got):\n%s", archived, diff)
		}
	}
}

var _ ingest.Lister = (*Reader)(nil)

type shelf map[string]*webgraph.Page

func (s shelf) LastVersion(url string) (*webgraph.Page, error) { return s[url], nil }

func noticeKinds(notices []wrapper.Notice) (kinds []wrapper.NoticeKind) {
	for _, n := range notices {
		kinds = append(kinds, n.Kind)
	}
	return kinds
}

func TestNoticeLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "notices.jsonl")
	log := NewNoticeLog(path)
	if got, err := log.List(); err != nil || len(got) != 0 {
		t.Fatalf("an empty log: %v, %v", got, err)
	}
	for i := range maxNotices + 5 {
		if err := log.Add(wrapper.Notice{Kind: wrapper.NewFields, Text: fmt.Sprint(i), At: time.Unix(int64(i), 0).UTC()}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := log.List()
	if err != nil || len(got) != maxNotices || got[0].Text != "5" || got[maxNotices-1].Text != fmt.Sprint(maxNotices+4) {
		t.Errorf("%d notices from %q, %v", len(got), got[0].Text, err)
	}
	if err := os.WriteFile(path, []byte("{\"kind\":\"trusted\",\"text\":\"a\"}\nrot\n{}\n{\"kind\":\"set_aside\"}"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err = log.List()
	if diff := cmp.Diff([]wrapper.Notice{{Kind: wrapper.Trusted, Text: "a"}, {Kind: wrapper.SetAside}}, got); diff != "" || err != nil {
		t.Errorf("of a damaged log, %v (-want +got):\n%s", err, diff)
	}
}
