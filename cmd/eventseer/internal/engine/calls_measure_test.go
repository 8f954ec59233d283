//go:build measure

package engine

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/eventseer/extract"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"

	"github.com/google/go-cmp/cmp"
)

// A callExample is a labelled page.
type callExample struct {
	group     string
	label     datasets.Label
	site      bool    // it belongs to a work site of ../shared/corpora/sites, of which all pages are known
	own, best float64 // probabilities of a call: of the page by itself, and of the likeliest other page
	chance    float64 // in context, by weights of the folds that have not seen the group
	known     bool    // its host has another page; else it is judged alone
}

// callExamples judges the labelled pages, and those of the work sites, by models that have not seen their groups.
func callExamples(t *testing.T) (examples []callExample) {
	judge, err := judges.CrossFittedSet().PageJudge()
	if err != nil {
		t.Fatal(err)
	}
	work := map[string]bool{} // hosts; no other site is on one of them
	for u := range workPages(t) {
		work[hostOf(u)] = true
	}
	for _, set := range []struct {
		labels, pages string
		site          bool
	}{
		{golden.SharedPath(t, "corpora/pages/labels.tsv"), "corpora/pages/pages.warc.gz", false},
		{"../../../../datasets/sitepages.tsv", "corpora/sites/sites.warc.gz", true},
	} {
		data, err := datasets.Open(set.labels)
		if err != nil {
			t.Fatal(err)
		}
		labels, said := map[string]datasets.Label{}, map[string]classify.Judgement{}
		for _, l := range data.Labels() {
			labels[l.URL] = l
		}
		// The weights 0, 0, 1 make the context return the probability of the likeliest other page.
		hosts := classify.NewCallContext(judge.For(""), classify.CallContext{Best: 1})
		for page, err := range warc.Pages(golden.SharedPath(t, set.pages)) {
			if err != nil || set.site && !work[hostOf(page.URL)] || extract.Unreadable(page) != "" {
				continue
			}
			tree, err := tagtree.Parse(page)
			if err != nil {
				continue
			}
			said[page.URL] = judge.For(page.URL).JudgeDocument(features.Read(tree))
			hosts.Add(page.URL, said[page.URL])
		}
		for _, u := range slices.Sorted(maps.Keys(said)) {
			l, ok := labels[u]
			if !ok {
				continue
			}
			together := hosts.Judge(u, said[u])
			examples = append(examples, callExample{group: l.Group, label: l, site: set.site, own: said[u].CFPScore, best: together.CFPScore, known: together.InContext})
		}
	}
	return examples
}

// fitCalls fits the weights by Newton's method on the pages in context of all folds but one.
func fitCalls(examples []callExample, without int) classify.CallContext {
	const steps, shrink = 30, 0.01
	logOdds := func(p float64) float64 { return math.Log(p / (1 - p)) }
	var w [3]float64
	for range steps {
		var m [3][4]float64 // the Hessian, and the gradient
		for i := range m {
			m[i][i], m[i][3] = shrink, shrink*w[i]
		}
		for _, e := range examples {
			if !e.known || foldOf(e.group) == without {
				continue
			}
			// own is read through Chance, which bounds it as the program does
			x := [3]float64{1, logOdds(classify.CallContext{Own: 1}.Probability(e.own, 0.5)), logOdds(e.best)}
			chance, truth := 1/(1+math.Exp(-(w[0]+w[1]*x[1]+w[2]*x[2]))), 0.0
			if e.label.IsCFP {
				truth = 1
			}
			for i := range m {
				m[i][3] += (chance - truth) * x[i]
				for j := range x {
					m[i][j] += chance * (1 - chance) * x[i] * x[j]
				}
			}
		}
		for i := range m { // m is positive definite: no pivot is 0
			for r := range m {
				if r == i {
					continue
				}
				f := m[r][i] / m[i][i]
				for j := range m[r] {
					m[r][j] -= f * m[i][j]
				}
			}
		}
		for i := range w {
			w[i] -= m[i][3] / m[i][i]
		}
	}
	return classify.CallContext{Bias: w[0], Own: w[1], Best: w[2]}
}

// TestFitCalls fits the weights of the host context for calls. It fits on labelled pages and pages of the work
// sites, and measures by weights of four folds on the fifth. The shipped gate must have them; with -update
// they are written to it, and the section of its card:
//
//	go test -tags measure -run TestFitCalls -v ./cmd/eventseer/internal/engine -update
func TestFitCalls(t *testing.T) {
	judge, err := judges.Set{}.PageJudge()
	if err != nil {
		t.Fatal(err)
	}
	least := judge.For("").CFP().Threshold
	examples := callExamples(t)
	g := *Gate()
	g.Calls = fitCalls(examples, -1)
	for _, w := range []*float64{&g.Calls.Bias, &g.Calls.Own, &g.Calls.Best} {
		*w = math.Round(100**w) / 100
	}
	for fold := range gateFolds {
		weights := fitCalls(examples, fold)
		for i, e := range examples {
			if foldOf(e.group) == fold {
				if examples[i].chance = e.own; e.known {
					examples[i].chance = weights.Probability(e.own, e.best)
				}
			}
		}
	}
	file, card := gateFile(t, &g), withSection(readGateCard(t), callsTitle, callsSection(g.Calls, examples, least))
	if golden.Updating() {
		if err := errors.Join(os.WriteFile(gateDir+GateFile, file, 0o644), os.WriteFile(gateDir+"gate.md", []byte(card), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	shipped, err := os.ReadFile(gateDir + GateFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(shipped, file) {
		t.Errorf("the shipped context of calls is not the one that was fitted: %+v", g.Calls)
	}
	if diff := cmp.Diff(readGateCard(t), card); diff != "" {
		t.Errorf("the card (-shipped +fitted):\n%s", diff)
	}
}

// callsSection is the part of the card about calls in context.
func callsSection(w classify.CallContext, examples []callExample, least float64) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	known := 0
	for _, e := range examples {
		if e.known {
			known++
		}
	}
	p("%s\n`classify` and `extract` over several inputs judge whether a page is a call by the likeliest call among the other pages of its folder too, of its host if the folder has none: ", callsTitle)
	p("log odds = %.2f + %.2f·those of the page by itself + %.2f·those of the likeliest other page. ", w.Bias, w.Own, w.Best)
	p("Fitted on %d of the labelled pages and of the pages of `datasets/sitepages.tsv`, those with another page on their host, judged by models trained without their groups. ", known)
	p("Command: `go test -tags measure -run TestFitCalls ./cmd/eventseer/internal/engine -update`. By weights fitted without the group of the page:\n\n")
	p("| taken for a call from a score of %.2f | pages | alone | in context |\n|---|---|---|---|\n", least)
	for _, row := range []struct {
		name string
		of   func(e callExample) bool
	}{
		{"labelled calls", func(e callExample) bool { return !e.site && e.label.IsCFP }},
		{"other labelled pages", func(e callExample) bool { return !e.site && !e.label.IsCFP }},
		{"calls of work sites", func(e callExample) bool { return e.site && e.label.IsCFP }},
		{"of them, those that the records name", func(e callExample) bool { return e.site && e.label.IsCFP && e.label.How == "record" }},
		{"other pages of work sites", func(e callExample) bool { return e.site && !e.label.IsCFP }},
	} {
		var n, alone, together float64
		for _, e := range examples {
			if !row.of(e) {
				continue
			}
			n++
			if e.own >= least {
				alone++
			}
			if e.chance >= least {
				together++
			}
		}
		p("| %s | %.0f | %.4f | %.4f |\n", row.name, n, alone/n, together/n)
	}
	return b.String()
}
