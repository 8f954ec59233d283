package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/nightly"
	"github.com/eventseer/eventseer/webgraph"
)

// writeTenth writes the labels of the groups whose hash ends in digit, and returns the number of labels.
func writeTenth(t *testing.T, labels, path string, digit uint64) (n int) {
	t.Helper()
	f, err := os.Open(labels)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out bytes.Buffer
	group := -1
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		switch {
		case group < 0:
			if group = slices.Index(fields, "group"); group < 0 {
				t.Fatalf("%s has no column group", labels)
			}
		case groupHash(fields[group])%10 != digit:
			continue
		default:
			n++
		}
		fmt.Fprintln(&out, lines.Text())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, out.String())
	return n
}

// groupHash returns a hash of the name of a group.
func groupHash(name string) (h uint64) {
	for _, b := range []byte(webgraph.DigestOf([]byte(name))) {
		h = h*31 + uint64(b)
	}
	return h
}

// TestModelOfATenth trains a model on a tenth of the shared labels and puts it in use. It is what crawl, monitor, extract,
// serve, the laboratory and the crawlers of a cluster judge by. It is promoted, shadowed and rolled back, and training and use
// are killed with SIGKILL in between, after which no file is torn.
func TestModelOfATenth(t *testing.T) {
	nightly.SkipUnlessNightly(t)
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	corpus := golden.SharedPath(t, "corpora/pages/pages.warc.gz")
	labels := golden.SharedPath(t, "corpora/pages/labels.tsv")
	n, held := writeTenth(t, labels, in("tenth.tsv"), 0), writeTenth(t, labels, in("held.tsv"), 1)
	if n < 100 || held < 100 {
		t.Fatalf("%d labels to train on and %d held back", n, held)
	}
	data, model := in("data"), in("tenth.model")
	killed := func(delay time.Duration, line ...string) {
		cmd := exec.Command(selfAs(t, "eventseer"), line...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(delay)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	command := func(line ...string) (stdout, stderr string) {
		t.Helper()
		code, stdout, stderr := runCaptured(t, append(line, "--data", data)...)
		if code != 0 {
			t.Fatalf("%q: exit code %d\n%s", line, code, stderr)
		}
		return stdout, stderr
	}
	// --data of train is the table of labels.
	train := []string{"train", "--task", "cfp", "--algo", "svm", "--data", in("tenth.tsv"), "--pages", corpus, "-o", model, "--quiet"}
	killed(time.Second, train...)
	if _, err := os.Stat(model); err == nil {
		if _, err := judges.OpenModel(model); err != nil {
			t.Fatalf("a killed training left a damaged model: %v", err)
		}
	}
	if code, _, stderr := runCaptured(t, train...); code != 0 {
		t.Fatalf("train: exit code %d\n%s", code, stderr)
	}

	// It replaces a worse one by promotion, which needs pages that neither has seen.
	command("model", "use", trainReversed(t))
	for i := range 5 {
		killed(time.Duration(i*40)*time.Millisecond, "model", "use", model, "--data", data)
		command("model", "list")
	}
	command("model", "use", "cfp@1")
	promoted, _ := command("model", "promote", model, "--labels", in("held.tsv"), "--pages", corpus)
	name, _, _ := strings.Cut(promoted, " ")
	if !strings.HasPrefix(name, "cfp@") || name == "cfp@1" {
		t.Fatalf("promote says %q", promoted)
	}

	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/call" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<html lang=en><title>Workshop on stone 2027</title><h1>Call for papers</h1><p>The workshop on stone research invites papers, due 6 March 2027.")
	}))
	defer site.Close()
	live := []string{"--allow-private", "--contact", "me@site.example", "--host-delay", "0s", "--quiet"}
	modelsOf := func(pattern string) string {
		t.Helper()
		runs, err := filepath.Glob(pattern)
		if err != nil || len(runs) == 0 {
			t.Fatalf("no run at %s: %v", pattern, err)
		}
		record, err := engine.ReadRun(runs[len(runs)-1])
		if err != nil {
			t.Fatal(err)
		}
		return record.Models
	}
	used := "shipped with " + name
	command(append([]string{"crawl", "--run", in("live"), "--budget", "1", site.URL + "/call"}, live...)...)
	if got := modelsOf(in("live")); got != used {
		t.Errorf("crawl judged by %q, want %q", got, used)
	}
	command("monitor", "add", site.URL+"/call?monitor")
	command(append([]string{"monitor"}, live...)...)
	if got := modelsOf(filepath.Join(data, "runs", "*")); got != used {
		t.Errorf("monitor judged by %q, want %q", got, used)
	}
	own, err := judges.OpenModel(model)
	if err != nil {
		t.Fatal(err)
	}
	a := newTestApp(t)
	a.Config.Data = data
	watched, stop, err := serve.WatchModels(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if got := watched.Judge.For("").CFP(); got.Data != own.Data || got.Algo != own.Algo {
		t.Errorf("serve judges by %s trained on %s", got.Algo, got.Data)
	}
	_, _, published, err := clusterConf(a, controlFlags{})
	if err != nil || len(published) != 1 {
		t.Errorf("crawlers of a cluster receive %v, %v", published, err)
	}
	if code, _, stderr := runCaptured(t, "lab", "run", "--web", "sim:seed=7", "--strategies", "breadth-first,best-first@"+model, "--budget", "10", "-o", in("lab"), "--quiet"); code != 0 {
		t.Fatalf("lab: exit code %d\n%s", code, stderr)
	}
	if got := modelsOf(in("lab/runs/best-first@*/*")); !strings.HasPrefix(got, "shipped with cfp ") {
		t.Errorf("best-first judged by %q in the laboratory", got)
	}
	if got := modelsOf(in("lab/runs/breadth-first/*")); got != "shipped" {
		t.Errorf("breadth-first judged by %q in the laboratory", got)
	}

	// A model of disciplines decides what --topic physics is, here and on crawlers. A tenth of the labels has no page of
	// mathematics, so it is trained on all.
	if code, _, stderr := runCaptured(t, "train", "--task", "discipline", "--algo", "centroid", "--data", labels, "--pages", corpus, "-o", in("disciplines.model"), "--quiet"); code != 0 {
		t.Fatalf("train of disciplines: exit code %d\n%s", code, stderr)
	}
	command("model", "use", in("disciplines.model"))
	disciplines, err := os.ReadFile(in("disciplines.model"))
	if err != nil {
		t.Fatal(err)
	}
	hash := strings.TrimPrefix(string(webgraph.DigestOf(disciplines)), "sha256:")
	for kind, want := range map[string]bool{"own": true, "shipped": false} {
		command("crawl", "--sim", "seed=1", "--topic", "physics", "--budget", "5", "--models", kind, "--run", in("topic-"+kind), "--quiet")
		record, err := engine.ReadRun(in("topic-" + kind))
		if err != nil {
			t.Fatal(err)
		}
		if record.TopicModel == "" || (record.TopicModel == hash) != want {
			t.Errorf("with --models %s the topic is that of model %s; the own one is %s", kind, record.TopicModel, hash)
		}
	}
	if _, _, published, err = clusterConf(a, controlFlags{topic: "physics"}); err != nil || published[hash] == "" {
		t.Errorf("crawlers of a cluster receive %v, %v; want the model of disciplines too", published, err)
	}

	// It is a shadow of the shipped model after a rollback, and extract reads what is in use.
	command("model", "rollback", "cfp")
	command("model", "use", name)
	path := filepath.Join(data, "models", "cfp.model")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := in("call.html")
	writeFile(t, page, "<html lang=en><title>Workshop on stone 2027</title><h1>Call for papers</h1><p>Papers are due 6 March 2027.")
	writeFile(t, path, string(content[:len(content)/2]))
	if code, _, stderr := runCaptured(t, "extract", page, "--data", data); code == 0 || !strings.Contains(stderr, "model rollback cfp") {
		t.Errorf("extract with half of the model in use: exit code %d\n%s", code, stderr)
	}
	writeFile(t, path, string(content))
	command("extract", page)
	command("model", "use", "cfp@1")
	command("model", "shadow", name)
	command("crawl", "--sim", "seed=1", "--budget", "20", "--run", in("shadowed"), "--models", "own", "--quiet")
	if got := modelsOf(in("shadowed")); got != "shipped with cfp@1, discipline@1" {
		t.Errorf("with a shadow the crawl judged by %q", got)
	}
	if compared, _ := command("model", "compare", "--top", "1"); !strings.Contains(compared, "pages judged") {
		t.Errorf("compare says %q", compared)
	}
}
