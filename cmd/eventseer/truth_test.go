package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/datasets/simweb"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/lines"

	"github.com/google/go-cmp/cmp"
)

const truthLines = "anchor\tsource\ttarget\n" +
	"x\thttp://a.example\thttp://B.example/t\n" + // both in another spelling
	"x\thttp://a.example/\thttp://b.example/t\n" + // the same again
	"x\thttp://a.example/\thttp://a.example/\n" + // to itself
	"x\thttp://b.example/t\thttp://unknown.example/\n" + // an unknown node
	"broken\n\n" +
	"x\tmailto:me@b.example\thttp://b.example/t\n" +
	"x\thttp://c.example/\thttp://b.example/t\n"

func TestReadTruth(t *testing.T) {
	got, err := readTruth(strings.NewReader(truthLines), []string{"http://t.example/", "http://b.example/t"})
	if err != nil {
		t.Fatal(err)
	}
	want := &linkTruth{
		out: map[string][]string{
			"http://a.example/": {"http://b.example/t"}, "http://b.example/t": {"http://unknown.example/"}, "http://c.example/": {"http://b.example/t"},
		},
		in: map[string][]string{
			"http://b.example/t": {"http://a.example/", "http://c.example/"}, "http://unknown.example/": {"http://b.example/t"},
		},
		targets: []string{"http://b.example/t", "http://t.example/"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(linkTruth{})); diff != "" {
		t.Errorf("truth (-want +got):\n%s", diff)
	}
}

func TestReadTruthRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "no columns": "from\tto\nhttp://a.example/\thttp://b.example/\n",
		"a line without end": "source\ttarget\n" + strings.Repeat("x", lines.MaxLine+1),
	} {
		if _, err := readTruth(strings.NewReader(text), nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestOpenTruthReadsGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(truthLines)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "links.tsv.gz")
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := openTruth(path, map[string]bool{"http://b.example/t": true})
	if err != nil || len(got.Sources("http://b.example/t")) != 2 {
		t.Errorf("truth %+v, %v", got, err)
	}
	for _, bad := range []string{filepath.Join(t.TempDir(), "none.tsv"), "truth_test.go"} {
		if _, err := openTruth(bad, nil); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: error %v, want one that names it", bad, err)
		}
	}
}

func TestSimTruth(t *testing.T) {
	t.Parallel()
	w := simweb.New(simweb.Options{Seed: 7})
	got := simTruth(w)
	if len(got.Targets()) == 0 || !slices.IsSorted(got.Targets()) {
		t.Errorf("%d targets", len(got.Targets()))
	}
	for _, seed := range w.Seeds() {
		for _, to := range got.Links(seed) {
			if !slices.Contains(got.Sources(to), seed) {
				t.Errorf("%s links to %s, which does not know", seed, to)
			}
		}
	}
}

func TestTruthIsOfKnownWebs(t *testing.T) {
	targets := map[string]bool{"http://b.example/t": true}
	for _, tt := range []struct {
		name    string
		web     engine.Web
		links   string
		targets map[string]bool
		known   bool
	}{
		{"live", engine.Web{}, "links.tsv", targets, false},
		{"frozen", engine.Web{Frozen: true}, "links.tsv:coverage=0.5", targets, true},
		{"frozen without links", engine.Web{Frozen: true}, "", targets, false},
		{"frozen without targets", engine.Web{Frozen: true}, "links.tsv", nil, false},
		{"generated", engine.Web{Frozen: true, Sim: simweb.New(simweb.Options{})}, "", nil, true},
	} {
		if got := truthOf(t.Context(), &tt.web, tt.links, tt.targets) != nil; got != tt.known {
			t.Errorf("%s: known %v, want %v", tt.name, got, tt.known)
		}
	}
}

func TestCountDeadlines(t *testing.T) {
	now := time.Date(2027, 3, 12, 12, 0, 0, 0, time.UTC)
	event := eventseer.Event{Deadlines: []eventseer.Deadline{
		{Kind: eventseer.Abstract, Date: "2027-03-10"}, {Kind: eventseer.Submission, Date: "2027-03-12"}, {Kind: eventseer.Submission, Date: "2027-04"},
		{Kind: eventseer.Poster, Date: "2028-01-01"}, {Kind: eventseer.Submission, Date: "2027-03-12", Instant: now.Add(-time.Second)},
		{Kind: eventseer.Notification, Date: "2027-05-01"}, {Kind: eventseer.Notification, Date: "2027-01-01"},
	}}
	if open, past := engine.CountDeadlines(event, now); open != 2 || past != 2 {
		t.Errorf("%d open, %d past; want 2 and 2: a month alone and notifications are neither", open, past)
	}
}

func FuzzReadTruth(f *testing.F) {
	f.Add(truthLines)
	f.Add("source\ttarget\nhttp://a.example/\n\thttp://b.example/")
	f.Fuzz(func(t *testing.T, lines string) {
		got, err := readTruth(strings.NewReader(lines), nil)
		if err != nil {
			return
		}
		for from, targets := range got.out {
			for _, to := range targets {
				if from == to || !slices.Contains(got.in[to], from) {
					t.Errorf("link %q → %q is not known backwards", from, to)
				}
			}
		}
	})
}
