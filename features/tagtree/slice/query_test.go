package slice

import (
	"errors"
	"fmt"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseQuery(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"members", "members"},
		{"  Members  ACM ", "members OR acm"},
		{`"Call for  Papers!"`, `"call for papers"`},
		{"“call for papers” „x y“ «z w»", `"call for papers" OR "x y" OR "z w"`},
		{"a b AND c d", "a OR (b AND c) OR d"},
		{"a OR b AND c", "a OR (b AND c)"},
		{"(a OR b) AND c", "(a OR b) AND c"},
		{"a and or not b", "a OR and OR or OR not OR b"},
		{"a -b", "a NOT b"},
		{"a NOT b", "a NOT b"},
		{"a AND NOT b", "a NOT b"},
		{"a b -c -\"d e\"", `(a OR b) NOT (c OR "d e")`},
		{"-c a", "a NOT c"},
		{"NOT (a OR b) c", "c NOT (a OR b)"},
		{"a AND (-b)", "a NOT b"},
		{"NOT a AND NOT b AND c", "c NOT (a OR b)"},
		{"a OR (b -c)", "a OR (b NOT c)"},
		{"NOT -a", "a"},
		{"e-mail", `"e mail"`},
		{"a - b", "a OR b"},
		{"a & b AND !!!", "a OR b"},
		{"((a))", "a"},
		{"締切", `"締 切"`},
	} {
		q, err := ParseQuery(tt.in)
		if err != nil {
			t.Errorf("ParseQuery(%q): %v", tt.in, err)
			continue
		}
		if got := q.String(); got != tt.want {
			t.Errorf("ParseQuery(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestParseQueryErrors(t *testing.T) {
	many := ""
	for i := range maxTerms {
		many += fmt.Sprintf("w%d ", i)
	}
	for _, tt := range []struct{ in, want string }{
		{"", ErrEmptyQuery.Error()},
		{" \t- !? \"\" \"-\" ", ErrEmptyQuery.Error()},
		{"-a", "only excludes words"},
		{"NOT (a b) -c", "only excludes words"},
		{"a OR -b", "one side of OR"},
		{"a AND", "a word is missing at byte 5"},
		{"AND a", "AND at byte 0 has nothing before it"},
		{"a OR", "a word is missing at byte 4"},
		{"OR a", "a word is missing at byte 0"},
		{"a AND OR b", "a word is missing at byte 6"},
		{"NOT", "a word is missing at byte 3"},
		{"a ()", "a word is missing at byte 3"},
		{"a)", `the ")" at byte 1 has no opening parenthesis`},
		{"(a", `the "(" at byte 0 is not closed`},
		{`a "b c`, "the quote at byte 2 is not closed"},
		{strings.Repeat("(", maxNesting+1) + "a", "nested more than 32 deep"},
		{strings.Repeat("NOT ", maxNesting+1) + "a", "nested more than 32 deep"},
		{many + "owl", "more than 64 words"},
		{strings.Repeat("x", maxQuery+1), "1001 bytes"},
		{strings.Repeat("題", maxPhrase+1), "33 words or characters"},
	} {
		q, err := ParseQuery(tt.in)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("ParseQuery(%.40q) = %v, %v, want an error with %q", tt.in, q, err, tt.want)
		}
		if empty := tt.want == ErrEmptyQuery.Error(); errors.Is(err, ErrEmptyQuery) != empty {
			t.Errorf("ParseQuery(%.40q): %v, want ErrEmptyQuery: %v", tt.in, err, empty)
		}
	}
	if _, err := ParseQuery(many + " w0 W1"); err != nil {
		t.Errorf("%d terms: %v", maxTerms, err)
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, s := range []string{"a b", `"a b" AND -c`, "((a) OR NOT b) c", "\xff“a”", "a-b - -c", "論文 \"x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := ParseQuery(s)
		if err != nil {
			return
		}
		again, err := ParseQuery(q.String())
		if len(q.String()) <= maxQuery && (err != nil || again.String() != q.String()) {
			t.Fatalf("%q is %q, which is %v, %v", s, q, again, err)
		}
	})
}

// found returns the words that the query marks on a page.
func found(t *testing.T, q *Query, body string) []string {
	t.Helper()
	s := NewSlice(tagtreetest.Parse(t, body), q, Options{})
	var marks []string
	for _, m := range s.marks {
		marks = append(marks, s.nodes[m.Piece].Text[m.From:m.To])
	}
	return marks
}

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		name, query, body string
		want              []string
	}{
		{"case", "members", "<p>Members MEMBERS remembers", []string{"Members", "MEMBERS"}},
		{"diacritics", "universite", "<p>Université Universite\u0301 UNIVERSITÉ", []string{"Université", "Universite\u0301", "UNIVERSITÉ"}},
		{"diacritics in the query", "Łódź Straße", "<p>lodz STRASSE", []string{"lodz", "STRASSE"}},
		{"Greek", "συνέδριο ΠΡΟΘΕΣΜΊΑΣ", "<p>Συνεδριο προθεσμιας", []string{"Συνεδριο", "προθεσμιας"}},
		{"Arabic marks", "مؤتمر", "<p dir=rtl>مُؤْتَمَر دولي", []string{"مُؤْتَمَر"}},
		{"Hebrew", "כנס", "<p dir=rtl>כֶּנֶס שנתי", []string{"כֶּנֶס"}},
		{"Chinese within a text", "论文", "<p>会议论文征集，论 文", []string{"论文", "论 文"}},
		{"Japanese", "投稿締切", "<p>論文の投稿締切は五月", []string{"投稿締切"}},
		{"kana differ by their marks", "かき", "<p>がき かき", []string{"かき"}},
		{"Korean with a particle", "논문", "<p>논문을 모집", []string{"논문"}},
		{"Thai", "บทความ", "<p>ส่งบทความได้", []string{"บทความ"}},
		{"Hindi vowels count", "कि", "<p>का कि", []string{"कि"}},
		{"soft hyphens", "conference", "<p>con\u00adfer\u200bence", []string{"con\u00adfer\u200bence"}},
		{"phrase over marks", `"call for papers"`, "<p>Call for Papers, call: for-papers, papers for call", []string{"Call for Papers", "call: for-papers"}},
		{"phrase over lines", `"call for papers"`, "<h1>Call<br>for<br>papers</h1>", []string{"Call", "for", "papers"}},
		{"no phrase over paragraphs", `"call for papers"`, "<p>Call<p>for papers<div>call<br><br>for papers</div>", nil},
		{"no phrase over cells", `"call for"`, "<table><td>call<td>for", nil},
		{"word over inline elements", "call", "<p><b>C</b>all <a>ca</a>ll", []string{"C", "all"}},
		{"phrase over a link with a title", `"call for papers"`, `<p>call <a title="x" href=y>for</a> <img alt=x>papers`, []string{"call ", "for", " ", "papers"}},
		{"links are words", "home members", "<li><a>Home</a><a>Members</a>", []string{"Home", "Members"}},
		{"overlapping phrases", `"a b" "b c"`, "<p>a b c", []string{"a b c"}},
		{"phrase at the end of another", `"a b" b`, "<p>a b", []string{"a b"}},
		{"AND met", "a AND b", "<p>a<p>b<p>c", []string{"a", "b"}},
		{"AND not met", "a AND b", "<p>a<p>c", nil},
		{"AND within OR", "(a AND x) OR b", "<p>a<p>b", []string{"b"}},
		{"AND of what NOT leaves", "(a -b) AND c", "<p>a b<p>c", nil},
		{"NOT by line", "deadline -extended", "<p>deadline one<br>extended deadline two<p>deadline", []string{"deadline", "deadline"}},
		{"NOT by a phrase", `a -"b c"`, "<p>a b c<p>a c b", []string{"a"}},
		{"NOT both", "a NOT (b AND c)", "<p>a b<p>a b c", []string{"a"}},
		{"NOT in another element of the line", "a -b", "<p><i>a</i> <b>b</b><p><i>a</i>", []string{"a"}},
		{"a long word", "x", "<p>" + strings.Repeat("x", 9999), nil},
	} {
		if diff := cmp.Diff(tt.want, found(t, query(t, tt.query), tt.body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestFoldAndExpand(t *testing.T) {
	stem := func(w string) string { return strings.TrimRight(strings.TrimSuffix(w, "s"), "é") }
	same := func(w string) []string {
		return map[string][]string{"call": {"CFP", "call for papers", "invitation", ""}}[w]
	}
	const body = "<p>calls, CFPs, invitation, call for paper, papers"
	q := query(t, "call")
	for _, tt := range []struct {
		name string
		q    *Query
		want []string
	}{
		{"plain", q, []string{"call"}},
		{"stems", q.NormalizedBy(stem), []string{"calls", "call"}},
		{"synonyms", q.WithSynonyms(same), []string{"invitation", "call"}},
		{"both", q.WithSynonyms(same).NormalizedBy(stem), []string{"calls", "CFPs", "invitation", "call for paper"}},
		{"both the other way round", q.NormalizedBy(stem).WithSynonyms(same), []string{"calls", "CFPs", "invitation", "call for paper"}},
		{"phrases are exact", query(t, `"call" "papers"`).WithSynonyms(same).NormalizedBy(stem), []string{"call", "papers"}},
		{"phrase and word", query(t, `"paper" call`).NormalizedBy(stem), []string{"calls", "call", "paper"}},
	} {
		if diff := cmp.Diff(tt.want, found(t, tt.q, body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	var asked []string
	many := func(w string) []string {
		asked = append(asked, w)
		words := make([]string, maxSynonyms+50)
		for i := range words {
			words[i] = fmt.Sprint("s", i)
		}
		return words
	}
	q = query(t, `Call "x y" É`).WithSynonyms(many)
	if diff := cmp.Diff([]string{"call", "é"}, asked); diff != "" || len(q.terms[0].forms) != maxSynonyms+1 {
		t.Errorf("%d forms; asked for (-want +got):\n%s", len(q.terms[0].forms), diff)
	}
}
