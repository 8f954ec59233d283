package warc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// Bounds on one record of a WAT.
const (
	MaxWAT      = 16 << 20 // JSON in bytes; larger records are reported as bad
	MaxWATLinks = 10_000   // links of all kinds; more are dropped
)

// ErrNotWAT means that a metadata record does not hold the JSON of a WAT.
var ErrNotWAT = errors.New("not a WAT record")

// A WATPage is the record of one response in a WAT, the file of metadata that Common Crawl derives
// from a WARC.
type WATPage struct {
	URL       string      // WARC-Target-URI, byte for byte
	Status    int         // 0 if missing
	Header    http.Header // those that webgraph.KeptHeaders names
	Title     string
	FetchedAt time.Time
	// Links are the page's a and area elements in order, resolved against its base URL, with the page's
	// URL as Source.
	Links []webgraph.Link
	// Cut means that the page has more than MaxWATLinks links.
	Cut bool
}

// ToPage returns a page with these links as its entries and without a body, which a WAT does not hold.
func (w *WATPage) ToPage() *webgraph.Page {
	p := &webgraph.Page{
		URL: w.URL, Requested: w.URL, Status: cmp.Or(w.Status, http.StatusOK), Header: w.Header,
		FetchedAt: w.FetchedAt, Truncated: w.Cut, Entries: make([]webgraph.Entry, len(w.Links)),
	}
	for i, l := range w.Links {
		p.Entries[i] = webgraph.Entry{URL: l.Target, Title: l.Anchor}
	}
	return p
}

// WATLinks returns the records of a WAT about responses, in order. For a record that cannot be read it
// returns a *BadRecord as error; any other error means that the rest of the file cannot be read. It skips
// records about requests and the archive itself.
func WATLinks(path string) iter.Seq2[*WATPage, error] { return readAll(path, (*Record).WAT) }

// WATPages returns the records of a WAT as pages; see WATLinks.
func WATPages(path string) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) {
		for w, err := range WATLinks(path) {
			var page *webgraph.Page
			if err == nil {
				page = w.ToPage()
			}
			if !yield(page, err) {
				return
			}
		}
	}
}

// A watEnvelope is the part of the JSON that is used.
type watEnvelope struct {
	Envelope struct {
		Header struct {
			Type string `json:"WARC-Type"`
			URI  string `json:"WARC-Target-URI"`
			Date string `json:"WARC-Date"`
		} `json:"WARC-Header-Metadata"`
		Payload struct {
			HTTP struct {
				Message struct {
					Status string
				} `json:"Response-Message"`
				Headers map[string]json.RawMessage
				HTML    struct {
					Head  struct{ Title, Base string }
					Links watLinks
				} `json:"HTML-Metadata"`
			} `json:"HTTP-Response-Metadata"`
		} `json:"Payload-Metadata"`
	}
}

type watLink struct {
	Path, URL, Text, Title, Alt, Rel string
}

// A watLinks holds the a and area elements among the first MaxWATLinks links.
type watLinks struct {
	links []watLink
	cut   bool
}

// UnmarshalJSON decodes at most MaxWATLinks links, however many there are. Invalid links are skipped.
func (l *watLinks) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if start, err := dec.Token(); err != nil || start != json.Delim('[') {
		return err
	}
	for n := 0; dec.More(); n++ {
		if l.cut = n == MaxWATLinks; l.cut {
			return nil
		}
		var link watLink
		var wrongType *json.UnmarshalTypeError
		if err := dec.Decode(&link); err != nil && !errors.As(err, &wrongType) {
			return err
		}
		if strings.EqualFold(link.Path, "A@/href") || strings.EqualFold(link.Path, "AREA@/href") {
			l.links = append(l.links, link)
		}
	}
	return nil
}

// WAT returns the page that a record of a WAT describes, nil if it is about something else. The error
// wraps ErrNotWAT or ErrTooLarge.
func (r *Record) WAT() (*WATPage, error) {
	if r.Type() != "metadata" || mediaType(r.Header.Get("Content-Type")) != "application/json" {
		return nil, nil
	}
	if len(r.Block) > MaxWAT {
		return nil, fmt.Errorf("%w: its JSON has %d bytes", ErrTooLarge, len(r.Block))
	}
	var e watEnvelope
	var wrongType *json.UnmarshalTypeError // values of unexpected types are ignored
	if err := json.Unmarshal(r.Block, &e); err != nil && !errors.As(err, &wrongType) {
		return nil, fmt.Errorf("%w: %w", ErrNotWAT, err)
	}
	if !strings.EqualFold(e.Envelope.Header.Type, "response") {
		return nil, nil
	}
	return e.toPage(r), nil
}

func (e *watEnvelope) toPage(r *Record) *WATPage {
	answer := &e.Envelope.Payload.HTTP
	p := &WATPage{
		URL: cmp.Or(e.Envelope.Header.URI, r.TargetURI()), Header: http.Header{},
		Title: anchorText(answer.HTML.Head.Title), Cut: answer.HTML.Links.cut,
	}
	p.Status, _ = strconv.Atoi(answer.Message.Status)
	at, err := time.Parse(time.RFC3339Nano, e.Envelope.Header.Date)
	if p.FetchedAt = at.UTC(); err != nil {
		p.FetchedAt = r.Date()
	}
	header := http.Header{}
	for _, name := range slices.Sorted(maps.Keys(answer.Headers)) {
		var value string
		if json.Unmarshal(answer.Headers[name], &value) == nil {
			header.Set(strings.TrimSpace(name), value)
		}
	}
	p.Header = webgraph.KeepHeaders(header)
	resolver := webgraph.NewResolver(p.URL)
	if base, err := resolver.Resolve(answer.HTML.Head.Base); err == nil && answer.HTML.Head.Base != "" {
		resolver = webgraph.NewResolver(base)
	}
	for _, l := range answer.HTML.Links.links {
		target, err := resolver.Resolve(strings.TrimSpace(l.URL))
		if err != nil {
			continue // mailto and the like
		}
		p.Links = append(p.Links, webgraph.Link{
			Source: p.URL, Target: target, NoFollow: webgraph.IsNoFollow(l.Rel),
			Anchor: anchorText(cmp.Or(strings.TrimSpace(l.Text), strings.TrimSpace(l.Alt), l.Title)),
		})
	}
	return p
}

// anchorText joins the words of s with single spaces and cuts the result to the length limit of anchors.
func anchorText(s string) string {
	return text.CutRunes(strings.Join(strings.Fields(s), " "), webgraph.MaxAnchor)
}
