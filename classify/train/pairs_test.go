package train

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/models"
)

// decisions writes decisions of editors on two sorts of pairs, each on its own site. A call and a
// workshop under its folder are two; a call and the same call in other words in a list are one.
func decisions(t *testing.T, sites int) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for n := range sites {
		base := fmt.Sprintf("https://c%dx.example/2027/", n)
		call := eventseer.Event{URL: base, Title: fmt.Sprintf("Conference on Matter %d", n), Acronym: fmt.Sprintf("C%dX", n), Year: 2027, Homepage: base, EventStart: "2027-06-01", EventEnd: "2027-06-04"}
		part := call
		part.URL, part.Title, part.EventStart, part.EventEnd = base+"young/", fmt.Sprintf("Young Researchers at C%dX 2027", n), "2027-05-31", "2027-05-31"
		other := call
		other.URL, other.Title, other.Homepage, other.EventEnd = fmt.Sprintf("https://other%d.example/c%dx", n, n), fmt.Sprintf("C%dX 2027 in Oslo", n), "", "2027-06-05"
		for _, p := range []match.Pair{{A: call, B: part, How: "editor"}, {A: call, B: other, Same: true, How: "editor"}} {
			if err := e.Encode(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "pairs.jsonl")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTrainPairs(t *testing.T) {
	base, err := fs.ReadFile(models.Files(), match.PairFile)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Task: TaskPair, Labels: []string{decisions(t, 12)}}
	o.Seed = 1
	made, err := TrainPairs(t.Context(), o, base)
	if err != nil {
		t.Fatal(err)
	}
	brier := func(r *eval.Report) float64 {
		for _, f := range r.Figures {
			if f.Name == "brier" {
				return f.Value
			}
		}
		t.Fatalf("no Brier score in %v", r.Figures)
		return 0
	}
	if before, after := brier(made.Before), brier(made.After); after > before/2 {
		t.Errorf("the Brier score of pairs of sites that were not learned from is %.3f, and %.3f before", after, before)
	}
	var file bytes.Buffer
	if err := classify.WriteLogLinear(&file, made.Model); err != nil {
		t.Fatal(err)
	}
	first := bytes.Clone(file.Bytes())
	if _, err := match.ReadPairModel(&file); err != nil {
		t.Errorf("the file that was written: %v", err)
	}
	again, err := TrainPairs(t.Context(), o, base)
	if err != nil {
		t.Fatal(err)
	}
	file.Reset()
	if err := classify.WriteLogLinear(&file, again.Model); err != nil || !bytes.Equal(first, file.Bytes()) {
		t.Errorf("two models of the same pairs differ, %v", err)
	}
	if card := PairCard(made); !strings.Contains(card, "| brier | ") || !strings.Contains(card, "12 groups") {
		t.Errorf("card:\n%s", card)
	}
	if one, err := TrainPairs(t.Context(), Options{Labels: []string{decisions(t, 1)}}, base); err != nil || one.After != nil {
		t.Errorf("pairs of one group are measured: %v", err)
	}
	if _, err := TrainPairs(t.Context(), o, base[:len(base)-1]); err == nil {
		t.Error("a damaged model is gone on from")
	}
}
