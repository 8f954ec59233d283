package wrapper

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// A Record is an event read by a wrapper, in the form that is stored.
type Record struct {
	Event eventseer.Event
	// Rejected has a message for each value that is not imported.
	Rejected []string
}

// IsImportable reports whether the record may be imported. It must have a title, and at most half as many rejected
// values as w has fields with a meaning.eaning.eaning.
func (r Record) IsImportable(w *Wrapper) bool {
	return r.Event.Title != "" && 2*len(r.Rejected) <= w.CountAnnotated()
}

// Record converts what was read on a page to an event (paper 004, section 5.3). known is the event that x,
// the general extractor, reads on the page. Fields whose meaning is none of
// Meanings become Event.Other, as printed.
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
	page, err := d.toPage()
	if err != nil {
		out.Rejected = append(out.Rejected, err.Error())
		return out
	}
	read, _ := x.Extract(page)
	i := importer{draft: d, tree: t, read: read, out: &out}
	i.importNames()
	i.importDaysAndPlace()
	i.importDeadlines()
	i.importLists()
	i.importOther()
	return out
}

// An importer copies values from the standardized reading to a record, for the fields that the wrapper has.
type importer struct {
	draft
	tree *tagtree.Tree
	read eventseer.Event
	out  *Record
}

// importMeaning records the source of a meaning's value for the given fields of Sources and returns true. If
// there is no value it returns false. If read is false, the value could not be read; it is rejected and the
// result is false.
func (i *importer) importMeaning(meaning string, read bool, fields ...string) bool {
	vs := i.values[meaning]
	switch {
	case len(vs) == 0:
		return false
	case !read:
		i.out.Rejected = append(i.out.Rejected, fmt.Sprintf("%s: %q is none", meaning, cutToBytes(vs[0].Text, maxRejected)))
		return false
	}
	for _, field := range fields {
		i.out.Event.Sources[field] = i.provenanceOf(vs[0])
	}
	return true
}

// maxRejected is the maximum number of bytes quoted of a rejected value.
const maxRejected = 80

func (i *importer) importNames() {
	e, read := &i.out.Event, i.read
	if i.importMeaning(Title, read.Title != "", "title") {
		e.Title = strings.TrimSuffix(read.Title, i.inBrackets())
	}
	if i.importMeaning(Acronym, read.Acronym != "", "acronym") {
		e.Acronym = read.Acronym
	}
	if i.importMeaning(Publisher, read.Publisher != "", "publisher") {
		e.Publisher = read.Publisher
	}
	if i.importMeaning(SubmissionURL, read.SubmissionURL != "", "submission_url") {
		e.SubmissionURL, e.SubmissionSystem = read.SubmissionURL, read.SubmissionSystem
	}
}

func (i *importer) importDaysAndPlace() {
	e, read := &i.out.Event, i.read
	for _, meaning := range []string{DatesPlace, Dates} {
		if i.importMeaning(meaning, read.EventStart != "", "event_start", "event_end") {
			e.EventStart, e.EventEnd, e.Year = read.EventStart, read.EventEnd, read.Year
		}
	}
	for _, meaning := range []string{DatesPlace, Place} {
		if i.importMeaning(meaning, read.Location != nil, "location") {
			e.Location = read.Location
		}
	}
}

// importDeadlines copies the deadlines of the kinds that the wrapper has, or all if it has a list of deadlines.
func (i *importer) importDeadlines() {
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
		d.Source = i.provenanceOf(vs[max(from, 0)])
		i.out.Event.Deadlines = append(i.out.Event.Deadlines, d)
	}
	for _, kind := range deadlineKinds {
		i.importMeaning(deadlinePrefix+string(kind), found[kind])
	}
	i.importMeaning(Deadlines, len(found) > 0)
}

func (i *importer) importLists() {
	e, read := &i.out.Event, i.read
	if i.importMeaning(Topics, len(read.Topics) > 0, "topics") {
		e.Topics = read.Topics
	}
	if i.importMeaning(Committee, len(read.Committee) > 0, "committee") {
		e.Committee = read.Committee
	}
}

// importOther copies the values of fields that have a name of the operator's own.
func (i *importer) importOther() {
	known := Meanings()
	e := &i.out.Event
	for _, name := range slices.Sorted(maps.Keys(i.values)) {
		if slices.Contains(known, name) {
			continue
		}
		if e.Other == nil {
			e.Other = map[string][]string{}
		}
		for _, v := range i.values[name] {
			if s := StoredText(strings.TrimSpace(v.Text), eventseer.MaxOtherText); s != "" {
				e.Other[name] = append(e.Other[name], s)
			}
		}
		if len(e.Other[name]) > 0 {
			e.Sources[eventseer.OtherField(name)] = i.provenanceOf(i.values[name][0])
		}
	}
	*e = e.WithinLimits()
}

// provenanceOf returns the provenance of a value: the path of its element, and the byte range in the page's text if
// the text contains it.
func (i *importer) provenanceOf(v Value) eventseer.Provenance {
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
		src.Snippet = eventseer.Redact(cutToBytes(v.Text, eventseer.MaxSnippet))
	}
	return src
}

// Standardizing (paper 004, section 5.3). The values of a wrapper are written as a minimal call for papers,
// each under the usual words for its meaning, and the general extractor reads this page. So dates, places,
// people and titles have the same form in all records and follow the same rules. A value that the extractor
// cannot read under its own name is rejected.

// usual maps meanings to the words that calls usually print before a value.
var usual = map[string]string{
	Dates: "Conference dates", Place: "Venue", Publisher: "Proceedings will be published by",
	deadlinePrefix + string(eventseer.Abstract):         "Abstract submission deadline",
	deadlinePrefix + string(eventseer.Submission):       "Paper submission deadline",
	deadlinePrefix + string(eventseer.Rebuttal):         "Author rebuttal",
	deadlinePrefix + string(eventseer.Notification):     "Notification of acceptance",
	deadlinePrefix + string(eventseer.CameraReady):      "Camera-ready papers due",
	deadlinePrefix + string(eventseer.Registration):     "Early registration deadline",
	deadlinePrefix + string(eventseer.WorkshopProposal): "Workshop proposals due",
	deadlinePrefix + string(eventseer.TutorialProposal): "Tutorial proposals due",
	deadlinePrefix + string(eventseer.Poster):           "Poster submission deadline",
	deadlinePrefix + string(eventseer.Demo):             "Demo submission deadline",
	deadlinePrefix + string(eventseer.Doctoral):         "Doctoral symposium submission deadline",
}

// maxStandard is the maximum size in bytes of the page that is made of the values.
const maxStandard = 1 << 18

// A draft has the values that a wrapper read on a page, by meaning.
type draft struct {
	values map[string][]Value
	known  eventseer.Event // event that the extractor read on the page itself
}

// joinedValues returns the values of a meaning joined by spaces.
func (d draft) joinedValues(meaning string) string {
	var texts []string
	for _, v := range d.values[meaning] {
		texts = append(texts, v.Text)
	}
	return strings.Join(texts, " ")
}

// toPage returns the draft as a page. If no field has the title or the dates, it contains those of the known
// event.
func (d draft) toPage() (*tagtree.Tree, error) {
	var b strings.Builder
	heading := cmp.Or(d.joinedValues(Title), d.known.Title) + d.inBrackets()
	fmt.Fprintf(&b, "<html><head><title>%s</title></head><body><h1>%[1]s</h1>\n", html.EscapeString(heading))
	if both := d.joinedValues(DatesPlace); both != "" {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(both))
	} else if days := d.joinedValues(Dates); days == "" && d.known.EventStart != "" {
		fmt.Fprintf(&b, "<p>%s: %s to %s</p>\n", usual[Dates], d.known.EventStart, max(d.known.EventStart, d.known.EventEnd))
	}
	b.WriteString("<p>We invite papers.</p>\n")
	for _, meaning := range Meanings() {
		if words := usual[meaning]; words != "" {
			d.writeLines(&b, meaning, "<p>"+words+": ", "</p>\n")
		}
	}
	if address := d.submissionURL(); address != "" {
		fmt.Fprintf(&b, "<p>Submit your paper at <a href=\"%s\">%[1]s</a>.</p>\n", html.EscapeString(address))
	}
	for _, list := range [][2]string{{Deadlines, "Important dates"}, {Topics, "Topics of interest"}, {Committee, "Program committee"}} {
		if len(d.values[list[0]]) > 0 {
			fmt.Fprintf(&b, "<h2>%s</h2>\n<ul>\n", list[1])
			d.writeLines(&b, list[0], "<li>", "</li>\n")
			b.WriteString("</ul>\n")
		}
	}
	return tagtree.Parse(&webgraph.Page{
		URL: d.known.URL, Status: http.StatusOK, Body: []byte(b.String()), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
	})
}

// inBrackets returns the acronym in the form that follows a title, or "" if the title contains it.
func (d draft) inBrackets() string {
	if a := d.joinedValues(Acronym); a != "" && !strings.Contains(d.joinedValues(Title), a) {
		return " (" + a + ")"
	}
	return ""
}

// writeLines writes the values of a meaning, each between before and after.
func (d draft) writeLines(b *strings.Builder, meaning, before, after string) {
	for _, v := range d.values[meaning] {
		for _, text := range entriesOf(v) {
			if b.Len()+len(text) > maxStandard {
				return
			}
			b.WriteString(before + html.EscapeString(text) + after)
		}
	}
}

// entriesOf returns the entries of a value that is the whole text of a list or a table. Otherwise it returns the
// value.
func entriesOf(v Value) []string {
	n := v.Node
	for n != nil && len(n.Children) == 1 {
		n = n.Children[0]
	}
	if n == nil || n.Content() != v.Text {
		return []string{v.Text}
	}
	var texts []string
	for _, c := range n.Children {
		if text := c.Content(); text != "" && (c.Name == "li" || c.Name == "tr" || c.Name == "p" || c.Name == "dd") {
			texts = append(texts, text)
		}
	}
	if len(texts) < 2 {
		return []string{v.Text}
	}
	return texts
}

// submissionURL returns the submission URL, made absolute, or "".
func (d draft) submissionURL() string {
	line := d.joinedValues(SubmissionURL)
	base, err := url.Parse(d.known.URL)
	if err != nil || line == "" {
		return ""
	}
	u, err := base.Parse(strings.TrimSpace(line))
	if err != nil {
		return ""
	}
	return u.String()
}
