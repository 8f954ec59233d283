package block_test

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/models"
	"github.com/eventseer/eventseer/webgraph"
)

func shipped(t testing.TB) *block.Model {
	t.Helper()
	f, err := models.Files().Open("block-role.model")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := block.ReadModel(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func parse(t testing.TB, contentType, body string) *tagtree.Tree {
	t.Helper()
	tree, err := tagtree.Parse(&webgraph.Page{
		URL: "https://rivers.example/2027/call.html", Header: http.Header{"Content-Type": {contentType}}, Body: []byte(body),
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

const call = `<html><head><title>RIVERS 2027 - Call for Papers</title></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/dates">Dates</a></li><li><a href="/people">Committees</a></li></ul></nav>
<h1>12th International Workshop on Rivers (RIVERS 2027)</h1>
<p>RIVERS brings together people who study how water moves through landscapes and what that means for towns.</p>
<h2>Topics of interest</h2>
<ul><li>Sediment transport</li><li>Flood forecasting</li><li>Measurement of discharge</li><li>Fish migration</li></ul>
<h2>Important dates</h2>
<table><tr><td>Paper submission</td><td>12 March 2027</td></tr><tr><td>Notification</td><td>30 April 2027</td></tr></table>
<h2>Submission</h2>
<p>Papers must not exceed ten pages in the format of the publisher and must be submitted as PDF through the submission system.</p>
<h2>Program Committee</h2>
<ul><li>Ann Example, University of Hilltown, Norway</li><li>Bo Sample, Lake Institute, Chile</li></ul>
<footer><p>Copyright 2027 RIVERS. All rights reserved.</p></footer></body></html>`

// TestRolesOfACall reads a plain call, with words that the training pages need not contain.
func TestRolesOfACall(t *testing.T) {
	tree := parse(t, "text/html", call)
	scores := shipped(t).Roles(tree, tree.Blocks())
	want := map[string]block.Role{
		"Home": block.Navigation, "12th International Workshop on Rivers (RIVERS 2027)": block.Name,
		"Flood forecasting": block.Topics, "Topics of interest": block.Topics, "Fish migration": block.Topics,
		"Paper submission": block.Dates, "12 March 2027": block.Dates, "Important dates": block.Dates,
		"Ann Example, University of Hilltown, Norway": block.Committee, "Program Committee": block.Committee,
		"Papers must not exceed ten pages in the format of the publisher and must be submitted as PDF through the submission system.": block.Instructions,
		"Copyright 2027 RIVERS. All rights reserved.": block.Footer,
	}
	for i, b := range tree.Blocks() {
		sum := 0.0
		for _, p := range scores[i] {
			sum += float64(p)
		}
		if math.Abs(sum-1) > 1e-4 {
			t.Errorf("%q: probabilities sum to %v", b.Text, sum)
		}
		if role, ok := want[b.Text]; ok && scores[i].Best() != role {
			t.Errorf("%q is %s with %.2f, want %s with %.2f", b.Text, scores[i].Best(), scores[i][scores[i].Best()], role, scores[i][role])
		}
		delete(want, b.Text)
	}
	for text := range want {
		t.Errorf("no block %q", text)
	}
}

func TestRolesAreTheSameEachTime(t *testing.T) {
	m, tree := shipped(t), parse(t, "text/html", call)
	a, b := m.Roles(tree, tree.Blocks()), m.Roles(tree, tree.Blocks())
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("block %d: %v, then %v", i, a[i], b[i])
		}
	}
}

// TestRolesOfHostilePages reads pages that are not written for readers.
func TestRolesOfHostilePages(t *testing.T) {
	m := shipped(t)
	for name, body := range map[string]string{
		"empty":              "",
		"no text":            "<html><body><img src=a.png></body></html>",
		"one repeated block": "<ul>" + strings.Repeat("<li>same</li>", 5_000) + "</ul>",
		"10,000 blocks":      strings.Repeat("<p>a b</p>\n", 10_000),
		"one character each": strings.Repeat("<p>x</p>", 3_000),
		"one line":           "<p>" + strings.Repeat("word ", 100_000) + "</p>",
		"deep":               strings.Repeat("<div>", 3_000) + "text",
		"right to left":      "<html dir=rtl><p>\u202eנייר קורא</p><p>دعوة للمشاركة</p></html>",
		"not UTF-8":          "<p>\xff\xfe\xfa caf\xe9</p>",
		"classes":            "<p class=\"" + strings.Repeat("a ", 50_000) + "\">x</p>",
	} {
		tree := parse(t, "text/html", body)
		if got := m.Roles(tree, tree.Blocks()); len(got) != len(tree.Blocks()) {
			t.Errorf("%s: %d roles of %d blocks", name, len(got), len(tree.Blocks()))
		}
	}
	tree := parse(t, "text/plain", "Call for papers\n\nTopics:\n- rivers\n- lakes\n")
	if got := m.Roles(tree, tree.Blocks()[:2]); len(got) != 2 {
		t.Errorf("%d roles of the first 2 blocks", len(got))
	}
}

func TestParseRole(t *testing.T) {
	for i, name := range block.RoleNames() {
		r, err := block.ParseRole(name)
		if err != nil || int(r) != i || r.String() != name {
			t.Errorf("%q is %v, %v", name, r, err)
		}
	}
	if _, err := block.ParseRole("menu"); err == nil {
		t.Error("menu is not a role")
	}
	if s := block.NumRoles.String(); s != "role 15" {
		t.Errorf("%q", s)
	}
}

func TestReadModelRefusesOthers(t *testing.T) {
	l, err := classify.NewLogLinear(classify.Meta{}, []float64{0, 0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := classify.WriteLogLinear(&b, l); err != nil {
		t.Fatal(err)
	}
	if _, err := block.ReadModel(&b); err == nil {
		t.Error("a model of two outputs was taken for one of block roles")
	}
	if _, err := block.JoinPasses(classify.Meta{}, l, l); err == nil {
		t.Error("passes of two outputs were joined")
	}
}

func BenchmarkRoles(b *testing.B) {
	m := shipped(b)
	for _, n := range []int{1, 20} {
		tree := parse(b, "text/html", "<html><body>"+strings.Repeat(call[strings.Index(call, "<nav>"):strings.Index(call, "</body>")], n)+"</body></html>")
		b.Run(fmt.Sprintf("blocks=%d", len(tree.Blocks())), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Roles(tree, tree.Blocks())
			}
		})
	}
}

// TestFirstPassIsTheSumOfItsTerms compares the scores with cached sums to those of all terms, which
// training uses.
func TestFirstPassIsTheSumOfItsTerms(t *testing.T) {
	m := shipped(t)
	for _, body := range []string{call, "<table><tr><td class='a b'><p id=c>x</p><p>y z</p></td><td>w</td></tr></table>" + strings.Repeat("<div class=d>", 12) + "deep<h2>Dates</h2><h3>Papers</h3><p>1 May"} {
		tree := parse(t, "text/html", body)
		p := block.NewPage(tree, tree.Blocks())
		block.EachOwn(m, p, func(i int, got []float64) {
			want := make([]float64, m.Outputs())
			m.Scores(p.AppendTerms(nil, i), want)
			if !slices.Equal(got, want) {
				t.Fatalf("%q: %v, want %v", tree.Blocks()[i].Text, got, want)
			}
		})
	}
}
