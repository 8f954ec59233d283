package frontier

import (
	"fmt"
	"time"

	"eventseer/crawler"
)

// A Story is what there is to say of a URL.
type Story struct {
	URL    string
	Seen   bool
	Record Record
	Host   Host
	Ahead  int    // links of its host that go before it, while it waits for its turn
	Why    string // a sentence: what happens to the URL next, and because of what
}

// Story tells the story of a URL in canonical form.
func (f *Frontier) Story(url string) (Story, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := Story{URL: url}
	var err error
	if s.Record, s.Seen, err = f.lookup(url); err != nil {
		return s, err
	}
	id, known := f.hosts.find(hostOf(url))
	why := ""
	if known {
		s.Host, why = f.hosts.host(id), f.hosts.why(id, f.o.Now())
	}
	if s.Record.State == Waiting && s.Record.Due.IsZero() && !s.Record.Held {
		if s.Ahead, err = f.ahead(id, f.seen.get(f.hash(url))); err != nil {
			return s, err
		}
	}
	s.Why = s.tell(why)
	return s, nil
}

// ahead counts the links of a host that go before one.
func (f *Frontier) ahead(id hostID, s slot) (n int, err error) {
	r, err := f.reader()
	if err != nil {
		return 0, err
	}
	defer r.close()
	r.scan(queuePlace(id, linkKey{}), func(p place) bool {
		host, k := p.link()
		if host != id || !k.less(linkKey{s.at, s.seq()}) {
			return false
		}
		if _, hidden := f.hidden[k.seq]; !hidden {
			n++
		}
		return true
	})
	return n, nil
}

// tell says what happens next; why is what keeps the host from being asked.
func (s *Story) tell(why string) string {
	r := &s.Record
	switch {
	case !s.Seen:
		return "It was never seen."
	case r.State == Leased:
		return fmt.Sprintf("It is being fetched by %s, which has time until %s.", r.Owner, r.Expiry.UTC().Format(time.RFC3339))
	case r.State == Claimed:
		return fmt.Sprintf("It answered the request for %s, which is being processed.", r.Via)
	case r.State == Alias:
		return fmt.Sprintf("It was seen on the way of %s and is not fetched by itself.", r.Via)
	case r.State == Away:
		return "It belongs to another crawler and waits to be sent there."
	case r.State == Sent:
		return "It belongs to another crawler and was sent there."
	case r.State == Dropped:
		return "The strategy dropped it; it does not come back."
	case r.State == Ended:
		return fmt.Sprintf("It is done (%s); only a monitor brings it back.%s", r.Fate, because(r.Reason))
	case r.Held:
		return fmt.Sprintf("It is held because the budget of depth %d is used up.", r.Depth)
	case !r.Due.IsZero():
		return fmt.Sprintf("It waits until %s.%s", r.Due.UTC().Format(time.RFC3339), because(r.Reason))
	case why != "":
		return fmt.Sprintf("It waits %s of its host, which is not asked now: %s.", s.place(), why)
	}
	return fmt.Sprintf("It waits %s of its host, which may be asked now, but others have better links.", s.place())
}

// place says where a link stands in the queue of its host.
func (s Story) place() string {
	switch s.Ahead {
	case 0:
		return "as the next link"
	case 1:
		return "behind 1 link"
	}
	return fmt.Sprintf("behind %d links", s.Ahead)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " The last answer: " + reason + "."
}

// Links counts links by where they stand.
type Links struct {
	Waiting   int // for their turn
	Due       int // for a time, or for the budget of their depth
	Leased    int
	Fetched   int
	Unchanged int
	Gone      int
	Refused   int
	Dropped   int
	Alias     int
	Away      int // of hosts of other crawlers, waiting to be sent there
	Sent      int // known to their hosts' crawlers
}

// A Status says how the frontier stands.
type Status struct {
	crawler.Progress
	Links   Links
	Hosts   HostCounts
	NextDue time.Time // when the first link that waits for a time is due; zero if none does
	Top     []HostStatus
}

// Status counts links and hosts and describes the top hosts with the best links.
func (f *Frontier) Status(top int) (Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return Status{}, f.err
	}
	n := &f.seen.count
	s := Status{
		Progress: f.progress(), NextDue: timeOf(f.nextDue),
		Links: Links{
			Waiting: n[inQueue], Due: n[inDue], Leased: n[isLeased], Fetched: n[wasFetched], Unchanged: n[wasUnchanged],
			Gone: n[wasGone], Refused: n[wasRefused], Dropped: n[wasDropped], Alias: n[isAlias],
			Away: n[isAway], Sent: n[wasSent],
		},
	}
	s.Hosts, s.Top = f.hosts.status(top, f.o.Now())
	for i := range s.Top {
		id, _ := f.hosts.find(s.Top[i].Name)
		n, err := f.ahead(id, slot{at: 1<<64 - 1, tail: 1<<64 - 1})
		if err != nil {
			return s, err
		}
		s.Top[i].Waiting = n
	}
	return s, nil
}
