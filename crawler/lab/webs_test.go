package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// resultOf makes an experiment of ten targets. Each strategy finds the given number of them in the first
// pages, the same from both draws.
func resultOf(name string, budget int, found map[string]int) WebResult {
	w := WebResult{Name: name, Experiment: Experiment{Seeds: []string{"a", "b"}, Repeats: 1, Budget: budget, Targets: targets(10)}}
	for _, strategy := range []string{"better", "worse"} {
		n, ok := found[strategy]
		if !ok {
			continue
		}
		w.Strategies = append(w.Strategies, strategy)
		for _, draw := range w.Seeds {
			r := Run{Cell: Cell{Strategy: strategy, Seeds: draw}}
			for i := range n {
				r.TargetHits = append(r.TargetHits, int32(i+1))
			}
			w.Runs = append(w.Runs, r)
		}
	}
	return w
}

func TestCompareWebs(t *testing.T) {
	var webs []WebResult
	for i := range 4 {
		webs = append(webs, resultOf(fmt.Sprintf("web-%d", i), 20, map[string]int{"better": 8, "worse": 4}))
	}
	s, err := CompareWebs(webs, "better", 1)
	if err != nil {
		t.Fatal(err)
	}
	best, worse := s.Figures[0], s.Figures[1]
	if best.Strategy != "better" || best.Ratio != nil {
		t.Errorf("first comes %+v", best)
	}
	want := (4*21 - 10.0) / (8*21 - 36.0) // sums of 21 less the pages of the hits
	if math.Abs(worse.Ratio.Mean-want) > 1e-9 || worse.Ratio.CI95[0] != worse.Ratio.CI95[1] {
		t.Errorf("the ratio is %+v, want %v without spread: all webs are alike", worse.Ratio, want)
	}
	if *worse.PWebs != 0.125 {
		t.Errorf("p is %v, want 2/16: of 4 webs none is lower", *worse.PWebs)
	}
	if *worse.PDraws != 2.0/256 {
		t.Errorf("p over draws is %v, want 2/256: of 8 draws none is lower", *worse.PDraws)
	}
	again, err := CompareWebs(webs, "better", 1)
	if err != nil {
		t.Fatal(err)
	}
	var first, second, table bytes.Buffer
	if err := s.Print(&first); err != nil {
		t.Fatal(err)
	}
	if err := again.Print(&second); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() || !strings.Contains(first.String(), "÷ better") {
		t.Errorf("printed:\n%s\nthen:\n%s", &first, &second)
	}
	if err := WriteWebs(&table, webs); err != nil || strings.Count(table.String(), "\n") != 1+4*4 {
		t.Errorf("%v: the table is\n%s", err, &table)
	}
}

// If the strategy compared with finds nothing on a web, there are no ratios, and the summary is JSON
// nevertheless.
func TestCompareWebsWithoutFinds(t *testing.T) {
	found := map[string]int{"better": 8, "worse": 0}
	webs := []WebResult{resultOf("a", 20, found), resultOf("b", 20, found)}
	s, err := CompareWebs(webs, "worse", 1)
	if err != nil {
		t.Fatal(err)
	}
	if best := s.Figures[0]; best.Strategy != "better" || best.Ratio != nil || best.PWebs == nil {
		t.Errorf("first comes %+v, want better without a ratio", best)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
}

func TestCompareWebsRefuses(t *testing.T) {
	a := resultOf("a", 20, map[string]int{"better": 1, "worse": 1})
	for name, test := range map[string]struct {
		webs    []WebResult
		against string
	}{
		"one web":     {[]WebResult{a}, "better"},
		"same name":   {[]WebResult{a, a}, "better"},
		"budgets":     {[]WebResult{a, resultOf("b", 30, map[string]int{"better": 1})}, "better"},
		"no strategy": {[]WebResult{a, resultOf("b", 20, map[string]int{"worse": 1})}, "better"},
	} {
		if _, err := CompareWebs(test.webs, test.against, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Repeats start from other seeds, in their order, and the same each time; one seed has none.
func TestSeedsOfRepeat(t *testing.T) {
	seeds := strings.Fields("a b c d e f g h i j")
	seen := map[string]bool{}
	for repeat := range 6 {
		got, err := SeedsOfRepeat(seeds, repeat, 3)
		again, _ := SeedsOfRepeat(seeds, repeat, 3)
		if err != nil || !slices.Equal(got, again) || !slices.IsSorted(got) {
			t.Fatalf("repeat %d: %v, then %v, %v", repeat, got, again, err)
		}
		if want := 10 - 2*min(repeat, 1); len(got) != want {
			t.Errorf("repeat %d has %d seeds, want %d", repeat, len(got), want)
		}
		seen[strings.Join(got, "")] = true
	}
	if len(seen) < 5 {
		t.Errorf("6 repeats have %d sets of seeds", len(seen))
	}
	if _, err := SeedsOfRepeat(seeds[:1], 1, 3); err == nil {
		t.Error("a draw of one seed has a second repeat")
	}
}
