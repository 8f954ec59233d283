package mailbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"
	"github.com/emersion/go-message/textproto"
)

// maxHeader bounds the header of a message, in bytes.
const maxHeader = 1 << 20

// An entity is a message or a part of one: its header, and its body as sent.
// go-message would decode the body, and give up where the encoding breaks.
type entity struct {
	header message.Header
	body   io.Reader
}

// readEntity reads the header of a message. Lines in it that are no fields are
// passed over.
func readEntity(raw []byte) (entity, error) {
	e, err := parseEntity(raw)
	if err != nil {
		e, err = parseEntity(cleanHeader(raw))
	}
	switch {
	case err != nil:
		return e, fmt.Errorf("%w: %w: repair its header", ErrMessage, err)
	case e.header.Len() == 0:
		return e, fmt.Errorf("%w: it has no header: give it at least a line \"Subject: …\" and an empty line", ErrMessage)
	}
	return e, nil
}

func parseEntity(raw []byte) (entity, error) {
	body := bytes.NewReader(raw)
	r := bufio.NewReader(body)
	if end := headerEnd(raw); end > maxHeader {
		return entity{}, fmt.Errorf("its header is of %d bytes, more than %d", end, maxHeader)
	}
	header, err := textproto.ReadHeader(r)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return entity{message.Header{Header: header}, r}, err
}

// headerEnd is where the header ends that raw begins with, in bytes.
func headerEnd(raw []byte) int {
	for at := 0; ; {
		n := bytes.IndexByte(raw[at:], '\n')
		if n < 0 {
			return len(raw)
		}
		if len(bytes.TrimRight(raw[at:at+n], "\r")) == 0 {
			return at
		}
		at += n + 1
	}
}

// mediaType is the type the header says, else the given one.
func (e entity) mediaType(given string) (mediaType string, params map[string]string) {
	if said, p, err := e.header.ContentType(); err == nil && said != "" && e.header.Has("Content-Type") {
		return said, p
	}
	return given, nil
}

// decoded returns the body of an entity that is no multipart.
func (e entity) decoded() (body []byte, whole bool) {
	sent, err := io.ReadAll(e.body)
	body, whole = decodeTransfer(e.header.Get("Content-Transfer-Encoding"), sent)
	return body, whole && err == nil
}

func (e entity) mailHeader() *mail.Header { return &mail.Header{Header: e.header} }
