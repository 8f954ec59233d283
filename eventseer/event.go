// Package eventseer defines the types of events read from calls for papers, with their clips and evidence. It
// also defines the interfaces of the parts that extract, store and find events.
package eventseer

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// An EventID permanently names one edition of an event, such as "icx-2027".
type EventID string

// An Event is one edition of a conference, workshop or other call, as described by its pages. A
// zero field means that no page states it. Its JSON form is the record of `eventseer extract`.
type Event struct {
	ID      EventID `json:"id,omitempty"`
	URL     string  `json:"url"`
	Title   string  `json:"title,omitempty"`
	Acronym string  `json:"acronym,omitempty"`
	Kind    Kind    `json:"kind,omitempty"`
	Year    int     `json:"year,omitempty"`
	// Series is the name of the event across editions, "icx"; see series.Of. Parent is the event
	// with which this one is held, as printed: "ICX 2027" for a workshop.
	Series string `json:"series,omitempty"`
	Parent string `json:"parent,omitempty"`
	// ParentID is the stored edition that Parent names, "" if unknown. It is filled in when one
	// event is read from a store, and is not stored.
	ParentID EventID `json:"parent_id,omitempty"`
	// EventStart and EventEnd are days, "2027-06-01".
	EventStart Date   `json:"event_start,omitempty"`
	EventEnd   Date   `json:"event_end,omitempty"`
	Location   *Venue `json:"location,omitempty"`
	// Deadlines are the deadlines of all calls, the main call's first.
	Deadlines []Deadline `json:"deadlines,omitempty"`
	// Topics are the topics of the main call, or of another call until a page states those.
	Topics []string `json:"topics,omitempty"`
	// Fields are the ids of the event's fields of research or practice, the main one first, at most
	// field.MaxFields. In a stored record they come from its series, otherwise from a model; see
	// package field.
	Fields    []string `json:"fields,omitempty"`
	Committee []Person `json:"committee,omitempty"`
	// Calls are the calls of the edition in order of their keys, at most MaxCalls. A stored record has only
	// the calls that pages announce; see Call and WithCalls.
	Calls []Call `json:"calls,omitempty"`
	// Homepage is the address of the event's own site. It is "" if no page links or prints one that
	// is known to belong to the event; see Page.
	Homepage string `json:"homepage,omitempty"`
	// SubmissionURL is the submission address of the main call, or of another call until a page of
	// the main one is known.
	SubmissionURL string `json:"submission_url,omitempty"`
	// SubmissionSystem is the name of the submission system at SubmissionURL in lower case,
	// "easychair".
	SubmissionSystem string `json:"submission_system,omitempty"`
	Publisher        string `json:"publisher,omitempty"`
	// Other are the values of fields that an operator named in a wrapper, by name, as pages print
	// them; see WithinLimits. They may name people, so only the operator sees them.
	Other map[string][]string `json:"other,omitempty"`
	// Hidden means that an editor removed the event from lists.
	Hidden bool `json:"hidden,omitempty"`
	// State is set if a page says that the event is cancelled or postponed, otherwise "".
	State State `json:"state,omitempty"`
	// CFPScore is the classifier's probability that the page is a call. Confidence is the
	// extractor's probability that the record is right. Both are from 0 to 1.
	CFPScore   float64   `json:"cfp_score,omitempty"`
	Confidence float64   `json:"confidence,omitempty"`
	Warnings   []Warning `json:"warnings,omitempty"`
	// Sources is the provenance of each field by JSON name.
	Sources map[string]Provenance `json:"sources,omitempty"`
	// Pages are the URLs of the calls merged into this event, URL first. It is empty for an event
	// created from several pages of its site together.
	Pages []string `json:"pages,omitempty"`
	// Related are the URLs of the event's other pages, such as its home and its committee, which
	// are merged in too; see IsRelated.
	Related []string `json:"related,omitempty"`
	// Version identifies the version of the page that a record was read from, such as its digest.
	// It is not stored.
	Version string `json:"-"`
	// Text is the main text of the page that a record was read from, in the form of PageText. A
	// store saves it by page, not with the record.
	Text string `json:"-"`
	// Trail contains values of fields that pages stated and that are not, or no longer, in the
	// record; oldest first, at most MaxTrail.
	Trail     []Evidence `json:"trail,omitempty"`
	FirstSeen time.Time  `json:"first_seen,omitzero"`
	LastSeen  time.Time  `json:"last_seen,omitzero"`
}

// A Date is a calendar day, "2006-01-02", or "" if unknown.
type Date string

// A Kind is the type of event announced.
type Kind string

// Kinds of events.
const (
	Conference   Kind = "conference"
	Workshop     Kind = "workshop"
	Symposium    Kind = "symposium"
	SpecialIssue Kind = "special_issue"
	SummerSchool Kind = "summer_school"
	OtherKind    Kind = "other"
)

// A State is whether an event is cancelled or postponed.
type State string

// States that pages announce.
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
	// Online means that remote participation is possible, Hybrid that it is optional.
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
	// Instant is the last moment, in UTC; zero if no time zone is known.
	Instant time.Time `json:"instant,omitzero"`
	// TZ is "AoE", an IANA name or a UTC offset; TZPrinted is the printed form.
	TZ        string   `json:"tz,omitempty"`
	TZPrinted string   `json:"tz_printed,omitempty"`
	TZSource  TZSource `json:"tz_source,omitempty"`
	// ExtendedFrom is the earlier date shown with this one on the page.
	ExtendedFrom Date `json:"extended_from,omitempty"`
	// Firm means that the page rules out (further) extensions.
	Firm   bool       `json:"firm,omitempty"`
	Text   string     `json:"text,omitempty"` // as printed
	Source Provenance `json:"source"`
}

// A DeadlineKind is the purpose of a deadline.
type DeadlineKind string

// Kinds of deadlines.
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

// A TZSource is how a deadline's time zone was determined.
type TZSource string

// Sources of a time zone.
const (
	TZPrinted TZSource = "printed" // printed next to the date
	TZPage    TZSource = "page"    // stated once for the whole page
	TZAssumed TZSource = "assumed"
)

// A Person is a person named on a call, never with an e-mail address.
type Person struct {
	Name        string `json:"name"`
	Affiliation string `json:"affiliation,omitempty"`
	Country     string `json:"country,omitempty"` // ISO code, like Venue.Country
	Role        string `json:"role,omitempty"`
}

// A Warning is a check that a record fails. It lowers the confidence but hides nothing.
type Warning struct {
	Rule string `json:"rule"`
	Text string `json:"text"`
}

// Provenance is where and by which rule a value was read.
type Provenance struct {
	URL  string `json:"url,omitempty"`
	Path string `json:"path,omitempty"` // tag path of the block
	// Offset is the half-open range of bytes in the page's visible text
	// (tagtree.Tree.Text).
	Offset [2]int `json:"offset"`
	Rule   string `json:"rule,omitempty"`
	// Confidence is the share of correct values among those read by this rule on labelled pages, 0
	// to 1. It is 0 if it was not measured.
	Confidence float64 `json:"confidence,omitempty"`
	// Inferred describes what part of the value is not printed at Offset and how it was derived:
	// "year from the event's dates".
	Inferred string `json:"inferred,omitempty"`
	// Sent is the day, in UTC, on which the message with a deadline was sent. It is "" for other pages and other
	// values, and if the day is unknown.
	Sent Date `json:"sent,omitempty"`
	// Snippet is the printed text around the value, for people; at most
	// MaxSnippet runes.
	Snippet string `json:"snippet,omitempty"`
}

// Evidence is one value of a field that a page stated.
type Evidence struct {
	Field  string     `json:"field"` // JSON name, "deadlines.submission" for a deadline
	Value  string     `json:"value"` // as FieldChange prints it
	Source Provenance `json:"source"`
	Seen   time.Time  `json:"seen,omitzero"`
}

// MaxTrail is the maximum length of Event.Trail.
const MaxTrail = 200

// MaxSnippet is the maximum length of Provenance.Snippet and Clip.Summary, in runes.
const MaxSnippet = 400

// A Clip is the published excerpt of a call: a title, and the passage around its first deadline or
// around keywords of the operator's lists.
type Clip struct {
	ID      string    `json:"id"` // the same for the same page and passage
	Event   EventID   `json:"event"`
	URL     string    `json:"url"`
	Title   string    `json:"title"`
	Summary string    `json:"summary"`
	Path    string    `json:"path"`
	Seen    time.Time `json:"seen"`
	// Keywords are the terms that selected the clip; empty for the passage around a deadline.
	Keywords []Keyword `json:"keywords,omitempty"`
}

// A Keyword is a term from one of the operator's lists.
type Keyword struct {
	List string `json:"list,omitempty"`
	Term string `json:"term"`
}

// IsRelated reports whether a record was read from a page that is not a call but the home, dates or committee
// page of an event. Its URL is then in Related. Such a record extends a known event and does not create one
// alone. For an event created from several pages of its site it is also true, until a call is found. Such a
// record fills in missing values and adds deadlines and people. If it contradicts the call, the call takes
// precedence regardless of order, unless a deadline is extended.
func IsRelated(e Event) bool { return e.URL != "" && slices.Contains(e.Related, e.URL) }

// Limits on the data of one event.
const (
	MaxTopics    = 300
	MaxCommittee = 1000
	MaxDeadlines = 200
	MaxPages     = 100
	MaxWarnings  = 50
	// MaxOther is the maximum number of names in Event.Other. MaxOtherValues is that of values of a
	// name, and MaxOtherText that of bytes of a name or a value.
	MaxOther       = 32
	MaxOtherValues = 20
	MaxOtherText   = 500
)

// OtherField returns the name of a field of Event.Other in sources, changes and trails.
func OtherField(name string) string { return "other." + name }

// IsPublicField reports whether readers may see a field of sources, changes and trails. The committee
// names people, and so may fields that an operator named.
func IsPublicField(field string) bool {
	return !strings.HasPrefix(field, "committee") && !strings.HasPrefix(field, OtherField(""))
}

// OtherNames returns the names of Event.Other in order.
func (e Event) OtherNames() []string { return slices.Sorted(maps.Keys(e.Other)) }

// Page returns the page to which readers are sent: the event's own site if known, otherwise the
// first page of the event.
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
// page take precedence, except for extensions of deadlines.
const ListRule = "list"

// ImportRule is the Provenance.Rule of values that the operator imported from a curated file. Those
// of any page take precedence, also if the file has a later deadline.
const ImportRule = "import"

// ProseRule is the Provenance.Rule of deadlines in running text, which are read less reliably than those of
// lists and tables.
const ProseRule = "prose"

// String returns the place in one line, such as "Trondheim, Norway (online)". It returns "" for a nil Venue.
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
