// Package eventseer holds the types and contracts of events. They are events read from calls for
// papers, the clips and evidence they rest on, and the contracts of the parts that extract, store
// and find them.
package eventseer

import (
	"slices"
	"strings"
	"time"
)

// An EventID names one edition of an event for ever, such as "icx-2027".
type EventID string

// An Event is one edition of a conference, workshop or other call, as the
// pages say it. A zero field means that no page says it. The JSON form is the
// record of `eventseer extract`.
type Event struct {
	ID      EventID `json:"id,omitempty"`
	URL     string  `json:"url"`
	Title   string  `json:"title,omitempty"`
	Acronym string  `json:"acronym,omitempty"`
	Kind    Kind    `json:"kind,omitempty"`
	Year    int     `json:"year,omitempty"`
	// Series names the event over its editions, "icx"; see series.Of. Parent is
	// the event this one is held with, as printed: "ICX 2027" of a workshop.
	Series string `json:"series,omitempty"`
	Parent string `json:"parent,omitempty"`
	// ParentID is the stored edition that Parent names, "" where none is known. It is filled
	// in when a store is asked for one event, and not stored.
	ParentID EventID `json:"parent_id,omitempty"`
	// EventStart and EventEnd are days, "2027-06-01".
	EventStart Date   `json:"event_start,omitempty"`
	EventEnd   Date   `json:"event_end,omitempty"`
	Location   *Venue `json:"location,omitempty"`
	// Deadlines are those of all calls, the main call's first.
	Deadlines []Deadline `json:"deadlines,omitempty"`
	// Topics are those of the main call, of another call while no page says those.
	Topics []string `json:"topics,omitempty"`
	// Fields are the ids of the event's fields of research or practice, the main one first, at most
	// field.MaxFields. In a stored record they are those of its series, else a model's; see package
	// field.
	Fields    []string `json:"fields,omitempty"`
	Committee []Person `json:"committee,omitempty"`
	// Calls are the calls of the edition in order of their keys, at most MaxCalls. In a stored
	// record they are those that pages announce, see Call and WithCalls.
	Calls []Call `json:"calls,omitempty"`
	// Homepage is the address of the event's own site. It is "" if no page links or prints one that
	// is known to be the event's; see Page.
	Homepage string `json:"homepage,omitempty"`
	// SubmissionURL is where papers of the main call are handed in, of another call while no
	// page of the main one is known.
	SubmissionURL string `json:"submission_url,omitempty"`
	// SubmissionSystem is the system after SubmissionURL by its own name in lower case,
	// "easychair".
	SubmissionSystem string `json:"submission_system,omitempty"`
	Publisher        string `json:"publisher,omitempty"`
	// Hidden means that an editor keeps the event out of lists.
	Hidden bool `json:"hidden,omitempty"`
	// State says what a page says became of the event, "" for one that is on.
	State State `json:"state,omitempty"`
	// CFPScore is the classifier's probability that the page is a call;
	// Confidence the extractor's that the record is right. Both 0 to 1.
	CFPScore   float64   `json:"cfp_score,omitempty"`
	Confidence float64   `json:"confidence,omitempty"`
	Warnings   []Warning `json:"warnings,omitempty"`
	// Sources says for each field where it was read: keys are JSON names.
	Sources map[string]Provenance `json:"sources,omitempty"`
	// Pages are the URLs of calls merged into this event, URL first; none for an event that the
	// pages of its site founded together.
	Pages []string `json:"pages,omitempty"`
	// Related are the URLs of the event's pages that are no calls, such as its home
	// and its committee, merged in too; see IsRelated.
	Related []string `json:"related,omitempty"`
	// Version names the version of the page that a record was read from, such as its
	// digest. It is not kept.
	Version string `json:"-"`
	// Text is the main text of the page that a record was read from, as PageText has it. A
	// store keeps it by page, not with the record.
	Text string `json:"-"`
	// Trail is what pages said of a field and is no longer, or never became, its
	// value; oldest first, at most MaxTrail.
	Trail     []Evidence `json:"trail,omitempty"`
	FirstSeen time.Time  `json:"first_seen,omitzero"`
	LastSeen  time.Time  `json:"last_seen,omitzero"`
}

// A Date is a calendar day, "2006-01-02", or "" where unknown.
type Date string

// A Kind says what sort of event is called for.
type Kind string

// The kinds of events.
const (
	Conference   Kind = "conference"
	Workshop     Kind = "workshop"
	Symposium    Kind = "symposium"
	SpecialIssue Kind = "special_issue"
	SummerSchool Kind = "summer_school"
	OtherKind    Kind = "other"
)

// A State is what became of an event.
type State string

// The states that pages tell: the event does not take place, or later.
const (
	Cancelled State = "cancelled"
	Postponed State = "postponed"
)

// A Venue is where an event takes place.
type Venue struct {
	City        string `json:"city,omitempty"`
	Region      string `json:"region,omitempty"`
	Country     string `json:"country,omitempty"`
	CountryCode string `json:"country_code,omitempty"` // ISO 3166-1 alpha-2
	// Online means that one can take part from afar, Hybrid that one need not.
	Online bool   `json:"online,omitempty"`
	Hybrid bool   `json:"hybrid,omitempty"`
	Text   string `json:"text,omitempty"` // as printed
}

// A Deadline is one typed date of a call.
type Deadline struct {
	Kind  DeadlineKind `json:"kind"`
	Track string       `json:"track,omitempty"`
	Round int          `json:"round,omitempty"`
	Date  Date         `json:"date"`
	// Instant is the last moment, in UTC; absent if no time zone is known.
	Instant time.Time `json:"instant,omitzero"`
	// TZ is "AoE", an IANA name or a UTC offset; TZPrinted what the page says.
	TZ        string   `json:"tz,omitempty"`
	TZPrinted string   `json:"tz_printed,omitempty"`
	TZSource  TZSource `json:"tz_source,omitempty"`
	// ExtendedFrom is the earlier date the page shows beside this one.
	ExtendedFrom Date `json:"extended_from,omitempty"`
	// Firm means that the page rules out (further) extensions.
	Firm   bool       `json:"firm,omitempty"`
	Text   string     `json:"text,omitempty"` // as printed
	Source Provenance `json:"source"`
}

// A DeadlineKind is what a deadline is for.
type DeadlineKind string

// The kinds of deadlines.
const (
	Abstract         DeadlineKind = "abstract"
	Submission       DeadlineKind = "submission"
	Notification     DeadlineKind = "notification"
	CameraReady      DeadlineKind = "camera_ready"
	Registration     DeadlineKind = "registration"
	Rebuttal         DeadlineKind = "rebuttal"
	WorkshopProposal DeadlineKind = "workshop_proposal"
	TutorialProposal DeadlineKind = "tutorial_proposal"
	Poster           DeadlineKind = "poster"
	Demo             DeadlineKind = "demo"
	Doctoral         DeadlineKind = "doctoral"
	OtherDeadline    DeadlineKind = "other"
)

// A TZSource says how a deadline's time zone is known.
type TZSource string

// The sources of a time zone.
const (
	TZPrinted TZSource = "printed" // beside the date
	TZPage    TZSource = "page"    // said once for the page
	TZAssumed TZSource = "assumed"
)

// A Person is a person named on a call, never with an e-mail address.
type Person struct {
	Name        string `json:"name"`
	Affiliation string `json:"affiliation,omitempty"`
	Country     string `json:"country,omitempty"` // by the name records use, as Venue.Country
	Role        string `json:"role,omitempty"`
}

// A Warning is a rule a record fails. It lowers confidence and hides nothing.
type Warning struct {
	Rule string `json:"rule"`
	Text string `json:"text"`
}

// Provenance says where a value was read and by what.
type Provenance struct {
	URL  string `json:"url,omitempty"`
	Path string `json:"path,omitempty"` // tag path of the block
	// Offset is the half-open range of bytes in the page's visible text
	// (tagtree.Tree.Text).
	Offset [2]int `json:"offset"`
	Rule   string `json:"rule,omitempty"`
	// Confidence is the share of values read by this rule that were right on pages with known
	// records, 0 to 1. It is 0 if that was not measured.
	Confidence float64 `json:"confidence,omitempty"`
	// Inferred says what of the value is not printed at Offset, and from what it
	// follows: "year from the event's dates".
	Inferred string `json:"inferred,omitempty"`
	// Snippet is the printed text around the value, for people; at most
	// MaxSnippet runes.
	Snippet string `json:"snippet,omitempty"`
}

// Evidence is one value of a field that a page gave.
type Evidence struct {
	Field  string     `json:"field"` // JSON name, "deadlines.submission" of a deadline
	Value  string     `json:"value"` // as FieldChange prints it
	Source Provenance `json:"source"`
	Seen   time.Time  `json:"seen,omitzero"`
}

// MaxTrail bounds Event.Trail.
const MaxTrail = 200

// MaxSnippet bounds Provenance.Snippet and Clip.Summary, in runes.
const MaxSnippet = 400

// A Clip is the published excerpt of a call. It has a title and a passage, that around its first
// deadline or around keywords of the operator's lists.
type Clip struct {
	ID      string    `json:"id"` // stable: the same page and passage give the same id
	Event   EventID   `json:"event"`
	URL     string    `json:"url"`
	Title   string    `json:"title"`
	Summary string    `json:"summary"`
	Path    string    `json:"path"`
	Seen    time.Time `json:"seen"`
	// Keywords are what the clip was cut for; none of the passage around a deadline.
	Keywords []Keyword `json:"keywords,omitempty"`
}

// A Keyword is a term of a list of the operator's.
type Keyword struct {
	List string `json:"list,omitempty"`
	Term string `json:"term"`
}

// IsRelated reports whether a record was read from a page that is no call, but its event's home,
// dates or committee: it is in Related. Such a record adds to an event that is known, and founds
// none alone; of an event that those of its site founded together it reports true as well, until a
// call comes.
//
// It fills what no call says, and adds deadlines and people. If both speak the call is right,
// whichever comes first, unless a deadline is extended.
func IsRelated(e Event) bool { return e.URL != "" && slices.Contains(e.Related, e.URL) }

// Bounds on what pages may pile up in one event.
const (
	MaxTopics    = 300
	MaxCommittee = 1000
	MaxDeadlines = 200
	MaxPages     = 100
	MaxWarnings  = 50
)

// Page returns the page that readers are sent to: the event's own site if that is known, else the
// first page that gave it.
func (e Event) Page() string {
	if e.Homepage != "" {
		return e.Homepage
	}
	return e.URL
}

// CallPages returns the URLs of the event's pages that are calls, its URL first.
func (e Event) CallPages() []string {
	if e.URL == "" || IsRelated(e) {
		return e.Pages
	}
	return append([]string{e.URL}, e.Pages...)
}

// WrapperRule is the Provenance.Rule of values that a wrapper read.
const WrapperRule = "wrapper"

// ListRule is the Provenance.Rule of values from a page that lists many events. Those of any other
// page take precedence, except that a deadline may be extended.
const ListRule = "list"

// ImportRule is the Provenance.Rule of values that the operator imported from a file kept by hand.
// Those of any page take precedence, also if the file has a later deadline.
const ImportRule = "import"

// String returns the place in a line: "Trondheim, Norway (online)". A nil
// Venue is "".
func (v *Venue) String() string {
	if v == nil {
		return ""
	}
	var parts []string
	for _, s := range []string{v.City, v.Region, v.Country} {
		if s != "" && !slices.Contains(parts, s) { // "Vienna, Vienna, Austria"
			parts = append(parts, s)
		}
	}
	s := strings.Join(parts, ", ")
	switch {
	case v.Hybrid:
		s = strings.TrimSpace(s + " (hybrid)")
	case v.Online:
		s = strings.TrimSpace(s + " (online)")
	}
	return s
}
