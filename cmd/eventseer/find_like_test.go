package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestFindLike searches for calls similar to one of a crawl. Others are found, the call itself is not, and the query is
// printed.
func TestFindLike(t *testing.T) {
	t.Parallel()
	run := filepath.Join(t.TempDir(), "run")
	data := filepath.Join(run, "state") // of a crawl of the built-in web
	if code, _, stderr := runCaptured(t, "crawl", "--sim", "seed=2", "--budget", "60", "--run", run, "--quiet"); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, stderr)
	}
	idsOf := func(args ...string) (ids []string, stderr string) {
		code, stdout, stderr := runCaptured(t, append([]string{"find", "--all", "--data", data, "--format", "jsonl"}, args...)...)
		if code != 0 {
			t.Fatalf("%q: exit code %d:\n%s", args, code, stderr)
		}
		for line := range strings.Lines(stdout) {
			var e struct {
				ID string `json:"id"`
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil || e.ID == "" {
				t.Fatalf("%v in %s", err, line)
			}
			ids = append(ids, e.ID)
		}
		return ids, stderr
	}
	all, _ := idsOf()
	if len(all) < 3 {
		t.Fatalf("the crawl found only %q", all)
	}
	similar := 0
	for _, id := range all[:3] {
		found, stderr := idsOf("--like", id)
		similar += len(found)
		for _, other := range found {
			if other == id {
				t.Errorf("%s is similar to itself", id)
			}
		}
		if !strings.Contains(stderr, "query: ") || !strings.Contains(stderr, "-id:"+id) {
			t.Errorf("the query for calls like %s is not printed:\n%s", id, stderr)
		}
	}
	if similar == 0 {
		t.Error("no similar call is found")
	}
	if code, _, stderr := runCaptured(t, "find", "--like", "no-such-event", "--data", data); code == 0 || !strings.Contains(stderr, "no-such-event") {
		t.Errorf("an unknown event: exit code %d, %s", code, stderr)
	}
}
