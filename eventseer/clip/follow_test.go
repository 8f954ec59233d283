package clip

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// front is a front page as in figure 3 of paper 000: teasers, and a hub area.
const front = `<h1>The Quiet Paper</h1>
<div class="story"><h2><a href="/engine">Engine wins the race</a></h2><img src="x.jpg"><p>Nobody heard it come, but the new engine from the north was first at the line by a minute.</p><p><a href="/engine">Read more</a></p></div>
<div class="story"><h2><a href="/pump">Pumps are loud</a></h2><p>The people of the harbour have slept badly since the pumps came, says the mayor who sleeps there.</p></div>
<ul><li><a href="/a">An engine of wood and rope found at sea</a></li><li><a href="/b">Other news of the day from all over here</a></li><li><a href="/c">The engine makers meet in the old town hall</a></li></ul>`

func TestFollow(t *testing.T) {
	for _, c := range []struct{ name, keywords, page, want string }{
		{
			"front page", "engine", front,
			"engine| Engine wins the race: Nobody heard it come, but the new engine from the north was first at the line by a minute.\n" +
				`-> engine ["engine"] "Nobody heard it come, but the new engine from the north was first at the line by a minute."` + "\n" +
				`-> a ["engine"] ""` + "\n" + `-> c ["engine"] ""` + "\n",
		},
		{
			"link in prose is clipped and followed", "engine",
			`<h1>News</h1><p>The people who built the <a href="/engine">new engine</a> have written down how they did it.</p>` + filler,
			"engine| News: The people who built the new engine have written down how they did it. The hall holds two hundred people and has a garden behind it, where lunch is served on all three days.\n" +
				`-> engine ["engine"] "The people who built the new engine have written down how they did it."` + "\n",
		},
		{
			"link with little beside it is only followed", "engine",
			`<h1>News</h1><p>This page is about many things, and all of them are told in its other parts. See also: <a href="/engine">the engine</a>.</p>` + filler,
			`-> engine ["engine"] "This page is about many things, and all of them are told in its other parts. See also: the engine."` + "\n",
		},
	} {
		tree := parse(t, c.page)
		if diff := cmp.Diff(c.want, show(t, tree, extractor(t, c.keywords, Options{}).Extract(tree, Context{}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestTeaserBecomesSummary(t *testing.T) {
	x := extractor(t, "engine", Options{})
	tree := parse(t, front)
	follow := x.Extract(tree, Context{}).Follow[0]
	context := Context{Anchor: tree.Links()[follow.Link].Anchor, Teaser: follow.Teaser}
	for _, c := range []struct{ name, page, summary string }{
		{"good article", `<h1>Engine</h1><p>It came in the night: the engine that nobody could hear, and it was first.</p>`, "It came in the night: the engine that nobody could hear, and it was first."},
		{"poor article", `<h1>Engine</h1><p>The engine of the north: details.</p>`, follow.Teaser},
		{"article without the word", `<title>Race</title><p>Please enable the scripts of this page.</p>`, follow.Teaser},
		{"empty article", ``, follow.Teaser},
	} {
		tree := parse(t, c.page)
		r := x.Extract(tree, context)
		show(t, tree, r)
		if len(r.Clips) != 1 || r.Clips[0].Summary != c.summary || r.Clips[0].Context != follow.Teaser {
			t.Errorf("%s: clips %+v, want the summary %q", c.name, r.Clips, c.summary)
		}
	}
	not := extractor(t, "engine\n-steam", Options{})
	for _, teaser := range []string{"Nothing of what is asked for.", "The steam engine of the south."} {
		if r := not.Extract(parse(t, ""), Context{Teaser: teaser}); len(r.Clips) > 0 {
			t.Errorf("clips %+v of the teaser %q", r.Clips, teaser)
		}
	}
}

func TestTitle(t *testing.T) {
	long := "Twelve words of a heading that is too long for a title"
	text := `<p>The new engine from the north was first at the line by a minute, and nobody heard it.</p>`
	body := strings.Repeat(`<p>Other text that fills the page with words of no interest to anybody who reads them.</p>`, 4)
	for _, c := range []struct{ name, page, want string }{
		{"heading", `<h1>Old</h1><h3>New</h3>` + text, "New"},
		{"long heading", `<h1>` + long + `</h1>` + text, "Twelve words of a heading that is too long for…"},
		{"class", body + `<div class="hd">The race</div>` + text + body, "The race"},
		{"bold", body + `<p><b>The race</b></p>` + text + body, "The race"},
		{"font", body + `<p><font size="+2" color="red">The race</font></p>` + text + body, "The race"},
		{"common style", strings.ReplaceAll(body, "<p>", `<p class="t">`) + strings.Replace(text, "<p>", `<p class="t">Short. </p><p>`, 1), "Other text that fills the page with words of no interest to anybody who reads them."},
		{"first sentence", `<p>It was a race. ` + text[3:], "It was a race."},
		{"rule around", `<pre>` + strings.Repeat("=", 70) + "\n?*** THE RACE ***\n\nIt is the engine.</pre>", "THE RACE"},
		{"heading of the menu", `<nav><h2>Menu</h2><a href="/x">Home</a></nav><p>It was a race. ` + text[3:], "It was a race."},
	} {
		tree := parse(t, c.page)
		clips := extractor(t, "engine", Options{}).Extract(tree, Context{}).Clips
		if len(clips) != 1 || clips[0].Title != c.want {
			t.Errorf("%s: clips %+v, want the title %q", c.name, clips, c.want)
		}
	}
}
