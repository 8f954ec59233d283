package backlink

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func openDB(t testing.TB, path string) *LinkDB {
	t.Helper()
	d, err := OpenLinkDB(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func closeClean(t testing.TB, d *LinkDB) {
	t.Helper()
	for _, err := range d.Check() {
		t.Errorf("check: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestLinkDB(t *testing.T) {
	d := openDB(t, filepath.Join(t.TempDir(), "links.db"))
	defer closeClean(t, d)
	links := []webgraph.Link{
		{Source: "https://list.net/", Target: "https://conf.org/2027/", Anchor: "Conf", NoFollow: true},
		{Source: "https://list.net/", Target: "http://conf.org/2027/cfp", Anchor: "CFP"},
		{Source: "https://a.net/", Target: "https://conf.org/2027/", Anchor: ""},
		{Source: "https://www.conf.org/", Target: "https://conf.org/2027/", Anchor: "own site"},
		{Source: "https://a.net/", Target: "mailto:x@conf.org"},
		{Source: "https://b.net/", Target: "http://www.conf.org:8080/", Anchor: "port"},
		{Source: "https://b.net/", Target: "https://conf.org-x.net/", Anchor: "another"},
		{Source: "https://b.net/", Target: "http://[2001:db8::1]:80/x", Anchor: "six"},
		{Source: "https://b.net/", Target: "http://192.0.2.7/", Anchor: "four"},
	}
	for range 2 { // idempotent
		if err := d.Add(t.Context(), links); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		url   string
		scope Scope
		want  []webgraph.Link
	}{
		{"https://conf.org/2027/", Page, []webgraph.Link{links[2], links[0]}},
		{"https://conf.org/2027/programme", Directory, []webgraph.Link{links[1], links[2]}},
		{"https://conf.org/2026/", Host, []webgraph.Link{links[1], links[2]}},
		{"https://conf.org/2026/", Directory, nil},
		{"https://2026.conf.org/", Domain, []webgraph.Link{links[1], links[2], links[5]}},
		{"http://[2001:db8::1]/", Domain, []webgraph.Link{{Source: "https://b.net/", Target: "http://[2001:db8::1]:80/x", Anchor: "six"}}},
		{"http://192.0.2.7/y", Domain, []webgraph.Link{links[8]}},
	} {
		if diff := cmp.Diff(test.want, plain(answerOf(t, d, test.url, test.scope, 9))); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", test.scope, test.url, diff)
		}
	}
}

// A page that half the web links to keeps MaxSources of them.
func TestLinkDBIsBounded(t *testing.T) {
	d := openDB(t, filepath.Join(t.TempDir(), "links.db"))
	defer closeClean(t, d)
	var links []webgraph.Link
	for i := range MaxSources + 10 {
		links = append(links, webgraph.Link{Source: fmt.Sprintf("https://s%d.net/", i), Target: "https://conf.org/"})
	}
	if err := d.Add(t.Context(), links); err != nil {
		t.Fatal(err)
	}
	if got := allOf(t, d, "https://conf.org/", Host); len(got) != MaxSources {
		t.Errorf("%d sources, want %d", len(got), MaxSources)
	}
}

func FuzzDecodeLink(f *testing.F) {
	f.Add([]byte("org,conf,)/\x00https://a.net/"), []byte("sfanchor"))
	f.Fuzz(func(t *testing.T, k, v []byte) {
		l, err := decodeLink(k, v)
		if err != nil {
			return
		}
		again, err := decodeLink(k, appendLinkValue(nil, l))
		l.Anchor = cutAnchor(l.Anchor)
		if err != nil || again != l {
			t.Errorf("%+v comes back as %+v (%v)", l, again, err)
		}
	})
}

// Files of earlier versions are converted: their links answer as before, also those of a journal.
func TestMigration(t *testing.T) {
	for version := 1; version <= 3; version++ {
		path := filepath.Join(t.TempDir(), "links.db")
		writeOldFile(t, path, version)
		d := openDB(t, path)
		if err := d.Add(t.Context(), []webgraph.Link{{Source: "https://b.net/", Target: "https://sub.conf.org/"}}); err != nil {
			t.Fatal(err)
		}
		got := plain(answerOf(t, d, "https://conf.org/", Domain, 100))
		want := []webgraph.Link{
			{Source: "https://a.net/", Target: "https://conf.org/", Anchor: "anchor"},
			{Source: "https://b.net/", Target: "https://sub.conf.org/"},
			{Source: "https://journal.net/", Target: "http://conf.org/late", Anchor: "late"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("version %d (-want +got):\n%s", version, diff)
		}
		for target, n := range map[string]int{"http://conf.org-x.net/": 1, "http://192.0.2.7/": 1, "https://big.net/": MaxSources} {
			if links := allOf(t, d, target, Domain); len(links) != n {
				t.Errorf("version %d: %d links to %s, want %d", version, len(links), target, n)
			}
		}
		if again := plain(answerOf(t, d, "https://www.conf.org:8080/x", Page, 9)); len(again) != 1 || again[0].Target != "https://www.conf.org:8080/x" {
			t.Errorf("version %d: %v", version, again)
		}
		closeClean(t, d)
	}
}

// writeOldFile writes a file of version 1, 2 or 3, and a journal.
func writeOldFile(t *testing.T, path string, version int) {
	t.Helper()
	old, err := bolt.Open(path, bolt.Options{Kind: "links", Migrations: migrations[:version]})
	if err != nil {
		t.Fatal(err)
	}
	targets := []string{"conf.org/2027/cfp", "conf.org/", "www.conf.org:8080/x", "conf.org-x.net/", "192.0.2.7/"}
	err = old.Update(func(tx *bolt.Tx) (err error) {
		put := func(bucket []byte, k, v string) { err = errors.Join(err, tx.Bucket(bucket).Put([]byte(k), []byte(v))) }
		for _, k := range targets {
			put(inBucket, k+"\x00https://a.net/", "sfanchor")
			put(countBucket, k, "\x01")
			if version > 1 {
				put(hostBucket, reversedHost(k), "")
			}
		}
		for i := range MaxSources {
			put(inBucket, fmt.Sprintf("big.net/\x00https://s%d.org/", i), "hn")
		}
		put(countBucket, "big.net/", "\xe8\x07")
		if version > 1 {
			put(hostBucket, "net.big", "")
		} else {
			put([]byte("asked"), "conf.org/", `{"payer":"https://conf.org/","limit":9}`)
		}
		return err
	})
	if err := errors.Join(err, old.Close()); err != nil {
		t.Fatal(err)
	}
	j, err := openJournal(path+JournalSuffix, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	j.beginFrame()
	j.putLink("conf.org/late", "https://journal.net/", []byte("hflate"))
	if err := errors.Join(j.writeFrame(), j.f.Close()); err != nil {
		t.Fatal(err)
	}
}

// Answers do not depend on which links are pending, in which run the others are, and how often they were
// added.
func TestLinkDBEqualsModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(t.TempDir(), rapid.StringMatching(`[a-z]{12}`).Draw(rt, "name")+".db")
		d, err := OpenLinkDB(path, Options{NoSync: true})
		must := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		must(err)
		defer func() { _ = d.Close() }()
		model := map[string]map[string]webgraph.Link{} // target without scheme → source → link
		number := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(rt, name) }
		for range number("steps", 40) {
			switch number("step", 8) {
			case 0:
				must(d.writePending())
			case 1:
				must(d.Close())
				d, err = OpenLinkDB(path, Options{NoSync: true})
				must(err)
			default:
				var links []webgraph.Link
				for range 1 + number("links", 30) {
					l := webgraph.Link{
						Source:   fmt.Sprintf("https://s%d.net/%d", number("source", 5), number("page", 3)),
						Target:   []string{"http", "https"}[number("scheme", 2)] + fmt.Sprintf("://%sconf%d.org%s/%d", []string{"", "www.", "a.b."}[number("host", 3)], number("site", 3), []string{"", ":81"}[number("port", 2)], number("target", 4)),
						Anchor:   fmt.Sprint("anchor ", number("anchor", 3)),
						NoFollow: number("nofollow", 2) == 0,
					}
					links = append(links, l)
					k := schemelessKey(l.Target)
					if model[k] == nil {
						model[k] = map[string]webgraph.Link{}
					}
					if _, known := model[k][l.Source]; !known {
						model[k][l.Source] = l
					}
				}
				must(d.Add(t.Context(), links))
			}
			target := fmt.Sprintf("https://www.conf%d.org/%d", number("asked site", 3), number("asked target", 4))
			scope := Scope(number("scope", 4))
			var want []Backlink
			for k, sources := range model {
				if scope.Covers(target, "http://"+k) {
					for _, l := range sources {
						want = append(want, Backlink{Source: l.Source, Target: l.Target, Anchor: l.Anchor, NoFollow: l.NoFollow, Provider: Own, Scope: scope})
					}
				}
			}
			a, err := d.Backlinks(t.Context(), Query{Target: target, Scope: scope, Limit: MaxLimit})
			must(err)
			// The order of the hosts decides which link of a source is the first one: compare sources and
			// their number, and look the links up.
			if got, want := answeredSources(a.Links), answeredSources(firstLinkPerSource(want)); !cmp.Equal(got, want) {
				rt.Fatalf("%s of %s: %s", scope, target, cmp.Diff(want, got))
			}
			for _, l := range a.Links {
				if want := model[schemelessKey(l.Target)][l.Source]; want != l.Link() {
					rt.Fatalf("%+v, want %+v", l.Link(), want)
				}
			}
		}
		for _, err := range d.Check() {
			rt.Error(err)
		}
	})
}

func answeredSources(links []Backlink) []string {
	sources := []string{}
	for _, l := range links {
		sources = append(sources, l.Source)
	}
	return sources
}
