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
