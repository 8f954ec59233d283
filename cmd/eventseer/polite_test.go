package main

import (
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/frontier"
)

// TestServiceSharesHosts: while a crawl runs in a service, its frontier decides when other fetches
// there may use a host. It rests a host that others fetched from.
func TestServiceSharesHosts(t *testing.T) {
	a := newTestApp(t)
	s := &serve.Service{Dir: t.TempDir(), Hosts: fetch.NewSharedTable(engine.NewHostTable(a, engine.SliceDelay))}
	s.Console = &serve.Console{App: a, Of: s}
	own := engine.ChildApp(a)
	state, err := engine.OpenState(own, s.Dir, frontier.Options{HostDelay: time.Hour, NoSync: true}, s.Host())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Hosts.Reserve("a.example"); !ok {
		t.Fatal("a host that nobody asked may not be asked")
	}
	s.Hosts.Release("a.example", crawler.Outcome{Status: 200})
	if h, known, err := state.Frontier.Host("a.example"); err != nil || !known || h.Due.IsZero() {
		t.Errorf("the frontier knows %+v, %v, %v of a host that a slice asked", h, known, err)
	}
	if wait, ok := s.Hosts.Reserve("a.example"); ok || wait < time.Minute {
		t.Errorf("a host of the crawl may be asked after %v (%v), want its host delay", wait, ok)
	}
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Hosts.Reserve("a.example"); !ok {
		t.Error("after the crawl its frontier is still asked")
	}
}
