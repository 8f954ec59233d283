package backlink

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"
)

// A fixed transport answers every request with the same body.
type fixed string

func (f fixed) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(f))), Request: r}, nil
}

// fuzzAnswers feeds a provider with answers and checks its results against its contract.
func fuzzAnswers(f *testing.F, scope Scope, open func(o ClientOptions) (Provider, error), seeds ...string) {
	for _, s := range seeds {
		f.Add(s, "")
	}
	f.Add(`{"results":[{"url":"https://a.net/"}]}`, "2/1")
	f.Add(`<html>`, "eucontinue=a%7C1&euprotocol=https")
	f.Fuzz(func(t *testing.T, body, cursor string) {
		p, err := open(ClientOptions{HTTP: &http.Client{Transport: fixed(body)}})
		if err != nil {
			t.Fatal(err)
		}
		q := Query{Target: "https://conf.org/2027/cfp", Scope: scope, Limit: 3, Cursor: cursor}
		a, err := p.Backlinks(context.Background(), q)
		var known *ProviderError
		if err != nil && (!errors.As(err, &known) || len(a.Links) > 0) {
			t.Fatalf("%d links and the error %v", len(a.Links), err)
		}
		if len(a.Links) > q.Limit || a.Dropped < 0 || a.Cost < 0 || len(a.Next) > maxNext || a.Next != "" && a.Next == cursor {
			t.Fatalf("%+v", a)
		}
		for _, l := range a.Links {
			source, err1 := webgraph.Canonical(l.Source)
			target, err2 := webgraph.Canonical(l.Target)
			if err := errors.Join(err1, err2); err != nil || source != l.Source || target != l.Target || !scope.Covers(q.Target, target) || l.Provider != p.Name() {
				t.Fatalf("%+v: %v", l, err)
			}
		}
	})
}

func FuzzMediaWiki(f *testing.F) {
	fuzzAnswers(f, Page, func(o ClientOptions) (Provider, error) {
		m, err := NewMediaWiki(MediaWikiOptions{ClientOptions: o, API: "https://wiki.net/w/api.php"})
		if err == nil {
			m.site = &wikiSite{Server: "https://wiki.net", ArticlePath: "/wiki/$1", Generator: "MediaWiki 1.31"}
		}
		return m, err
	}, `{"batchcomplete":"","continue":{"eucontinue":"x|1","continue":"-||"},"query":{"exturlusage":[{"ns":0,"title":"A b","url":"https://conf.org/2027/cfp"}]}}`,
		`{"error":{"code":"maxlag","info":"lagged","lag":6}}`)
}

func FuzzWikiSite(f *testing.F) {
	f.Add(`{"query":{"general":{"server":"//wiki.net","articlepath":"/wiki/$1","generator":"MediaWiki 1.45.1"}}}`, "A b/c?")
	f.Fuzz(func(t *testing.T, body, title string) {
		m, err := NewMediaWiki(MediaWikiOptions{ClientOptions: ClientOptions{HTTP: &http.Client{Transport: fixed(body)}}, API: "https://wiki.net/w/api.php"})
		if err != nil {
			t.Fatal(err)
		}
		if site, _, err := m.siteinfo(context.Background()); err == nil {
			site.pageURL(title)
			site.searchesBothSchemes()
		}
	})
}

func FuzzMarginalia(f *testing.F) {
	fuzzAnswers(f, Host, func(o ClientOptions) (Provider, error) { return NewMarginalia(MarginaliaOptions{ClientOptions: o}) },
		`{"license":"x","query":"links:conf.org","results":[{"url":"https://prof.net/","title":"t","details":[]},null,3]}`, `{"results":[]}`)
}

func FuzzMoz(f *testing.F) {
	fuzzAnswers(f, Page, func(o ClientOptions) (Provider, error) { return NewMoz(MozOptions{ClientOptions: o, Token: "t"}) },
		`{"result":{"offset":{"token":"abc","limit":50},"links":[{"source_site_metrics":{"page":"l.net/x"},"target_site_metrics":{"page":"conf.org/2027/cfp"},"date_last_seen":"2026-10-02"}]}}`,
		`{"error":{"code":-32655,"message":"quota"}}`)
}

func FuzzSearX(f *testing.F) {
	fuzzAnswers(f, Page, func(o ClientOptions) (Provider, error) {
		return NewSearX(SearXOptions{ClientOptions: o, API: "https://s.net/"})
	},
		`{"query":"q","results":[{"url":"https://a.net/","title":"A","content":"c"}],"unresponsive_engines":[]}`)
}

// A list is read to its end or not at all, and its rows do not depend on how the response is split.
func FuzzRows(f *testing.F) {
	f.Add([]byte(`{"results":[{"url":"a"},{"url":"b"}]}`), 20)
	f.Fuzz(func(t *testing.T, body []byte, cut int) {
		var whole, part jsonRows[searchRow]
		if resultsDecoder(&whole)(json.NewDecoder(bytes.NewReader(body))) != nil || bytes.Count(body, []byte("results")) > 1 {
			return
		}
		if cut < 0 || cut > len(body) {
			return
		}
		if err := resultsDecoder(&part)(json.NewDecoder(bytes.NewReader(body[:cut]))); err != nil && errors.Is(err, errCut) != (len(part.kept) > 0) && len(part.kept) < len(whole.kept) {
			t.Errorf("%d rows and %v", len(part.kept), err)
		}
		for i, r := range part.kept {
			if r != whole.kept[i] {
				t.Errorf("row %d is %+v, in the whole %+v", i, r, whole.kept[i])
			}
		}
	})
}
