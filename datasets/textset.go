package datasets

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"mime/quotedprintable"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// maxRecord is the largest size of a line or record of a file of texts, in bytes.
const maxRecord = 32 << 20

// labelPrefix is the prefix of classes in fastText's files.
const labelPrefix = "__label__"

// textExample returns the example of a text or of HTML in a file of texts.
func textExample(at filePosition, l Label, class, body, mediaType string) Example {
	l.Line = at.line
	if l.URL == "" {
		l.URL = fmt.Sprintf("%s#%d", at.file, at.line)
	}
	if l.Group == "" {
		l.Group = webgraph.HostKey(l.URL)
	}
	return Example{Label: l, Class: class, Page: &webgraph.Page{
		URL: l.URL, Requested: l.URL, Status: http.StatusOK, Body: []byte(body),
		Header: http.Header{"Content-Type": {mediaType + "; charset=utf-8"}},
	}}
}

// eachLine returns the result of read for each line that is not blank. After an error in a line, reading
// continues; an error of r ends it.
func eachLine(r io.Reader, name string, read func(at filePosition, line []byte) (Example, error)) iter.Seq2[Example, error] {
	return func(yield func(Example, error) bool) {
		in := newLineReader(r, name, maxRecord)
		for {
			line, err := in.next()
			var e Example
			switch {
			case errors.Is(err, io.EOF):
				return
			case errors.Is(err, ErrTooLarge):
				err = fmt.Errorf("%w: cut the text", err)
			case err != nil:
				yield(Example{}, err)
				return
			case len(bytes.TrimSpace(line)) == 0:
				continue
			default:
				e, err = read(in.at, line)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// ReadFastText returns the texts of a fastText file, one per line: its label, which is "__label__" and
// the class, and then the text. For a wrong line it returns an error with the file and the line number,
// and reading continues.
func ReadFastText(r io.Reader, name string) iter.Seq2[Example, error] {
	return eachLine(r, name, func(at filePosition, line []byte) (Example, error) {
		label, body, _ := strings.Cut(strings.ToValidUTF8(string(line), "\ufffd"), " ")
		class, ok := strings.CutPrefix(label, labelPrefix)
		switch {
		case !ok || class == "":
			return Example{}, at.errorf(ErrFormat, "the line begins with %.60q, not with %sCLASS", label, labelPrefix)
		case strings.HasPrefix(body, labelPrefix):
			return Example{}, at.errorf(ErrFormat, "the line has two labels: keep one")
		}
		e := textExample(at, Label{}, class, body, "text/plain")
		e.Untyped = true
		return e, nil
	})
}

// jsonExample is one line of a JSONL file.
type jsonExample struct {
	URL        string `json:"url"`
	ID         string `json:"id,omitempty"`
	Label      string `json:"label,omitempty"`
	PageType   string `json:"page_type,omitempty"`
	IsCFP      *bool  `json:"is_cfp,omitempty"`
	Subtype    string `json:"subtype,omitempty"`
	Group      string `json:"group,omitempty"`
	Lang       string `json:"lang,omitempty"`
	Discipline string `json:"discipline,omitempty"`
	How        string `json:"how,omitempty"`
	Source     string `json:"source,omitempty"`
	Text       string `json:"text,omitempty"`
	HTML       string `json:"html,omitempty"`
}

// ReadJSONL returns the pages of a file of JSON objects, one per line. Keys are url (or id), text or
// html, label, and those of a labels file. Other keys are ignored. For a wrong line it returns an error
// with the file and the line number, and reading continues.
func ReadJSONL(r io.Reader, name string) iter.Seq2[Example, error] {
	return eachLine(r, name, func(at filePosition, line []byte) (Example, error) {
		var j jsonExample
		err := json.Unmarshal(line, &j)
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
			return Example{}, at.errorf(ErrFormat, "key %q holds a JSON %s: it must be text, or true or false for is_cfp", wrong.Field, wrong.Value)
		}
		if err != nil {
			return Example{}, at.errorf(ErrFormat, "%v: each line must be one JSON object", err)
		}
		return j.example(at)
	})
}

func (j jsonExample) example(at filePosition) (Example, error) {
	l := Label{
		URL: j.URL, PageType: j.PageType, Subtype: j.Subtype, Group: j.Group,
		Lang: j.Lang, Discipline: j.Discipline, How: j.How, Source: j.Source,
	}
	if l.URL == "" {
		l.URL = j.ID
	}
	if j.IsCFP != nil {
		l.IsCFP = *j.IsCFP
	}
	untyped := j.IsCFP == nil && j.PageType == ""
	switch {
	case j.PageType != "" && !slices.Contains(pageTypes, j.PageType):
		return Example{}, at.errorf(ErrFormat, "unknown page_type %.60q, the types are %s; give other classes as label", j.PageType, strings.Join(pageTypes, ", "))
	case untyped && j.Label == "":
		return Example{}, at.errorf(ErrFormat, "no class: give label, page_type or is_cfp")
	case len(l.URL) > maxNameBytes || len(j.Label) > maxNameBytes || len(l.Group) > maxNameBytes:
		return Example{}, at.errorf(ErrTooLarge, "url, label or group has more than %d bytes", maxNameBytes)
	}
	body, mediaType := j.Text, "text/plain"
	if j.HTML != "" {
		body, mediaType = j.HTML, "text/html"
	}
	e := textExample(at, l, j.Label, body, mediaType)
	e.Untyped = untyped
	return e, nil
}

// newJSONExample returns the JSON of e with the given class.
func newJSONExample(e Example, class string) jsonExample {
	j := jsonExample{
		URL: e.URL, Label: class, PageType: e.PageType, Subtype: e.Subtype, Group: e.Group,
		Lang: e.Lang, Discipline: e.Discipline, How: e.How, Source: e.Source,
	}
	if !e.Untyped {
		j.IsCFP = &e.IsCFP
	}
	if isMarkup(e.Page) {
		j.HTML = htmltree.SourceText(e.Page)
	} else {
		j.Text = htmltree.SourceText(e.Page)
	}
	return j
}

// isMarkup reports whether a page is HTML rather than plain text.
func isMarkup(p *webgraph.Page) bool {
	return p.Text == "" && !strings.HasPrefix(p.Header.Get("Content-Type"), "text/plain")
}

// A Writer writes examples in a format for texts.
type Writer struct {
	// Flush writes the end of the file. It must be called once, after the last Write.
	Write func(e Example, class string) error
	// Flush ends the file.
	Flush func() error
}

// NewJSONLWriter returns a writer for the format of ReadJSONL. It writes HTML as it is, in UTF-8.
func NewJSONLWriter(w io.Writer) Writer {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return Writer{
		Write: func(e Example, class string) error { return enc.Encode(newJSONExample(e, class)) },
		Flush: out.Flush,
	}
}

// NewFastTextWriter returns a writer of fastText's format: the visible text of each page on one line, its
// title first. Spaces in a class become underscores.
func NewFastTextWriter(w io.Writer) Writer {
	out := bufio.NewWriter(w)
	return Writer{
		Write: func(e Example, class string) error {
			text, err := plainText(e.Page)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(out, "%s%s %s\n", labelPrefix, strings.Join(strings.Fields(class), "_"), withoutLineBreaks(text))
			return err
		},
		Flush: out.Flush,
	}
}

// plainText returns the visible text of a page, its title first.
func plainText(p *webgraph.Page) (string, error) {
	tree, err := tagtree.Parse(p)
	if err != nil {
		return "", err
	}
	if !isMarkup(p) || tree.Title() == "" {
		return tree.Text(), nil
	}
	return tree.Title() + "\n" + tree.Text(), nil
}

// validLabel reports whether s can be a value in a labels file.
func validLabel(s string) bool {
	return utf8.ValidString(s) && len(s) < maxNameBytes && !strings.ContainsAny(s, "\t\r\n")
}

// NewMboxWriter returns a writer of an mbox file (RFC 4155) with one message per example. A message has
// the URL as X-Corpus-Id, the title as subject, and the text or HTML as quoted-printable. It does not
// write classes; WriteLabels writes them to a separate file.
func NewMboxWriter(w io.Writer) Writer {
	out := bufio.NewWriter(w)
	return Writer{
		Write: func(e Example, _ string) error {
			if strings.TrimSpace(e.URL) != e.URL || !validLabel(e.URL) {
				return fmt.Errorf("%.60q cannot be the id of a message: rename it", e.URL)
			}
			message, err := appendMessage(nil, e)
			if err != nil {
				return err
			}
			_, err = out.Write(message)
			return err
		},
		Flush: out.Flush,
	}
}

// appendMessage appends e as a message of an mbox.
func appendMessage(b []byte, e Example) ([]byte, error) {
	tree, err := tagtree.Parse(e.Page)
	if err != nil {
		return nil, err
	}
	source, mediaType, subject := htmltree.SourceText(e.Page), "text/plain", tree.Title()
	if isMarkup(e.Page) {
		mediaType = "text/html"
	} else if head, body, ok := strings.Cut(source, "\n\n"); ok && strings.HasPrefix(head, "Subject: ") {
		source = body // a message that package mailbox has read: its header is written again
	}
	b = append(b, "From corpus@example.org Thu Jan  1 00:00:00 1970\n"...)
	b = fmt.Appendf(b, "X-Corpus-Id: %s\n", e.URL)
	if at := e.Page.FetchedAt; at.Unix() > 0 {
		b = fmt.Appendf(b, "Date: %s\n", at.UTC().Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	}
	b = fmt.Appendf(b, "Subject: %s\nMIME-Version: 1.0\nContent-Type: %s; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n",
		strings.ReplaceAll(mime.QEncoding.Encode("utf-8", withoutLineBreaks(subject)), "\r\n", "\n"), mediaType)
	var encoded bytes.Buffer
	q := quotedprintable.NewWriter(&encoded)
	if _, err := io.WriteString(q, source); err != nil {
		return nil, err
	}
	if err := q.Close(); err != nil {
		return nil, err
	}
	body := bytes.ReplaceAll(encoded.Bytes(), []byte("\r\n"), []byte("\n"))
	body = bytes.ReplaceAll(append([]byte("\n"), body...), []byte("\nFrom "), []byte("\n=46rom "))[1:]
	return append(append(b, body...), "\n\n"...), nil
}
