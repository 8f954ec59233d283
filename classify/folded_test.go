package classify

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestFoldedPicksTheFoldOfTheHost(t *testing.T) {
	files := modelFiles(t)
	full := testModel(t, TaskCFP)
	f, err := ReadFolded(files, "crossfit", full)
	if err != nil {
		t.Fatal(err)
	}
	full.Seed = 0
	for url, want := range map[string]uint64{"http://a.example/x": 1, "http://b.example/": 2, "http://unknown.example/": 0} {
		if got := f.For(url).Seed; got != want {
			t.Errorf("%s is judged by model %d, want %d", url, got, want)
		}
	}
	if f.FullModel() != full || NewFolded(full).For("http://a.example/") != full {
		t.Error("without folds not the full model judges")
	}
}

func TestReadFoldedRefuses(t *testing.T) {
	full := testModel(t, TaskCFP)
	for _, name := range []string{"crossfit/folds", "crossfit/1/cfp.model"} {
		files := modelFiles(t)
		delete(files, name)
		if _, err := ReadFolded(files, "crossfit", full); err == nil || !strings.Contains(err.Error(), name[strings.LastIndex(name, "/")+1:]) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	files := modelFiles(t)
	files["crossfit/1/cfp.model"] = &fstest.MapFile{Data: encode(t, testModel(t, TaskPageType))}
	if _, err := ReadFolded(files, "crossfit", full); err == nil {
		t.Error("a fold's model of another task: no error")
	}
}
