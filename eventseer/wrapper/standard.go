package wrapper

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

// Standardizing (paper 004, section 5.3): what a wrapper reads is written down anew as
// the plainest call for papers, each value under the usual words for its meaning, and
// the general extractor reads that. So days, places, people and titles come out in the
// one form of the record, by the one set of rules, and a value that they cannot read
// under its own name was no such value.

// usual are the words that calls print before a value.
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

// maxStandard bounds the values written down of one page, in bytes.
const maxStandard = 1 << 18

// A draft is what a wrapper reads on a page, by meaning.
type draft struct {
	values map[string][]Value
	known  eventseer.Event // what the extractor reads on the page itself
}

// line returns the values of a meaning as one line.
func (d draft) line(meaning string) string {
	var texts []string
	for _, v := range d.values[meaning] {
		texts = append(texts, v.Text)
	}
	return strings.Join(texts, " ")
}

// page writes the draft down. What tells the year and the name of the event stands
// there even if no field says it.
func (d draft) page() (*tagtree.Tree, error) {
	var b strings.Builder
	heading := cmp.Or(d.line(Title), d.known.Title) + d.inBrackets()
	fmt.Fprintf(&b, "<html><head><title>%s</title></head><body><h1>%[1]s</h1>\n", html.EscapeString(heading))
	if both := d.line(DatesPlace); both != "" {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(both))
	} else if days := d.line(Dates); days == "" && d.known.EventStart != "" {
		fmt.Fprintf(&b, "<p>%s: %s to %s</p>\n", usual[Dates], d.known.EventStart, max(d.known.EventStart, d.known.EventEnd))
	}
	b.WriteString("<p>We invite papers.</p>\n")
	for _, meaning := range Meanings() {
		if words := usual[meaning]; words != "" {
			d.lines(&b, meaning, "<p>"+words+": ", "</p>\n")
		}
	}
	if address := d.address(); address != "" {
		fmt.Fprintf(&b, "<p>Submit your paper at <a href=\"%s\">%[1]s</a>.</p>\n", html.EscapeString(address))
	}
	for _, list := range [][2]string{{Deadlines, "Important dates"}, {Topics, "Topics of interest"}, {Committee, "Program committee"}} {
		if len(d.values[list[0]]) > 0 {
			fmt.Fprintf(&b, "<h2>%s</h2>\n<ul>\n", list[1])
			d.lines(&b, list[0], "<li>", "</li>\n")
			b.WriteString("</ul>\n")
		}
	}
	return tagtree.Parse(&webgraph.Page{
		URL: d.known.URL, Status: http.StatusOK, Body: []byte(b.String()), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
	})
}

// inBrackets is the acronym as it stands behind a title that does not hold it.
func (d draft) inBrackets() string {
	if a := d.line(Acronym); a != "" && !strings.Contains(d.line(Title), a) {
		return " (" + a + ")"
	}
	return ""
}

// lines writes the values of a meaning, each between the marks.
func (d draft) lines(b *strings.Builder, meaning, before, after string) {
	for _, v := range d.values[meaning] {
		for _, text := range items(v) {
			if b.Len()+len(text) > maxStandard {
				return
			}
			b.WriteString(before + html.EscapeString(text) + after)
		}
	}
}

// items returns the lines of a value that is all the text of a list or a table, else
// the value.
func items(v Value) []string {
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

// address is where papers are handed in, made absolute.
func (d draft) address() string {
	line := d.line(SubmissionURL)
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
