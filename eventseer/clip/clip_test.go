package clip

import (
	"fmt"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func parse(t testing.TB, body string) *tagtree.Tree {
	t.Helper()
	tree, err := tagtree.Parse(&webgraph.Page{URL: "https://quiet.example/news/", Status: 200, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// extractor looks for the lists of a keyword file.
func extractor(t testing.TB, keywords string, o Options) *Extractor {
	t.Helper()
	lists, err := ReadLists(strings.NewReader(keywords), "keywords.txt", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	o.Lists = lists
	if o.Dictionary == nil {
		if o.Dictionary, err = dictionary.Open(dictionary.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	x, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// show writes a result in one string, and checks what holds of every result.
func show(t testing.TB, tree *tagtree.Tree, r Result) string {
	t.Helper()
	var b strings.Builder
	for _, c := range r.Clips {
		check(t, tree, c)
		for _, m := range c.DistinctMatches() {
			fmt.Fprintf(&b, "%s|", m.Term)
		}
		fmt.Fprintf(&b, " %s: %s\n", c.Title, c.Summary)
	}
	for _, f := range r.Follow {
		fmt.Fprintf(&b, "-> %s %q %q\n", tree.Links()[f.Link].Target[len("https://quiet.example/"):], f.Terms, f.Teaser)
	}
	return b.String()
}

func check(t testing.TB, tree *tagtree.Tree, c Clip) {
	t.Helper()
	text := tree.Text()
	if c.Start < 0 || c.End < c.Start || c.End > len(text) || len(c.Keywords) == 0 || !utf8.ValidString(c.Summary) && utf8.ValidString(text) {
		t.Errorf("clip %+v of a text of %d bytes", c, len(text))
	}
	for _, m := range c.Keywords {
		if c.End > 0 && (m.Start < c.Start || m.End > c.End || m.Start >= m.End) {
			t.Errorf("match %+v outside of its clip %d to %d", m, c.Start, c.End)
		}
	}
}

const filler = `<p>The hall holds two hundred people and has a garden behind it, where lunch is served on all three days.</p>`

func TestExtract(t *testing.T) {
	for _, c := range []struct{ name, keywords, page, want string }{
		{
			"three sentences under a heading", "engine",
			`<h2>Topics</h2><p>First words here. Nothing much yet. We ask for papers on quiet engines, small and large. Prof. Reed chairs the session on Oct. 5 in the hall. More follows later.</p>` + filler,
			"engine| Topics: Nothing much yet. We ask for papers on quiet engines, small and large. Prof. Reed chairs the session on Oct. 5 in the hall.\n",
		},
		{
			"stem and synonym", "due dates\nsubmitting",
			`<h1>Dates</h1><p>Papers may be submitted from May. The deadline is the tenth of June, at noon.</p>` + filler,
			"submitting| Dates: Papers may be submitted from May. The deadline is the tenth of June, at noon.\n" +
				"due dates| Dates: Papers may be submitted from May. The deadline is the tenth of June, at noon. The hall holds two hundred people and has a garden behind it, where lunch is served on all three days.\n",
		},
		{
			"exact words only", "[a] exact no-synonyms\ndeadline\n[b] no-synonyms\ndue date",
			`<h1>Dates</h1><p>All deadlines are firm, and no paper is taken after the deadlines that stand here.</p>` + filler, "",
		},
		{
			"excluded", "[a]\nengine\n-steam engine\n[b]\nengine",
			`<h1>Old</h1><p>A steam engine is on show in the hall.</p><p>It was built here long ago.</p><p>It ran for years.</p><p>Then came an engine that nobody could hear, and it runs today.</p>`,
			"engine| Old: A steam engine is on show in the hall. It was built here long ago.\n" +
				"engine|engine| Old: It ran for years. Then came an engine that nobody could hear, and it runs today.\n",
		},
		{
			"a phrase does not run over sentences", "quiet engines",
			`<h1>Old</h1><p>All was quiet. Engines came later, and with them people who wrote about engines.</p>` + filler, "",
		},
		{
			"items and rows", "pistons\nnotification",
			`<h2>Topics</h2><ul><li>Valves and their springs</li><li>Pistons</li><li>Shafts of all lengths</li></ul>
			<h2>Dates</h2><table><tr><td>Submission</td><td>5 May</td></tr><tr><td>Notification</td><td>6 June</td></tr></table>`,
			"pistons| Topics: Valves and their springs · Pistons · Shafts of all lengths\nnotification| Dates: Submission 5 May · Notification 6 June\n",
		},
		{
			"keyword in a heading", "workshop",
			`<h2>Workshop on valves</h2><p>It takes place in May. Papers are welcome. Lunch is free.</p>` + filler,
			"workshop| Workshop on valves: Workshop on valves · It takes place in May. Papers are welcome.\n",
		},
	} {
		tree := parse(t, c.page)
		if diff := cmp.Diff(c.want, show(t, tree, extractor(t, c.keywords, Options{}).Extract(tree, Context{}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestClips(t *testing.T) {
	x := extractor(t, "[a]\nengine\nengines\n[b]\nnoise", Options{})
	got := x.Clips(parse(t, `<h1>Call</h1><p>Papers on engines without noise are welcome. `+strings.Repeat("And so on and on, ", 60)+`.</p>`))
	if len(got) != 1 || utf8.RuneCountInString(got[0].Summary) > eventseer.MaxSnippet || got[0].Title != "Call" || got[0].Path != "html/body/p" {
		t.Errorf("clips %+v", got)
	}
	want := []eventseer.Keyword{{List: "a", Term: "engine"}, {List: "a", Term: "engines"}, {List: "b", Term: "noise"}}
	if diff := cmp.Diff(want, got[0].Keywords); diff != "" {
		t.Errorf("keywords (-want +got):\n%s", diff)
	}
}
