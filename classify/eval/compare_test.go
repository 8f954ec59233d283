package eval

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"

	"github.com/google/go-cmp/cmp"
)

var yesNo = []string{"not_cfp", "cfp"}

// predictionPairs makes predictions of two classifiers; the second is wrong on every
// n-th example more than the first.
func predictionPairs(n int) (a, b []Prediction) {
	for i, p := range threeClasses() {
		p.Truth, p.Tags = i%2, nil
		p.Guess, p.Score = p.Truth, 0.2+0.6*float64(p.Truth)
		if i%9 == 0 {
			p.Guess, p.Score = 1-p.Truth, 1-p.Score
		}
		a = append(a, p)
		if i%n == 1 {
			p.Guess, p.Score = 1-p.Guess, 1-p.Score-float64(i)/1000
		}
		b = append(b, p)
	}
	return a, b
}

func TestCompare(t *testing.T) {
	a, b := predictionPairs(5)
	c, err := Compare("first", "second", yesNo, a, b, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.Differences {
		fa, _ := c.A.Figure(d.Name)
		fb, _ := c.B.Figure(d.Name)
		if math.Abs(fa.Value-fb.Value-d.Value) > 1e-12 || d.Value < d.Low || d.Value > d.High || d.HolmP < d.P {
			t.Errorf("%+v of %v and %v", d, fa, fb)
		}
	}
	if n := c.McNemar.OnlyA + c.McNemar.OnlyB; n != len(c.Disagreements) || n == 0 {
		t.Errorf("%d discordant pages, %d disagreements", n, len(c.Disagreements))
	}
	var text, html bytes.Buffer
	if err := c.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := c.WriteErrors(&text, 2); err != nil {
		t.Fatal(err)
	}
	if err := c.WriteHTML(&html); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "compare.txt", text.Bytes())
	golden.Check(t, "compare.html", html.Bytes())
}

func TestCompareWithItself(t *testing.T) {
	a, _ := predictionPairs(5)
	c, err := Compare("one", "same", yesNo, a, a, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.Differences {
		if d.Value != 0 || d.Low != 0 || d.High != 0 || d.P != 1 {
			t.Errorf("%+v", d)
		}
	}
	if c.McNemar.P != 1 || !strings.Contains(c.Verdict(), "the same f1") {
		t.Errorf("%+v, %s", c.McNemar, c.Verdict())
	}
}

func TestCompareTestsLargeClasses(t *testing.T) {
	a := threeClasses()
	b := threeClasses()
	for i := range b {
		b[i].Guess = 0
	}
	c, err := Compare("a", "b", []string{"call", "list", "other"}, a, b, 1)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range c.Differences {
		names = append(names, d.Name)
	}
	if diff := cmp.Diff([]string{MacroF1, "f1 call", "f1 list"}, names); diff != "" {
		t.Errorf("tested (-want +got):\n%s", diff)
	}
}

func TestCompareRefuses(t *testing.T) {
	a, b := predictionPairs(5)
	if _, err := Compare("a", "b", yesNo, a, b[1:], 1); err == nil {
		t.Error("other numbers: no error")
	}
	b[3].Group = "another"
	if _, err := Compare("a", "b", yesNo, a, b, 1); err == nil {
		t.Error("other examples: no error")
	}
}
