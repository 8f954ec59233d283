package datasets

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/htmltree"
)

// TextColumns are the names of the columns of a table of texts. For an empty one the column with one of
// these names is used, if there is one: text, html, label or class, url or id, group.
type TextColumns struct{ Text, HTML, Label, URL, Group string }

// IsTextTable reports whether a CSV or TSV file is a table of texts. It is one if c names a text column,
// or if a column called text or html begins with a field that is not a number. A number may be a
// component of a vector.
func IsTextTable(r io.Reader, name string, comma rune, c TextColumns) bool {
	if c.Text != "" || c.HTML != "" {
		return true
	}
	t := newTableReader(r, name, comma)
	header, err := t.next()
	if err != nil {
		return false
	}
	columns, err := c.findColumns(t.at, slices.Clone(header))
	if err != nil {
		return false
	}
	fields, err := t.next()
	if err != nil {
		return true
	}
	j := columns.rowExample(fields)
	return !allNumbers([]string{j.Text + j.HTML})
}

// ReadTextTable returns the texts of a CSV or TSV file whose first line names the columns. It also reads
// the columns of labels files. For a wrong record it returns an error with the line number; after broken
// quotes reading ends.
func ReadTextTable(r io.Reader, name string, comma rune, c TextColumns) iter.Seq2[Example, error] {
	return func(yield func(Example, error) bool) {
		t := newTableReader(r, name, comma)
		header, err := t.next()
		if err != nil {
			yield(Example{}, t.asEmptyError(err))
			return
		}
		header = slices.Clone(header)
		columns, err := c.findColumns(t.at, header)
		if err != nil {
			yield(Example{}, err)
			return
		}
		for {
			fields, err := t.next()
			if errors.Is(err, io.EOF) {
				return
			}
			var e Example
			if err == nil {
				e, err = columns.rowExample(fields).example(t.at)
			} else if !errors.Is(err, csv.ErrFieldCount) {
				yield(Example{}, err)
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// A textColumns maps each key to the index of its column, -1 if there is none.
type textColumns map[string]int

func (c TextColumns) findColumns(at filePosition, header []string) (textColumns, error) {
	columns := textColumns{}
	for _, k := range []struct {
		key, name string
		standard  []string
	}{
		{"text", c.Text, []string{"text"}}, {"html", c.HTML, []string{"html"}}, {"label", c.Label, []string{"label", "class"}},
		{"url", c.URL, []string{"url", "id", IDColumn}}, {"group", c.Group, []string{"group", GroupColumn}},
		{key: "page_type"}, {key: "is_cfp"}, {key: "subtype"}, {key: "lang"}, {key: "discipline"}, {key: "how"}, {key: "source"},
	} {
		columns[k.key] = -1
		if k.name != "" {
			if columns[k.key] = slices.Index(header, k.name); columns[k.key] < 0 {
				return nil, at.errorf(ErrFormat, "there is no column %q, the columns are %s", k.name, listNames(header))
			}
			continue
		}
		for _, name := range append(k.standard, k.key) {
			if i := slices.Index(header, name); i >= 0 {
				columns[k.key] = i
				break
			}
		}
	}
	if columns["text"] < 0 && columns["html"] < 0 {
		return nil, at.errorf(ErrFormat, "no column of texts is given, the columns are %s", listNames(header))
	}
	return columns, nil
}

// rowExample converts a record to the form of a JSONL line.
func (c textColumns) rowExample(fields []string) jsonExample {
	get := func(key string) string {
		if i := c[key]; i >= 0 {
			return fields[i]
		}
		return ""
	}
	j := jsonExample{
		URL: get("url"), Label: get("label"), PageType: get("page_type"), Subtype: get("subtype"), Group: get("group"),
		Lang: get("lang"), Discipline: get("discipline"), How: get("how"), Source: get("source"),
		Text: get("text"), HTML: get("html"),
	}
	if is := get("is_cfp"); is == "true" || is == "false" {
		cfp := is == "true"
		j.IsCFP = &cfp
	}
	return j
}

// tableHeader are the columns that NewTextTableWriter writes.
var tableHeader = []string{"url", "label", "page_type", "is_cfp", "subtype", "group", "lang", "discipline", "how", "source", "text", "html"}

// NewTextTableWriter returns a writer for the format of ReadTextTable. It writes HTML as it is, in UTF-8.
func NewTextTableWriter(w io.Writer, comma rune) Writer {
	out := csv.NewWriter(w)
	out.Comma = comma
	header := out.Write(tableHeader)
	return Writer{
		Write: func(e Example, class string) error {
			if header != nil {
				return header
			}
			j := newJSONExample(e, class)
			is := ""
			if j.IsCFP != nil {
				is = fmt.Sprint(*j.IsCFP)
			}
			return out.Write([]string{j.URL, j.Label, j.PageType, is, j.Subtype, j.Group, j.Lang, j.Discipline, j.How, j.Source, j.Text, j.HTML})
		},
		Flush: func() error {
			out.Flush()
			return errors.Join(header, out.Error())
		},
	}
}

// labelHeader are the columns that WriteLabels writes.
var labelHeader = []string{"url", "page_type", "is_cfp", "subtype", "group", "lang", "discipline", "how", "source"}

// WriteLabels writes a labels file in the format of Read. If no label has a page type, the file does not
// have that column. It returns an error if only some labels have a page type, or if a field contains a
// tab or a line end.
func WriteLabels(w io.Writer, labels []Label) error {
	typed := slices.ContainsFunc(labels, func(l Label) bool { return l.PageType != "" })
	header := labelHeader
	if !typed {
		header = slices.Delete(slices.Clone(labelHeader), 1, 2)
	}
	var b strings.Builder
	b.WriteString(strings.Join(header, "\t") + "\n")
	for _, l := range labels {
		fields := []string{l.URL, l.PageType, fmt.Sprint(l.IsCFP), l.Subtype, l.Group, l.Lang, l.Discipline, l.How, l.Source}
		switch {
		case typed && l.PageType == "":
			return fmt.Errorf("%s has no page type, but others have: write them to separate files", l.URL)
		case !typed:
			fields = slices.Delete(fields, 1, 2)
		}
		if i := slices.IndexFunc(fields, func(s string) bool { return !validLabel(s) }); i >= 0 {
			return fmt.Errorf("%.60q: column %s contains a tab, a line end or invalid UTF-8, which a labels file cannot hold: rename it", l.URL, header[i])
		}
		b.WriteString(strings.Join(fields, "\t") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// AsLabel returns the label of e for a labels file. It is e's own label, or one made of its class, which
// must be a page type, "cfp", "not_cfp", "true" or "false".
func (e Example) AsLabel() (Label, error) {
	l := e.Label
	if !e.Untyped {
		return l, nil
	}
	switch {
	case e.Class == "true" || e.Class == "false" || e.Class == "not_cfp":
		l.IsCFP = e.Class == "true"
	case slices.Contains(pageTypes, e.Class):
		l.PageType, l.IsCFP = e.Class, e.Class == "cfp"
	default:
		return l, fmt.Errorf("%s: class %.60q is neither a page type nor cfp or not_cfp, which are the only classes of labels files: write jsonl or folders", e.URL, e.Class)
	}
	return l, nil
}

// SourceMarkup returns the source of e's page in UTF-8 and whether it is HTML.
func (e Example) SourceMarkup() (source string, html bool) {
	return htmltree.SourceText(e.Page), isMarkup(e.Page)
}
