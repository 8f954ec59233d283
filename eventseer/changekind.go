package eventseer

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
