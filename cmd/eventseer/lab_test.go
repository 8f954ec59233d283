package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/lab"

	"github.com/google/go-cmp/cmp"
)

// labRun runs a small experiment on the built-in web.
func labRun(t *testing.T, dir string, more ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runCaptured(t, append([]string{"lab", "run", "--web", "sim:seed=3", "--strategies", "breadth-first,eventseer,oracle", "--budget", "60", "--repeats", "2", "-o", dir}, more...)...)
}

func TestLab(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, stdout, stderr := labRun(t, dir)
	if code != 0 || !strings.Contains(stdout, "eventseer") || !strings.Contains(stderr, "6 of 6 crawls") {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	read := func(name string) []byte {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var s struct {
		Strategies map[string]struct {
			Runs        int
			HarvestAUC  lab.Figure         `json:"harvest_auc"`
			RecallAt    map[string]float64 `json:"recall_at"`
			OracleShare float64            `json:"oracle_share"`
			CI95        map[string]any
		}
		Tests []lab.Test
	}
	if err := json.Unmarshal(read(lab.SummaryFile), &s); err != nil {
		t.Fatal(err)
	}
	best, oracle := s.Strategies["eventseer"], s.Strategies["oracle"]
	if best.Runs != 2 || best.HarvestAUC.Mean <= 0 || best.RecallAt["60"] <= 0 || oracle.OracleShare != 1 || best.CI95["oracle_share"] == nil || len(s.Tests) != 8 {
		t.Errorf("eventseer %+v, oracle %+v, %d tests", best, oracle, len(s.Tests))
	}
	for _, name := range []string{lab.ReportFile, lab.PictureSVG, lab.PicturePNG, lab.CurvesFile, lab.ReproduceFile, "trec/qrels", "trec/eventseer.run", "runs/eventseer/own-1/run.json", "runs/eventseer/own-1/events.jsonl"} {
		if len(read(name)) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "runs/eventseer/own-1", cellState)); err == nil {
		t.Error("the state of a complete crawl is left")
	}

	t.Run("goes on", func(t *testing.T) {
		before := read(lab.SummaryFile)
		cut := filepath.Join(dir, "runs/eventseer/own-0")
		if err := os.Remove(filepath.Join(cut, lab.CellFile)); err != nil { // killed before its end
			t.Fatal(err)
		}
		if code, _, stderr := labRun(t, dir); code != 0 || !bytes.Equal(before, read(lab.SummaryFile)) {
			t.Errorf("exit %d, the same summary: %v\n%s", code, bytes.Equal(before, read(lab.SummaryFile)), stderr)
		}
	})
	run := func(strategies, budget string) (code int, stdout, stderr string) {
		t.Helper()
		return runCaptured(t, "lab", "run", "--web", "sim:seed=3", "--strategies", strategies, "--budget", budget, "--repeats", "2", "-o", dir)
	}
	t.Run("keeps earlier strategies", func(t *testing.T) {
		code, stdout, stderr := run("random", "60")
		if code != 0 || !strings.Contains(stderr, "2 of 2 crawls") || !strings.Contains(stdout, "eventseer") || !strings.Contains(stdout, "random") {
			t.Errorf("exit %d\n%s%s", code, stdout, stderr)
		}
		if !strings.Contains(string(read(lab.ReproduceFile)), "--strategies breadth-first,eventseer,oracle,random") {
			t.Errorf("the script does not repeat all strategies:\n%s", read(lab.ReproduceFile))
		}
	})
	t.Run("extends", func(t *testing.T) {
		pages := "runs/breadth-first/own-0/pages.jsonl"
		before := read(pages)
		if code, stdout, stderr := run("breadth-first,random", "80"); code != 0 || !strings.Contains(stderr, "eventseer is left out") || !strings.Contains(stdout, "@80") {
			t.Errorf("exit %d\n%s%s", code, stdout, stderr)
		}
		if after := read(pages); !bytes.HasPrefix(after, before) || len(after) <= len(before) {
			t.Error("the longer crawl does not begin with the shorter one")
		}
		if code, stdout, stderr := runCaptured(t, "lab", "report", dir, "--budget", "60", "-o", t.TempDir()); code != 0 || !strings.Contains(stdout, "eventseer") {
			t.Errorf("the crawls that were not extended are lost: exit %d\n%s%s", code, stdout, stderr)
		}
		if code, _, stderr := run("random", "70"); code != exitUsage || !strings.Contains(stderr, "a larger --budget") {
			t.Errorf("a smaller budget: exit %d: %s", code, stderr)
		}
		end := read("runs/random/own-0/cell.json")
		writeFile(t, filepath.Join(dir, "runs/random/own-0/cell.json"), strings.Replace(string(end), `"budget": 80,`, "", 1))
		if code, _, stderr := run("random", "90"); code != exitUsage || !strings.Contains(stderr, "made by an earlier version") {
			t.Errorf("crawls without their budget: exit %d: %s", code, stderr)
		}
		writeFile(t, filepath.Join(dir, "runs/random/own-0/cell.json"), string(end))
		if code, _, stderr := run("breadth-first,eventseer,oracle,random", "80"); code != 0 {
			t.Errorf("exit %d: %s", code, stderr)
		}
	})
	t.Run("reports", func(t *testing.T) {
		before := read(lab.ReportFile)
		if err := os.Remove(filepath.Join(dir, lab.ReportFile)); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := runCaptured(t, "lab", "report", dir); code != 0 || !bytes.Equal(before, read(lab.ReportFile)) {
			t.Errorf("exit %d, another report\n%s", code, stderr)
		}
		if err := os.Remove(filepath.Join(dir, "runs/oracle/own-1", lab.CellFile)); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := runCaptured(t, "lab", "report", dir)
		if code != 0 || strings.Contains(stdout, "oracle\t") || !strings.Contains(stderr, "oracle is left out") {
			t.Errorf("without the oracle: exit %d\n%s%s", code, stdout, stderr)
		}
	})
	t.Run("refuses another experiment", func(t *testing.T) {
		if code, _, stderr := runCaptured(t, "lab", "report", dir, "--against", "bandit"); code != exitUsage || !strings.Contains(stderr, "no strategy of that name") {
			t.Errorf("a report against one that did not run: exit %d: %s", code, stderr)
		}
		if code, _, stderr := labRun(t, dir, "--budget", "80", "--seed", "9"); code != exitUsage || !strings.Contains(stderr, "holds another experiment") {
			t.Errorf("exit %d: %s", code, stderr)
		}
		config := filepath.Join(t.TempDir(), "config.yaml")
		writeFile(t, config, "rel: last\n")
		if code, _, stderr := labRun(t, dir, "--budget", "80", "--config", config); code != exitUsage || !strings.Contains(stderr, "holds another experiment") {
			t.Errorf("with another setting: exit %d: %s", code, stderr)
		}
	})
}

func TestLabRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	targets, broken := filepath.Join(dir, "targets.tsv"), filepath.Join(dir, "broken.tsv")
	writeFile(t, targets, "url\tkind\nhttps://a.example/\tmail\n")
	writeFile(t, broken, "url\tkind\nhttps://a.example/\tmail\nno url\tpdf\n")
	out, foreign := filepath.Join(dir, "lab"), filepath.Join(dir, "foreign")
	if err := os.MkdirAll(filepath.Join(foreign, lab.RunsDir, "random/own-0"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no folder":        {[]string{"--web", "sim:seed=1", "--strategies", "random"}, exitUsage, "-o DIR is needed"},
		"no web":           {[]string{"--web", "sim:", "--strategies", "random", "--contact", "me@site.example", "-o", out}, exitUsage, "is not a web"},
		"other format":     {[]string{"--web", "sim:seed=1", "--strategies", "random", "--format", "jsonl", "-o", out}, exitUsage, "this command offers table"},
		"unknown strategy": {[]string{"--web", "sim:seed=1", "--strategies", "nope", "-o", out}, exitUsage, `no strategy "nope"`},
		"against none":     {[]string{"--web", "sim:seed=1", "--strategies", "random", "--against", "oracle", "-o", out}, exitUsage, "not one of the strategies"},
		"against oracle":   {[]string{"--web", "sim:seed=1", "--strategies", "random,oracle", "--against", "oracle", "-o", out}, exitUsage, "cannot be compared"},
		"no such kind":     {[]string{"--web", "sim:seed=1", "--strategies", "random", "--targets", targets, "--kinds", "page,x", "-o", out}, exitFailed, "no target has one of the kinds page, x"},
		"no seeds":         {[]string{"--web", "sim:seed=1", "--strategies", "random", "--seeds", dir + "/x", "-o", out}, exitFailed, "seeds:"},
		"twice":            {[]string{"--web", "sim:seed=1", "--strategies", "random,random", "-o", out}, exitUsage, "is used twice"},
		"no budget":        {[]string{"--web", "sim:seed=1", "--strategies", "random", "--budget", "0", "-o", out}, exitUsage, "the budget is 0 pages"},
		"no URL":           {[]string{"--web", "sim:seed=1", "--strategies", "random", "--targets", broken, "--kinds", "pdf", "-o", out}, exitFailed, "line 3: "},
		"crawls of others": {[]string{"--web", "sim:seed=1", "--strategies", "random", "-o", foreign}, exitUsage, "belong to no experiment"},
		"report of none":   {nil, exitFailed, "not a folder of `eventseer lab run`"},
	} {
		args := append([]string{"lab", "run"}, test.args...)
		if test.args == nil {
			args = []string{"lab", "report", dir}
		}
		if code, _, stderr := runCaptured(t, args...); code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit %d, want %d: %s", name, code, test.code, stderr)
		}
	}
	if exists(out) {
		t.Error("an experiment that was refused left a folder, which would refuse the right one")
	}
}

// A report of a record that was changed is refused, and never half made.
func TestLabReportOfDamaged(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct{ record, targets, want string }{
		"empty":         {"{}", "[]", "are not an experiment"},
		"no targets":    {`{"flags":{"strategies":["random"],"repeats":1,"budget":5},"draws":["own"]}`, "null", "no targets"},
		"no budget":     {`{"flags":{"strategies":["random"],"repeats":1},"draws":["own"]}`, `[{"URL":"https://a.example/"}]`, "the budget is 0 pages"},
		"endless":       {`{"flags":{"strategies":["random"],"repeats":9000000000000000000,"budget":5},"draws":["own","other"]}`, `[{"URL":"https://a.example/"}]`, "more than"},
		"another place": {`{"flags":{"strategies":[".."],"repeats":1,"budget":5},"draws":["own"]}`, `[{"URL":"https://a.example/"}]`, "cannot be the name of a folder"},
		"a command":     {`{"inputs":{"x\nEND\nrm":""},"flags":{"strategies":["random"],"repeats":1,"budget":5},"draws":["own"]}`, `[{"URL":"https://a.example/"}]`, "line break"},
		"cut":           {`{"flags":`, "[]", lab.RecordFile},
	} {
		writeFile(t, filepath.Join(dir, lab.RecordFile), test.record)
		writeFile(t, filepath.Join(dir, lab.TargetsFile), test.targets)
		if code, _, stderr := runCaptured(t, "lab", "report", dir); code == 0 || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit %d: %s", name, code, stderr)
		}
	}
}

// Targets come from spreadsheets too: with a byte order mark, other line ends, and
// quotes that mean nothing.
func TestReadLabTargets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "targets.tsv")
	writeFile(t, path, "\ufefftitle\tkind\turl\tevent_site\r\n\"Open\tpage\tHTTPS://A.example\te1\r\n\"\tpage\thttps://b.example/\te2\r\n\tmail\thttps://c.example/\t\r\n\tpage\thttps://a.example/\te3\r\n")
	got, err := lab.ReadTargets(path, []string{"page", "pdf"})
	if err != nil {
		t.Fatal(err)
	}
	want := []lab.Target{{URL: "https://a.example/", Event: "e1", Kind: "page"}, {URL: "https://b.example/", Event: "e2", Kind: "page"}}
	if diff := cmp.Diff(want, lab.OfKinds(got, []string{"page", "pdf"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(got) != 3 || got[2].Kind != "mail" {
		t.Errorf("%v, want the targets of other kinds besides", got)
	}
}

func TestReadSeedSets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a]*")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.txt", "a.txt", "._a.txt", "notes.md"} {
		writeFile(t, filepath.Join(dir, name), "https://a.example/\n")
	}
	sets, err := readSeedSets(&app.App{Stderr: io.Discard}, dir)
	if err != nil || len(sets) != 2 || sets[0].name != "a" || sets[1].name != "b" {
		t.Errorf("%v, %v", sets, err)
	}
}

// The script runs the experiment in another folder, whatever the names are.
func TestLabReproduce(t *testing.T) {
	r := lab.Manifest{Version: "1", Flags: lab.Options{Web: "it's.warc.gz", Strategies: []string{"random"}}, Inputs: map[string]string{"it's.warc.gz": "00"}, Settings: map[string]string{"per-host": "3"}}
	var b bytes.Buffer
	if err := r.WriteScript(&b, "my lab/"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\ninto=${1:-'my lab-again'}\n", "\n00  it's.warc.gz\nEND\n", "\nEVENTSEER_PER_HOST=3 eventseer lab run --web 'it'\\''s.warc.gz' ", ` -o "$into"` + "\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// Two commands in one folder would remove each other's crawls.
func TestLabIsLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := lab.LockFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	code, _, stderr := labRun(t, dir)
	if err := lock.Close(); err != nil {
		t.Error(err)
	}
	if code != exitLocked || !strings.Contains(stderr, "another `eventseer lab run`") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// Seeds that are all dead are an experiment in which nothing is found.
func TestLabOfDeadSeeds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	seeds := filepath.Join(dir, "dead.txt")
	if err := os.WriteFile(seeds, []byte("https://nobody.example/\nhttps://nobody.example/2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runCaptured(t, "lab", "run", "--web", "sim:seed=1", "--seeds", seeds, "--strategies", "eventseer,random", "--budget", "50", "-o", filepath.Join(dir, "lab"))
	if code != 0 || !strings.Contains(stdout, "0.0000") || !strings.Contains(stderr, "eventseer/dead-0 found 0 targets in 0 pages: none of its seeds could be fetched") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{"a/b:c=1,2": "a/b:c=1,2", "": "''", "it's": `'it'\''s'`, "$HOME": "'$HOME'"} {
		if got := lab.ShellWord(word); got != want {
			t.Errorf("lab.ShellWord(%q) = %s, want %s", word, got, want)
		}
	}
}

// TestLabProgram compares the Python strategy of doc/examples with its counterpart in Go. A program that
// crashes runs with them, and only its crawl fails. It also evaluates the crawls again.
func TestLabProgram(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 to run doc/examples/strategy.py")
	}
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.sh")
	if err := os.WriteFile(bad, []byte("#!/bin/sh\nread line\necho no luck >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	into := filepath.Join(dir, "lab")
	run := []string{"lab", "run", "--web", "sim:seed=3", "--strategies", "focused-svm,exec:../../doc/examples/strategy.py,exec:" + bad, "--budget", "80", "-o", into}
	code, stdout, stderr := runCaptured(t, run...)
	if code == 0 || !strings.Contains(stderr, "it wrote to stderr: no luck") || !strings.Contains(stdout, "exec-strategy.py") || strings.Contains(stdout, "exec-bad.sh") {
		t.Fatalf("exit %d, want an error of the program that dies and a report of the others\n%s%s", code, stdout, stderr)
	}
	visits := func(name string) string {
		text, err := os.ReadFile(filepath.Join(into, lab.RunsDir, name, "own-0", "curve.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if diff := cmp.Diff(visits("focused-svm"), visits("exec-strategy.py")); diff != "" {
		t.Errorf("the Python strategy crawls otherwise than its twin (-Go +Python):\n%s", diff)
	}
	judged := filepath.Join(dir, "judged")
	code, stdout, stderr = runCaptured(t, "lab", "report", into, "--budget", "40", "-o", judged)
	if code != 0 || !strings.Contains(stdout, "area to 40") || !strings.Contains(stderr, "is left out") {
		t.Errorf("exit %d of a report to 40 pages\n%s%s", code, stdout, stderr)
	}
	if text, err := os.ReadFile(filepath.Join(judged, lab.RunsFile)); err != nil || strings.Count(string(text), "\n") != 3 {
		t.Errorf("runs.csv: %v\n%s", err, text)
	}
	for _, wrong := range [][]string{{"--budget", "81"}, {"--kinds", "mail"}} {
		if code, _, stderr := runCaptured(t, append([]string{"lab", "report", into}, wrong...)...); code != 2 {
			t.Errorf("%v: exit %d, want 2\n%s", wrong, code, stderr)
		}
	}
	if err := os.WriteFile(bad, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := runCaptured(t, run...); code != 2 || !strings.Contains(stderr, "another experiment") {
		t.Errorf("exit %d of an experiment whose program was changed\n%s", code, stderr)
	}
}
