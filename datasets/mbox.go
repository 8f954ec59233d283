package datasets

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"strings"

	"eventseer/features/htmltree"
	"eventseer/features/tagtree"
)

// NewMboxWriter returns a writer of an mbox file (RFC 4155): a message for each
// example, its URL as X-Corpus-Id and its title as subject, text or HTML as
// quoted-printable. Classes are not written: WriteLabels writes them beside it.
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

// appendMessage writes e as a message of an mbox.
func appendMessage(b []byte, e Example) ([]byte, error) {
	tree, err := tagtree.Parse(e.Page)
	if err != nil {
		return nil, err
	}
	source, mediaType, subject := htmltree.Source(e.Page), "text/plain", tree.Title()
	if isMarkup(e.Page) {
		mediaType = "text/html"
	} else if head, body, ok := strings.Cut(source, "\n\n"); ok && strings.HasPrefix(head, "Subject: ") {
		source = body // a message read by mailbox: its header is written again
	}
	b = append(b, "From corpus@example.org Thu Jan  1 00:00:00 1970\n"...)
	b = fmt.Appendf(b, "X-Corpus-Id: %s\n", e.URL)
	if at := e.Page.FetchedAt; at.Unix() > 0 {
		b = fmt.Appendf(b, "Date: %s\n", at.UTC().Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	}
	b = fmt.Appendf(b, "Subject: %s\nMIME-Version: 1.0\nContent-Type: %s; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n",
		strings.ReplaceAll(mime.QEncoding.Encode("utf-8", oneLine(subject)), "\r\n", "\n"), mediaType)
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
