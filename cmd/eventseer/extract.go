package main

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange/explain"
	"github.com/eventseer/eventseer/eventseer/extract"
	"github.com/eventseer/eventseer/eventseer/mailbox"
	"github.com/eventseer/eventseer/eventseer/merge"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/eventseer/validate"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/spill"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
)

// An extraction is one line of `extract --format jsonl`: an event, or the page and its error.
type extraction struct {
	eventseer.Event
	Error string `json:"error,omitempty"`
}

// noText is the rule that fails for a page without text: a scan, or a page filled by a script.
const noText = "no-text"

// isBlank reports whether the page has no text.
func (x extraction) isBlank() bool { return len(x.Warnings) == 1 && x.Warnings[0].Rule == noText }

// extractFlags select the pages that become records, and the details shown.
type extractFlags struct {
	url, models  string
	all, explain bool
	site         bool
}

func newExtractCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "extract INPUT…", Short: "Read calls for papers into records: event, dates, place, deadlines, topics",
		Example: `  eventseer extract call.html
  eventseer extract call.html --explain              # where each field was read, and by which rule
  eventseer extract pages.warc.gz --format jsonl     # one record a line
  eventseer extract site.warc.gz --site              # one record of all pages of one event's site
  eventseer extract mails.mbox --all                 # of every page, also of those that are no call
  curl -s https://conf.example/cfp | eventseer extract - --url https://conf.example/cfp`,
		Long: `Read calls for papers into records, one per page. A page gives a record if the
shipped models classify it as a call or as another page of one event, such as its
home, dates or committee. The number of other pages is reported at the end;
--all gives the record of every page with a title. Other pages of its host among
the INPUTs, in any order, help to recognise pages of events. Records are therefore
written when all pages are read, or after 100,000 of them. Fields that a page does not
have are left out. A response of another status than 200, or that is neither HTML, text
nor PDF, is not read. With --format jsonl, a page without any text gives a line with its
address and a warning, and one that cannot be read a line with "error" and exit code 3.

--explain adds below the table of each field, deadline and list:
  read at    bytes of the page's visible text, and the tag path of their block
  rule       the rule that read it, and the share of its values that were right on pages
             with known records
  inferred   the part of the value that is not printed there, and where it comes from
  text       the text printed there
and the checks that the record fails.

--site treats all pages as the site of one edition and gives one record. Name, days and
place are those of most pages, with more weight for reliable pages and the home page; the
rest is merged. Its "sources" name the page of each value, its "trail" the values of
other pages. With --format jsonl the same is in "sources", in "source" of each deadline
and in "warnings".`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
	}
	var f extractFlags
	flags := cmd.Flags()
	flags.StringVar(&f.url, "url", "", "URL of the page on stdin")
	flags.BoolVar(&f.explain, "explain", false, "also show where each field was read, and by which rule")
	flags.BoolVar(&f.all, "all", false, "also give records of pages that are not about an event")
	flags.BoolVar(&f.site, "site", false, "merge the records of all pages, which belong to the site of one edition, into one")
	flags.StringVar(&f.models, "models", judges.Own, "own (those of model use), shipped, or cross-fitted, where pages of training hosts are judged by models trained without them")
	app.AddConfigFlags(cmd, app.ModelKey)
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		return runExtract(cmd.Context(), a, inputs, f)
	}
	return cmd
}

func runExtract(ctx context.Context, a *app.App, inputs []string, f extractFlags) error {
	format, err := chooseEventFormat(a)
	if err != nil {
		return err
	}
	set, err := judges.Open(a, f.models)
	if err != nil {
		return err
	}
	judge, err := set.PageJudge()
	if err != nil {
		return err
	}
	reader := pageReader{extractor: engine.NewExtractor(a, set), judge: judge, all: f.all, explain: f.explain || f.site}
	var c extractCount
	err = a.WithOutput(func(w io.Writer) error {
		var events []eventseer.Event
		for r, err := range reader.readInputs(ctx, a, inputs, f.url, &c) {
			if err != nil {
				return err
			}
			switch {
			case format.name == "jsonl" && (r.ok && !f.site || r.X.Error != "" || r.X.isBlank()):
				if err := app.WriteJSONLine(w, r.X); err != nil {
					return err
				}
			case r.ok:
				events = append(events, r.X.Event)
			}
		}
		if f.site && len(events) > 0 {
			if len(events) > merge.MaxSite {
				a.Logf("%d pages of one site, %d of them merged", len(events), merge.MaxSite)
			}
			e := merge.MergeSite(events)
			e.ID, e.Series = series.MakeID(e), series.Of(e)
			events = []eventseer.Event{e}
			if format.name == "jsonl" {
				return app.WriteJSONLine(w, extraction{Event: e})
			}
		}
		if format.name == "jsonl" {
			return nil
		}
		if err := writeEventsIn(ctx, a, w, format, nil, "", len(events), events); err != nil || format.name != "table" || !f.explain {
			return err
		}
		for _, e := range events {
			if _, err := fmt.Fprintf(w, "\n%s\n", explain.Event(e)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c.logCounts(a, f.all)
	return c.Err()
}

// An extractCount counts the unread pages and those without a record.
type extractCount struct {
	engine.Tally
	unread, out int
}

func (c *extractCount) logCounts(a *app.App, all bool) {
	if c.unread > 0 {
		a.Logf("%d of %d pages were not read: not a response of status 200 with HTML, text or PDF (-v lists them)", c.unread, c.All)
	}
	switch {
	case c.out == 0:
	case all:
		a.Logf("%d of %d pages give no record: they name no event", c.out, c.All)
	default:
		a.Logf("%d of %d pages are not calls or other pages of one event (--all gives their records, -v lists them)", c.out, c.All)
	}
}

// A pageReader converts pages to records.
type pageReader struct {
	extractor eventseer.Extractor
	judge     engine.PageJudge
	// all means that pages which are not about an event give records too. explain adds where each
	// field was read.
	all, explain bool
}

// A pageRecord is a page that was read and judged alone. It is stored in a spill.Values until the
// other pages of its host are read.
type pageRecord struct {
	X     extraction
	URL   []byte // unchanged, even if not valid UTF-8
	Said  classify.Judgement
	Plain bool // it has no markup
	Says  bool // it has data on an event
	ok    bool // it gives a record; set by readInputs
}

// readInputs yields the pages of inputs, in order, with whether they give a record, and counts
// them. Unless all do, the gate judges them in the context of their hosts, so they are yielded
// after all have been read, or maxWaiting of them. An error ends the sequence.
func (r pageReader) readInputs(ctx context.Context, a *app.App, inputs []string, name string, c *extractCount) iter.Seq2[pageRecord, error] {
	return func(yield func(pageRecord, error) bool) {
		hosts := engine.NewCallContext(r.judge.For(""))
		var waiting spill.Values[pageRecord]
		defer func() { _ = waiting.Close() }() // its contents have been yielded
		flush := func() bool {
			for p, err := range waiting.RemoveAll() {
				p.ok = err == nil && r.isEvent(p, hosts)
				if err == nil && !p.ok && p.X.Error == "" && !p.X.isBlank() {
					c.out++
					a.Logger().Debug("not a page of an event", "url", string(p.URL), "cfp_score", p.X.CFPScore)
				}
				if !yield(p, err) {
					return false
				}
			}
			return true
		}
		for page, err := range engine.PagesOfInputs(ctx, a, inputs, name) {
			if err == nil {
				if why := extract.Unreadable(page); why != "" {
					c.unread++
					c.CountInput(nil)
					a.Logger().Debug("not read", "url", page.URL, "why", why)
					continue
				}
			}
			p, err := r.readAlone(page, err)
			if c.CountInput(err) {
				a.Logf("%s: %v", page.URL, err)
			} else if p.X.isBlank() {
				a.Logf("%s: %s", page.URL, p.X.Warnings[0].Text)
			}
			hosts.Add(page.URL, p.Said)
			if err := waiting.Add(p); err != nil {
				yield(p, err)
				return
			}
			if (r.all || waiting.Len() == maxWaiting) && !flush() {
				return
			}
		}
		flush()
	}
}

// isEvent reports whether a page gives a record. With a nil host context it is judged alone.
func (r pageReader) isEvent(p pageRecord, hosts *classify.HostContext) bool {
	said := p.Said
	if hosts != nil {
		said = hosts.Judge(string(p.URL), said)
	}
	return p.Says && (r.all || engine.IsEventPage(said, p.X.Event, p.Plain))
}

// extractPage extracts one page, judged alone; ok means that it gives a record. If it cannot be read the
// line contains the error, which is also returned.
func (r pageReader) extractPage(page *webgraph.Page, err error) (x extraction, ok bool, _ error) {
	p, err := r.readAlone(page, err)
	return p.X, r.isEvent(p, nil), err
}

// readAlone extracts one page and judges it alone. Its error is that of read.
func (r pageReader) readAlone(page *webgraph.Page, err error) (pageRecord, error) {
	p := pageRecord{URL: []byte(page.URL)}
	tree, err := engine.Parse(page, err)
	if err != nil {
		p.X = extraction{Event: eventseer.Event{URL: page.URL}, Error: err.Error()}
		return p, err
	}
	if tree.Text() == "" {
		warning := eventseer.Warning{Rule: noText, Text: "the page has no text to read"}
		p.X = extraction{Event: eventseer.Event{URL: page.URL, Warnings: []eventseer.Warning{warning}}}
		return p, nil
	}
	// Extract's own judgement of the page is ignored, because the gate is better. A page of a
	// list's archive is read as its message, as in a crawl.
	shown := tree
	if message, ok := mailbox.ArchivedMessage(page); ok {
		if t, err := tagtree.Parse(message); err == nil {
			shown = t
		}
	}
	e, _ := r.extractor.Extract(shown)
	e = validate.Event(e)
	p.Said = r.judge.For(page.URL).JudgeDocument(features.Read(tree))
	e.CFPScore = p.Said.CFPScore
	if e.Title != "" {
		e.ID, e.Series = series.MakeID(e), series.Of(e)
	}
	if !r.explain {
		e.Sources = nil
	}
	// An uncertain name is left out, but other data of the event is not.
	p.Says = e.Title != "" || e.EventStart != "" || len(e.Deadlines) > 0 || len(e.Topics) > 0
	p.X, p.Plain = extraction{Event: e}, tree.Root() == nil
	return p, nil
}
