package name

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/eventseer/eventseer/classify"
)

// randomModel returns a model with weights for the features of all candidates of pages.
func randomModel(t *testing.T, pages []*Page) *classify.LogLinear {
	t.Helper()
	rnd := rand.New(rand.NewPCG(7, 7))
	weights := map[uint32][]float64{}
	for _, p := range pages {
		x := NewExample(p)
		_, terms := x.Names("DGATE", 0.5)
		for _, of := range append(terms, x.AcronymTerms("Forum on Rivers")...) {
			for _, term := range of {
				if weights[term.ID] == nil {
					weights[term.ID] = []float64{4 * (rnd.Float64() - 0.5)}
				}
			}
		}
	}
	m, err := classify.NewLogLinear(classify.Meta{}, []float64{0}, weights)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMemoryIsReused reads pages of different size in turn and at the same time. The results must be those of a
// reader without tables in memory that no other page has used.
func TestMemoryIsReused(t *testing.T) {
	var pages []*Page
	for i := range 12 {
		lines := []string{fmt.Sprintf("# DGATE 2027: %dth Workshop on Dam Gates (DGATE)", i+1), "Held with the Forum on Rivers (FRD 2027) in Graz."}
		for k := range 40 * (i % 4) {
			lines = append(lines, fmt.Sprintf("The Days of Weir%d and Lock%d are a Meeting of all Friends of Weirs.", k, i*k))
		}
		pages = append(pages, pageOf("https://dgate.example/2027/", strings.Repeat("DGATE 2027 | ", i%3)+"Dam Gates", lines...))
	}
	m := randomModel(t, pages)
	want := make([]Result, len(pages))
	for i, p := range pages {
		want[i] = (&Reader{Names: m, Acronyms: m}).read(newDocument(p, newMemory()))
		if want[i].Name.Text == "" {
			t.Errorf("page %d has no name", i)
		}
	}
	r := &Reader{Names: m, Acronyms: m}
	r.Prepare()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for k := range 5 * len(pages) {
				i := (k*(g+1) + g) % len(pages)
				if got := r.Read(pages[i]); got != want[i] {
					t.Errorf("page %d: %+v, want %+v", i, got, want[i])
				}
			}
		})
	}
	wg.Wait()
}
