package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/coding"
	"github.com/eventseer/eventseer/webgraph"
)

// MaxRecord bounds a line of records, in bytes.
const MaxRecord = 8 << 20

// Unzipped returns what a stream holds, whether compressed or not.
func Unzipped(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	return coding.Gunzip(b)
}

// ReadRecord reads a line of records: one of export, extract or show. ok is false of a
// line without an event, such as that of a page that could not be read.
func ReadRecord(line []byte) (e eventseer.Event, ok bool, err error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return e, false, nil
	}
	var row struct {
		eventseer.Event
		Shown *eventseer.Event `json:"event"`
		Error string           `json:"error"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return e, false, fmt.Errorf("no record: %w", err)
	}
	if e = row.Event; row.Shown != nil {
		e = *row.Shown
	}
	switch {
	case row.Error != "" || e.Title == "" && e.Acronym == "" && e.URL != "":
		return e, false, nil
	case e.URL == "":
		return e, false, errors.New("no record: it has no url")
	}
	return e, true, nil
}

// ReadURLs returns the URLs of a list, each once, and how many lines are none.
func ReadURLs(text string) (urls []string, left int) {
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		first, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if first = strings.TrimSpace(first); first == "" || strings.HasPrefix(first, "#") {
			continue
		}
		u, err := webgraph.Canonical(first)
		switch {
		case err != nil || !strings.HasPrefix(u, "http://") && !strings.HasPrefix(u, "https://"):
			left++
		case !seen[u]:
			seen[u] = true
			urls = append(urls, first)
		}
	}
	return urls, left
}
