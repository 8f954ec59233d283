package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eventseer/classify/eval"
	"eventseer/cmd/eventseer/internal/app"

	"github.com/google/go-cmp/cmp"
)

// writeTSV writes a file of lines whose fields are parted by blanks.
func writeTSV(t *testing.T, dir, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	text := strings.ReplaceAll(strings.Join(lines, "\n"), " ", "\t") + "\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadLayerTable(t *testing.T) {
	dir := t.TempDir()
	f := trainFlags{task: "layer"}
	f.labels = []string{writeTSV(t, dir, "nodes.tsv", "url status kind page_type",
		"http://www.a.example/cfp 200 real cfp", "http://a.example/ 200 real conference", "http://b.example/ 200 real homepage",
		"http://far.example/ 200 real other", "http://island.example/ 200 real weblog",
		"http://hub.example/ 200 hub cfp_list", "http://gone.example/ 404 real other")}
	f.targets = writeTSV(t, dir, "targets.tsv", "url kind", "http://www.a.example/cfp page", "http://mail.example/1 mail")
	f.links = writeTSV(t, dir, "links.tsv", "source target",
		"http://a.example/ http://www.a.example/cfp", "http://b.example/ http://a.example/", "http://hub.example/ http://b.example/",
		"http://x.example/ http://hub.example/", "http://far.example/ http://x.example/", "http://gone.example/ http://www.a.example/cfp")
	a := &app.App{}
	a.Config.Quiet = true
	table, err := readLayerTable(a, f)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{
		"http://www.a.example/cfp": 0, "http://a.example/": 1, "http://b.example/": 2, "http://far.example/": 4, "http://island.example/": 4,
	}
	if diff := cmp.Diff(want, table.class); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if l := table.label["http://www.a.example/cfp"]; l.Group != "a.example" || l.PageType != "cfp" {
		t.Errorf("label %+v", l)
	}
	f.targets = filepath.Join(dir, "none.tsv")
	if _, err := readLayerTable(a, f); err == nil {
		t.Error("no file of targets: no error")
	}
}

func TestTrainLayerNamesItsFiles(t *testing.T) {
	code, _, stderr := runCaptured(t, "eval", "cv", "--task", "layer", "--data", "nodes.tsv", "--pages", "web.warc.gz")
	if code != exitUsage || !strings.Contains(stderr, "--targets TARGETS.tsv and --links LINKS.tsv") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestLayerFigures(t *testing.T) {
	p := func(truth, guess int, scores ...float64) eval.Prediction {
		return eval.Prediction{Truth: truth, Guess: guess, Scores: scores, Group: "g"}
	}
	got := layerFigures([]eval.Prediction{
		p(0, 0, .9, 0, 0, 0, .1), p(1, 4, 0, .4, 0, 0, .6), p(2, 1, 0, .5, .3, .2, 0), p(3, 3, 0, 0, 0, 1, 0), p(4, 0, 1, 0, 0, 0, 0),
	}, 1)
	if got[0].Value != 0.5 || got[1].Value != 0.75 {
		t.Errorf("%+v, want .5 with other and .75 without", got)
	}
}
