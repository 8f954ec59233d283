package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/internal/warc"

	"github.com/google/go-cmp/cmp"
)

// paidPages returns the pages that cost a crawl budget, in order, with their results.
func paidPages(t *testing.T, run string) (pages []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(run, rundir.PagesFile))
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var p rundir.Page
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if p.Cost > 0 && p.How != "backlinks" {
			pages = append(pages, strings.Join([]string{p.URL, p.PageType}, " "))
		}
	}
	return pages
}

func seedsOf(t *testing.T, run string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(run, rundir.RunFile))
	if err != nil {
		t.Fatal(err)
	}
	var r engine.RunRecord
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r.Seeds
}

// TestFreeze records a crawl of the built-in web over HTTP, freezes it, and crawls the frozen web.
// The same pages are found and judged alike, by the strategy of the recording in the same order,
// with an index as without.
func TestFreeze(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	do := func(args ...string) {
		t.Helper()
		if code, _, stderr := runCaptured(t, args...); code != 0 {
			t.Fatalf("%v: exit %d\n%s", args, code, stderr)
		}
	}
	do("crawl", "--sim", "seed=3", "--budget", "80", "--strategy", "breadth-first", "--run", at("r"), "--record", at("rec"), "--record-size", "50KB", "--quiet")
	do("web", "freeze", at("r"), "-o", at("fw/web.warc.gz"))
	want := paidPages(t, at("r"))
	if len(want) != 80 {
		t.Fatalf("%d pages were crawled", len(want))
	}

	replay := []string{"crawl", "--replay", at("fw/web.warc.gz"), "--backlinks", at("fw/links.tsv.gz"), "--models", "shipped", "--quiet"}
	replay = append(replay, seedsOf(t, at("r"))...)
	do(append(slices.Clone(replay), "--strategy", "breadth-first", "--run", at("s"))...)
	if diff := cmp.Diff(want, paidPages(t, at("s"))); diff != "" {
		t.Error("breadth-first:", diff)
	}
	do(append(slices.Clone(replay), "--run", at("b"))...) // with backlinks
	got := paidPages(t, at("b"))
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("eventseer:", diff)
	}

	verified := 0
	for _, path := range []string{at("fw/web.warc.gz"), at("rec-00001.warc.gz")} {
		r, err := warc.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for r.Scan() {
			rec, err := r.Record()
			if err == nil {
				err = rec.Verify()
			}
			if err != nil {
				t.Error(err)
			}
			verified++
		}
		if err := errors.Join(r.Err(), r.Close()); err != nil {
			t.Error(err)
		}
	}
	if verified < 100 {
		t.Errorf("%d records verified", verified)
	}

	edges, err := backlink.OpenEdgeList(backlink.Spec{Path: at("fw/links.tsv.gz"), Coverage: 1})
	if err != nil || edges.Len() == 0 || edges.Skipped > 0 {
		t.Errorf("links: %v, %v", edges, err)
	}
	do("web", "index", at("fw/web.warc.gz"))
	do(append(slices.Clone(replay), "--strategy", "breadth-first", "--run", at("i"))...)
	if diff := cmp.Diff(paidPages(t, at("s")), paidPages(t, at("i"))); diff != "" {
		t.Error("with an index:", diff)
	}
}

func TestRecordingPath(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{
		dir: dir + "/web many", dir + "/new/": dir + "/new/web many", dir + "/rec": dir + "/rec many",
		dir + "/rec.warc.gz": dir + "/rec.warc.gz one", dir + "/rec.warc": dir + "/rec.warc one", file: file + " one",
	} {
		path, one, err := engine.RecordingPath(flag)
		got := path + map[bool]string{true: " one", false: " many"}[one]
		if err != nil || got != want {
			t.Errorf("--record %s: %s, %v, want %s", flag, got, err, want)
		}
	}
}
