package webgraph

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseDirectives(t *testing.T) {
	at := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	june := at("2010-06-25T15:00:00Z")
	tests := []struct {
		name           string
		headers, metas []string
		want           Directives
	}{
		{"nothing", nil, nil, Directives{}},
		{"all", []string{"all"}, []string{"index, follow"}, Directives{}},
		{"none", []string{"none"}, nil, Directives{NoIndex: true, NoFollow: true}},
		{"list", []string{"noindex, NoFollow ,noarchive"}, nil, Directives{true, true, true, time.Time{}}},
		{"several headers", []string{"noindex", "nofollow"}, nil, Directives{NoIndex: true, NoFollow: true}},
		{"header and meta add up", []string{"noarchive"}, []string{"noindex"}, Directives{NoIndex: true, NoArchive: true}},
		{"all takes nothing back", []string{"noindex"}, []string{"all"}, Directives{NoIndex: true}},
		{"unknown", []string{"nosnippet, max-snippet:-1, indexifembedded, notranslate"}, nil, Directives{}},
		{"own name", []string{"eventseer: noindex"}, nil, Directives{NoIndex: true}},
		{"other's name", []string{"otherbot: noindex, nofollow"}, nil, Directives{}},
		{"a name that begins alike", []string{"eventseerbot: noindex"}, nil, Directives{}},
		{"other's, then own", []string{"otherbot: noindex, EventSeer: nofollow, noarchive"}, nil, Directives{NoFollow: true, NoArchive: true}},
		{"own, then other's", []string{"eventseer:noindex,otherbot:nofollow,noarchive"}, nil, Directives{NoIndex: true}},
		{"a header's name ends with it", []string{"otherbot: noarchive", "nofollow"}, nil, Directives{NoFollow: true}},
		{"all and own add up", []string{"nofollow", "eventseer: noindex"}, nil, Directives{NoIndex: true, NoFollow: true}},
		{"star", []string{"*: noindex"}, nil, Directives{NoIndex: true}},
		{"value before a directive", []string{"max-image-preview:large, noindex"}, nil, Directives{NoIndex: true}},
		{"own name and a value", []string{"eventseer: max-snippet:0, noindex"}, nil, Directives{NoIndex: true}},
		{"rfc 850", []string{"unavailable_after: Friday, 25-Jun-10 15:00:00 UTC, noindex"}, nil, Directives{NoIndex: true, UnavailableAfter: june}},
		{"rfc 822 with a zone's name", []string{"unavailable_after: 25 Jun 2010 08:00:00 PDT"}, nil, Directives{UnavailableAfter: june}},
		{"rfc 1123", []string{"unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT"}, nil, Directives{UnavailableAfter: june}},
		{"iso 8601", nil, []string{"unavailable_after: 2010-06-25T17:00:00+02:00"}, Directives{UnavailableAfter: june}},
		{"iso 8601, basic offset", nil, []string{"unavailable_after:2010-06-25 13:00:00 -0200"}, Directives{UnavailableAfter: june}},
		{"date alone", nil, []string{"unavailable_after: 2010-06-25"}, Directives{UnavailableAfter: at("2010-06-25T00:00:00Z")}},
		{"earliest", []string{"unavailable_after: 2010-06-26"}, []string{"unavailable_after: 2010-06-25T15:00Z"}, Directives{UnavailableAfter: june}},
		{"other's date", []string{"otherbot: unavailable_after: 25 Jun 2010 15:00:00 GMT, nofollow"}, nil, Directives{}},
		{"own date", []string{"eventseer: unavailable_after: 25 Jun 2010 15:00:00 GMT"}, nil, Directives{UnavailableAfter: june}},
		{"no date", []string{"unavailable_after: soon, noindex"}, nil, Directives{NoIndex: true}},
		{"empty parts", []string{",, ,noindex,"}, []string{""}, Directives{NoIndex: true}},
		{"names do not count in a meta", nil, []string{"otherbot: noindex, nofollow"}, Directives{NoFollow: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, ParseDirectives("EventSeer/0.1", tt.headers, tt.metas), cmp.Comparer(time.Time.Equal)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseDirectivesLimits(t *testing.T) {
	many := append(make([]string, maxRobotsTags), "noindex")
	if d := ParseDirectives("EventSeer", many, many); d.NoIndex {
		t.Error("a header beyond the limit counts")
	}
	long := "nofollow," + strings.Repeat("x", maxRobotsTagBytes) + ",noindex"
	if d := ParseDirectives("EventSeer", []string{long}, nil); d.NoIndex || !d.NoFollow {
		t.Errorf("of a value beyond the limit came %+v", d)
	}
}

func TestUnavailable(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		d    Directives
		want bool
	}{
		{Directives{}, false},
		{Directives{NoIndex: true}, true},
		{Directives{UnavailableAfter: now}, true},
		{Directives{UnavailableAfter: now.Add(time.Second)}, false},
	} {
		if got := tt.d.IsUnavailable(now); got != tt.want {
			t.Errorf("%+v: got %v", tt.d, got)
		}
	}
}

// Whatever the bytes, reading ends, and more headers never demand less.
func FuzzParseDirectives(f *testing.F) {
	f.Add("otherbot: noindex, eventseer: unavailable_after: Friday, 25-Jun-10 15:00:00 PST, nofollow", "all")
	f.Add("unavailable_after: 2010-06-25T15:00:00+02:00", "unavailable_after:,")
	f.Add(":::,", "\xff: noindex")
	f.Fuzz(func(t *testing.T, header, meta string) {
		one := ParseDirectives("EventSeer", []string{header}, nil)
		both := ParseDirectives("EventSeer", []string{header}, []string{meta})
		if one.NoIndex && !both.NoIndex || one.NoFollow && !both.NoFollow || one.NoArchive && !both.NoArchive ||
			!one.UnavailableAfter.IsZero() && both.UnavailableAfter.After(one.UnavailableAfter) {
			t.Errorf("%q: %+v, with meta %q: %+v", header, one, meta, both)
		}
	})
}
