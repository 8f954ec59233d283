package classify

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/eventseer/eventseer/webgraph"
)

func testJudge(t testing.TB) *Judge {
	t.Helper()
	j, err := NewJudge(testModel(t, TaskCFP), testModel(t, TaskPageType))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestJudgeOfPageWithoutText(t *testing.T) {
	for name, body := range map[string]string{
		"empty": "", "no text": "<html><body><img src=x></body></html>", "unknown words": "<p>zyxwv utsrq</p>",
	} {
		got := testJudge(t).JudgePage(tree(t, "http://a.example/", body))
		if got.IsCFP || got.CFPScore != 0 || got.PageType != Other || got.PageTypeScores[Other] != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestJudge(t *testing.T) {
	j := testJudge(t)
	got := j.JudgePage(tree(t, "http://a.example/", "<p>call for papers on gardens<p>deadline in May"))
	if got.IsCFP != (got.CFPScore >= j.CFP().Threshold) {
		t.Errorf("score %v, threshold %v, is CFP %v", got.CFPScore, j.CFP().Threshold, got.IsCFP)
	}
	var sum, best float64
	for _, s := range got.PageTypeScores {
		sum += s
		best = max(best, s)
	}
	if len(got.PageTypeScores) != 8 || math.Abs(sum-1) > 1e-12 || got.PageTypeScores[got.PageType] != best {
		t.Errorf("page type %s of %v", got.PageType, got.PageTypeScores)
	}
}

func TestNewJudgeRefusesSwappedModels(t *testing.T) {
	cfp, pageType := testModel(t, TaskCFP), testModel(t, TaskPageType)
	if _, err := NewJudge(pageType, cfp); err == nil {
		t.Error("swapped models: no error")
	}
	few := *pageType
	few.Classes = few.Classes[:3]
	if _, err := NewJudge(cfp, &few); err == nil {
		t.Error("a page-type model of 3 classes: no error")
	}
	turned := *cfp
	turned.Classes = []string{"cfp", "not_cfp"}
	if _, err := NewJudge(&turned, pageType); err == nil {
		t.Error("a cfp model whose first class is the positive one: no error")
	}
}

func testFolds(t testing.TB) *Folds {
	t.Helper()
	f, err := NewFolds(3, map[string]int{
		"a.example": 0, "b.example": 1, "c.example": 2, "d.example": 1, "local.html": 2,
		"http://many.example/1": 0, "http://many.example/2": 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func encodeFolds(t testing.TB, f *Folds) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteFolds(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFoldsRoundTrip(t *testing.T) {
	data := encodeFolds(t, testFolds(t))
	if !bytes.Equal(data, encodeFolds(t, testFolds(t))) {
		t.Error("the same table gives other bytes")
	}
	if bytes.Contains(data, []byte("example")) {
		t.Error("the file holds host names")
	}
	f, err := ReadFolds(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]int{
		"http://a.example/x": 0, "https://B.example:81/": 1, "http://c.example": 2, "http://d.example": 1, "local.html": 2,
		"http://many.example/1": 0, "http://many.example/2": 1, "http://many.example/3": -1,
		"http://e.example/": -1, "": -1,
	} {
		fold, ok := f.FoldOf(url)
		if !ok {
			fold = -1
		}
		if fold != want {
			t.Errorf("%q is in fold %d, want %d", url, fold, want)
		}
	}
}

func TestFoldsRefuse(t *testing.T) {
	for _, n := range []int{1, maxFolds + 1} {
		if _, err := NewFolds(n, nil); err == nil {
			t.Errorf("%d folds: no error", n)
		}
	}
	for _, fold := range []int{-1, 3} {
		if _, err := NewFolds(3, map[string]int{"a": fold}); err == nil {
			t.Errorf("a host in fold %d of 3: no error", fold)
		}
	}
	data := encodeFolds(t, testFolds(t))
	for n := range data {
		if _, err := ReadFolds(bytes.NewReader(data[:n])); err == nil {
			t.Fatalf("%d of %d bytes: no error", n, len(data))
		}
		changed := bytes.Clone(data)
		changed[n] ^= 1 << (n % 8)
		_, err := ReadFolds(bytes.NewReader(changed))
		if err == nil {
			t.Fatalf("byte %d changed: no error", n)
		}
		if n == len(foldsMagic) && !errors.Is(err, ErrIncompatible) {
			t.Errorf("another version: %v", err)
		}
	}
}

// modelFiles lays out full models and two folds as train writes them.
func modelFiles(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for i, dir := range []string{"", "crossfit/0/", "crossfit/1/"} {
		for _, task := range []string{TaskCFP, TaskPageType} {
			m := testModel(t, task)
			m.Seed = uint64(i)
			files[dir+task+".model"] = &fstest.MapFile{Data: encode(t, m)}
		}
	}
	folds, err := NewFolds(2, map[string]int{"a.example": 0, "b.example": 1})
	if err != nil {
		t.Fatal(err)
	}
	files["crossfit/folds"] = &fstest.MapFile{Data: encodeFolds(t, folds)}
	return files
}

func TestCrossFittedPicksTheFoldOfTheHost(t *testing.T) {
	files := modelFiles(t)
	full, err := ReadJudge(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadCrossFitted(files, "crossfit", full)
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]uint64{
		"http://a.example/x": 1, "http://b.example/": 2, "http://unknown.example/": 0, "mid:<x>": 0,
	} {
		if got := c.For(url).CFP().Seed; got != want {
			t.Errorf("%s is judged by model %d, want %d", url, got, want)
		}
	}
}

func TestReadCrossFittedNamesWhatIsMissing(t *testing.T) {
	full := testJudge(t)
	for _, name := range []string{"crossfit/folds", "crossfit/0/cfp.model", "crossfit/1/page-type.model"} {
		files := modelFiles(t)
		delete(files, name)
		if _, err := ReadCrossFitted(files, "crossfit", full); err == nil || !strings.Contains(err.Error(), name[strings.LastIndex(name, "/")+1:]) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	files := modelFiles(t)
	files["cfp.model"] = &fstest.MapFile{Data: []byte("broken")}
	if _, err := ReadJudge(files, "."); err == nil || !strings.Contains(err.Error(), "cfp.model") {
		t.Errorf("a broken model: %v", err)
	}
}

func ExampleFolds_FoldOf() {
	folds, err := NewFolds(5, map[string]int{webgraph.HostKey("https://conf.example/2027/"): 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(folds.FoldOf("https://conf.example/2027/cfp.html"))
	fmt.Println(folds.FoldOf("https://other.example/"))
	// Output:
	// 3 true
	// 0 false
}

func FuzzReadFolds(f *testing.F) {
	f.Add(encodeFolds(f, testFolds(f)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, b := range [][]byte{data, appendSum(bytes.Clone(data))} {
			folds, err := ReadFolds(bytes.NewReader(b))
			if err != nil {
				continue
			}
			if fold, ok := folds.FoldOf("a.example"); ok && (fold < 0 || fold >= folds.Len()) {
				t.Errorf("fold %d of %d", fold, folds.Len())
			}
			encodeFolds(t, folds)
		}
	})
}
