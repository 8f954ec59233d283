package clip

import (
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"

	"github.com/google/go-cmp/cmp"
)

// markAll returns the positions of words in a text.
func markAll(s string, words ...string) (marks [][2]int) {
	for _, w := range words {
		for from := 0; ; {
			i := strings.Index(s[from:], w)
			if i < 0 {
				break
			}
			marks = append(marks, [2]int{from + i, from + i + len(w)})
			from += i + len(w)
		}
	}
	return marks
}

func TestCutText(t *testing.T) {
	t.Parallel()
	const page = "# Tides 2031\n# Topics of interest\nWe look at harbours. Papers on sluices and locks are welcome. Posters are too. Bring boots.\n" +
		"# Committee\nThe chairs of sluices:\nOla Nordmann\f\nSluices and locks"
	const mail = "Dear all,\nwe announce a meeting about sluices, where people from many countries\nwill speak of locks and of weirs. It is in June. Come\nin numbers to the harbour and see how the boats of the town go through\nall the gates."
	for _, tt := range []struct {
		name, text string
		words      []string
		limit      int
		want       Passage
	}{
		{
			"the sentence with both words, one before, one after", page, []string{"sluices", "locks"}, 400,
			Passage{"Topics of interest", "We look at harbours. Papers on sluices and locks are welcome. Posters are too.", [][2]int{{31, 38}, {43, 48}}},
		},
		{
			"room for one sentence", page, []string{"locks"}, 50,
			Passage{"Topics of interest", "Papers on sluices and locks are welcome.", [][2]int{{22, 27}}},
		},
		{
			"a heading with what is below", page, []string{"Committee"}, 400,
			Passage{"Committee", "Committee · The chairs of sluices: Ola Nordmann", [][2]int{{0, 9}}},
		},
		{
			"wrapped lines are one sentence", mail, []string{"weirs"}, 400,
			Passage{"Dear all,", "Dear all, we announce a meeting about sluices, where people from many countries will speak of locks and of weirs. It is in June.", [][2]int{{107, 112}}},
		},
		{
			"the line with the words, not the line before it", "Weirs need walls, and the walls need care.\nThe town has weirs and locks and walls of stone.\nCome by boat.", []string{"walls", "weirs", "locks"}, 50,
			Passage{"Weirs need walls, and the walls need care.", "The town has weirs and locks and walls of stone.", [][2]int{{13, 18}, {23, 28}, {33, 38}}},
		},
		{
			"a long sentence is cut around the word", strings.Repeat("mud ", 300) + "sluice " + strings.Repeat("mud ", 300), []string{"sluice"}, 60,
			Passage{strings.Repeat("mud ", 9) + "mud…", "…mud mud mud mud sluice mud mud mud mud mud mud mud…", [][2]int{{19, 25}}},
		},
	} {
		got, ok := CutText(tt.text, markAll(tt.text, tt.words...), tt.limit)
		if diff := cmp.Diff(tt.want, got); diff != "" || !ok {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, ok, diff)
		}
		for _, m := range got.Marks {
			if w := got.Summary[m[0]:m[1]]; !strings.Contains(strings.Join(tt.words, " "), w) {
				t.Errorf("%s: marks %q", tt.name, w)
			}
		}
	}
	for _, marks := range [][][2]int{nil, {{-1, 3}}, {{3, 3}}, {{0, 10_000}}, markAll(page, "Sluices")} {
		if got, ok := CutText(page, marks, 400); ok {
			t.Errorf("marks %v give %+v", marks, got)
		}
	}
}

// A text of one word or of one line, as long as texts can be, costs no more than a moment.
func TestCutLongText(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"one word": strings.Repeat("sluice ", eventseer.MaxPageText/7), "no space": strings.Repeat("sluice", eventseer.MaxPageText/6),
		"lines": strings.Repeat("sluice\n", eventseer.MaxPageText/7), "no end": strings.Repeat("é", eventseer.MaxPageText/2) + "sluice",
	} {
		var p Passage
		var ok bool
		marks := markAll(s, "sluice")
		if took := tagtreetest.CPU(t, func() { p, ok = CutText(s, marks, 400) }); !ok || len(p.Summary) > 400 || took > 5*time.Second {
			t.Errorf("%s: %v, %d bytes in %v", name, ok, len(p.Summary), took)
		}
	}
}
