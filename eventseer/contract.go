package eventseer

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/eventseer/eventseer/features/tagtree"
)

// ErrNotFound means that the store holds no such event.
var ErrNotFound = errors.New("no such event")

// An Extractor reads events from a page. It is pure and safe for concurrent
// use. What the page does not say stays zero; nothing is guessed unmarked.
type Extractor interface {
	// Extract returns the event the page calls for, or none.
	Extract(t *tagtree.Tree) (Event, bool)
}

// A Clipper cuts what is published of a page. It is safe for concurrent use.
type Clipper interface {
	// Passage returns the sentences around a byte of t's text in one line and the tag path of the
	// block there. It returns "" and "" if there are none.
	Passage(t *tagtree.Tree, offset int) (summary, path string)
	// Clips returns a clip of each passage that holds keywords: its title,
	// summary, path and keywords; the caller sets the rest.
	Clips(t *tagtree.Tree) []Clip
}

// OtherLog begins the names of readers of other logs than a store's; see Store.Outbox.
const OtherLog = "log/"

// A Store keeps events and clips. It is safe for concurrent use. One bad
// record never hides the others.
type Store interface {
	// Put merges e (a record read from one page) into the event it belongs to. It stores the clips,
	// and writes a Change with its outbox row, all in one transaction. The same record twice
	// changes nothing. It returns the id of the merged event. kinds are what changed on the page
	// besides the record, since its last version; they are part of the Change.
	Put(ctx context.Context, e Event, clips []Clip, kinds ...ChangeKind) (EventID, error)
	// Event returns one event, or ErrNotFound. Of two events found to be one the
	// older keeps its id, and the id of the other leads to it for ever: here, in
	// History and in Clips.
	Event(ctx context.Context, id EventID) (Event, error)
	// Events yields all events in id order.
	Events(ctx context.Context) iter.Seq2[Event, error]
	// History returns the changes of an event, oldest first.
	History(ctx context.Context, id EventID) ([]Change, error)
	// Clips returns the clips of an event, oldest first.
	Clips(ctx context.Context, id EventID) ([]Clip, error)
	// Outbox yields the changes after sequence number after, in order; a reader
	// keeps its own mark with Mark and Marked. A name that begins with OtherLog is that
	// of a reader of another log, whose place in that is kept.
	Outbox(ctx context.Context, after uint64) iter.Seq2[Change, error]
	Mark(ctx context.Context, reader string, seq uint64) error
	Marked(ctx context.Context, reader string) (uint64, error)
}

// A Change records that an event is new, which of its fields changed, or that it was merged into
// another.
type Change struct {
	Seq   uint64    `json:"seq"`
	Event EventID   `json:"event"`
	At    time.Time `json:"at"`
	Page  string    `json:"page"` // the page that brought it
	New   bool      `json:"new,omitempty"`
	// Into is the event that Event turned out to be; its id leads there now.
	Into   EventID       `json:"into,omitempty"`
	Fields []FieldChange `json:"fields,omitempty"`
	// Kinds sum up what changed, in the order of ChangeKinds.
	Kinds []ChangeKind `json:"kinds,omitempty"`
}

// A FieldChange is one field's old and new value, as printed by JSON.
type FieldChange struct {
	Field string `json:"field"`
	Old   string `json:"old,omitempty"`
	New   string `json:"new,omitempty"`
}

// An Index finds events. It is safe for concurrent use and can be rebuilt from
// the store at any time.
type Index interface {
	// Update adds or replaces documents.
	Update(ctx context.Context, documents []Document) error
	// Find returns the events that match. A text that cannot be understood gives a
	// *query.Error.
	Find(ctx context.Context, q Query) (Found, error)
}

// A Document is what a query is held against: an event, the clips of its pages
// and the ranks and acronyms of its series.
type Document struct {
	Event    Event
	Clips    []Clip
	Ranks    []Rank
	Acronyms []string   // by which the event is found too
	Texts    []PageText // of its pages, see SearchedTexts
	// Changed is when the record last changed after it was new; zero if it never did
	// or that is not known.
	Changed time.Time
}

// A Query asks an Index.
type Query struct {
	// Text is in the language of package query; empty matches all.
	Text string
	// Now is what "due<60d" and windows of deadlines count from. Zero means OpenAt,
	// and without that, the index's clock.
	Now time.Time
	// OpenAt keeps events with a submission deadline at or after this time.
	// Zero keeps all.
	OpenAt time.Time
	// AsWritten asks for no words of the same meaning besides those of Text.
	AsWritten bool
	// From and Limit page through the results; Limit 0 means 50, at most 1000.
	From, Limit int
	// ByDeadline sorts by the next submission deadline after OpenAt instead of
	// by relevance.
	ByDeadline bool
	// Order, if not "", is one of Orders and goes before ByDeadline.
	Order Order
	// Facets asks for the facets of all that match, and Passages for the places of
	// the words looked for in each hit.
	Facets, Passages bool
}

// An Order says in which order an Index returns what it finds.
type Order string

// The orders of results. They are by the next deadline after Query.OpenAt, by the first day of the
// event (coming ones first), by the best rank of the series, by relevance, and by when the event
// was first seen, the last first. Events of which the order knows nothing come last.
const (
	OrderDeadline  Order = "deadline"
	OrderEvent     Order = "event"
	OrderRank      Order = "rank"
	OrderRelevance Order = "relevance"
	OrderAdded     Order = "added"
)

// Orders returns all orders.
func Orders() []Order {
	return []Order{OrderDeadline, OrderEvent, OrderRank, OrderRelevance, OrderAdded}
}

// Found is one page of results.
type Found struct {
	Total int
	Hits  []Hit
	// Facets are field, topic, kind, country, where, rank, month and due, those without values
	// left out.
	Facets []Facet
	// Instead is a query of words spelt like those of one that finds nothing, and
	// that finds something; else "".
	Instead string
}

// A Hit is one event found.
type Hit struct {
	ID     EventID
	Score  float64
	Places []Place // at most MaxPlaces, of the strongest fields first
}

// MaxPlaces bounds Hit.Places.
const MaxPlaces = 20

// A Place is where a word that was looked for stands: the indexer's "keywords with
// their places" of paper 000.
type Place struct {
	// Field is title, acronym, topic, place, clip or text.
	Field string
	// Part is the index of the topic in Event.Topics, of the clip in Document.Clips, or of
	// the page in Document.Texts; else 0.
	Part int
	// Offset is the half-open range of bytes in the field's text: of a clip in its
	// Summary.
	Offset [2]int
}

// A Facet counts the values of one field over all that a query matches.
type Facet struct {
	Name   string       `json:"name"`   // a field of the query language
	Values []FacetValue `json:"values"` // most frequent first, at most 20; of month and due in order of time
	Other  int          `json:"other"`  // events of values left out
}

// A FacetValue is one value and how many of the events found have it.
type FacetValue struct {
	Value string `json:"value"` // as people read it: "Norway", "CORE A*", "within 30 days"
	Term  string `json:"term"`  // as a query writes it: "country:NO", `rank:core=A*`, "due<30d"
	Count int    `json:"count"`
}

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

// Telling reports whether readers are notified of a change of this kind.
func (k ChangeKind) Telling() bool { return k != TemplateChange && k != Cosmetic }

// A Series is the data on an event's series besides its editions. It has the shipped table of
// package series, and what the operator imported or set.
type Series struct {
	ID      string `json:"id"` // see series.Of
	Name    string `json:"name,omitempty"`
	Acronym string `json:"acronym,omitempty"`
	// Names and Acronyms are the others it is known by, also earlier ones.
	Names    []string `json:"names,omitempty"`
	Acronyms []string `json:"acronyms,omitempty"`
	// Fields are fields of research or of practice in words, "software engineering".
	Fields []string `json:"fields,omitempty"`
	// Homepage is that of the series, or of its edition in HomepageYear.
	Homepage     string `json:"homepage,omitempty"`
	HomepageYear int    `json:"homepage_year,omitempty"`
	// Sites are the hosts and folders of its editions as series.SiteKeys writes them.
	Sites []string `json:"sites,omitempty"`
	// Months are those in which editions usually begin, 1 to 12.
	Months []int `json:"months,omitempty"`
	// Parent is the id of the series that it is held within each time.
	Parent string `json:"parent,omitempty"`
	// Into is the id of the series that this one was merged into, "" for others.
	Into     string `json:"into,omitempty"`
	DBLP     string `json:"dblp,omitempty"`     // key, such as "conf/icx"
	Wikidata string `json:"wikidata,omitempty"` // "Q1234"
	Ranks    []Rank `json:"ranks,omitempty"`
	Rates    []Rate `json:"rates,omitempty"`
	// Sources name the lists that say so, each with its commit.
	Sources []string `json:"sources,omitempty"`
}

// A KnownSeries is what an event's record shows of its series.
type KnownSeries struct {
	ID       string   `json:"id"`
	Name     string   `json:"name,omitempty"`
	Acronym  string   `json:"acronym,omitempty"`
	Fields   []string `json:"fields,omitempty"`
	Homepage string   `json:"homepage,omitempty"`
	Ranks    []Rank   `json:"ranks,omitempty"` // the newest of each system
	// Evidence says for each witness what made the event one of the series; see package
	// series.
	Evidence map[string]string `json:"evidence,omitempty"`
}

// A Rank is what a system of ranks says of a series, in the round of a year.
type Rank struct {
	System string `json:"system"` // in lower case: "core", "ccf", "thcpl", "ggs"
	Value  string `json:"value"`  // as the system writes it: "A*", "B"
	Year   int    `json:"year,omitempty"`
	Source string `json:"source,omitempty"` // file or URL it was read from
}

// A Rate is the share of papers an edition accepted.
type Rate struct {
	Year      int     `json:"year"`
	Accepted  int     `json:"accepted,omitempty"`
	Submitted int     `json:"submitted,omitempty"`
	Rate      float64 `json:"rate,omitempty"` // 0 to 1
	Source    string  `json:"source,omitempty"`
}

// A SeriesStore keeps series. It is safe for concurrent use.
type SeriesStore interface {
	// Series returns what is known of a series, also of one that is known by its editions alone;
	// ErrNotFound if there is neither.
	Series(ctx context.Context, id string) (Series, error)
	// AllSeries yields what was put, in order of id.
	AllSeries(ctx context.Context) iter.Seq2[Series, error]
	// Editions returns the events of a series, newest first, at most MaxEditions.
	Editions(ctx context.Context, id string) ([]Event, error)
	// PutSeries adds to the data on a series. Empty fields leave the stored value, a rank replaces
	// that of its system and year, a rate that of its year. The series' events go into the outbox
	// again, for their ranks.
	PutSeries(ctx context.Context, s Series) error
}

// MaxEditions bounds the editions of one series.
const MaxEditions = 200
