package crawler

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func TestTrapReason(t *testing.T) {
	long := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "/s%d", i)
		}
		return b.String()
	}
	params := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "&p%d=1", i)
		}
		return b.String()[1:]
	}
	for url, want := range map[string]bool{
		"https://a.org":                                  false,
		"https://a.org/":                                 false,
		"https://a.org/2026/cfp/":                        false,
		"https://a.org/events/2026/events/2027":          false,
		"https://a.org/news/img/news/img/":               true,
		"https://a.org/cfp/x/cfp/y/cfp":                  true,
		"https://a.org/cfp/cfp/":                         false,
		"https://a.org/01/01/01/01":                      false,
		"https://a.org/2026-01/2026-01/2026-01/":         false,
		"https://a.org/a/b/a/b/a/b":                      false,
		"https://a.org//x//":                             false,
		"https://a.org" + long(20):                       false,
		"https://a.org" + long(21):                       true,
		"https://a.org/?" + params(12):                   false,
		"https://a.org/?" + params(13):                   true,
		"https://a.org/?tag=a&tag=b&tag=c":               false,
		"https://a.org/?tag=a&tag=b&tag=c&tag=d":         true,
		"https://a.org/?page=2&page=2":                   true,
		"https://a.org?page=2":                           false,
		"https://a.org/event.showcfp?eventid=1&copyid=1": false,
		"https://a.org/" + strings.Repeat("x", 2048):     true,
	} {
		if why := trapReason(url); (why != "") != want || why != "" && !strings.HasPrefix(why, "trap: ") {
			t.Errorf("%.80s: %q, want a trap %v", url, why, want)
		}
	}
}

func TestShapeOf(t *testing.T) {
	for url, want := range map[string]string{
		"https://a.org":                                   "a.org",
		"https://a.org/":                                  "a.org/",
		"https://a.org/about.html":                        "a.org/about.html",
		"https://a.org/p12/x3y45.html":                    "a.org/p0/x0y0.html*",
		"http://a.org/p12":                                "a.org/p0*",
		"https://a.org/event.showcfp?eventid=99&copyid=1": "a.org/event.showcfp&eventid&copyid*",
		"https://a.org/month.php?y=2026&m=1":              "a.org/month.php&y&m*",
		"https://a.org/2026/january/":                     "a.org/0/0/*",
		"https://a.org/maybe/":                            "a.org/maybe/",
		"https://a.org/x/deadbeef01?a":                    "a.org/x/0&a*",
		"https://a.org/x/facade/decade":                   "a.org/x/facade/decade",
		"https://a.org/?":                                 "a.org/",
		"https://a.org/%E4%BC%9A/7%":                      "a.org/%E4%BC%9A/0%*",
	} {
		got, varies := shapeOf(url)
		if varies {
			got += "*"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

func FuzzShapeOf(f *testing.F) {
	f.Add("https://a.org/2026/january?x=1")
	f.Fuzz(func(t *testing.T, url string) {
		trapReason(url)
		if shape, _ := shapeOf(url); len(shape) > len(url) {
			t.Fatalf("%q is longer than %q", shape, url)
		}
	})
}

func TestRun(t *testing.T) {
	short, long := fingerprintsOf("Events in May"), fingerprintsOf(prose(1, 100))
	nearly := long
	nearly.near ^= 7
	for name, test := range map[string]struct {
		first, next textFingerprints
		want        uint32
	}{
		"the same":      {long, long, 2},
		"nearly":        {long, nearly, 2},
		"another":       {long, fingerprintsOf(prose(2, 100)), 1},
		"short":         {short, fingerprintsOf("events in June"), 2},
		"short, nearly": {short, textFingerprints{words: 3, near: short.near ^ 1}, 1},
		"nothing":       {fingerprintsOf(""), fingerprintsOf(""), 2},
	} {
		if got := (run{}).extended(test.first).extended(test.next); got.length != test.want {
			t.Errorf("%s: %d in a row, want %d", name, got.length, test.want)
		}
	}
}

// A memory forgets the entries unused for longest, and its notes restore the same memory.
func TestMemory(t *testing.T) {
	m, notes := newMemory(3), map[string][]byte{}
	put := func(key uint64, length uint32) {
		for _, n := range m.storeRun(run{key: key, length: length, near: webgraph.Fingerprint(key)}) {
			notes[n.Key] = n.Value
			if len(n.Value) == 0 {
				delete(notes, n.Key)
			}
		}
	}
	again := func() *memory {
		var list []Note
		for k, v := range notes {
			list = append(list, Note{k, v})
		}
		m := newMemory(3)
		if err := m.restoreNotes(list); err != nil {
			t.Fatal(err)
		}
		return m
	}
	keys := func(m *memory) (keys []uint64) {
		for e := m.order.Front(); e != nil; e = e.Next() {
			keys = append(keys, e.Value.(*run).key)
		}
		return keys
	}
	for i, step := range []struct {
		key    uint64
		length uint32
		want   []uint64
		long   bool
	}{
		{1, 1, []uint64{1}, false},
		{2, maxAlike, []uint64{2, 1}, true},
		{3, 1, []uint64{3, 2, 1}, true},
		{1, 2, []uint64{1, 3, 2}, true},
		{4, 1, []uint64{4, 1, 3}, false},
		{3, maxAlike, []uint64{3, 4, 1}, true},
		{3, 0, []uint64{3, 4, 1}, false},
	} {
		put(step.key, step.length)
		for _, m := range []*memory{m, again()} {
			if diff := cmp.Diff(step.want, keys(m)); diff != "" || m.hasLongRun() != step.long || m.clock != uint64(i+1) {
				t.Errorf("step %d: long %v, clock %d (-want +got):\n%s", i, m.hasLongRun(), m.clock, diff)
			}
		}
	}
	for _, n := range []Note{{runPrefix + "x", make([]byte, 20)}, {runPrefix + "00", []byte{1}}} {
		if err := newMemory(3).restoreNotes([]Note{n}); err == nil || !strings.Contains(err.Error(), n.Key) {
			t.Errorf("%s: %v", n.Key, err)
		}
	}
}

func TestReportsMissing(t *testing.T) {
	for name, test := range map[string]struct {
		title, body string
		want        bool
	}{
		"title":             {"Seite nicht gefunden", prose(1, 500), true},
		"short text":        {"Oops", "<p>The page you want does not exist.", true},
		"long text":         {"Lost property", "not found " + prose(1, 500), false},
		"a call":            {"Call for papers", "Papers are due in May", false},
		"another language":  {"", "<h1>ページが見つかりません", true},
		"capitals and tags": {"", "<h1>Error <b>404</b></h1>", true},
	} {
		tree, err := tagtree.Parse(&webgraph.Page{URL: "https://a.org/", Body: []byte("<html><title>" + test.title + "</title><body>" + test.body)})
		if err != nil {
			t.Fatal(err)
		}
		if got := reportsMissing(tree, fingerprintsOf(tree.Text()).words); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestSkippedLinks(t *testing.T) {
	var s skippedLinks
	for i := range 15 {
		s.count(fmt.Sprint("reason ", i), fmt.Sprint("u", i))
		s.count("reason 0", "v")
	}
	lines := s.lines()
	if len(lines) != maxSkips || lines[0] != "reason 0: 16, such as u0" || lines[9] != "reason 9: 6, such as u9" {
		t.Errorf("%q", lines)
	}
}
