//go:build measure

package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"

	"github.com/google/go-cmp/cmp"
)

const (
	gateFolds = 5
	// conferenceWeight is the weight of a page of an event that is not a call, compared with one
	// that is. Rejecting it loses little, since the call is elsewhere.
	conferenceWeight = 0.1
)

// A gateExample is a page, with its event if there is one, and the judgement of models that have
// not seen it.
type gateExample struct {
	kind    string // call, conference or none; in mails, those of mails
	group   string
	url     string
	said    classify.Judgement
	event   eventseer.Event
	plain   bool
	signals [2]float64
	weights [3]float64 // of the fold that has not seen it
	chance  float64    // by them
}

// gateKinds are the kinds of pages that the card measures, as it names them.
var gateKinds = []struct{ kind, name string }{
	{"none", "let through of other pages"}, {"call", "let through of calls"}, {"conference", "let through of other pages of conferences"},
	{"mail none", "let through of other mails"}, {"mail call", "let through of calls by mail"},
}

// TestFitGate fits the weights of the gate and prints what it lets through at each threshold. It
// fits the weights on all pages, and measures by those of the folds that have not seen a page's
// group. The shipped gate must be the one that comes out; with -update it is written, with its
// card:
//
//	go test -tags measure -run TestFitGate -v ./cmd/eventseer/internal/engine -update
func TestFitGate(t *testing.T) {
	examples, digest := gateExamples(t)
	g := newGate(examples, digest)
	for fold := range gateFolds {
		weights := fitGate(examples, fold)
		for i, e := range examples {
			if foldOf(e.group) == fold {
				examples[i].weights, examples[i].chance = weights, logistic(weights, e.signals)
			}
		}
	}
	thresholds := []float64{0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9}
	together := inContext(examples)
	shares, contextShares := map[float64][]classify.Figure{}, map[float64][]classify.Figure{}
	for _, threshold := range thresholds {
		at := *g
		at.Threshold, at.Context = threshold, threshold
		for _, k := range gateKinds {
			shares[threshold] = append(shares[threshold], letThrough(t, &at, examples, k.kind, k.name))
			at := *g // pages alone on their hosts as they are shipped
			at.Context = threshold
			contextShares[threshold] = append(contextShares[threshold], letThrough(t, &at, together, k.kind, "in context, "+k.name))
		}
	}
	g.Figures = slices.Concat(gateFigures(t, g, examples), shares[g.Threshold], contextShares[g.Context])
	g.Site, g.Calls = Gate().Site, Gate().Calls // see TestFitSite and TestFitCalls
	file, card := gateFile(t, g), gateCard(g, examples, thresholds, shares, contextShares)
	for _, title := range []string{sitesTitle, callsTitle} {
		card = withSection(card, title, sectionOf(readGateCard(t), title))
	}
	const dir = "../../../../models/"
	if golden.Updating() {
		if err := errors.Join(os.WriteFile(dir+GateFile, file, 0o644), os.WriteFile(dir+"gate.md", []byte(card), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	shipped, err := os.ReadFile(dir + GateFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(shipped, file) {
		t.Errorf("the shipped gate is not the one that was fitted: bias %.2f, call %.2f, either %.2f", g.Bias, g.Call, g.Either)
	}
	if diff := cmp.Diff(readGateCard(t), card); diff != "" {
		t.Errorf("the card (-shipped +fitted):\n%s", diff)
	}
}

// newGate fits a gate, its weights rounded to hundredths. The other numbers were
// chosen by hand on the same pages.
func newGate(examples []gateExample, digest string) *classify.Gate {
	weights := fitGate(examples, -1)
	for i, w := range weights {
		weights[i] = math.Round(100*w) / 100
	}
	g := &classify.Gate{
		Meta: classify.Meta{
			Task: "gate", Algo: "logistic regression", Classes: []string{"other", "event"}, Counts: []int{0, 0}, Data: digest,
			Options: "over what the cross-fitted models of task cfp and page-type say; pages of conferences that are no calls count a tenth; weights rounded to hundredths, thresholds chosen by hand",
			Program: "go test -tags measure -run TestFitGate ./cmd/eventseer/internal/engine -update",
		},
		Bias: weights[0], Call: weights[1], Either: weights[2],
		Threshold: 0.55, Context: 0.65, Dated: 0.03, Named: 0.01, List: 0.15, Deadlines: 2,
	}
	groups := map[string]bool{}
	for _, e := range examples {
		if truth, ok := e.truth(); ok {
			g.Counts[truth]++
			groups[e.group] = true
		}
	}
	g.Groups = len(groups)
	return g
}

// inContext returns the examples as they are judged in the context of their hosts.
func inContext(examples []gateExample) []gateExample {
	judge, err := judges.Set{}.PageJudge()
	if err != nil {
		panic(err) // embedded
	}
	hosts, together := NewCallContext(judge.For("")), slices.Clone(examples)
	for _, e := range examples {
		hosts.Add(e.url, e.said)
	}
	for i, e := range together {
		said := hosts.Judge(e.url, e.said)
		together[i].said, together[i].signals = said, classify.GateSignals(said)
		together[i].chance = logistic(e.weights, together[i].signals)
	}
	return together
}

// truth is the class of a page, 1 for one of an event; mails are measured only.
func (e gateExample) truth() (class int, learnt bool) {
	switch e.kind {
	case "call", "conference":
		return 1, true
	case "none":
		return 0, true
	}
	return 0, false
}

// gateFigures measures the decision on all pages but mails.
func gateFigures(t *testing.T, g *classify.Gate, examples []gateExample) []classify.Figure {
	var ps []eval.Prediction
	for _, e := range examples {
		if truth, ok := e.truth(); ok {
			ps = append(ps, eval.Prediction{Truth: truth, Guess: e.guess(g), Score: e.chance, Group: e.group})
		}
	}
	r, err := eval.New("gate", g.Classes, ps, 1)
	if err != nil {
		t.Fatal(err)
	}
	return r.Figures
}

func (e gateExample) guess(g *classify.Gate) int {
	if e.said.IsCFP || isEventByProbability(g, e.chance, e.said, e.event, e.plain) {
		return 1
	}
	return 0
}

// letThrough is the share of the pages of a kind that pass.
func letThrough(t *testing.T, g *classify.Gate, examples []gateExample, kind, name string) classify.Figure {
	var ps []eval.Prediction
	for _, e := range examples {
		if e.kind == kind {
			ps = append(ps, eval.Prediction{Truth: 1, Guess: e.guess(g), Group: e.group})
		}
	}
	r, err := eval.New(kind, []string{"out", "in"}, ps, 1)
	if err != nil {
		t.Fatal(err)
	}
	share, _ := r.Figure(eval.Accuracy)
	share.Name = name
	t.Logf("at %.2f: %-10s %.3f [%.3f, %.3f] of %d", g.Threshold, kind, share.Value, share.Low, share.High, len(ps))
	return share
}

// gateFile is the gate as classify.ReadGate reads it.
func gateFile(t *testing.T, g *classify.Gate) []byte {
	text, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	b := append([]byte("ESgates\n\x01\x00\x00\x00"), text...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func gateCard(g *classify.Gate, examples []gateExample, thresholds []float64, shares, contextShares map[float64][]classify.Figure) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("# %s\n\nSays whether a page tells of one event, so that a record is read from it: its call for papers, its home, dates or committee. ", g.Task)
	p("It weighs what the models of task cfp and page-type say of the page; whatever the former takes for a call passes.\n\n")
	p("Intended use: choosing the pages that records are read from within EventSeer. Not for judging people or the worth of a conference.\n\n")
	p("## How it was made\n\n")
	p("- algorithm: %s %s\n", g.Algo, g.Options)
	p("- command, in the root of the repository, with the corpora beside it: `%s`\n", g.Program)
	p("- chance = 1/(1+exp(-z)), z = %.2f + %.2f·log odds of a call + %.2f·log odds of a call or a page of type cfp or conference\n", g.Bias, g.Call, g.Either)
	p("- says yes from a chance of %.2f; with event dates and a day to submit by, or %d deadlines, from %.2f; with the dates of a named event in plain text from %.2f; the latter two only where the chance of a list of events is below %.2f\n",
		g.Threshold, g.Deadlines, g.Dated, g.Named, g.List)
	p("- of a page whose type was judged in the context of other pages of its host (doc/decisions/035), says yes from a chance of %.2f\n", g.Context)
	p("- data: %d pages in %d groups (a group is a site or a copy of it), digest `%s`\n\n", g.Examples(), g.Groups, g.Data)
	p("| class | pages |\n|---|---|\n")
	for k, class := range g.Classes {
		p("| %s | %d |\n", class, g.Counts[k])
	}
	p("\n## What it can do\n\nGrouped %d-fold cross-validation: each page is judged by weights that were fitted without its group. Intervals are 95 %%, by bootstrap over groups. ", gateFolds)
	p("The thresholds were chosen on the same pages, so the figures are a little too good. Mails are measured, not learnt from. The command, with -v, prints them again.\n\n")
	p("| figure | value | interval |\n|---|---|---|\n")
	for _, f := range g.Figures {
		p("| %s | %.3f | %.3f to %.3f |\n", f.Name, f.Value, f.Low, f.High)
	}
	table := func(of string, shares map[float64][]classify.Figure) {
		p("\nThe shares at other thresholds%s:\n\n| let through of |", of)
		for _, threshold := range thresholds {
			p(" %.2f |", threshold)
		}
		p("\n|---|%s\n", strings.Repeat("---|", len(thresholds)))
		for i, k := range gateKinds {
			n := 0
			for _, e := range examples {
				if e.kind == k.kind {
					n++
				}
			}
			p("| %d %s |", n, strings.TrimPrefix(k.name, "let through of "))
			for _, threshold := range thresholds {
				p(" %.3f |", shares[threshold][i].Value)
			}
			p("\n")
		}
	}
	table("", shares)
	table(" of pages in context, those alone on their hosts at "+fmt.Sprintf("%.2f", g.Threshold), contextShares)
	p("\n## Licence\n\nAs the program, see LICENSE. The file holds nineteen numbers and no page.\n")
	return b.String()
}

// gateExamples reads the labelled pages and mails; digest is that of the pages.
func gateExamples(t *testing.T) (examples []gateExample, digest string) {
	judge, err := judges.CrossFittedSet().PageJudge()
	if err != nil {
		t.Fatal(err)
	}
	a := &app.App{Now: time.Now}
	a.Config.Quiet = true
	extractor := NewExtractor(a, judges.Set{})
	for _, set := range []string{"pages", "mails"} {
		data, err := datasets.Open(golden.SharedPath(t, "corpora/"+set+"/labels.tsv"))
		if err != nil {
			t.Fatal(err)
		}
		pages, prefix := warc.Pages(golden.SharedPath(t, "corpora/pages/pages.warc.gz")), ""
		if set == "mails" {
			pages, prefix = PagesOfInputs(context.Background(), a, []string{golden.SharedPath(t, "corpora/mails/mails.mbox.gz")}, ""), "mail "
		}
		for e := range data.Examples(pages) {
			tree, err := tagtree.Parse(e.Page)
			if err != nil {
				continue
			}
			x := gateExample{url: e.URL, kind: prefix + "none", plain: tree.Root() == nil, group: e.Group, said: judge.For(e.URL).JudgeDocument(features.Read(tree))}
			switch {
			case e.IsCFP:
				x.kind = prefix + "call"
			case e.PageType == "conference":
				x.kind = prefix + "conference"
			}
			x.signals = classify.GateSignals(x.said)
			x.event, _ = extractor.Extract(tree)
			examples = append(examples, x)
		}
		if set == "pages" {
			digest = data.Digest()
		}
	}
	return examples, digest
}

func foldOf(group string) int { return int(sha256.Sum256([]byte(group))[0]) % gateFolds }

func logistic(weights [3]float64, signals [2]float64) float64 {
	return 1 / (1 + math.Exp(-(weights[0] + weights[1]*signals[0] + weights[2]*signals[1])))
}

// fitGate fits the weights by gradient descent on the pages of all folds but one.
func fitGate(examples []gateExample, without int) (weights [3]float64) {
	const steps, rate = 4000, 0.5
	for range steps {
		var gradient [3]float64
		total := 0.0
		for _, e := range examples {
			truth, weight := 0.0, 1.0
			switch e.kind {
			case "call":
				truth = 1
			case "conference":
				truth, weight = 1, conferenceWeight
			case "none":
			default:
				continue // mails are measured only
			}
			if foldOf(e.group) == without {
				continue
			}
			miss := weight * (logistic(weights, e.signals) - truth)
			total += weight
			gradient[0] += miss
			gradient[1] += miss * e.signals[0]
			gradient[2] += miss * e.signals[1]
		}
		for i := range weights {
			weights[i] -= rate * gradient[i] / total
		}
	}
	return weights
}
