package wrapper

import (
	"fmt"
	"slices"
	"strings"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

// A Record is what a wrapper reads on a page, in the form of the store.
type Record struct {
	Event eventseer.Event
	// Rejected says of each value that is not imported why.
	Rejected []string
}

// OK reports whether the record is to be imported: a page of which most values are
// not what their fields mean is not what the wrapper takes it for.
func (r Record) OK(w *Wrapper) bool {
	return r.Event.Title != "" && 2*len(r.Rejected) <= w.Annotated()
}

// Record filters and standardizes what was read on a page (paper 004, section 5.3):
// known is what x, the general extractor, reads on it. Fields without a meaning of
// Meanings stay out.
func (w *Wrapper) Record(t *tagtree.Tree, r Reading, x eventseer.Extractor, known eventseer.Event) Record {
	known.URL = t.Page.URL
	d := draft{values: map[string][]Value{}, known: known}
	for _, f := range w.Fields {
		for _, v := range r.Values[f] {
			if f.Meaning != "" && strings.TrimSpace(v.Text) != "" {
				d.values[f.Meaning] = append(d.values[f.Meaning], v)
			}
		}
	}
	out := Record{Event: eventseer.Event{URL: known.URL, Title: known.Title, Year: known.Year, Sources: map[string]eventseer.Provenance{}}}
	page, err := d.page()
	if err != nil {
		out.Rejected = append(out.Rejected, err.Error())
		return out
	}
	read, _ := x.Extract(page)
	i := importer{draft: d, tree: t, read: read, out: &out}
	i.names()
	i.circumstances()
	i.deadlines()
	i.lists()
	return out
}

// An importer takes from the standardized reading the fields that the wrapper has.
type importer struct {
	draft
	tree *tagtree.Tree
	read eventseer.Event
	out  *Record
}

// take reports whether a meaning has a value and that could be read; field is its name
// in Sources.
func (i *importer) take(meaning string, read bool, fields ...string) bool {
	vs := i.values[meaning]
	switch {
	case len(vs) == 0:
		return false
	case !read:
		i.out.Rejected = append(i.out.Rejected, fmt.Sprintf("%s: %q is none", meaning, clip(vs[0].Text, maxRejected)))
		return false
	}
	for _, field := range fields {
		i.out.Event.Sources[field] = i.source(vs[0])
	}
	return true
}

// maxRejected bounds the text quoted of a value that is not imported, in bytes.
const maxRejected = 80

func (i *importer) names() {
	e, read := &i.out.Event, i.read
	if i.take(Title, read.Title != "", "title") {
		e.Title = strings.TrimSuffix(read.Title, i.inBrackets())
	}
	if i.take(Acronym, read.Acronym != "", "acronym") {
		e.Acronym = read.Acronym
	}
	if i.take(Publisher, read.Publisher != "", "publisher") {
		e.Publisher = read.Publisher
	}
	if i.take(SubmissionURL, read.SubmissionURL != "", "submission_url") {
		e.SubmissionURL, e.SubmissionSystem = read.SubmissionURL, read.SubmissionSystem
	}
}

func (i *importer) circumstances() {
	e, read := &i.out.Event, i.read
	for _, meaning := range []string{DatesPlace, Dates} {
		if i.take(meaning, read.EventStart != "", "event_start", "event_end") {
			e.EventStart, e.EventEnd, e.Year = read.EventStart, read.EventEnd, read.Year
		}
	}
	for _, meaning := range []string{DatesPlace, Place} {
		if i.take(meaning, read.Location != nil, "location") {
			e.Location = read.Location
		}
	}
}

// deadlines takes those of the kinds that the wrapper has, and all where it has a list
// of them.
func (i *importer) deadlines() {
	found := map[eventseer.DeadlineKind]bool{}
	for _, d := range i.read.Deadlines {
		vs := i.values[deadlinePrefix+string(d.Kind)]
		if len(vs) == 0 {
			vs = i.values[Deadlines]
		}
		if len(vs) == 0 {
			continue
		}
		found[d.Kind] = true
		from := slices.IndexFunc(vs, func(v Value) bool { return strings.Contains(d.Text, v.Text) || strings.Contains(v.Text, d.Text) })
		d.Source = i.source(vs[max(from, 0)])
		i.out.Event.Deadlines = append(i.out.Event.Deadlines, d)
	}
	for _, kind := range deadlineKinds {
		i.take(deadlinePrefix+string(kind), found[kind])
	}
	i.take(Deadlines, len(found) > 0)
}

func (i *importer) lists() {
	e, read := &i.out.Event, i.read
	if i.take(Topics, len(read.Topics) > 0, "topics") {
		e.Topics = read.Topics
	}
	if i.take(Committee, len(read.Committee) > 0, "committee") {
		e.Committee = read.Committee
	}
}

// source says where a value stands: the path of its element, and the bytes of the
// page's text if it is printed there in one piece.
func (i *importer) source(v Value) eventseer.Provenance {
	src := eventseer.Provenance{URL: i.tree.Page.URL, Rule: eventseer.WrapperRule}
	if v.Node != nil {
		src.Path = v.Node.Path()
	}
	text := i.tree.Text()
	from := strings.Index(text, v.Text)
	for _, b := range i.tree.Blocks() {
		if at := strings.Index(b.Text, v.Text); b.Path == src.Path && at >= 0 {
			from = b.Start + at
			break
		}
	}
	if from >= 0 {
		src.Offset = [2]int{from, from + len(v.Text)}
		src.Snippet = eventseer.Redact(clip(v.Text, eventseer.MaxSnippet))
	}
	return src
}
