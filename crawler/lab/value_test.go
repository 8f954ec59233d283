package lab

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
)

// The value of a set of targets does not depend on the order in which they are found.
func TestValueSum(t *testing.T) {
	found := []Target{{Event: "e1", Kind: "mail"}, {Event: "e1", Kind: "page"}, {Event: "e1", Kind: "pdf"}, {Kind: "page"}, {Kind: "page"}, {Event: "e2", Kind: "page", Past: true}}
	for s, want := range map[string]float64{
		"page=1,pdf=1,mail=1,again=1,past=1":     6,
		"page=1,pdf=0.5,mail=0.2,again=1,past=1": 1.7 + 2 + 1,
		"page=1,pdf=1,mail=0.2,again=0,past=0.5": 1 + 2 + 0.5,
		"page=1,pdf=1,mail=0.2,again=0.5,past=0": 1.6 + 2,
	} {
		values, err := crawler.ParseValues(s)
		if err != nil {
			t.Fatal(err)
		}
		for shift := range found {
			p, sum := newValueSum(values), 0.0
			for i := range found {
				gain := p.add(found[(i+shift)%len(found)])
				if sum += gain; gain < 0 {
					t.Errorf("%s: a find is worth %v", s, gain)
				}
			}
			if math.Abs(sum-want) > 1e-12 || math.Abs(p.sum-want) > 1e-12 {
				t.Errorf("%s from %d: %v, %v, want %v", s, shift, sum, p.sum, want)
			}
		}
	}
	if e := (Experiment{Targets: found}); e.TotalValue() != 6 {
		t.Errorf("without values the targets are worth %v", e.TotalValue())
	}
}

// Areas and shares weigh each find by its value.
func TestScoreByValue(t *testing.T) {
	e := Experiment{
		Budget: 4, Strategies: []string{"s"}, Seeds: []string{"a"}, Repeats: 1, Values: crawler.Values{Page: 1, PDF: 1, Mail: 0.25, Again: 0, Past: 1},
		Targets: []Target{{URL: "https://t.example/1", Event: "e1", Kind: "mail"}, {URL: "https://t.example/2", Event: "e1", Kind: "page"}, {URL: "https://t.example/3", Kind: "page"}},
	}
	r, err := e.ScoreCell(Cell{"s", "a", 0}, Record{Visits: visits("1 2 - -", 1)})
	if err != nil {
		t.Fatal(err)
	}
	if r.ValueAt(1) != 0.25 || r.ValueAt(4) != 1 || e.TotalValue() != 2 {
		t.Errorf("value %v, then %v, of %v", r.ValueAt(1), r.ValueAt(4), e.TotalValue())
	}
	if got, want := e.Summarise([]Run{r}, All, 1).Strategies["s"], (0.25+1+1+1)/4/2; got.HarvestAUC.Mean != want || got.ValueAt["4"].Mean != 0.5 || got.FoundAt["4"].Mean != 2 {
		t.Errorf("area %v, want %v; value %v, found %v", got.HarvestAUC.Mean, want, got.ValueAt["4"].Mean, got.FoundAt["4"].Mean)
	}
}

func TestReadTargetsOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "targets.tsv")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("url\tkind\topen\nhttps://a.example/\tpage\tno\nhttps://b.example/\tpage\tyes\nhttps://c.example/\tpage\t\n")
	got, err := ReadTargets(path, []string{"page"})
	if err != nil || len(got) != 3 || !got[0].Past || got[1].Past || got[2].Past {
		t.Errorf("%+v, %v", got, err)
	}
	write("url\tkind\topen\nhttps://a.example/\tpage\tmaybe\n")
	if _, err := ReadTargets(path, []string{"page"}); err == nil || !strings.Contains(err.Error(), "write yes or no") {
		t.Errorf("an unknown word: %v", err)
	}
}
