package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/backlink"
	"eventseer/crawler/frontier"
	"eventseer/internal/text"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

// Limits of a story.
const (
	maxWay    = 100 // pages on the way from a seed
	maxLinked = 10  // pages that link to a URL nobody has proposed
)

// A story is everything that is known of a URL: the record of crawl why and of
// /why.
type story struct {
	URL  string    `json:"url"`
	At   time.Time `json:"at"`
	Seen bool      `json:"seen"`
	Why  string    `json:"why"` // what happens to it next, and because of what

	State    string       `json:"state,omitempty"`
	Fate     crawler.Fate `json:"fate,omitempty"`
	Status   int          `json:"status,omitempty"`
	Reason   string       `json:"reason,omitempty"` // of the last answer, or of its absence
	Answered *time.Time   `json:"answered,omitempty"`
	Due      *time.Time   `json:"due,omitempty"`
	Score    float64      `json:"score"`
	Depth    int          `json:"depth"`
	Tries    int          `json:"tries"`
	FinalURL string       `json:"final_url,omitempty"` // where its redirects led
	Via      string       `json:"via,omitempty"`       // the URL whose redirects led here
	Ahead    int          `json:"ahead"`               // links of its host that come before it

	Refusal string      `json:"refusal,omitempty"` // why a link to it would not be admitted now
	Robots  string      `json:"robots,omitempty"`  // as far as known
	Watched string      `json:"watched,omitempty"` // when the monitor visits it and why, of a source
	Host    *hostStatus `json:"host,omitempty"`
	Way     []wayStep   `json:"way,omitempty"`    // how it came here, back to a seed
	Linked  []string    `json:"linked,omitempty"` // pages of other sites that link to it, of a URL never proposed
}

// A wayStep is one link on the way to a URL.
type wayStep struct {
	URL    string      `json:"url"`
	How    crawler.How `json:"how"`
	Parent string      `json:"parent,omitempty"`
	Anchor string      `json:"anchor,omitempty"`
	Score  float64     `json:"score"`
	Depth  int         `json:"depth"`
	// Why is how the strategy came to the score.
	Why string `json:"why,omitempty"`
}

func newWhyCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "why URL", Short: "Tell the whole story of a URL: why it is fetched, or not, or not yet", Args: args(cobra.ExactArgs(1)),
		Example: "  eventseer crawl why https://conf.example/cfp\n  eventseer crawl why --run runs/a https://conf.example/ --format jsonl",
	}
	run := cmd.Flags().String("run", "", "folder of a replay, whose state is kept there")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		format, err := a.Format("table", "jsonl", "json")
		if err != nil {
			return err
		}
		address, err := webgraph.Canonical(given[0])
		if err != nil {
			return app.Usage(err)
		}
		var s story
		ask := "/why?url=" + url.QueryEscape(address)
		tell := func(i *inspector) (any, error) { return i.why(cmd.Context(), address) }
		if err := inspect(cmd.Context(), a, *run, ask, &s, tell); err != nil {
			return err
		}
		return a.WithOutput(func(w io.Writer) error {
			if format == "table" {
				return s.table(w)
			}
			return app.WriteJSONLine(w, s)
		})
	}
	return cmd
}

// why tells the story of a canonical URL.
func (i *inspector) why(ctx context.Context, address string) (*story, error) {
	told, err := i.frontier.Story(address)
	if err != nil {
		return nil, err
	}
	refusal, err := crawler.Refusals(ctx, crawler.Options{Frontier: i.frontier, Blocked: i.blocked})
	if err != nil {
		return nil, err
	}
	s := &story{URL: address, At: i.now().UTC(), Seen: told.Seen, Why: told.Why, Ahead: told.Ahead, Refusal: refusal(address)}
	if i.robots != nil {
		s.Robots = i.robots(address)
	}
	if i.watched != nil {
		if s.Watched, err = i.watched(ctx, address); err != nil {
			return nil, err
		}
	}
	if told.Host.Name != "" {
		host := hostStatusOf(told.Host)
		s.Host = &host
	}
	if !told.Seen {
		return s, i.unseen(ctx, s)
	}
	r := told.Record
	if r.State == frontier.Waiting {
		s.foresee()
	}
	s.State, s.Fate, s.Status, s.Reason = r.State.String(), r.Fate, r.Status, r.Reason
	s.Score, s.Depth, s.Tries = r.Score, r.Depth, r.Tries
	s.Answered, s.Due = timeOrNil(r.At), timeOrNil(r.Due)
	s.FinalURL, s.Via = r.FinalURL, r.Via
	s.Way, err = i.way(address)
	return s, err
}

// foresee puts first what a waiting link will come to when its turn comes, where
// a rule is against it.
func (s *story) foresee() {
	against := s.Refusal
	if against == "" && strings.HasPrefix(s.Robots, disallowedBy) {
		against = s.Robots
	}
	if against != "" {
		s.Why = "It will not be fetched as things are: " + against + ". " + s.Why
	}
}

// unseen says why a URL is not in the frontier, as far as can be known.
func (i *inspector) unseen(ctx context.Context, s *story) error {
	if i.links != nil {
		linked, err := i.links.Backlinks(ctx, backlink.Query{Target: s.URL, Scope: backlink.Page, Limit: maxLinked})
		if err != nil {
			return err
		}
		for _, l := range linked.Links {
			s.Linked = append(s.Linked, l.Source)
		}
	}
	switch {
	case s.Refusal != "":
		s.Why = "never taken up: " + s.Refusal
	case len(s.Linked) > 0:
		s.Why = "never taken up, though pages read link to it: the strategy proposed other links, or a rule in force then was against it"
	default:
		s.Why = "never taken up: no page of another site that was read links to it, and if one of its own site does, the strategy did not propose it"
	}
	return nil
}

// way goes from a URL back to its seed.
func (i *inspector) way(address string) ([]wayStep, error) {
	var way []wayStep
	for seen := map[string]bool{}; address != "" && !seen[address] && len(way) < maxWay; {
		seen[address] = true
		r, known, err := i.frontier.Lookup(address)
		if err != nil || !known {
			return way, err
		}
		way = append(way, wayStep{URL: address, How: r.How, Parent: r.Parent, Anchor: r.Anchor, Score: r.Score, Depth: r.Depth, Why: r.Explained})
		address = cmp.Or(r.Parent, r.Via) // a redirect's target has the way of the URL that led there
	}
	return way, nil
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// table shows the story to a person.
func (s *story) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	line := func(name, format string, v ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, text.Printable(fmt.Sprintf(format, v...)))
	}
	line("url", "%s", s.URL)
	line("why", "%s", s.Why)
	if s.Seen {
		s.facts(line)
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
		line("host", "%s", s.Host.facts())
		if s.Host.Due != nil {
			line("host due", "%s", when(*s.Host.Due, s.At))
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

// facts are the lines of a URL that is known.
func (s *story) facts(line func(name, format string, v ...any)) {
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
		line("answered", "%s", when(*s.Answered, s.At))
	}
	if s.FinalURL != "" {
		line("led to", "%s", s.FinalURL)
	}
	if s.Via != "" {
		line("via", "%s", s.Via)
	}
	if s.Due != nil && s.Due.After(s.At) {
		line("due", "%s", when(*s.Due, s.At))
	}
	if s.State == "waiting" {
		line("ahead", "%d links of its host", s.Ahead)
	}
}
