package person

import (
	"slices"
	"strings"
	"testing"
)

// spansOf returns the possible names of a text.
func spansOf(s string) []string {
	ws := splitWords(nil, s, nil)
	var names []string
	for _, sp := range nameSpans(s, ws) {
		names = append(names, singleSpaced(sp.printedName(s, ws)))
	}
	return names
}

// TestSpans checks that every name is among the possible ones in any script, order and punctuation.
func TestSpans(t *testing.T) {
	for text, want := range map[string]string{
		"Anna Brookfield, University of Hilltown":               "Anna Brookfield",
		"Prof. Dr. Anna van der Brook (TU Hilltown)":            "Anna van der Brook",
		"organised by Anna Brookfield and Luis Marsh in spring": "Luis Marsh",
		"Brookfield, Anna (Hilltown)":                           "Anna Brookfield",
		"Chair: J. R. R. Marsh; Karin Holm":                     "J. R. R. Marsh",
		"MARSH Luis · Tarn College":                             "MARSH Luis",
		"Wei (Bob) Marsh, Tarn":                                 "Wei (Bob) Marsh",
		"P.Marsh, Tarn":                                         "P.Marsh",
		"Maria d'Arco | Jean-Luc O’Hill":                        "Jean-Luc O’Hill",
		"主席：王小明（山下大学）、李娟（河上大学）":                                 "李娟",
		"王小明教授":                                                 "王小明",
		"山田 太郎（河上大学）":                                           "山田 太郎",
		"위원장: 김철수 (한강대학교)":                                      "김철수",
		"Председатель: Иван Холмов":                             "Иван Холмов",
		"د. أحمد محمد (جامعة التل)":                             "أحمد محمد",
		"Ann Mary Brook University of Hilltown Norway":          "Ann Mary Brook",
	} {
		if names := spansOf(text); !slices.Contains(names, want) {
			t.Errorf("%q is not among %q", want, names)
		}
	}
}

// TestWordsAtEdges checks that words without a space between them are separated at the edge of an element.
func TestWordsAtEdges(t *testing.T) {
	const text = "Anna Lindberg Tarn, USALuis 王小明教授"
	var got []string
	for _, w := range splitWords(nil, text, []int32{int32(len("Anna Lindberg")), int32(len("Anna Lindberg Tarn, USA"))}) {
		s := text[w.from:w.to]
		if w.begins {
			s = "[" + s
		}
		if w.ends {
			s += "]"
		}
		if w.title {
			s += " (title)"
		}
		got = append(got, s)
	}
	if want := "[Anna|Lindberg]|[Tarn|USA]|[Luis|王小明|教授] (title)"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", strings.Join(got, "|"), want)
	}
}

func TestNoSpans(t *testing.T) {
	for _, text := range []string{"", "  ", "we welcome papers on rivers", "12 May 2027", "http", "a, b, c", "(((", "٣٤"} {
		if names := spansOf(text); len(names) > 0 {
			t.Errorf("%q may hold names: %q", text, names)
		}
	}
}

func TestClauses(t *testing.T) {
	roleOf := func(s string) uint8 {
		if strings.Contains(s, "chair") {
			return 3
		}
		return 0
	}
	const text = "Local chairs: Anna Brookfield; Luis Marsh. Contact: Prof. Dr. Karin Holm. The chairs welcome you in 2027. Anna Marsh wrote it. The program chairs (two) are glad (so am I). Luis Brook is"
	got := map[string][2]uint8{}
	from := 0
	for _, c := range splitClauses(text, roleOf) {
		got[strings.TrimSpace(text[from:c.to])] = [2]uint8{c.own, c.label}
		from = min(c.to+1, len(text))
	}
	for clause, want := range map[string][2]uint8{
		"Local chairs": {3, 0}, "Anna Brookfield": {0, 3}, "Luis Marsh": {0, 3}, "Prof. Dr. Karin Holm": {0, unknownRole}, "The chairs welcome you in 2027": {3, 0}, "Anna Marsh wrote it": {0, 0},
		"The program chairs (two) are glad (so am I)": {3, 0}, "Luis Brook is": {0, 0},
	} {
		if got[clause] != want {
			t.Errorf("%q: own and label %v, want %v", clause, got[clause], want)
		}
	}
}

// FuzzSpans checks that the number of spans is bounded by the text and that they are inside it.
func FuzzSpans(f *testing.F) {
	for _, s := range []string{"Anna Brookfield (Tarn), Luis Marsh", "王小明（山下大学）", "A. B. C.", ".-'’", "\xff\xfeA", "Ǆ Ǆ", "김 철수"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ws := splitWords(nil, s, nil)
		sps := nameSpans(s, ws)
		if len(sps) > 12*len(ws) {
			t.Errorf("%d spans of %d words", len(sps), len(ws))
		}
		for _, sp := range sps {
			if sp.from < 0 || sp.from >= sp.to || sp.to > len(s) || sp.to-sp.from > maxBytes || sp.first > sp.last || sp.last >= len(ws) {
				t.Fatalf("%+v of %q", sp, s)
			}
			if strings.TrimSpace(sp.printedName(s, ws)) == "" {
				t.Errorf("no name: %+v of %q", sp, s)
			}
		}
		p := NewPage([]Block{{Text: s}, {Text: s}}, func(string) uint8 { return 1 })
		for i := range p.blocks {
			for k := range p.spans[i] {
				p.AppendTerms(nil, i, k)
			}
		}
	})
}
