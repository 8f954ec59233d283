package search

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"

	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2027, 1, 10, 0, 0, 0, 0, time.UTC)

func deadline(kind eventseer.DeadlineKind, day string) eventseer.Deadline {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return eventseer.Deadline{Kind: kind, Date: eventseer.Date(day), Instant: t.Add(36*time.Hour - time.Second), TZ: "AoE"}
}

var calls = []eventseer.Event{
	{
		ID: "icx-2027", Title: "International Conference on Information Crawling", Acronym: "ICX 2027", Year: 2027,
		Kind: eventseer.Conference, Topics: []string{"Focused crawling", "Web archives"},
		Location:  &eventseer.Venue{City: "Zürich", Country: "Switzerland", CountryCode: "CH"},
		Deadlines: []eventseer.Deadline{deadline(eventseer.Submission, "2026-12-01"), deadline(eventseer.Submission, "2027-03-01")},
	},
	{
		ID: "wsx-2027", Title: "Workshop on Web Mining", Acronym: "WSX", Year: 2027, Kind: eventseer.Workshop,
		Topics:    []string{"Crawling with focus", "Text"},
		Location:  &eventseer.Venue{City: "Seoul", Country: "South Korea", CountryCode: "KR", Online: true},
		Deadlines: []eventseer.Deadline{deadline(eventseer.Submission, "2027-02-01")},
	},
	{
		ID: "it-2028", Title: "Symposium on Informatics in Teaching", Acronym: "IT 2028", Year: 2028,
		Kind: eventseer.Symposium, Topics: []string{"e-learning"},
		Deadlines: []eventseer.Deadline{deadline(eventseer.Submission, "2026-11-01")},
	},
	{ID: "si-2027", Title: "Special issue on crawling", Year: 2027, Kind: eventseer.SpecialIssue},
}

func filled(t *testing.T, path string) *Index {
	t.Helper()
	x, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	if err := x.Update(t.Context(), documents(calls)); err != nil {
		t.Fatal(err)
	}
	return x
}

func find(t *testing.T, x *Index, q eventseer.Query) []string {
	t.Helper()
	found, err := x.Find(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, h := range found.Hits {
		ids = append(ids, string(h.ID))
	}
	return ids
}

func TestFind(t *testing.T) {
	for _, path := range []string{"", filepath.Join(t.TempDir(), "index")} {
		x := filled(t, path)
		for _, tt := range []struct {
			text string
			want []string // in id order
		}{
			{"", []string{"icx-2027", "it-2028", "si-2027", "wsx-2027"}},
			{"crawling", []string{"icx-2027", "si-2027", "wsx-2027"}},
			{"crawl web", []string{"icx-2027", "wsx-2027"}},
			{`"focused crawling"`, []string{"icx-2027"}},
			{"crawling -web", []string{"si-2027"}},
			{"-crawling", []string{"it-2028"}},
			{"mining OR teaching", []string{"it-2028", "wsx-2027"}},
			{"ICX", []string{"icx-2027"}}, {"icx 2027", []string{"icx-2027"}}, {"crawling 2028", []string{}},
			{"zurich", []string{"icx-2027"}}, {"city:Zürich", []string{"icx-2027"}},
			{"country:switzerland", []string{"icx-2027"}}, {"country:CH", []string{"icx-2027"}},
			{"country:korea", []string{"wsx-2027"}}, {`country:"south korea"`, []string{"wsx-2027"}},
			{"online", []string{"wsx-2027"}},
			{"kind:workshop", []string{"wsx-2027"}}, {`kind:"Special issue"`, []string{"si-2027"}},
			{"year:2028", []string{"it-2028"}}, {"2028", []string{"it-2028"}},
			{`topic:"web archives"`, []string{"icx-2027"}}, {"title:mining", []string{"wsx-2027"}},
			{"e-learning", []string{"it-2028"}},
			{"the", []string{}}, {"it", []string{"it-2028"}}, {"the web of crawling", []string{"icx-2027", "wsx-2027"}},
			{`"of the"`, []string{}}, {"!!!", []string{}}, {"crawling & web", []string{"icx-2027", "wsx-2027"}},
		} {
			got := find(t, x, eventseer.Query{Text: tt.text})
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Find(%q) (-want +got):\n%s", tt.text, diff)
			}
		}
	}
}

func TestFindOrder(t *testing.T) {
	x := filled(t, "")
	for _, tt := range []struct {
		name string
		q    eventseer.Query
		want []string
	}{
		{"acronym before title", eventseer.Query{Text: "it OR crawling"}, []string{"it-2028"}},
		{"title before topic", eventseer.Query{Text: "web"}, []string{"wsx-2027"}},
		{"open by deadline", eventseer.Query{OpenAt: now, ByDeadline: true}, []string{"wsx-2027", "icx-2027"}},
		{"open later", eventseer.Query{OpenAt: now.AddDate(0, 1, 0), ByDeadline: true}, []string{"icx-2027"}},
		{"all by deadline", eventseer.Query{ByDeadline: true}, []string{"it-2028", "icx-2027", "wsx-2027", "si-2027"}},
		{"newest first", eventseer.Query{}, []string{"icx-2027", "wsx-2027", "it-2028", "si-2027"}},
		{"second page", eventseer.Query{ByDeadline: true, From: 1, Limit: 2}, []string{"icx-2027", "wsx-2027"}},
		{"beyond", eventseer.Query{From: maxFrom + 1}, []string{}},
	} {
		got := find(t, x, tt.q)
		if len(got) > len(tt.want) && strings.Contains(tt.name, "before") {
			got = got[:len(tt.want)]
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	found, err := x.Find(t.Context(), eventseer.Query{From: maxFrom + 1})
	if err != nil || found.Total != len(calls) {
		t.Errorf("beyond the pages: total %d, %v", found.Total, err)
	}
	var bad *query.Error
	if _, err := x.Find(t.Context(), eventseer.Query{Text: `"`}); !errors.As(err, &bad) {
		t.Errorf("error = %v, want a QueryError", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Find(ctx, eventseer.Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want context.Canceled", err)
	}
}

func TestStrangeDeadlines(t *testing.T) {
	x := filled(t, "")
	strange := calls[0]
	strange.ID, strange.Deadlines = "strange", []eventseer.Deadline{
		{Kind: eventseer.Submission, Date: "not a date"},
		{Kind: eventseer.Submission, Date: "9999-12-31", Instant: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)},
	}
	if err := x.Update(t.Context(), documents([]eventseer.Event{strange})); err != nil {
		t.Fatal(err)
	}
	got := find(t, x, eventseer.Query{ByDeadline: true})
	if !slices.Contains(got, "strange") {
		t.Errorf("found %v", got)
	}
	find(t, x, eventseer.Query{OpenAt: time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC), ByDeadline: true})
}

func TestOpenDamaged(t *testing.T) {
	damage := map[string]func(t *testing.T, path string){
		"no meta": func(t *testing.T, path string) { must(t, os.Remove(filepath.Join(path, "index_meta.json"))) },
		"bad meta": func(t *testing.T, path string) {
			must(t, os.WriteFile(filepath.Join(path, "index_meta.json"), []byte("{"), 0o600))
		},
		"bad root": func(t *testing.T, path string) {
			must(t, os.WriteFile(filepath.Join(path, "store", "root.bolt"), make([]byte, 9000), 0o600))
		},
		"cut segments": cutSegments,
		"no store":     func(t *testing.T, path string) { must(t, os.RemoveAll(filepath.Join(path, "store"))) },
		"version": func(t *testing.T, path string) {
			index, err := openIndex(path, schemaVersion)
			must(t, err)
			must(t, index.SetInternal(versionKey, []byte("0")))
			must(t, index.Close())
		},
	}
	for name, hurt := range damage {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "index")
			m := newMemory()
			m.put(numbered(1))
			x, err := Open(path, Options{})
			must(t, err)
			syncAll(t, m, x)
			must(t, x.Close())
			hurt(t, path)
			var talk bytes.Buffer
			x, err = Open(path, Options{Log: slog.New(slog.NewTextHandler(&talk, nil))})
			must(t, err)
			defer func() { _ = x.Close() }()
			syncAll(t, m, x)
			if !strings.Contains(talk.String(), "built from the store") {
				t.Errorf("nobody was told: %s", talk.String())
			}
		})
	}
}

func cutSegments(t *testing.T, path string) {
	segments, err := filepath.Glob(filepath.Join(path, "store", "*.zap"))
	must(t, err)
	if len(segments) == 0 {
		t.Fatal("no segments")
	}
	for _, s := range segments {
		must(t, os.Truncate(s, 10))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenKeepsForeignFolders(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("x"), 0o600))
	if _, err := Open(dir, Options{}); err == nil {
		t.Error("a folder of something else was taken")
	}
	if _, err := os.Stat(filepath.Join(dir, "thesis.tex")); err != nil {
		t.Error(err)
	}
}

func TestOpenLocked(t *testing.T) {
	t.Parallel() // it waits for a lock
	path := filepath.Join(t.TempDir(), "index")
	x := filled(t, path)
	_ = x
	if _, err := Open(path, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("error = %v, want ErrLocked", err)
	}
}

func documents(events []eventseer.Event) (out []eventseer.Document) {
	for _, e := range events {
		out = append(out, eventseer.Document{Event: e})
	}
	return out
}
