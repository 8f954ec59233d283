package engine

import (
	"context"
	"errors"
	"fmt"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/monitor"
	"eventseer/eventseer/store"
	"eventseer/internal/bolt"
)

// tellSources lets an inspector of the data directory tell of sources too, where there
// are any.
func tellSources(a *app.App, i *admin.Inspector) error {
	m, err := OpenMonitorWith(a, i.Data, monitor.Options{MustExist: true, Software: UserAgent(), Now: a.Now})
	if errors.Is(err, bolt.ErrMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	st, err := OpenStoreIn(a, i.Data, store.Options{Now: a.Now})
	if err != nil {
		return err
	}
	i.Watched = sourceStory(a, State{Store: st, Monitor: m}, monitor.Plan{})
	return nil
}

// sourceStory returns what says of a canonical URL when the monitor visits it and why, ""
// of one that is no source.
func sourceStory(a *app.App, s State, plan monitor.Plan) func(ctx context.Context, url string) (string, error) {
	return func(ctx context.Context, url string) (string, error) {
		if _, ok, err := s.Monitor.Source(url); !ok || err != nil {
			return "", err
		}
		yields, err := NewStoreYield(ctx, s.Store, a.Now())
		if err != nil {
			return "", err
		}
		plan := plan
		plan.Yield = yields
		planned, err := s.Monitor.Plan(plan)
		for _, p := range planned {
			if p.URL == url {
				return describePlanned(p, a), err
			}
		}
		return "", err
	}
}

func describePlanned(p monitor.Planned, a *app.App) string {
	due := "now"
	if p.At.After(a.Now()) {
		due = admin.When(p.At, a.Now())
	}
	text := fmt.Sprintf("%s, by %s; due %s: %s", p.Kind, p.By, due, p.Why)
	if p.Was != "" {
		text += "; it was at " + p.Was
	}
	if p.Alarm != nil {
		text += fmt.Sprintf("; alarm since %s: %s", p.Alarm.Since.Format("2006-01-02"), p.Alarm.Text)
	}
	return text
}
