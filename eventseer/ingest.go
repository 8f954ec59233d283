package eventseer

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"eventseer/features/tagtree"
)

// IngestOptions configures an Ingester.
type IngestOptions struct {
	// Extractor reads the pages and Store keeps what they say; both are needed.
	Extractor Extractor
	Store     Store
	// Clipper cuts the clips. Nil means one of the passage from the start of the
	// block that names the first deadline.
	Clipper Clipper
	// Now is the clock for pages without a time of fetching. Nil means time.Now.
	Now func() time.Time
}

// An Ingester turns pages judged to be calls into stored events. It is safe
// for concurrent use if its extractor and store are.
type Ingester struct {
	o IngestOptions
}

// NewIngester returns an ingester.
func NewIngester(o IngestOptions) *Ingester {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Ingester{o: o}
}

// Take reads one page, checks and stores what it says, and returns the ids of
// the clips made; none when the page calls for nothing. relevance is the
// classifier's probability that the page is a call. Taking the same page again
// stores the same record under the same ids.
func (in *Ingester) Take(ctx context.Context, t *tagtree.Tree, relevance float64) ([]string, error) {
	e, ok := in.o.Extractor.Extract(t)
	if !ok {
		return nil, nil
	}
	seen := in.o.Now().UTC()
	if t.Page != nil && !t.Page.FetchedAt.IsZero() {
		seen = t.Page.FetchedAt.UTC()
	}
	e.CFPScore = relevance
	e.FirstSeen, e.LastSeen = seen, seen
	e.Pages = []string{e.URL}
	e = Validate(e)
	e.ID, e.Series = MakeID(e), MakeSeries(e)
	clips := in.clips(t, e)
	if _, err := in.o.Store.Put(ctx, e, clips); err != nil {
		return nil, fmt.Errorf("ingest %s: %w", e.URL, err)
	}
	ids := make([]string, len(clips))
	for i, c := range clips {
		ids[i] = c.ID
	}
	return ids, nil
}

// clips returns the clip of the call and those of keywords.
func (in *Ingester) clips(t *tagtree.Tree, e Event) []Clip {
	clips := []Clip{in.callClip(t, e)}
	if in.o.Clipper != nil {
		clips = append(clips, in.o.Clipper.Clips(t)...)
	}
	kept := clips[:0]
	seen := make(map[string]bool) // a keyword's passage may be the call's
	for _, c := range clips {
		c.Event, c.URL, c.Seen = e.ID, e.URL, e.LastSeen
		c.ID = hash(c.URL + "\x00" + c.Summary)
		c.Title, c.Summary = Redact(c.Title), Redact(c.Summary)
		if !seen[c.ID] {
			seen[c.ID] = true
			kept = append(kept, c)
		}
	}
	return kept
}

// callClip cuts the excerpt that is published of a page: its title with the
// passage around the first deadline to hand something in, else with the
// invitation, else with the first longer block.
func (in *Ingester) callClip(t *tagtree.Tree, e Event) Clip {
	b, at := passage(t.Blocks(), e)
	if in.o.Clipper != nil {
		if summary, path := in.o.Clipper.Passage(t, at); summary != "" {
			return Clip{Title: e.Title, Summary: summary, Path: path}
		}
	}
	return Clip{Title: e.Title, Summary: excerpt(t.Text(), b.Start), Path: b.Path}
}

var invitation = regexp.MustCompile(`(?i)\b(invites?|invited|solicits?|seeks?|welcomes?|call for|submissions?)\b`)

// minPassage is the length in bytes from which a block is worth quoting.
const minPassage = 60

// passage returns the block to quote, and the byte of the text that it is
// quoted for.
func passage(blocks []tagtree.Block, e Event) (tagtree.Block, int) {
	for _, d := range e.Deadlines {
		if !d.Kind.Submits() || d.Source.Offset[1] == 0 {
			continue
		}
		for _, b := range blocks {
			if at := d.Source.Offset[0]; at >= b.Start && at < b.Start+len(b.Text) {
				return b, at
			}
		}
	}
	for _, b := range blocks {
		if len(b.Text) >= minPassage && invitation.MatchString(b.Text) {
			return b, b.Start + invitation.FindStringIndex(b.Text)[0]
		}
	}
	for _, b := range blocks {
		if len(b.Text) >= minPassage {
			return b, b.Start
		}
	}
	if len(blocks) > 0 {
		return blocks[0], blocks[0].Start
	}
	return tagtree.Block{}, -1
}

// excerpt returns MaxSnippet runes of text from an offset on, in one line, cut
// at a word.
func excerpt(text string, from int) string {
	var b strings.Builder
	n := 0
	for _, word := range strings.Fields(text[min(from, len(text)):min(len(text), from+utf8Bytes*MaxSnippet)]) {
		word = strings.ToValidUTF8(word, "")
		if n += len([]rune(word)) + 1; n > MaxSnippet {
			break
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

const utf8Bytes = 4 // the longest encoding of a rune
