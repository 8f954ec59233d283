package eventseer

import (
	"context"
	"iter"
)

// A Series is what is known of an event over its editions, besides the editions
// themselves: what the operator imported or set.
type Series struct {
	ID       string `json:"id"` // see series.Of
	Name     string `json:"name,omitempty"`
	Acronym  string `json:"acronym,omitempty"`
	Homepage string `json:"homepage,omitempty"`
	DBLP     string `json:"dblp,omitempty"`     // key, such as "conf/icx"
	Wikidata string `json:"wikidata,omitempty"` // "Q1234"
	Ranks    []Rank `json:"ranks,omitempty"`
	Rates    []Rate `json:"rates,omitempty"`
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
	// Series returns what is known of a series, also of one that is known by its
	// editions alone; ErrNotFound where there is neither.
	Series(ctx context.Context, id string) (Series, error)
	// AllSeries yields what was put, in order of id.
	AllSeries(ctx context.Context) iter.Seq2[Series, error]
	// Editions returns the events of a series, newest first, at most MaxEditions.
	Editions(ctx context.Context, id string) ([]Event, error)
	// PutSeries adds to what is known of a series: empty fields leave what is there,
	// a rank replaces that of its system and year, a rate that of its year. The
	// series' events go into the outbox again, for their ranks.
	PutSeries(ctx context.Context, s Series) error
}

// MaxEditions bounds the editions of one series.
const MaxEditions = 200
