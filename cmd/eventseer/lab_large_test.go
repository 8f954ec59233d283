package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler/lab"
)

// An experiment on a generated web of any size needs no files, is the same whenever it
// runs, and has an oracle.
func TestLabOfALargeWeb(t *testing.T) {
	t.Parallel()
	run := func() (dir string) {
		dir = t.TempDir()
		code, _, stderr := runCaptured(t, "lab", "run", "--web", "sim:hosts=40,pages=800,seed=7", "--strategies", "breadth-first,oracle", "--budget", "60", "-o", dir)
		if code != 0 || !strings.Contains(stderr, "2 of 2 crawls") {
			t.Fatalf("exit %d\n%s", code, stderr)
		}
		return dir
	}
	read := func(dir, name string) []byte {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	a, b := run(), run()
	for _, name := range []string{"runs/breadth-first/own-0/pages.jsonl", "runs/oracle/own-0/pages.jsonl"} {
		if pages := read(a, name); len(pages) == 0 || !bytes.Equal(pages, read(b, name)) {
			t.Errorf("%s is empty, or another in another run", name)
		}
	}
	var s struct {
		Strategies map[string]struct {
			RecallAt map[string]float64 `json:"recall_at"`
		}
	}
	if err := json.Unmarshal(read(a, lab.SummaryFile), &s); err != nil {
		t.Fatal(err)
	}
	if first, oracle := s.Strategies["breadth-first"].RecallAt["60"], s.Strategies["oracle"].RecallAt["60"]; first <= 0 || oracle <= 2*first {
		t.Errorf("recall of breadth-first %v, of the oracle %v", first, oracle)
	}
	if code, _, stderr := runCaptured(t, "lab", "run", "--web", "sim:hosts=40,pages=800,seed=7,at=127.0.0.1:9000", "--strategies", "random", "-o", t.TempDir()); code != exitUsage || !strings.Contains(stderr, "clock") {
		t.Errorf("of another process's web: exit %d, %s", code, stderr)
	}
}

// With a perfect judge exactly the targets are calls; with noise the given share of pages is judged the other
// way. The oracle with backlinks requests some.
func TestLabJudge(t *testing.T) {
	t.Parallel()
	type visited struct {
		URL   string
		IsCFP bool `json:"is_cfp"`
	}
	run := func(judge string) (pages, wrong int, dir string) {
		t.Helper()
		dir = t.TempDir()
		code, _, stderr := runCaptured(t, "lab", "run", "--web", "sim:seed=3", "--strategies", "breadth-first,oracle-back", "--judge", judge, "--budget", "120", "-o", dir)
		if code != 0 {
			t.Fatalf("--judge %s: exit %d\n%s", judge, code, stderr)
		}
		_, targets, err := lab.ReadManifest(dir)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "runs/breadth-first/own-0/pages.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		calls := map[string]bool{}
		for _, target := range targets {
			calls[target.URL] = true
		}
		for line := range bytes.Lines(text) {
			var v visited
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			pages++
			if v.IsCFP != calls[v.URL] {
				wrong++
			}
		}
		return pages, wrong, dir
	}
	pages, wrong, dir := run("perfect")
	if pages < 100 || wrong > 0 {
		t.Errorf("of %d pages a perfect judge judges %d wrongly", pages, wrong)
	}
	if pages, wrong, _ := run("perfect,noise=0.2"); wrong < pages/10 || wrong > pages*3/10 {
		t.Errorf("of %d pages %d are judged wrongly, want about a fifth", pages, wrong)
	}
	script, err := os.ReadFile(filepath.Join(dir, lab.ReproduceFile))
	if err != nil || !strings.Contains(string(script), "--judge perfect") {
		t.Errorf("the script does not name the judge: %v", err)
	}
	record, err := os.ReadFile(filepath.Join(dir, "runs.csv"))
	if err != nil || !strings.Contains(string(record), "oracle-back") {
		t.Errorf("runs: %s %v", record, err)
	}
	if code, _, stderr := runCaptured(t, "lab", "run", "--web", "sim:seed=3", "--strategies", "random", "--judge", "noise=2", "-o", t.TempDir()); code != exitUsage || !strings.Contains(stderr, "noise is a number from 0 to 1") {
		t.Errorf("--judge noise=2: exit %d, %s", code, stderr)
	}
	if code, _, stderr := runCaptured(t, "lab", "run", "--web", "sim:seed=3", "--strategies", "breadth-first,oracle-back", "--judge", "noise=0.5", "--budget", "120", "-o", dir); code == 0 || !strings.Contains(stderr, "another experiment") {
		t.Errorf("another judge in the same folder: exit %d, %s", code, stderr)
	}
}
