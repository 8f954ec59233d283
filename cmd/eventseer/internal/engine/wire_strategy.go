package engine

import (
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/svm"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/crawler/strategy/external"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
)

// MinAccuracy is the default minimum held-out accuracy of a layer model in a crawl; --min-accuracy sets
// another. It exceeds the accuracy of the layer models of the paper and of Diligenti on our pages, 0.42
// to 0.45 (doc/reproduction.md). Guessing has 0.20 among the five classes: layers 0 to 3, and none of
// them.
const MinAccuracy = 0.5

// newStrategy returns the strategy of a plan with a judge of pages.
func newStrategy(a *app.App, p Plan, judge strategy.Judge, reader *ReadOnce) (crawler.Strategy, error) {
	parts, err := StrategyParts(a, p, judge, reader)
	if err != nil {
		return nil, err
	}
	s, end, err := external.OpenStrategy(p.guide.Strategy, parts)
	if err != nil {
		return nil, app.MarkUsage(err)
	}
	a.OnClose(end)
	if why := strategy.UnguidedReason(parts); why != "" && p.guide.Strategy == strategy.ContextGraph {
		a.Logf("links are followed in the order in which they are found, because %s (--min-accuracy)", why)
	}
	return s, nil
}

// StrategyParts returns the parts of a plan's strategy.
func StrategyParts(a *app.App, p Plan, judge strategy.Judge, reader *ReadOnce) (strategy.Parts, error) {
	topic, err := p.models.Model(classify.TaskTopic)
	if err != nil {
		return strategy.Parts{}, err
	}
	parts := strategy.Parts{
		Judge: judge, Topic: strategy.NewTopic(topic), Focus: p.guide.Topic.focus,
		Deadlines: deadlineCounter(p, reader), Learner: svm.Linear{}, Seed: a.Config.Seed, MinAccuracy: p.guide.MinAccuracy, Values: p.guide.Values,
		CallCost: p.options.BacklinkCost,
	}
	if p.memo == nil {
		parts.OfEvent = eventPageFilter(reader)
	}
	if p.monitor == nil { // visits of the monitor store no notes by which an interrupted pass could be resumed
		types, err := p.models.Model(classify.TaskPageType)
		if err != nil {
			return parts, err
		}
		parts.PageTypes = &types.Meta
	}
	if parts.Links, err = linkModelOf(p); err != nil {
		return parts, err
	}
	if p.guide.Strategy == strategy.ContextGraph {
		if parts.Layers, err = layerModelOf(p); err != nil {
			return parts, err
		}
	}
	if p.guide.Truth != nil && strategy.KnowsTruth(p.guide.Strategy) {
		parts.Truth, err = p.guide.Truth()
	}
	return parts, err
}

// deadlineCounter returns a function that counts the open and past deadlines on a page by the clock of
// the crawl.
func deadlineCounter(p Plan, reader *ReadOnce) func(*tagtree.Tree) (open, past int) {
	read := reader.ReadAhead
	if p.memo != nil {
		read = p.memo.Extract
	}
	return func(t *tagtree.Tree) (open, past int) {
		event, ok := read(t)
		if !ok {
			return 0, 0
		}
		return CountDeadlines(event, p.web.Now())
	}
}

// eventPageFilter returns a function that reports whether a page that the gate refuses belongs to an event.
// It does if it has a schedule, or the name of an event together with its days or with a list of its people or
// topics. It reads only pages that mostly print dates of one year, or whose score is close to the gate's
// threshold.
func eventPageFilter(reader *ReadOnce) func(*tagtree.Tree, classify.Judgement) bool {
	return func(t *tagtree.Tree, said classify.Judgement) bool {
		if Gate().Probability(said) < Gate().Dated && !eventseer.MostlyOneYear(t.Text()) {
			return false
		}
		e, _ := reader.ReadAhead(t)
		lists := said.PageType == "conference" && max(len(e.Committee), len(e.Topics)) >= leastListed
		return e.HasSchedule() || e.Title != "" && (e.EventStart != "" || lists)
	}
}

// leastListed is the minimum number of people or topics on a page of an event that the gate refuses.
const leastListed = 5

// CountDeadlines returns how many deadlines for authors in e are open and how many are past at a time.
func CountDeadlines(e eventseer.Event, now time.Time) (open, past int) {
	for _, d := range e.Deadlines {
		switch moment := d.Moment(); {
		case !d.Kind.IsSubmission() || moment.IsZero():
		case moment.Before(now):
			past++
		default:
			open++
		}
	}
	return open, past
}
