package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"

	"github.com/google/go-cmp/cmp"
)

func compareHTML(t *testing.T, old, new string) *Comparison {
	t.Helper()
	a, err := tagtree.Parse(tagtreetest.Page(old, "text/html"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := tagtree.Parse(tagtreetest.Page(new, "text/html"))
	if err != nil {
		t.Fatal(err)
	}
	return Compare(a, b)
}

// script writes a comparison as lines: "- gone", "+ new", "old → new" of an edited
// block with the words that differ in brackets.
func script(c *Comparison) []string {
	var lines []string
	for _, h := range c.Hunks {
		for _, p := range h.Pairs {
			switch {
			case p.New < 0:
				lines = append(lines, "- "+c.Old.Blocks()[p.Old].Text)
			case p.Old < 0:
				lines = append(lines, "+ "+c.New.Blocks()[p.New].Text)
			default:
				old, new := c.Old.Blocks()[p.Old].Text, c.New.Blocks()[p.New].Text
				var words []string
				for _, e := range p.Edits {
					words = append(words, fmt.Sprintf("%s|%s", old[e.Old.Start:e.Old.End], new[e.New.Start:e.New.End]))
				}
				lines = append(lines, fmt.Sprintf("%s → %s [%s]", old, new, strings.Join(words, " ")))
			}
		}
	}
	return lines
}

func TestCompare(t *testing.T) {
	for _, tc := range []struct {
		name, old, new string
		want           []string
	}{
		{"same", "<p>Owls fly.<p>At night.", "<p>Owls fly.<p>At night.", nil},
		{"one word", "<p>Owls fly.<p>Papers are due on May 3, 2031.", "<p>Owls fly.<p>Papers are due on May 9, 2031.",
			[]string{"Papers are due on May 3, 2031. → Papers are due on May 9, 2031. [3|9]"}},
		{"new item between edited ones",
			"<ul><li>Submission: 3 May<li>Notification: 4 June</ul>",
			"<ul><li>Submission: 9 May<li>Posters: 20 May<li>Notification: 11 June</ul>",
			[]string{"Submission: 3 May → Submission: 9 May [3|9]", "+ Posters: 20 May", "Notification: 4 June → Notification: 11 June [4|11]"}},
		{"cells are paired by their place", "<table><tr><td>Papers<td>March 4, 2031</table>", "<table><tr><td>Papers<td>April 11, 2031</table>",
			[]string{"March 4, 2031 → April 11, 2031 [March 4|April 11]"}},
		{"another text altogether", "<div><p>Owls fly at night.</div>", "<div><ul><li>Registration fees</ul></div>",
			[]string{"- Owls fly at night.", "+ Registration fees"}},
		{"gone", "<p>a b c<p>d e f", "<p>d e f", []string{"- a b c"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, script(compareHTML(t, tc.old, tc.new))); diff != "" {
				t.Errorf("Compare (-want +got):\n%s", diff)
			}
		})
	}
}

// Parts that change with every visit, and the form of quotes and spaces, are not a difference.
func TestCompareNoise(t *testing.T) {
	for _, tc := range []struct{ name, old, new string }{
		{"last updated", "Last updated: 3 May 2031, 10:04", "Last updated: 11 June 2031, 9:30"},
		{"updated in German", "Letzte Änderung am 3. Mai 2031", "Letzte Änderung am 14. Mai 2031"},
		{"updated in Japanese", "最終更新: 2031年5月3日", "最終更新: 2031年6月9日"},
		{"visits", "Visits: 1,204", "Visits: 1,377"},
		{"counter first", "1204 visitors so far", "1377 visitors so far"},
		{"online", "3 users online", "12 users online"},
		{"countdown", "12 days, 3 hours left", "9 days, 22 hours left"},
		{"bare countdown", "12 days 3 hours 10 minutes 5 seconds", "11 days 2 hours 1 minutes 59 seconds"},
		{"rights", "© 2030 Owl Society", "© 2031 Owl Society"},
		{"rights over years", "Copyright 2019-2030, Owl Society", "Copyright 2019-2031, Owl Society"},
		{"quotes and dashes", "The “owl’s” call – now", "The \"owl's\" call - now"},
		{"spaces", "Owls&nbsp;fly", "Owls \n fly"},
		{"soft hyphens", "Noc&shy;tur&shy;nal owls", "Nocturnal owls"},
		{"composed letters", "Université", "Universite\u0301"},
		{"nonce", "Form a1b2c3d4e5f6a7b8c9 ready", "Form 9f8e7d6c5b4a3928d7 ready"},
		{"rendered", "Page generated in 0.031 seconds", "Page generated in 0.2 seconds"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := compareHTML(t, "<p>Owls<p>"+tc.old, "<p>Owls<p>"+tc.new)
			if len(c.Hunks) > 0 {
				t.Errorf("%v differ", script(c))
			}
		})
	}
}

// Text that looks like noise but is about the event is a difference.
func TestCompareKeeps(t *testing.T) {
	for _, tc := range []struct{ name, old, new string }{
		{"an updated deadline", "Updated: papers are due on 3 May 2031", "Updated: papers are due on 9 May 2031"},
		{"a day", "5 days of talks", "4 days of talks"},
		{"a title's year", "Owl Workshop 2030", "Owl Workshop 2031"},
		{"a name with digits", "Room B204", "Room B205"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if c := compareHTML(t, "<p>"+tc.old, "<p>"+tc.new); len(c.Hunks) != 1 {
				t.Errorf("%q and %q do not differ", tc.old, tc.new)
			}
		})
	}
}

func TestCompareMarks(t *testing.T) {
	c := compareHTML(t, "<p>Owls<p>3 May<p>9 May", "<p>Owls<p><s>3 May</s><p>9 May")
	if len(c.Hunks) != 0 || len(c.Restyled) != 1 || c.Noise {
		t.Errorf("hunks %v, restyled %v, noise %v: want the second block restyled", c.Hunks, c.Restyled, c.Noise)
	}
	if c := compareHTML(t, "<p>Visits: 3", "<p>Visits: 4"); !c.Noise {
		t.Error("a counter that changed is no noise")
	}
	if c := compareHTML(t, "<p>a<!-- 1 -->", "<p>a<!-- 2 --><script>3</script>"); c.Noise || len(c.Hunks) > 0 {
		t.Error("comments and scripts are a difference")
	}
}

func TestCompareLinks(t *testing.T) {
	c := compareHTML(t,
		`<a href=/a>Papers</a> <a href="/b?sid=1">Fees</a> <a href=/old>Venue</a> <a href=/gone>Past</a>`,
		`<a href=/a/index.html>Papers</a> <a href="/b?sid=2">Fees</a> <a href=/new>Venue</a> <a href=/talks>Talks</a>`)
	var got []string
	for _, l := range c.Added {
		got = append(got, "+"+l.Anchor)
	}
	for _, l := range c.Removed {
		got = append(got, "-"+l.Anchor)
	}
	for _, r := range c.Retargeted {
		got = append(got, "="+r.New.Anchor)
	}
	if diff := cmp.Diff([]string{"+Venue", "+Talks", "-Venue", "-Past", "=Venue"}, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

func TestTemplateDistance(t *testing.T) {
	for _, tc := range []struct {
		name, old, new string
		low, high      float64
		looks          bool
	}{
		{"another text", "<p>a<p>b", "<p>c<p>d", 0, 0, false},
		{"lists for paragraphs", "<p>a<p>b<h1>c</h1>", "<ul><li>a<li>b</ul><h1>c</h1>", 0.5, 0.8, false},
		{"all is another", "<p>a<p>b", "<table><tr><td>a<td>b</table>", 1, 1, false},
		{"nothing", "", "", 0, 0, false},
		{"a picture", "<p>a<img src=x.png>", "<p>a", 0, 0, true},
		{"a style", "<link rel=stylesheet href=a.css?v=1><p>a", "<link rel=stylesheet href=b.css><p>a", 0, 0, true},
		{"a style's version", "<link rel=stylesheet href=a.css?v=1><p>a", "<link rel=stylesheet href=a.css?v=2><p>a", 0, 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := compareHTML(t, tc.old, tc.new)
			if got := c.TemplateDistance(); got < tc.low || got > tc.high {
				t.Errorf("TemplateDistance() = %.2f, want %.2f to %.2f", got, tc.low, tc.high)
			}
			if got := c.LooksChanged(); got != tc.looks {
				t.Errorf("LooksChanged() = %v, want %v", got, tc.looks)
			}
		})
	}
}

// checkComparison holds a comparison to what its fields promise.
func checkComparison(t *testing.T, c *Comparison) {
	t.Helper()
	olds, news := make([]int, len(c.Old.Blocks())), make([]int, len(c.New.Blocks()))
	note := func(p BlockPair) {
		if p.Old >= 0 {
			olds[p.Old]++
		}
		if p.New >= 0 {
			news[p.New]++
		}
		if p.Old < 0 || p.New < 0 {
			return
		}
		a, b := c.Old.Blocks()[p.Old].Text, c.New.Blocks()[p.New].Text
		x, y := 0, 0
		for _, e := range p.Edits {
			if e.Old.Start < x || e.New.Start < y || e.Old.End < e.Old.Start || e.New.End < e.New.Start || e.Old.End > len(a) || e.New.End > len(b) {
				t.Fatalf("edits %v of %q and %q", p.Edits, a, b)
			}
			if got, want := squeeze(b[y:e.New.Start]), squeeze(a[x:e.Old.Start]); got != want {
				t.Fatalf("%q and %q stand between edits", want, got)
			}
			x, y = e.Old.End, e.New.End
		}
	}
	for _, k := range c.Kept {
		note(k)
	}
	for _, h := range c.Hunks {
		for _, p := range h.Pairs {
			note(p)
		}
	}
	for _, counts := range [][]int{olds, news} {
		for i, n := range counts {
			if n != 1 {
				t.Fatalf("block %d stands in %d pairs", i, n)
			}
		}
	}
	if d := c.TemplateDistance(); d < 0 || d > 1 {
		t.Fatalf("TemplateDistance() = %v", d)
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

func FuzzCompare(f *testing.F) {
	f.Add("<p>a b 3 May<p>c", "<p>a b 9 May<p><s>c</s><a href=x>d</a>")
	f.Add("<p>\xff\xfe 1", "<pre>\u00ad\u200b\n–\n</pre>")
	f.Add("Visits: 12\nLast updated 3 May", "Visits: 13\nLast updated 4 May")
	f.Add("", "<ul><li><li>a<li>b")
	f.Fuzz(func(t *testing.T, old, new string) {
		a, err := tagtree.Parse(tagtreetest.Page(old, "text/html"))
		if err != nil {
			return
		}
		b, err := tagtree.Parse(tagtreetest.Page(new, "text/html"))
		if err != nil {
			return
		}
		checkComparison(t, Compare(a, b))
		if c := Compare(a, a); len(c.Hunks) > 0 || c.Noise || len(c.Added) > 0 || len(c.Removed) > 0 {
			t.Fatalf("a page differs from itself: %+v", c.Hunks)
		}
	})
}

// A page of as many blocks as one may have is compared block by block still, where all
// of them changed, too.
func TestCompareLimits(t *testing.T) {
	var old, new strings.Builder
	for i := range tagtree.MaxBlocks + 5 {
		fmt.Fprintf(&old, "<p>line %d of owls</p>", i)
		fmt.Fprintf(&new, "<p>row %d of wrens</p>", i)
	}
	c := compareHTML(t, old.String(), new.String())
	checkComparison(t, c)
	if len(c.Hunks) == 0 {
		t.Error("nothing differs")
	}
	if edits := wordEdits(strings.Repeat("a ", maxBlockWords+1), "b"); len(edits) != 1 {
		t.Errorf("%d edits of a block of too many words, want 1", len(edits))
	}
}
