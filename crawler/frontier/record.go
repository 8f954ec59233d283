package frontier

import (
	"cmp"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// A State is the state of a URL.
type State uint8

// The states of a URL.
const (
	Waiting State = 1 + iota // for a host or a time
	Leased                   // handed out
	Ended                    // its lease ended permanently
	Dropped                  // forgotten by the strategy
	Claimed                  // was the response to another URL's lease, which has not ended
	Alias                    // seen as a redirect of another URL's lease
	Away                     // on a host of another crawler, to which it must be sent
	Sent                     // sent to the owner of its host, or known there
)

// String returns the state's name.
func (s State) String() string {
	names := [...]string{"unknown", "waiting", "leased", "ended", "dropped", "claimed", "alias", "away", "sent"}
	if int(s) >= len(names) {
		return names[0]
	}
	return names[s]
}

// isStored reports whether the state is stored on disk. Claims are in memory only.
func (s State) isStored() bool { return s >= Waiting && s <= Sent && s != Claimed }

// A Record is the stored state of one URL.
type Record struct {
	URL   string
	State State
	// Interrupted means that the process ended while it was leased: it comes before all others.
	Interrupted bool
	Seq         uint64 // order of arrival
	Score       float64
	Proposed    float64 // highest score pushed, before any Rescore
	Depth       int
	Hops        int // redirects before this link that had leases of their own
	How         crawler.Origin
	Parent      string
	Anchor      string
	Explained   string    // explanation of the score, for people
	Due         time.Time // earliest time; zero if it does not wait for a time
	Held        bool      // waits for a budget for its depth
	Tries       int       // tries so far
	Crashes     int       // number of times the process ended while it was leased
	// Owner and Expiry are set while it is leased.
	Owner  string
	Expiry time.Time
	// Via is the URL whose lease led to this claimed URL or alias.
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
	// ETag and LastModified are the validators of the stored copy.
	ETag, LastModified string
}

// applyOutcome stores an outcome in the record. The state of the stored copy is replaced only by a newer
// one.
func (r *Record) applyOutcome(o crawler.Outcome) {
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

// linkState returns the state of the link that a record in done describes.
func (r *Record) linkState() linkState {
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

// toLease returns the lease for the caller of Next.
func (r *Record) toLease() crawler.Lease {
	return crawler.Lease{
		Candidate: r.toCandidate(),
		Owner:     r.Owner, Expiry: r.Expiry, Tries: r.Tries, ETag: r.ETag, LastModified: r.LastModified, Digest: r.Digest,
	}
}

// toCandidate returns the pushed link with its present score.
func (r *Record) toCandidate() crawler.Candidate {
	return crawler.Candidate{
		URL: r.URL, Score: r.Score, Parent: r.Parent, Anchor: r.Anchor, Depth: r.Depth, How: r.How, Hops: r.Hops, Due: r.Due, Why: r.Explained,
	}
}

// setOrigin copies how a candidate led to the URL.
func (r *Record) setOrigin(c crawler.Candidate, score float64) {
	r.Score, r.Proposed = score, score
	r.Parent, r.Anchor, r.Depth, r.Hops, r.How = c.Parent, c.Anchor, max(0, c.Depth), max(0, c.Hops), c.How
	r.Explained = text.CutValid(c.Why, crawler.MaxWhy)
}
