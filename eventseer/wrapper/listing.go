package wrapper

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
	"eventseer/features/tagtree/record"
)

// Category data (paper 004, section 5): a list of calls says something of each record
// itself, often before the record's own page is read and sometimes in place of one. What
// a column of the list means is told by the records whose pages are known: read under
// the usual words of a meaning, its texts must give what is known. That is the
// annotation and the verification of the list in one, anew at each visit, so a list that
// changes its columns is not misread. Only records that are new or changed are taken.

// listMeanings are those that columns of lists may have.
var listMeanings = []string{
	Title, Acronym, DatesPlace, Dates, Place,
	deadlinePrefix + string(eventseer.Submission), deadlinePrefix + string(eventseer.Abstract),
	deadlinePrefix + string(eventseer.Notification), deadlinePrefix + string(eventseer.CameraReady),
}

const (
	// maxEvidence is how many records of a list are asked what its columns mean.
	maxEvidence = 10
	// listSureness is that of a record that a list gives: lists are short, and late.
	listSureness = 0.5
)

// A listing is one list of a category page.
type listing struct {
	tree     *tagtree.Tree
	x        eventseer.Extractor
	records  []listed
	meanings map[int]string // of columns
}

// A listed record is a line of a list that leads to a page of its own. Its first column is
// the text of the link.
type listed struct {
	url    string
	values []Value
	known  eventseer.Event // by others than the category page; no ID if nobody
}

// List takes account of a category page, and gives take the records that are new on its
// lists or changed, as weak evidence: what a record's own page says comes before it. A
// record of which no event is known has a title and a date. If take fails the record
// comes again, as it does after a crash.
func (r *Reader) List(ctx context.Context, t *tagtree.Tree, take func(eventseer.Event) error) error {
	var notices []Notice
	err := r.o.Set.Take(t, func(l *Lesson) error {
		notices = r.teach(l, t, r.timeOf(t), nil)
		if l.Kind != CategoryPage {
			return nil
		}
		return r.list(ctx, l, t, take)
	})
	if r.o.Notices != nil {
		err = errors.Join(err, r.o.Notices.Add(notices...))
	}
	return err
}

// timeOf is when a page was read.
func (r *Reader) timeOf(t *tagtree.Tree) time.Time {
	if t.Page.FetchedAt.IsZero() {
		return r.o.Now().UTC()
	}
	return t.Page.FetchedAt.UTC()
}

func (r *Reader) list(ctx context.Context, l *Lesson, t *tagtree.Tree, take func(eventseer.Event) error) error {
	due := l.due()
	if len(due) == 0 {
		return nil
	}
	for _, region := range record.Find(t) {
		list, err := r.listing(ctx, t, region)
		if err != nil {
			return err
		}
		if list.learn(); len(list.meanings) == 0 {
			continue
		}
		for _, rec := range list.records {
			row := due[rec.url]
			if row == nil || row.Taken {
				continue
			}
			if e, ok := list.event(rec); ok {
				if err := take(e); err != nil {
					return err
				}
			}
			row.Taken = true
		}
	}
	return nil
}

// due returns the rows of this category page that were not taken yet, by URL.
func (l *Lesson) due() map[string]*Row {
	due := map[string]*Row{}
	for _, table := range l.site.tables {
		if table.URL != l.tree.Page.URL {
			continue
		}
		for i := range table.Rows {
			if row := &table.Rows[i]; !row.Taken {
				due[row.URL] = row
			}
		}
	}
	return due
}

// listing looks up what is known of the records of a list.
func (r *Reader) listing(ctx context.Context, t *tagtree.Tree, region record.Region) (*listing, error) {
	list := &listing{tree: t, x: r.o.Extractor}
	for i, own := range ownPages(region.Records) {
		if own.URL == "" {
			continue
		}
		rec := listed{url: own.URL, values: []Value{{Text: own.Anchor}}}
		fields := region.Records[i].Fields
		for _, f := range fields[:min(len(fields), maxRowFields)] {
			rec.values = append(rec.values, Value{Text: f.Text, Node: f.Node})
		}
		if r.o.Known != nil {
			known, err := r.o.Known(ctx, own.URL)
			if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
				return nil, err
			}
			rec.known = known
		}
		list.records = append(list.records, rec)
	}
	return list, nil
}

// A columnClaim is a meaning that a column may have.
type columnClaim struct {
	column, pages int
	meaning       string
	strength      float64
}

// learn gives meanings to the columns for which evidence is strong, as Wrapper.Annotate
// does to fields.
func (l *listing) learn() {
	var claims []columnClaim
	for _, meaning := range listMeanings {
		claims = append(claims, l.claims(meaning)...)
	}
	slices.SortStableFunc(claims, func(a, b columnClaim) int {
		return cmp.Or(cmp.Compare(b.strength, a.strength), cmp.Compare(b.pages, a.pages), cmp.Compare(a.column, b.column))
	})
	l.meanings = map[int]string{}
	taken := map[string]bool{}
	for _, c := range claims {
		clash := c.meaning == DatesPlace && (taken[Dates] || taken[Place]) || taken[DatesPlace] && (c.meaning == Dates || c.meaning == Place)
		if l.meanings[c.column] == "" && !taken[c.meaning] && !clash {
			l.meanings[c.column], taken[c.meaning] = c.meaning, true
		}
	}
}

// claims are the columns that strong evidence gives a meaning to.
func (l *listing) claims(meaning string) (claims []columnClaim) {
	known := 0
	support := map[int]Support{}
	for _, rec := range l.records {
		e := apartFrom(rec.known, l.tree.Page.URL)
		if e.ID == "" || !has(e, meaning) || known == maxEvidence {
			continue
		}
		known++
		for c, v := range rec.values {
			if s := support[c]; strings.TrimSpace(v.Text) != "" {
				support[c] = Support{s.Pages + 1, s.Sum + l.agreement(meaning, v, e)}
			}
		}
	}
	for c := range maxRowFields + 1 {
		s := support[c]
		if s.Pages >= strongPages && 2*s.Pages >= known && s.Sum >= strongEvidence*float64(s.Pages) {
			claims = append(claims, columnClaim{c, s.Pages, meaning, s.Sum / float64(s.Pages)})
		}
	}
	return claims
}

// has reports whether a record says what a meaning is of.
func has(e eventseer.Event, meaning string) bool {
	switch meaning {
	case Title:
		return e.Title != ""
	case Acronym:
		return e.Acronym != ""
	case Dates:
		return e.EventStart != ""
	case Place:
		return e.Location != nil
	case DatesPlace:
		return e.EventStart != "" && e.Location != nil
	}
	return slices.ContainsFunc(e.Deadlines, func(d eventseer.Deadline) bool { return deadlinePrefix+string(d.Kind) == meaning })
}

// agreement says how far a value, read as one of a meaning, is the known one, 0 to 1.
func (l *listing) agreement(meaning string, v Value, known eventseer.Event) float64 {
	switch meaning {
	case Title:
		return bagOf(v.Text).f1(bagOf(known.Title))
	case Acronym:
		best := 0.0
		for _, text := range printedOf(l.tree, known)[Acronym] {
			best = max(best, bagOf(v.Text).f1(bagOf(text)))
		}
		return best
	}
	if meaning != Place && !strings.ContainsAny(v.Text, "0123456789") {
		return 0 // no date
	}
	read, ok := l.read(map[string][]Value{meaning: {v}}, known)
	days := ok && read.EventStart == known.EventStart && cmp.Or(read.EventEnd, known.EventEnd) == known.EventEnd
	place := ok && read.Location != nil && known.Location != nil && samePlace(read.Location, known.Location)
	same := false
	switch meaning {
	case Dates:
		same = days
	case Place:
		same = place
	case DatesPlace:
		same = days && place
	default:
		same = ok && slices.ContainsFunc(read.Deadlines, func(d eventseer.Deadline) bool {
			return deadlinePrefix+string(d.Kind) == meaning && slices.ContainsFunc(known.Deadlines, func(k eventseer.Deadline) bool { return k.Kind == d.Kind && k.Date == d.Date })
		})
	}
	if same {
		return 1
	}
	return 0
}

func samePlace(a, b *eventseer.Venue) bool {
	return strings.EqualFold(a.City, b.City) && a.CountryCode == b.CountryCode && a.Online == b.Online && (a.City != "" || a.CountryCode != "" || a.Online)
}

// read standardizes values by meaning; of what is known they are read with the name
// and the year.
func (l *listing) read(values map[string][]Value, known eventseer.Event) (eventseer.Event, bool) {
	page, err := draft{values: values, known: eventseer.Event{URL: known.URL, Title: known.Title, Year: known.Year}}.page()
	if err != nil {
		return eventseer.Event{}, false
	}
	return l.x.Extract(page)
}

// event returns what the list says of a record, and false of one that says too little.
func (l *listing) event(rec listed) (eventseer.Event, bool) {
	d := draft{values: map[string][]Value{}, known: eventseer.Event{URL: rec.url, Title: rec.known.Title, Year: rec.known.Year}}
	for c, v := range rec.values {
		if meaning := l.meanings[c]; meaning != "" && strings.TrimSpace(v.Text) != "" {
			d.values[meaning] = append(d.values[meaning], v)
		}
	}
	read, ok := l.read(d.values, d.known)
	if !ok && read.Title == "" {
		return eventseer.Event{}, false
	}
	out := Record{Event: eventseer.Event{
		URL: rec.url, Title: d.known.Title, Year: cmp.Or(d.known.Year, read.Year), Kind: read.Kind,
		Confidence: listSureness, Sources: map[string]eventseer.Provenance{"kind": {URL: l.tree.Page.URL}},
	}}
	i := importer{draft: d, tree: l.tree, read: read, out: &out}
	i.names()
	i.circumstances()
	i.deadlines()
	e := out.Event
	for field, src := range e.Sources {
		src.Rule = eventseer.ListRule
		e.Sources[field] = src
	}
	for i := range e.Deadlines {
		e.Deadlines[i].Source.Rule = eventseer.ListRule
	}
	said := e.EventStart != "" || len(e.Deadlines) > 0
	if rec.known.ID == "" {
		return e, said && len(d.values[Title]) > 0 && e.Title != ""
	}
	e.Kind = ""
	return e, e.Title != "" && (said || e.Location != nil || e.Acronym != "")
}

// apartFrom returns what is known of an event from other pages than one: what a list has
// said is no evidence for it.
func apartFrom(e eventseer.Event, url string) eventseer.Event {
	from := func(field string) bool { return e.Sources[field].URL == url }
	if from("title") {
		e.Title = ""
	}
	if from("acronym") {
		e.Acronym = ""
	}
	if from("event_start") {
		e.EventStart, e.EventEnd = "", ""
	}
	if from("location") {
		e.Location = nil
	}
	e.Deadlines = slices.DeleteFunc(slices.Clone(e.Deadlines), func(d eventseer.Deadline) bool { return d.Source.URL == url })
	return e
}
