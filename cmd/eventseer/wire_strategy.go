package main

import (
	"time"

	"eventseer/classify/svm"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/strategy"
	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

// minAccuracy is the least held-out accuracy of a layer model that may guide a
// crawl, unless --min-accuracy says otherwise: more than the layer models of the
// paper and of Diligenti reach on our pages, .42 to .45 (doc/reproduction.md). Chance
// has .20 among the five answers: layers 0 to 3, and none of them.
const minAccuracy = 0.5

// newStrategy makes the strategy of a plan around a judge of pages.
func newStrategy(a *app.App, p plan, judge strategy.Judge) (crawler.Strategy, error) {
	parts, err := strategyParts(a, p, judge)
	if err != nil {
		return nil, err
	}
	s, err := strategy.New(p.strategy, parts)
	if err != nil {
		return nil, app.Usage(err)
	}
	if why := strategy.Unguided(parts); why != "" && p.strategy == strategy.ContextGraph {
		a.Logf("links are followed in the order they are found: %s (--min-accuracy)", why)
	}
	return s, nil
}

// strategyParts returns what the strategy of a plan is made of.
func strategyParts(a *app.App, p plan, judge strategy.Judge) (strategy.Parts, error) {
	topic, err := openModel("topic")
	if err != nil {
		return strategy.Parts{}, err
	}
	parts := strategy.Parts{
		Judge: judge, Topic: strategy.NewTopic(topic), Focus: p.topic.focus,
		Deadlines: deadlines(p), Learner: svm.Linear{}, Seed: a.Config.Seed, MinAccuracy: p.minAccuracy,
		CallCost: p.options.BacklinkCost,
	}
	if parts.Links, err = linkModelOf(p); err != nil {
		return parts, err
	}
	if p.strategy == strategy.ContextGraph {
		if parts.Layers, err = layerModelOf(p); err != nil {
			return parts, err
		}
	}
	if p.truth != nil && p.strategy == strategy.Oracle {
		parts.Truth, err = p.truth()
	}
	return parts, err
}

// deadlines counts the deadlines that a page prints by the clock of the crawl.
func deadlines(p plan) func(*tagtree.Tree) (open, past int) {
	read := p.reader.Ahead
	if p.memo != nil {
		read = p.memo.Extract
	}
	return func(t *tagtree.Tree) (open, past int) {
		event, ok := read(t)
		if !ok {
			return 0, 0
		}
		return countDeadlines(event, p.web.now())
	}
}

// countDeadlines returns how many deadlines of e to hand something in are open and
// past at a time.
func countDeadlines(e eventseer.Event, now time.Time) (open, past int) {
	for _, d := range e.Deadlines {
		switch moment := d.Moment(); {
		case !d.Kind.Submits() || moment.IsZero():
		case moment.Before(now):
			past++
		default:
			open++
		}
	}
	return open, past
}
