package eventseer

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/eventseer/eventseer/features/tagtree"
)

// ErrNotFound means that the store does not contain the event.
var ErrNotFound = errors.New("no such event")

// An Extractor reads events from a page. It is pure and safe for concurrent use. Values that the
// page does not state stay zero; inferred values are marked.
type Extractor interface {
	// Extract returns the event that the page announces and whether there is one.
	Extract(t *tagtree.Tree) (Event, bool)
}

// A Clipper selects the published excerpts of a page. It is safe for concurrent use.
type Clipper interface {
	// Passage returns the sentences around a byte of t's text in one line and the tag path of the
	// block that contains them. It returns "" and "" if there are none.
	Passage(t *tagtree.Tree, offset int) (summary, path string)
	// Clips returns a clip for each passage with keywords: title, summary, path and keywords. The
	// caller sets the other fields.
	Clips(t *tagtree.Tree) []Clip
}

// OtherLog is the prefix of names of readers of logs other than a store's; see Store.Outbox.
const OtherLog = "log/"

// A Store stores events and clips. It is safe for concurrent use. A damaged record never hides
// others.
type Store interface {
	// Put merges e (a record read from one page) into the event it belongs to. It stores the clips
	// and writes a Change with its outbox row in one transaction. Putting the same record again
	// changes nothing. It returns the id of the merged event. kinds are further changes of the page
	// since its last version, to be included in the Change.
	Put(ctx context.Context, e Event, clips []Clip, kinds ...ChangeKind) (EventID, error)
	// Event returns one event, or ErrNotFound. When two events are merged, the older one keeps its id. The id
	// of the other one then refers to it permanently: here, in History and in Clips.
	Event(ctx context.Context, id EventID) (Event, error)
	// Events yields all events in id order.
	Events(ctx context.Context) iter.Seq2[Event, error]
	// History returns the changes of an event, oldest first.
	History(ctx context.Context, id EventID) ([]Change, error)
	// Clips returns the clips of an event, oldest first.
	Clips(ctx context.Context, id EventID) ([]Clip, error)
	// Outbox yields the changes after sequence number after, in order. A reader stores its position
	// with Mark and reads it with Marked. A name that begins with OtherLog is that of a reader of
	// another log, with a position in that log.
	Outbox(ctx context.Context, after uint64) iter.Seq2[Change, error]
	SetReaderPosition(ctx context.Context, reader string, seq uint64) error
	ReaderPosition(ctx context.Context, reader string) (uint64, error)
}

// A Change records that an event is new, which of its fields changed, or that it was merged into
// another.
type Change struct {
	Seq   uint64    `json:"seq"`
	Event EventID   `json:"event"`
	At    time.Time `json:"at"`
	Page  string    `json:"page"` // the page that caused the change
	New   bool      `json:"new,omitempty"`
	// Into is the event that Event was merged into, "" if it was not merged.
	Into   EventID       `json:"into,omitempty"`
	Fields []FieldChange `json:"fields,omitempty"`
	// Kinds summarize the changes, in the order of ChangeKinds.
	Kinds []ChangeKind `json:"kinds,omitempty"`
}

// A FieldChange is one field's old and new value, in JSON.
type FieldChange struct {
	Field string `json:"field"`
	Old   string `json:"old,omitempty"`
	New   string `json:"new,omitempty"`
}

// An Index finds events. It is safe for concurrent use and can be rebuilt from the store at any time.
type Index interface {
	// Update adds or replaces documents.
	Update(ctx context.Context, documents []Document) error
	// Find returns the events that match. If the text has a syntax error, the error is a *query.Error.
	Find(ctx context.Context, q Query) (Found, error)
}

// A Document is what queries are matched against: an event, the clips of its pages, and the ranks
// and acronyms of its series.
type Document struct {
	Event    Event
	Clips    []Clip
	Ranks    []Rank
	Acronyms []string   // further acronyms by which the event is found
	Texts    []PageText // texts of its pages, see SearchedTexts
	// Changed is when the record last changed since it was created; zero if it never did or if the
	// time is unknown.
	Changed time.Time
}

// A Query is a search in an Index.
type Query struct {
	// Text is a query in the language of package query; "" matches all events.
	Text string
	// Now is the reference time for "due<60d" and deadline windows. Zero means OpenAt, or if that
	// is zero, the index's clock.
	Now time.Time
	// OpenAt selects events with a submission deadline at or after this time. Zero selects all.
	OpenAt time.Time
	// AsWritten disables synonyms of the words of Text.
	AsWritten bool
	// From and Limit select a page of the results; Limit 0 means 50, at most 1000.
	From, Limit int
	// ByDeadline sorts by the next submission deadline after OpenAt instead of by relevance.
	ByDeadline bool
	// Order, if not "", is one of Orders and takes precedence over ByDeadline.
	Order Order
	// Facets requests the facets of all matches. Passages requests the positions of the query's
	// words in each hit.
	Facets, Passages bool
	// ShortRows leaves out the positions in clips and texts of hits with a word in the title, because
	// short rows show no passage of them.
	ShortRows bool
}

// An Order is the sort order of results.
type Order string

// Orders of results. They are by the next deadline after Query.OpenAt, by the first day of the event (future
// ones first), by the best rank of the series, by relevance, and by when the event was first seen (latest
// first). Events without the value come last.
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
	// Facets are field, topic, kind, country, where, rank, month and due, except those without
	// values.
	Facets []Facet
	// Instead is a corrected query that has results, if a misspelt query has none; otherwise "".
	Instead string
}

// A Hit is one event found.
type Hit struct {
	ID     EventID
	Score  float64
	Places []WordPosition // at most MaxPlaces, the most important fields first
}

// MaxPlaces is the maximum length of Hit.Places.
const MaxPlaces = 20

// A WordPosition is the position of a query word: the indexer's "keywords with their places" of paper 000.
type WordPosition struct {
	// Field is title, acronym, topic, place, clip or text.
	Field string
	// Part is the index of the topic in Event.Topics, of the clip in Document.Clips, or of the page
	// in Document.Texts; otherwise 0.
	Part int
	// Offset is the half-open range of bytes in the field's text; for a clip, in its Summary.
	Offset [2]int
}

// A Facet counts the values of one field over all matches of a query.
type Facet struct {
	Name   string       `json:"name"`   // a field of the query language
	Values []FacetValue `json:"values"` // most frequent first, at most 20; for month and due in order of time
	Other  int          `json:"other"`  // number of events with values not listed
}

// A FacetValue is one value and the number of events with it.
type FacetValue struct {
	Value string `json:"value"` // for readers: "Norway", "CORE A*", "within 30 days"
	Term  string `json:"term"`  // as a query: "country:NO", `rank:core=A*`, "due<30d"
	Count int    `json:"count"`
}

// A ChangeKind is the kind of a change in a new version of a page (after WebCQ).
type ChangeKind string

// Kinds of changes. Those of fields come first. Cosmetic and TemplateChange are not reported to readers.
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

// ChangeKinds returns the kinds in order of importance.
func ChangeKinds() []ChangeKind {
	return []ChangeKind{
		DeadlineExtended, DeadlineAdded, DateCorrected, PlaceChanged, ProgramPosted, SpeakersAdded,
		CommitteeChanged, LinksAdded, NewsItem, TemplateChange, Cosmetic,
	}
}

// NotifiesReaders reports whether readers are notified of a change of this kind.
func (k ChangeKind) NotifiesReaders() bool { return k != TemplateChange && k != Cosmetic }

// A Series holds the data on an event's series besides its editions. It comes from the table
// shipped in package series, and from what the operator imported or set.
type Series struct {
	ID      string `json:"id"` // identifier, as returned by series.Of
	Name    string `json:"name,omitempty"`
	Acronym string `json:"acronym,omitempty"`
	// Names and Acronyms are the other names of the series, including earlier ones.
	Names    []string `json:"names,omitempty"`
	Acronyms []string `json:"acronyms,omitempty"`
	// Fields are fields of research or of practice in words, "software engineering".
	Fields []string `json:"fields,omitempty"`
	// Homepage is the home page of the series, or of its edition in HomepageYear.
	Homepage     string `json:"homepage,omitempty"`
	HomepageYear int    `json:"homepage_year,omitempty"`
	// Sites are the hosts and folders of its editions as series.SiteKeys writes them.
	Sites []string `json:"sites,omitempty"`
	// Months are the months in which editions usually begin, 1 to 12.
	Months []int `json:"months,omitempty"`
	// Parent is the id of the series with which this one is always held.
	Parent string `json:"parent,omitempty"`
	// Into is the id of the series that this one was merged into, "" for others.
	Into     string `json:"into,omitempty"`
	DBLP     string `json:"dblp,omitempty"`     // key, such as "conf/icx"
	Wikidata string `json:"wikidata,omitempty"` // "Q1234"
	Ranks    []Rank `json:"ranks,omitempty"`
	Rates    []Rate `json:"rates,omitempty"`
	// Sources are the names of the lists with this data, each with its commit.
	Sources []string `json:"sources,omitempty"`
}

// A KnownSeries is the information on its series shown with an event.
type KnownSeries struct {
	ID       string   `json:"id"`
	Name     string   `json:"name,omitempty"`
	Acronym  string   `json:"acronym,omitempty"`
	Fields   []string `json:"fields,omitempty"`
	Homepage string   `json:"homepage,omitempty"`
	Ranks    []Rank   `json:"ranks,omitempty"` // newest rank in each system
	// Evidence is, for each source of evidence, why the event belongs to the series; see package
	// series.
	Evidence map[string]string `json:"evidence,omitempty"`
}

// A Rank is the rank of a series in one ranking system, as of a year.
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

// A SeriesStore stores series. It is safe for concurrent use.
type SeriesStore interface {
	// Series returns a series, even if only its editions are known. It returns ErrNotFound if neither is
	// known.
	Series(ctx context.Context, id string) (Series, error)
	// AllSeries yields all stored series in order of id.
	AllSeries(ctx context.Context) iter.Seq2[Series, error]
	// Editions returns the events of a series, newest first, at most MaxEditions.
	Editions(ctx context.Context, id string) ([]Event, error)
	// PutSeries adds data to a series. Empty fields leave the stored value; a rank replaces that of
	// the same system and year, a rate that of the same year. The series' events are added to the
	// outbox again, because their ranks may have changed.
	PutSeries(ctx context.Context, s Series) error
}

// MaxEditions is the maximum number of editions of one series.
const MaxEditions = 200
