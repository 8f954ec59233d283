package frontier

import (
	"cmp"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// A State says where a URL stands.
type State uint8

// The states of a URL.
const (
	Waiting State = 1 + iota // for its turn or its time
	Leased                   // handed out
	Ended                    // its lease ended permanently
	Dropped                  // forgotten by the strategy
	Claimed                  // answered a lease of another URL, which is still leased
	Alias                    // seen on the way of another URL's lease
	Away                     // of a host that another crawler owns, waits to be sent there
	Sent                     // was sent to the owner of its host, or is known there
)

// String returns the state's name.
func (s State) String() string {
	names := [...]string{"unknown", "waiting", "leased", "ended", "dropped", "claimed", "alias", "away", "sent"}
	if int(s) >= len(names) {
		return names[0]
	}
	return names[s]
}

// kept reports whether the state is one of those on disk. A claim is in memory.
func (s State) kept() bool { return s >= Waiting && s <= Sent && s != Claimed }

// A Record is all that is known of one URL.
type Record struct {
	URL   string
	State State
	// Interrupted means that the process ended while it was leased: it waits before all others.
	Interrupted bool
	Seq         uint64 // order of arrival
	Score       float64
	Proposed    float64 // highest score pushed, before any Rescore
	Depth       int
	Hops        int // redirects that led here and were leases of their own
	How         crawler.How
	Parent      string
	Anchor      string
	Explained   string    // how the strategy came to the score, for people
	Due         time.Time // waits until then; zero if it does not
	Held        bool      // waits for a budget of its depth
	Tries       int       // tries so far
	Crashes     int       // how often the process ended while it was leased
	// Owner and Expiry are set while it is leased.
	Owner  string
	Expiry time.Time
	// Via is the URL whose lease led here, of a claimed URL or an alias.
	Via string
	// The rest is from the last response.
	Fate     crawler.Fate
	Status   int
	FinalURL string
	Bytes    int
	Digest   webgraph.Digest
	Clips    []string
	Reason   string
	At       time.Time
	Text     uint64 // fingerprint of the visible text
	// ETag and LastModified are the validators of the copy that is kept.
	ETag, LastModified string
}

// end writes an outcome into the record. What is known of the copy that is kept
// stays until there is a new one.
func (r *Record) end(o crawler.Outcome) {
	r.State, r.Due, r.Fate, r.Status, r.FinalURL = Ended, time.Time{}, o.Fate, o.Status, o.FinalURL
	r.Reason, r.At = text.CutValid(o.Reason, MaxReason), o.At
	switch o.Fate {
	case crawler.Fetched:
		r.Bytes, r.Digest, r.Clips, r.Text, r.ETag, r.LastModified = o.Bytes, o.Digest, o.Clips, o.Text, o.ETag, o.LastModified
	case crawler.Unchanged:
		r.ETag, r.LastModified = cmp.Or(o.ETag, r.ETag), cmp.Or(o.LastModified, r.LastModified)
	}
	r.Clips = r.Clips[:min(len(r.Clips), MaxClips)]
	r.ETag, r.LastModified = text.CutValid(r.ETag, MaxValidator), text.CutValid(r.LastModified, MaxValidator)
}

// standingOf returns where a record in done stands.
func (r *Record) standingOf() standing {
	switch {
	case r.State == Dropped:
		return wasDropped
	case r.State == Alias:
		return isAlias
	case r.State == Sent:
		return wasSent
	case r.Fate == crawler.Fetched:
		return wasFetched
	case r.Fate == crawler.Unchanged:
		return wasUnchanged
	case r.Fate == crawler.Refused:
		return wasRefused
	}
	return wasGone
}

// lease returns the lease for the caller of Next.
func (r *Record) lease() crawler.Lease {
	return crawler.Lease{
		Candidate: r.candidate(),
		Owner:     r.Owner, Expiry: r.Expiry, Tries: r.Tries, ETag: r.ETag, LastModified: r.LastModified, Digest: r.Digest,
	}
}

// candidate returns what was pushed, with the score of now.
func (r *Record) candidate() crawler.Candidate {
	return crawler.Candidate{
		URL: r.URL, Score: r.Score, Parent: r.Parent, Anchor: r.Anchor, Depth: r.Depth, How: r.How, Hops: r.Hops, Due: r.Due, Why: r.Explained,
	}
}

// setWay copies how a candidate led to the URL.
func (r *Record) setWay(c crawler.Candidate, score float64) {
	r.Score, r.Proposed = score, score
	r.Parent, r.Anchor, r.Depth, r.Hops, r.How = c.Parent, c.Anchor, max(0, c.Depth), max(0, c.Hops), c.How
	r.Explained = text.CutValid(c.Why, crawler.MaxWhy)
}
