package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"

	"github.com/eventseer/eventseer/classify/train"
)

func TestTrainLayerNamesItsFiles(t *testing.T) {
	code, _, stderr := runCaptured(t, "eval", "cv", "--task", "layer", "--data", "nodes.tsv", "--pages", "web.warc.gz")
	if code != exitUsage || !strings.Contains(stderr, "--targets TARGETS.tsv and --links LINKS.tsv") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestEvalRefusesAModelOfOtherClasses(t *testing.T) {
	model, err := judges.OpenModel("cfp")
	if err != nil {
		t.Fatal(err)
	}
	model.Classes = []string{"cfp", "not_cfp"}
	dir := t.TempDir()
	path, labels, page := filepath.Join(dir, "turned.model"), filepath.Join(dir, "labels.tsv"), filepath.Join(dir, "page.html")
	if err := train.WriteModel(path, model); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{labels: "url\tpage_type\tis_cfp\n" + page + "\tcfp\ttrue\n", page: "<p>Call for papers"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, _, stderr := runCaptured(t, "eval", path, "--data", labels, "--pages", page)
	if code != exitIncompatible || !strings.Contains(stderr, `its classes are ["cfp" "not_cfp"]`) {
		t.Errorf("exit %d, %q; want %d and the classes", code, stderr, exitIncompatible)
	}
}
