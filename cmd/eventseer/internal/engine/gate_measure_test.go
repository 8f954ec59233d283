//go:build measure

package engine

import (
	"context"
	"crypto/sha256"
	"math"
	"testing"
	"time"

	"eventseer/classify"
	"eventseer/classify/eval"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/datasets"
	"eventseer/eventseer"
	"eventseer/features"
	"eventseer/features/tagtree"
	"eventseer/internal/golden"
	"eventseer/internal/warc"
)

const (
	gateFolds = 5
	// conferenceWeight is what a page of an event that is no call counts beside one
	// that is: to keep it out loses little, since the call is elsewhere.
	conferenceWeight = 0.1
)

// A gateExample is a page of one event, or one of none, as the models that have not
// seen it judge it.
type gateExample struct {
	kind    string // call, conference or none; in mails, those of mails
	group   string
	said    classify.Judgement
	event   eventseer.Event
	plain   bool
	signals [2]float64
	chance  float64 // by the fold that has not seen it
}

// What weights has the gate, and what does it let through at each threshold? Prints
// the weights fitted on all pages, and the shares let through by those of the folds
// that have not seen a page's group.
//
//	go test -tags measure -run TestFitGate -v ./cmd/eventseer/internal/engine
func TestFitGate(t *testing.T) {
	examples := gateExamples(t)
	weights := fitGate(examples, -1)
	t.Logf("bias %.2f, call %.2f, either %.2f", weights[0], weights[1], weights[2])
	for fold := range gateFolds {
		weights := fitGate(examples, fold)
		for i, e := range examples {
			if foldOf(e.group) == fold {
				examples[i].chance = logistic(weights, e.signals)
			}
		}
	}
	for _, threshold := range []float64{0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9} {
		for _, kind := range []string{"none", "call", "conference", "mail none", "mail call"} {
			var ps []eval.Prediction
			for _, e := range examples {
				if e.kind == kind {
					p := eval.Prediction{Truth: 1, Group: e.group}
					if e.said.IsCFP || isEventChance(e.chance, threshold, e.said, e.event, e.plain) {
						p.Guess = 1
					}
					ps = append(ps, p)
				}
			}
			r, err := eval.New(kind, []string{"out", "in"}, ps, 1)
			if err != nil {
				t.Fatal(err)
			}
			share, _ := r.Figure(eval.Accuracy)
			t.Logf("at %.2f: %-10s %.3f [%.3f, %.3f] of %d", threshold, kind, share.Value, share.Low, share.High, len(ps))
		}
	}
}

func gateExamples(t *testing.T) []gateExample {
	judge, err := NewPageJudge("cross-fitted", nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &app.App{Now: time.Now}
	a.Config.Quiet = true
	extractor := NewExtractor(a)
	var examples []gateExample
	for _, set := range []string{"pages", "mails"} {
		data, err := datasets.Open(golden.Shared(t, "corpora/"+set+"/labels.tsv"))
		if err != nil {
			t.Fatal(err)
		}
		pages, prefix := warc.Pages(golden.Shared(t, "corpora/pages/pages.warc.gz")), ""
		if set == "mails" {
			pages, prefix = PagesOfInputs(context.Background(), a, []string{golden.Shared(t, "corpora/mails/mails.mbox.gz")}, ""), "mail "
		}
		for e := range data.Examples(pages) {
			tree, err := tagtree.Parse(e.Page)
			if err != nil {
				continue
			}
			x := gateExample{kind: prefix + "none", plain: tree.Root() == nil, group: e.Group, said: judge.For(e.URL).Document(features.Read(tree))}
			switch {
			case e.IsCFP:
				x.kind = prefix + "call"
			case e.PageType == "conference":
				x.kind = prefix + "conference"
			}
			x.signals = gateSignals(x.said)
			x.event, _ = extractor.Extract(tree)
			examples = append(examples, x)
		}
	}
	return examples
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
