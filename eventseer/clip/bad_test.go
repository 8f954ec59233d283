package clip

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func TestNoKeywords(t *testing.T) {
	x, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Result{}, x.Extract(parse(t, front), Context{Teaser: "engine"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestKeywordEverywhere(t *testing.T) {
	page := strings.Repeat("<h2>Part</h2>"+strings.Repeat("<p>This sentence has the engine in it, and it is of a fair length. And so has the engine of this.</p>", 50), 60)
	tree := parse(t, page)
	r := extractor(t, "engine\n[again]\nengines", Options{MaxClips: 7}).Extract(tree, Context{})
	show(t, tree, r)
	if len(r.Clips) == 0 || len(r.Clips) > 7 {
		t.Errorf("%d clips, want 1 to 7", len(r.Clips))
	}
	for _, c := range r.Clips {
		if len(c.DistinctMatches()) != 2 {
			t.Errorf("clip of %v, want both lists", c.DistinctMatches())
		}
	}
}

func TestEndlessText(t *testing.T) {
	for text, size := range map[string]int{"engine. ": 10 << 20, "会": 1 << 20} {
		tree := parse(t, "<p>The engine of "+strings.Repeat(text, size/len(text))+"</p>")
		r := extractor(t, "engine\n会会", Options{MaxSummary: 200}).Extract(tree, Context{})
		show(t, tree, r)
		if len(r.Clips) == 0 {
			t.Errorf("no clip of %d bytes of %q", len(tree.Text()), text)
		}
		for _, c := range r.Clips {
			if utf8.RuneCountInString(c.Summary) > 200 || utf8.RuneCountInString(c.Title) > maxTitle {
				t.Errorf("%q: summary of %d runes, title of %d", text, utf8.RuneCountInString(c.Summary), utf8.RuneCountInString(c.Title))
			}
		}
	}
}

func TestScripts(t *testing.T) {
	for _, c := range []struct{ keyword, page, want string }{
		{"投稿截止", `<h1>通知</h1><p>会议将于五月在北京举行。论文投稿截止日期为三月一日！欢迎各位作者提交论文。会后有晚宴。</p>`,
			"投稿截止| 通知: 会议将于五月在北京举行。 论文投稿截止日期为三月一日！ 欢迎各位作者提交论文。\n"},
		{"المؤتمر", `<h1>دعوة</h1><p>نرحب بالجميع. يعقد المؤتمر في مدينة القاهرة في شهر مايو؟ ننتظر أوراقكم العلمية.</p>`,
			"المؤتمر| دعوة: نرحب بالجميع. يعقد المؤتمر في مدينة القاهرة في شهر مايو؟ ننتظر أوراقكم العلمية.\n"},
		{"προθεσμία", `<h1>Νέα</h1><p>Ανακοινώθηκαν οι ΠΡΟΘΕΣΜΙΕΣ υποβολής εργασιών για το συνέδριο του Μαΐου.</p>`,
			"προθεσμία| Νέα: Ανακοινώθηκαν οι ΠΡΟΘΕΣΜΙΕΣ υποβολής εργασιών για το συνέδριο του Μαΐου.\n"},
		{"Einreichung", `<html lang="de"><h1>Aufruf</h1><p>Wir bitten um die Einreichungen der Beiträge bis zum ersten Mai, und das nur auf dem Weg, der hier steht.</p>`,
			"Einreichung| Aufruf: Wir bitten um die Einreichungen der Beiträge bis zum ersten Mai, und das nur auf dem Weg, der hier steht.\n"},
	} {
		tree := parse(t, c.page)
		if diff := cmp.Diff(c.want, show(t, tree, extractor(t, c.keyword, Options{}).Extract(tree, Context{}))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestManyKeywords(t *testing.T) {
	var file strings.Builder
	for i := range 10_000 {
		if i%100 == 0 {
			fmt.Fprintf(&file, "[list %d]\n", i/100)
		}
		fmt.Fprintf(&file, "call for word%d papers\n", i)
	}
	x := extractor(t, file.String()+"[all]\nengine\n", Options{})
	tree := parse(t, "<h1>Calls</h1><p>We have a call for word4711 papers here, and none for others of that kind.</p><p>"+strings.Repeat("call for ", 20_000)+"</p>")
	got := show(t, tree, x.Extract(tree, Context{}))
	if !strings.HasPrefix(got, "call for word4711 papers| Calls: We have a call for word4711 papers here") || strings.Count(got, "\n") != 1 {
		t.Errorf("clips %.300s", got)
	}
}

// One term in very many lists gives at most maxHits matches per page.
func TestManyLists(t *testing.T) {
	tree := parse(t, strings.Repeat("<p>The engine of the north was first at the line by a minute, said all.</p>", 2000))
	r := extractor(t, strings.Repeat("[l]\nengine\n", MaxLists), Options{}).Extract(tree, Context{})
	n := 0
	for _, c := range r.Clips {
		n += len(c.Keywords)
	}
	if n == 0 || n > maxHits {
		t.Errorf("%d matches, at most %d are looked at", n, maxHits)
	}
}

func TestManyLinks(t *testing.T) {
	var b strings.Builder
	for i := range 3 * maxFollow {
		fmt.Fprintf(&b, `<li><a href="/p%d">The engine makers meet in town number %d</a></li>`, i, i)
	}
	tree := parse(t, "<ul>"+b.String()+"</ul>")
	r := extractor(t, "engine", Options{}).Extract(tree, Context{})
	if len(r.Follow) != maxFollow || len(r.Clips) > 0 {
		t.Errorf("%d links to follow, %d clips, want %d and none", len(r.Follow), len(r.Clips), maxFollow)
	}
}

// A row of very many cells, and a sentence of very many links, cost no more than
// their bytes.
func TestWide(t *testing.T) {
	x := extractor(t, strings.Repeat("[l]\nengine\n", 50), Options{})
	for _, page := range []string{
		"<table><tr>" + strings.Repeat("<td>engine of cell", 15_000) + "</table>",
		"<p>We write so much here about it that this is prose, " + strings.Repeat(`<a href="/x">engine</a> or what`, 15_000),
		"<dl>" + strings.Repeat("<dt>engine<dd>of noise", 8_000) + "</dl>",
		strings.Repeat(`<a href="/p"><img src="p"></a>`, 15_000) + "<p>" + strings.Repeat("The engine is here. ", 500),
	} {
		tree := parse(t, page)
		show(t, tree, x.Extract(tree, Context{}))
	}
}

func TestPassage(t *testing.T) {
	x, err := New(Options{MaxSummary: 400})
	if err != nil {
		t.Fatal(err)
	}
	tree := parse(t, "<h1>Dates</h1><p>We ask for papers. They are due on May 5. Do come. It is free.</p>")
	at := strings.Index(tree.Text(), "May")
	summary, path := x.Passage(tree, at)
	if summary != "We ask for papers. They are due on May 5. Do come." || path != "html/body/p" {
		t.Errorf("Passage = %q, %q", summary, path)
	}
	for _, at := range []int{-1, len(tree.Text()), 1 << 40, len("Dates")} {
		if summary, _ := x.Passage(tree, at); summary != "" {
			t.Errorf("Passage at %d = %q", at, summary)
		}
	}
}

func FuzzExtract(f *testing.F) {
	d, err := dictionary.Open(dictionary.Options{})
	if err != nil {
		f.Fatal(err)
	}
	x, err := New(Options{Dictionary: d, Lists: []List{{Terms: []string{"engine", "call for papers", "会"}, Not: []string{"steam"}}, {Name: "x", Exact: true, Terms: []string{"ab cd"}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(front, "The engine of the north.")
	f.Add("<table><tr><td>engine<td><a href=x>call for papers</a> ab cd<dl><dt>会<dd>engine</table>", "")
	f.Add("<li><a href=/x>engine<li>ab cd</a><b>x</b><br>engine. Steam. CFP.", "engine")
	f.Add("<p>x", "engin\xbae, the engine")
	f.Fuzz(func(t *testing.T, page, teaser string) {
		tree, err := tagtree.Parse(&webgraph.Page{URL: "https://quiet.example/news/", Status: 200, Body: []byte(page)})
		if err != nil {
			return
		}
		r := x.Extract(tree, Context{Teaser: teaser})
		for _, c := range r.Clips {
			check(t, tree, c)
		}
		for _, l := range r.Follow {
			if l.Link < 0 || l.Link >= len(tree.Links()) || utf8.RuneCountInString(l.Teaser) > MaxTeaser {
				t.Errorf("follow %+v", l)
			}
		}
		x.Passage(tree, len(page)/2)
	})
}
