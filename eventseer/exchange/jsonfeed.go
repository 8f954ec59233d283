package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/url"
	"time"

	"eventseer/eventseer"
)

type jsonItem struct {
	ID        string   `json:"id"`
	URL       string   `json:"url,omitempty"`
	External  string   `json:"external_url,omitempty"`
	Title     string   `json:"title"`
	HTML      string   `json:"content_html"`
	Published string   `json:"date_published"`
	Modified  string   `json:"date_modified"`
	Tags      []string `json:"tags,omitempty"`
}

type jsonFeedHead struct {
	Version string       `json:"version"`
	Title   string       `json:"title"`
	Home    string       `json:"home_page_url,omitempty"`
	Feed    string       `json:"feed_url,omitempty"`
	Authors []jsonAuthor `json:"authors"`
}

type jsonAuthor struct {
	Name string `json:"name"`
}

// A jsonSheet writes the members of an array, each by value, which is nil of an entry that
// is left out.
type jsonSheet struct {
	w       *bufio.Writer
	value   func(eventseer.Entry) any
	marshal func(any) ([]byte, error)
	n       int
	foot    func(n int) string
}

func (s *jsonSheet) entry(en eventseer.Entry) error {
	v := s.value(en)
	if v == nil {
		return nil
	}
	b, err := s.marshal(v)
	if err != nil {
		return err
	}
	if s.n > 0 {
		s.w.WriteByte(',')
	}
	s.n++
	s.w.WriteByte('\n')
	_, err = s.w.Write(b)
	return err
}

func (s *jsonSheet) close() error {
	_, err := s.w.WriteString(s.foot(s.n))
	return err
}

// marshal writes a value on one line with < > & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func openJSONFeed(w *bufio.Writer, p eventseer.Publication, _ url.Values) (sheet, error) {
	head, err := marshal(jsonFeedHead{
		"https://jsonfeed.org/version/1.1", titleOf(p), webURL(p.Home), webURL(p.Self), []jsonAuthor{{"EventSeer"}},
	})
	if err != nil {
		return nil, err
	}
	w.Write(head[:len(head)-1]) // the items come before its closing brace
	w.WriteString(`,"items":[`)
	host := hostOf(p.Base, p.Self, p.Home)
	return &jsonSheet{w: w, marshal: marshal, foot: func(int) string { return "\n]}\n" }, value: func(en eventseer.Entry) any {
		it := itemOf(en, p, host)
		return jsonItem{
			ID: it.id, URL: it.link, External: it.related, Title: it.title, HTML: it.html,
			Published: it.updated.Format(time.RFC3339), Modified: it.updated.Format(time.RFC3339), Tags: it.categories,
		}
	}}, nil
}
