package eventseer

import "eventseer/features/tagtree/diff"

// A ChangeKind says what sort of change a new version of a page brings (after
// WebCQ).
type ChangeKind string

// The kinds of changes. Those of fields come first; Cosmetic and TemplateChange are
// nothing that a reader need be told.
const (
	DeadlineExtended ChangeKind = "deadline_extended"
	DeadlineAdded    ChangeKind = "deadline_added"
	DateCorrected    ChangeKind = "date_corrected"
	PlaceChanged     ChangeKind = "place_changed"
	ProgramPosted    ChangeKind = "program_posted"
	SpeakersAdded    ChangeKind = "speakers_added"
	CommitteeChanged ChangeKind = "committee_changed"
	LinksAdded       ChangeKind = "links_added"
	NewsItem         ChangeKind = "news_item"
	TemplateChange   ChangeKind = "template_change"
	Cosmetic         ChangeKind = "cosmetic"
)

// ChangeKinds lists the kinds in the order of their weight.
func ChangeKinds() []ChangeKind {
	return []ChangeKind{
		DeadlineExtended, DeadlineAdded, DateCorrected, PlaceChanged, ProgramPosted, SpeakersAdded,
		CommitteeChanged, LinksAdded, NewsItem, TemplateChange, Cosmetic,
	}
}

// Telling reports whether readers are told of a change of this kind.
func (k ChangeKind) Telling() bool { return k != TemplateChange && k != Cosmetic }

// A PageChange is what a new version of a page changes.
type PageChange struct {
	// Kinds are in the order of ChangeKinds, each once; none where nothing visible
	// changed.
	Kinds     []ChangeKind   `json:"changes"`
	Deadlines []DeadlineMove `json:"deadlines,omitempty"`
	// Fields are the differences of the two records.
	Fields []FieldChange `json:"fields,omitempty"`
	// Evidence says what changed, for messages: some lines of each kind, in the order of
	// Kinds.
	Evidence []Evidenced `json:"evidence,omitempty"`
}

// An Evidenced is one line of what changed, as the pages print it.
type Evidenced struct {
	Kind  ChangeKind `json:"kind"`
	Label string     `json:"label,omitempty"` // what it is of
	Old   string     `json:"old,omitempty"`
	New   string     `json:"new,omitempty"`
}

// A DeadlineMove is a deadline that has another day; Old is "" of a new one, New of
// one that is gone.
type DeadlineMove struct {
	Kind DeadlineKind `json:"kind"`
	Old  Date         `json:"old"`
	New  Date         `json:"new"`
}

// Changed says what a new version of a page changes: old and new are what was read from
// the two. It is pure.
func Changed(old, new Reading, c *diff.Comparison) PageChange {
	d := newDiffer(old, new, c)
	d.turned = d.turnedInto()
	d.dates()
	d.turned = d.turned && !d.has(DeadlineExtended, DeadlineAdded)
	d.page()
	d.settle()
	d.cosmetic()
	return d.change()
}
