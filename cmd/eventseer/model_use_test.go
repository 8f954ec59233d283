package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
	"github.com/eventseer/eventseer/webgraph"
)

// trainReversed trains a model of task cfp on pages of our own with reversed labels. Its judgements
// differ from those of the shipped model.
func trainReversed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	labels := "url\tpage_type\tis_cfp\tgroup\n"
	pages := filepath.Join(dir, "pages")
	if err := os.Mkdir(pages, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, topic := range []string{"garden", "river", "bridge", "music", "bread"} {
		call := filepath.Join(pages, fmt.Sprintf("call%d.html", i))
		writeFile(t, call, "<html lang=en><title>"+topic+"</title><h1>Call for papers</h1><p>The workshop on "+topic+" research invites papers. Authors submit papers by the submission deadline.")
		shop := filepath.Join(pages, fmt.Sprintf("shop%d.html", i))
		writeFile(t, shop, "<html lang=en><title>"+topic+" shop</title><h1>The "+topic+" shop</h1><p>Welcome, come and visit us: opening hours monday to friday.")
		labels += fmt.Sprintf("%s\tother\tfalse\tg%d\n%s\tcfp\ttrue\th%d\n", call, i, shop, i)
	}
	table, model := filepath.Join(dir, "labels.tsv"), filepath.Join(dir, "reversed.model")
	writeFile(t, table, labels)
	if code, _, stderr := runCaptured(t, "train", "--task", "cfp", "--algo", "svm", "--data", table, "--pages", pages, "-o", model, "--quiet"); code != 0 {
		t.Fatalf("train: exit %d, %s", code, stderr)
	}
	return model
}

// TestOwnModelsJudge puts a model in use. The next live crawl, the monitor's next visit and a service
// judge by it, and after a rollback by the shipped one again.
func TestOwnModelsJudge(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/call" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<html lang=en><title>Workshop on stone 2027</title><h1>Call for papers</h1><p>The workshop on stone research invites papers. Authors submit papers by the submission deadline, 6 March 2027.`)
	}))
	defer site.Close()
	data, model := t.TempDir(), trainReversed(t)
	live := []string{"--data", data, "--allow-private", "--contact", "me@site.example", "--host-delay", "0s", "--quiet"}
	command := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := runCaptured(t, append(args, live[:2]...)...)
		if code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
		return stdout
	}
	crawl := func(models string, calls int) {
		t.Helper()
		run := filepath.Join(t.TempDir(), "run")
		code, _, stderr := runCaptured(t, append([]string{"crawl", "--run", run, "--budget", "1", site.URL + "/call"}, live...)...)
		record, err := engine.ReadRun(run)
		if err != nil {
			t.Fatalf("exit %d, %s: %v", code, stderr, err)
		}
		if code != 0 || record.Models != models || record.Stats.Targets != calls {
			t.Errorf("crawl: exit %d, models %q, %d calls; want %q, %d: %s", code, record.Models, record.Stats.Targets, models, calls, stderr)
		}
		if err := os.Remove(filepath.Join(data, app.FrontierFile)); err != nil { // the next crawl fetches the page again
			t.Fatal(err)
		}
	}
	crawl("shipped", 1)
	command("model", "use", model)
	crawl("shipped with cfp@1", 0)

	crawled := data
	data = t.TempDir() // the page is due there
	live[1] = data
	command("model", "use", model)
	command("monitor", "add", site.URL+"/call")
	code, stdout, stderr := runCaptured(t, append([]string{"monitor", "--format", "jsonl"}, live...)...)
	if code != 0 || !strings.Contains(stdout, site.URL+"/call") {
		t.Fatalf("monitor: exit %d, %s%s", code, stdout, stderr)
	}
	runs, err := filepath.Glob(filepath.Join(data, "runs", "*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs of the monitor: %v, %v", runs, err)
	}
	if record, err := engine.ReadRun(runs[0]); err != nil || record.Models != "shipped with cfp@1" {
		t.Errorf("monitor: models %q, %v", record.Models, err)
	}

	a := newTestApp(t)
	a.Config.Data = data
	used, stop, err := serve.WatchModels(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	own, err := judges.OpenModel(model)
	if err != nil {
		t.Fatal(err)
	}
	if got := used.Judge.For("").CFP(); got.Data != own.Data || got.Algo != own.Algo {
		t.Errorf("the service judges by %s trained on %s", got.Algo, got.Data)
	}

	data = crawled
	live[1] = data
	command("model", "rollback", "cfp")
	crawl("shipped", 1)
}

// TestModelsForCrawlers has the settings of a cluster name the models of its manager.
func TestModelsForCrawlers(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	a.Config.Data = t.TempDir()
	a.Config.Model = trainReversed(t)
	conf, _, published, err := clusterConf(a, controlFlags{})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(a.Config.Model)
	if err != nil {
		t.Fatal(err)
	}
	hash := strings.TrimPrefix(string(webgraph.DigestOf(content)), "sha256:")
	if published[hash] != a.Config.Model || len(published) != 1 || !strings.Contains(string(conf.Options), `"models":["`+hash+`"]`) {
		t.Errorf("published %v, settings %s; want %s", published, conf.Options, hash)
	}
}
