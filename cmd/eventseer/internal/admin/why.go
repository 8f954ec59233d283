package admin

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/eventseer/ui"
	"github.com/eventseer/eventseer/internal/text"
)

// Sheet returns the history of a URL as a page for the operator.
func (s *Story) Sheet() ui.Sheet {
	sheet := ui.Sheet{Intro: s.URL, Facts: []ui.Fact{{Name: "What happens to it", Value: cmp.Or(s.Why, "nothing: it was never queued")}}}
	fact := func(name, value string) {
		if value != "" {
			sheet.Facts = append(sheet.Facts, ui.Fact{Name: name, Value: value})
		}
	}
	fact("State", s.State)
	fact("Last answer", s.responseText())
	fact("Links to it would be refused", s.Refusal)
	fact("robots.txt", s.Robots)
	fact("Watched", s.Watched)
	fact("Redirects led to", s.FinalURL)
	if s.Due != nil {
		fact("Due", s.Due.UTC().Format("2 Jan 2006 15:04 UTC"))
	}
	if s.Host != nil {
		fact("Host", s.Host.describe())
	}
	way := ui.Table{Caption: "How it was found, back to a seed", Columns: []string{"Page", "How", "Anchor", "Score", "Why"}, Empty: "Not known."}
	for _, w := range s.Way {
		way.Rows = append(way.Rows, ui.Row{Cells: []ui.Cell{
			{Text: w.URL, Href: w.URL}, {Text: string(w.How)}, {Text: w.Anchor}, {Text: strconv.FormatFloat(w.Score, 'g', 3, 64)}, {Text: w.Why},
		}})
	}
	sheet.Tables = []ui.Table{way}
	if len(s.Linked) > 0 {
		linked := ui.Table{Caption: "Pages of other sites that link to it", Columns: []string{"Page"}}
		for _, url := range s.Linked {
			linked.Rows = append(linked.Rows, ui.Row{Cells: []ui.Cell{{Text: url, Href: url}}})
		}
		sheet.Tables = append(sheet.Tables, linked)
	}
	return sheet
}

// responseText describes the last response, "" for a page that was not requested.
func (s *Story) responseText() string {
	if s.Answered == nil {
		return ""
	}
	text := fmt.Sprintf("%s, status %d, %s", s.Fate, s.Status, s.Answered.UTC().Format("2 Jan 2006 15:04 UTC"))
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	return text
}

const maxWay = 100 // pages on the path from a seed

const maxLinked = 10 // pages that link to a URL that was never proposed

// A Story is all data on a URL: the record of crawl why and of /why.
type Story struct {
	URL  string    `json:"url"`
	At   time.Time `json:"at"`
	Seen bool      `json:"seen"`
	Why  string    `json:"why"` // what happens to it next, and why

	State    string       `json:"state,omitempty"`
	Fate     crawler.Fate `json:"fate,omitempty"`
	Status   int          `json:"status,omitempty"`
	Reason   string       `json:"reason,omitempty"` // reason of the last response or failure
	Answered *time.Time   `json:"answered,omitempty"`
	Due      *time.Time   `json:"due,omitempty"`
	Score    float64      `json:"score"`
	Depth    int          `json:"depth"`
	Tries    int          `json:"tries"`
	FinalURL string       `json:"final_url,omitempty"` // where its redirects led
	Via      string       `json:"via,omitempty"`       // the URL whose redirects led to it
	Ahead    int          `json:"ahead"`               // links of its host that come before it

	Refusal string      `json:"refusal,omitempty"` // why a link to it would not be accepted now
	Robots  string      `json:"robots,omitempty"`  // if known
	Watched string      `json:"watched,omitempty"` // for a source, when the monitor visits it and why
	Host    *hostStatus `json:"host,omitempty"`
	Way     []pathStep  `json:"way,omitempty"`    // how it was found, back to a seed
	Linked  []string    `json:"linked,omitempty"` // for an unknown URL, pages of other sites that link to it
}

// A pathStep is one link on the path to a URL.
type pathStep struct {
	URL    string         `json:"url"`
	How    crawler.Origin `json:"how"`
	Parent string         `json:"parent,omitempty"`
	Anchor string         `json:"anchor,omitempty"`
	Score  float64        `json:"score"`
	Depth  int            `json:"depth"`
	// Why is the explanation of the score.
	Why string `json:"why,omitempty"`
}

// StoryOf returns the history of a canonical URL.
func (i *Inspector) StoryOf(ctx context.Context, address string) (*Story, error) {
	told, err := i.Frontier.Story(address)
	if err != nil {
		return nil, err
	}
	refusal, err := crawler.RefusalChecker(ctx, crawler.Options{Frontier: i.Frontier, Blocked: i.Blocked})
	if err != nil {
		return nil, err
	}
	s := &Story{URL: address, At: i.Now().UTC(), Seen: told.Seen, Why: told.Why, Ahead: told.Ahead, Refusal: refusal(address)}
	if i.Robots != nil {
		s.Robots = i.Robots(address)
	}
	if i.Watched != nil {
		if s.Watched, err = i.Watched(ctx, address); err != nil {
			return nil, err
		}
	}
	if told.Host.Name != "" {
		host := hostStatusOf(told.Host)
		s.Host = &host
	}
	if !told.Seen {
		return s, i.explainUnknownURL(ctx, s)
	}
	r := told.Record
	if r.State == frontier.Waiting {
		s.addExpectedResult()
	}
	s.State, s.Fate, s.Status, s.Reason = r.State.String(), r.Fate, r.Status, r.Reason
	s.Score, s.Depth, s.Tries = r.Score, r.Depth, r.Tries
	s.Answered, s.Due = TimeOrNil(r.At), TimeOrNil(r.Due)
	s.FinalURL, s.Via = r.FinalURL, r.Via
	s.Way, err = i.pathTo(address)
	return s, err
}

// addExpectedResult puts first the result to expect for a waiting link that a rule forbids.
func (s *Story) addExpectedResult() {
	against := s.Refusal
	if against == "" && strings.HasPrefix(s.Robots, DisallowedBy) {
		against = s.Robots
	}
	if against != "" {
		s.Why = "It will not be fetched under the present rules: " + against + ". " + s.Why
	}
}

// explainUnknownURL finds out why a URL is not in the frontier.
func (i *Inspector) explainUnknownURL(ctx context.Context, s *Story) error {
	if i.Links != nil {
		linked, err := i.Links.Backlinks(ctx, backlink.Query{Target: s.URL, Scope: backlink.Page, Limit: maxLinked})
		if err != nil {
			return err
		}
		for _, l := range linked.Links {
			s.Linked = append(s.Linked, l.Source)
		}
	}
	switch {
	case s.Refusal != "":
		s.Why = "never queued: " + s.Refusal
	case len(s.Linked) > 0:
		s.Why = "never queued, although fetched pages link to it: the strategy proposed other links, or a rule in force then excluded it"
	default:
		s.Why = "never queued: no fetched page of another site links to it, and if one of its own site does, the strategy did not propose it"
	}
	return nil
}

// pathTo returns the path from a URL back to its seed.
func (i *Inspector) pathTo(address string) ([]pathStep, error) {
	var way []pathStep
	for seen := map[string]bool{}; address != "" && !seen[address] && len(way) < maxWay; {
		seen[address] = true
		r, known, err := i.Frontier.Lookup(address)
		if err != nil || !known {
			return way, err
		}
		way = append(way, pathStep{URL: address, How: r.How, Parent: r.Parent, Anchor: r.Anchor, Score: r.Score, Depth: r.Depth, Why: r.Explained})
		address = cmp.Or(r.Parent, r.Via) // a redirect's target has the path of the redirecting URL
	}
	return way, nil
}

// TimeOrNil returns nil for the zero time.
func TimeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// Table writes the story as text for users.
func (s *Story) Table(w io.Writer) error {
	t := app.NewTabWriter(w)
	line := func(name, format string, v ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, text.Printable(fmt.Sprintf(format, v...)))
	}
	line("url", "%s", s.URL)
	line("why", "%s", s.Why)
	if s.Seen {
		s.writeFacts(line)
	}
	if s.Refusal != "" {
		line("refused", "%s", s.Refusal)
	}
	if s.Watched != "" {
		line("watched", "%s", s.Watched)
	}
	if s.Robots != "" {
		line("robots", "%s", s.Robots)
	}
	if s.Host != nil {
		line("host", "%s", s.Host.describe())
		if s.Host.Due != nil {
			line("host due", "%s", TimeText(*s.Host.Due, s.At))
		}
	}
	for n, step := range s.Way {
		name := ""
		if n == 0 {
			name = "way"
		}
		switch {
		case step.Parent == "":
			line(name, "%s is a %s", step.URL, cmp.Or(string(step.How), "redirect's target"))
		default:
			line(name, "%s from %s %q, score %.3g, depth %d", step.How, step.Parent, step.Anchor, step.Score, step.Depth)
		}
		if step.Why != "" {
			line("", "because %s", step.Why)
		}
	}
	for _, source := range s.Linked {
		line("linked", "from %s", source)
	}
	return t.Flush()
}

// writeFacts writes the lines for a known URL.
func (s *Story) writeFacts(line func(name, format string, v ...any)) {
	line("state", "%s, score %.3g, depth %d, tries %d", s.State, s.Score, s.Depth, s.Tries)
	if s.Fate != "" || s.Reason != "" {
		fate := cmp.Or(string(s.Fate), "none yet")
		answer := fmt.Sprintf("%s, status %d", fate, s.Status)
		if s.Status == 0 {
			answer = fate
		}
		if reason := strings.TrimPrefix(s.Reason, fate+": "); reason != "" {
			answer += ": " + reason
		}
		line("answer", "%s", answer)
	}
	if s.Answered != nil {
		line("answered", "%s", TimeText(*s.Answered, s.At))
	}
	if s.FinalURL != "" {
		line("led to", "%s", s.FinalURL)
	}
	if s.Via != "" {
		line("via", "%s", s.Via)
	}
	if s.Due != nil && s.Due.After(s.At) {
		line("due", "%s", TimeText(*s.Due, s.At))
	}
	if s.State == "waiting" {
		line("ahead", "%d links of its host come first", s.Ahead)
	}
}
