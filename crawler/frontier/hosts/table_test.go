package hosts

import (
	"fmt"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// TestReserve keeps a host that others ask from the crawl, and the other way round,
// by the pause of its group.
func TestReserve(t *testing.T) {
	b := newBench(t, Options{HostDelay: time.Second, Group: ByDomain, PerHost: 1}, "a.x.example", "b.x.example", "c.example")
	reserve := func(host string) string {
		wait, ok := b.Reserve(b.ids[webgraph.Host(host)], b.now)
		b.valid()
		return fmt.Sprint(ok, " ", wait)
	}
	unreserve := func(host string, o crawler.Outcome) {
		b.EndRequest(b.ids[webgraph.Host(host)], o, b.now)
		b.valid()
	}
	b.want(b.lease(), "a.x.example")
	b.want(reserve("b.x.example"), "false 1s")
	b.want(reserve("c.example"), "true 0s")
	b.want(reserve("c.example"), "false 1s")
	b.want(b.lease(), "")
	if _, live := b.NextDue(); !live {
		t.Error("a request from outside the crawl ends it")
	}
	b.done("a.x.example", crawler.Outcome{Fate: crawler.Fetched, Status: 200})
	b.want(reserve("b.x.example"), "false 1s")
	unreserve("c.example", crawler.Outcome{Unasked: true})
	b.want(b.lease(), "c.example")
	b.now = b.now.Add(time.Second)
	b.want(reserve("a.x.example"), "true 0s")
	b.want(b.lease(), "")
	unreserve("a.x.example", crawler.Outcome{Status: 200, Pause: 5 * time.Second})
	unreserve("a.x.example", crawler.Outcome{Status: 200}) // not in hand
	b.want(reserve("b.x.example"), "false 5s")
	b.now = b.now.Add(5 * time.Second)
	b.want(b.lease(), "b.x.example")
}

// TestHostTable forgets hosts that may be asked, and only those.
func TestHostTable(t *testing.T) {
	now := noon
	table := NewTable(Options{HostDelay: time.Second}, func() time.Time { return now })
	host := func(i int) webgraph.Host { return webgraph.Host(fmt.Sprintf("h%d.example", i)) }
	for i := range 3 * maxHosts {
		if wait, ok := table.Reserve(host(i)); !ok {
			t.Fatalf("%s: wait %v", host(i), wait)
		}
		if i == 0 {
			continue // outstanding all the time
		}
		table.Release(host(i), crawler.Outcome{Status: 200})
		now = now.Add(10 * time.Millisecond)
	}
	if n := len(table.hosts.hosts); n > maxHosts {
		t.Errorf("%d hosts are known", n)
	}
	for _, err := range table.hosts.Check() {
		t.Error(err)
	}
	if _, ok := table.Reserve(host(0)); ok {
		t.Error("a request in hand was forgotten")
	}
	table.Release(host(0), crawler.Outcome{Status: 200})
	if wait, ok := table.Reserve(host(0)); ok || wait != time.Second {
		t.Errorf("after a request: wait %v, %v", wait, ok)
	}
}
