//go:build measure

package extract

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"eventseer/classify"
	"eventseer/classify/loglinear"
)

func TestNameLab(t *testing.T) {
	pages := sampled(namedPages(t), pagesOfSite)
	run := func(of string, learn func(p *namedPage) bool) {
		r := crossFit(t, pages, acronymOptions(), nameOptions(), learn)
		r.report(t, pages, of)
	}
	saved := make([]map[string]bool, len(pages))
	none := make([]bool, len(pages))
	for i, p := range pages {
		saved[i], none[i] = p.near, p.noAcronym
		p.near = map[string]bool{p.group: true}
		if p.corpus == "wikicfp" {
			p.noAcronym = true
		}
	}
	old := func(p *namedPage) bool { return p.corpus != "series" && p.corpus != "mail" }
	run("old", old)
	for i, p := range pages {
		p.near = saved[i]
	}
	run("near", old)
	for i, p := range pages {
		p.noAcronym = none[i]
	}
	run("near+wikicfp", old)
	run("+series", func(p *namedPage) bool { return p.corpus != "mail" })
	run("+mail", nil)
}

// nameOnly trains names with the keys of base.
func labNames(t *testing.T, pages []*namedPage, base nameRun, probs []float64, o loglinear.Options, learn func(p *namedPage) bool) nameRun {
	r := base
	r.outs = make([]outcome, len(pages))
	r.models = make([]fit, trainingFolds)
	parallel(trainingFolds, func(k int) {
		m, err := loglinear.TrainRanker(context.Background(), classify.Meta{Task: "name"}, r.names, func(i int) bool {
			return r.names[i].Gain != nil && trainedIn(pages[i], k) && (learn == nil || learn(pages[i]))
		}, o)
		if err != nil {
			t.Error(err)
			return
		}
		r.models[k] = fit{acronyms: base.models[k].acronyms, names: m}
		for i, p := range pages {
			if foldOf(p.group) == k {
				r.outs[i] = r.models[k].read(p, r.keys[i], probs[i])
			}
		}
	})
	r.nameSteps = r.calibrate(t, pages, func(o outcome) (float64, bool, bool) { return o.belief, o.right, o.name != "" })
	r.acronymSteps = r.calibrate(t, pages, func(o outcome) (float64, bool, bool) { return o.aBelief, o.aRight, o.acronym != "" })
	return r
}

func labAcronyms(t *testing.T, pages []*namedPage, base nameRun, o loglinear.Options, learn func(p *namedPage) bool) nameRun {
	r := base
	r.outs = slices.Clone(base.outs)
	parallel(trainingFolds, func(k int) {
		m, err := loglinear.TrainRanker(context.Background(), classify.Meta{Task: "acronym"}, r.acronyms, func(i int) bool {
			return r.acronyms[i].Gain != nil && trainedIn(pages[i/2], k) && (learn == nil || learn(pages[i/2]))
		}, o)
		if err != nil {
			t.Error(err)
			return
		}
		for i, p := range pages {
			if foldOf(p.group) == k {
				o := &r.outs[i]
				list := p.lesson.Acronyms()
				at, q := chooseBest(m, p.lesson.AcronymTerms(o.name))
				o.acronym, o.aBelief = list[at], q
				o.aRight = scoredAcronym(o.acronym) == scoredAcronym(p.short)
			}
		}
	})
	r.acronymSteps = r.calibrate(t, pages, func(o outcome) (float64, bool, bool) { return o.aBelief, o.aRight, o.acronym != "" })
	return r
}

func TestNameGrid(t *testing.T) {
	pages := sampled(namedPages(t), pagesOfSite)
	base := crossFit(t, pages, acronymOptions(), nameOptions(), nil)
	base.report(t, pages, "base")
	probs := make([]float64, len(pages))
	for i, p := range pages {
		_, probs[i] = p.lesson.Key(base.models[foldOf(p.group)].acronyms)
	}
	for _, x := range []struct {
		l1   float64
		e    int
		rate float64
		min  int
	}{{1, 6, 0.05, 3}, {4, 6, 0.05, 3}, {2.5, 12, 0.05, 3}, {2.5, 6, 0.02, 3}, {2.5, 6, 0.05, 6}} {
		o := loglinear.Options{Epochs: x.e, Rate: x.rate, L1: x.l1, L2: 0.5, MinGroups: x.min, Seed: 1}
		r := labNames(t, pages, base, probs, o, nil)
		r.report(t, pages, fmt.Sprint("N", x))
	}
	for _, x := range []struct {
		l1   float64
		e    int
		rate float64
		min  int
	}{{0.5, 6, 0.1, 3}, {2, 6, 0.1, 3}, {4, 6, 0.1, 3}, {1, 12, 0.1, 3}, {1, 6, 0.05, 3}, {1, 6, 0.1, 6}} {
		o := loglinear.Options{Epochs: x.e, Rate: x.rate, L1: x.l1, L2: 0.5, MinGroups: x.min, Seed: 1}
		r := labAcronyms(t, pages, base, o, nil)
		r.report(t, pages, fmt.Sprint("A", x))
	}
}
