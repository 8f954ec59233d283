package query

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// show prints a parsed query in one line.
func show(q Expr) string {
	one := func(t Term) string {
		s := t.Text
		if t.Phrase {
			s = `"` + s + `"`
		}
		if t.Field != "" {
			s = t.Field + t.Op + s
		}
		if t.Near > 0 {
			s += "~" + strconv.Itoa(t.Near)
		}
		return s
	}
	var parts []string
	for _, c := range q.Clauses {
		var alternatives []string
		for _, t := range c {
			alternatives = append(alternatives, one(t))
		}
		parts = append(parts, strings.Join(alternatives, "|"))
	}
	for _, t := range q.Excluded {
		parts = append(parts, "-"+one(t))
	}
	return strings.Join(parts, " & ")
}

func TestParseQuery(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""}, {"  \t", ""},
		{"web crawling", "web & crawling"},
		{`"focused crawling" web`, `"focused crawling" & web`},
		{`“focused crawling”`, `"focused crawling"`},
		{"web -mining", "web & -mining"},
		{`-"data mining" web`, `web & -"data mining"`},
		{"-kind:workshop", "-kind:workshop"},
		{"a b OR c d", "a & b|c & d"},
		{"a OR b OR c", "a|b|c"},
		{"web AND crawling", "web & crawling"},
		{`title:"web search" city:Oslo Year:2027`, `title:"web search" & city:Oslo & year:2027`},
		{"https://x.example/a 10:30", "https://x.example/a & 10:30"},
		{"e-learning - x", "e-learning & - & x"},
		{`ab"cd"`, `ab & "cd"`},
		{"\xff", "\uFFFD"},
		{"due<60d", "due<60d"}, {"due<=8weeks Due>3months", "due<=8w & due>3m"}, {`due<"60 days"`, "due<60d"}, {"due:2w", "due<2w"},
		{"due<2027-03-01 start:2027-03", "due<2027-03-01 & start:2027-03"}, {"-due<7d", "-due<7d"},
		{"rank:core>=a", "rank:core>=A"}, {"rank=core:A*,A", "rank:core=A*,A"}, {"rank:core=A*", "rank:core=A*"}, {"rank:CCF:A", "rank:ccf=A"},
		{"rank:core", "rank:core"}, {"rank:A*", "rank:=A*"}, {"rank>=B", "rank:>=B"}, {"rank:>=B", "rank:>=B"},
		{`where:"New  York" OR where:eu`, "where:New York|where:eu"}, {"country=NO", "country:NO"}, {"kind:journal", "kind:special_issue"},
		{`"web crawler"~5 x`, "web crawler~5 & x"}, {`title:"web crawler"~2`, "title:web crawler~2"},
		{"year>=2026 month:2027-06 id:ICX-2027 series:icx", "year>=2026 & month:2027-06 & id:icx-2027 & series:icx"},
		{"new<7d changed<24h has:extension", "new<7d & changed<24h & has:extension"},
		{"c<d x=y e=mc2 a>b", "c<d & x=y & e=mc2 & a>b"}, {"person:Lovelace place:Oslo", "person:Lovelace & place:Oslo"},
	} {
		got, err := Parse(tt.text)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.text, err)
			continue
		}
		if diff := cmp.Diff(tt.want, show(got)); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", tt.text, diff)
		}
		checkCanonical(t, tt.text, got)
		checkTerms(t, got)
	}
}

func TestParseQueryErrors(t *testing.T) {
	for _, tt := range []struct {
		text string
		pos  int
		msg  string
	}{
		{`web "open`, 4, "not closed"}, {"éé foo:bar", 3, "no field"}, {"title: x", 0, "needs a value"},
		{`topic:"" x`, 0, "needs a value"},
		{"OR a", 0, "before"}, {"a OR", 2, "after"}, {"a OR OR b", 5, "before"}, {"a OR -b", 2, "after"},
		{"-a OR b", 3, "before"}, {"year:soon", 0, "four digits"}, {"year:0027", 0, "four digits"},
		{"web dew<30d", 4, "no field"}, {"title<x", 5, "cannot be compared"}, {"due<soon", 0, "60d"}, {"due<2027-13-01", 0, "60d"}, {"due<", 0, "value"},
		{"x rank:core>=Z", 2, "A*, A, B, C"}, {"rank:core>=A,B", 0, "one rank"}, {"rank:co/re=A", 0, "system"},
		{`"a b"~`, 5, "apart"}, {`"a b"~0`, 5, "apart"}, {`"a b"~51`, 5, "apart"}, {`where:"a b"~5`, 0, "for words"},
		{"kind:party", 0, "conference"}, {"mode:far", 0, "online, hybrid, onsite"}, {"has:hope", 0, "extension"}, {"month:2027-13", 0, "2027-06"}, {"id:a/b", 0, "hyphens"}, {"where:!!", 0, "name"},
		{strings.Repeat("x", MaxText+1), MaxText, "too long"},
		{"\xff" + strings.Repeat("x", MaxText-2), MaxText - 2, "too long"}, // the byte is read as a sign of three
		{strings.Repeat("x ", maxQueryTerms+1), 2 * maxQueryTerms, "words"},
	} {
		_, err := Parse(tt.text)
		var q *Error
		if !errors.As(err, &q) || q.Pos != tt.pos || !strings.Contains(q.Msg, tt.msg) {
			t.Errorf("Parse(%.20q) error = %v, want %q at %d", tt.text, err, tt.msg, tt.pos)
		}
	}
}

// The longest terms can be taken out and put in, written with quotes too.
func TestLongTerms(t *testing.T) {
	for _, text := range []string{
		"\xfe" + strings.Repeat("y", MaxText-3), "title:x/" + strings.Repeat("y", MaxText-8), "-place:" + strings.Repeat("z", MaxText-8) + "/",
		strings.Repeat("\xfe", MaxText/3), `"` + strings.Repeat("web ", MaxText/4-1) + `"`,
	} {
		x, err := Parse(text)
		if err != nil {
			t.Errorf("Parse(%.20q): %v", text, err)
			continue
		}
		checkCanonical(t, text, x)
		checkTerms(t, x)
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, s := range []string{
		`a "b c" -d OR e title:"x" year:2027`, `-`, `-"`, `:`, `a:`, `“`, "OR", `due<60d rank=core:A*,A -where:"new york"`, `"a b"~5`,
		"rank:>=A", "due<=2027-03", `kind:"special issue"`, "--x -- -OR AND", "month:2027-02 new>1y",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := Parse(text)
		var bad *Error
		if err != nil {
			if !errors.As(err, &bad) || bad.Pos < 0 || bad.Pos > len(text) {
				t.Fatalf("Parse(%q): %v", text, err)
			}
			return
		}
		checkCanonical(t, text, x)
		checkTerms(t, x)
	})
}

// checkCanonical checks that a query survives being written and read.
func checkCanonical(t *testing.T, text string, x Expr) {
	t.Helper()
	written := x.String()
	if len(written) > MaxText {
		return
	}
	again, err := Parse(written)
	if err != nil {
		t.Fatalf("%q is written as %q: %v", text, written, err)
	}
	if diff := cmp.Diff(x, again, cmpopts.IgnoreFields(Term{}, "Pos"), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%q is written as %q (-want +got):\n%s", text, written, diff)
	}
}

// checkTerms checks that the facts of terms can be decided at any time, and that
// a term can be taken out and put in.
func checkTerms(t *testing.T, x Expr) {
	t.Helper()
	facts := FactsOf(eventseer.Document{Event: eventseer.Event{ID: "icx-2027", Location: &eventseer.Venue{City: "Oslo", Country: "Norway"}}})
	for _, clause := range x.Clauses {
		for _, term := range clause {
			if test := term.FactTest(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)); (test != nil) != term.IsFact() {
				t.Fatalf("%q: a test and no fact, or a fact and no test", term)
			} else if test != nil {
				test(&facts)
			}
			less, err := x.Without(term.String())
			if err != nil || less.Has(term.String()) {
				t.Fatalf("%q without %q is %q, %v", x, term, less, err)
			}
			if more, err := less.With(term.String()); err != nil || !more.Has(term.String()) {
				t.Fatalf("%q with %q is %q, %v", less, term, more, err)
			}
		}
	}
}

func TestFieldsMeant(t *testing.T) {
	for query, want := range map[string]string{
		"deadline:2027": "; the most similar field is due; try due:", "Location:oslo": "; the most similar field is where; try where:", "countr:no": "; the most similar field is country; try country:",
		"titles:web": "; the most similar field is title; try title:", "colour:red": "“colour”; the fields are ", "ёж:a": "“ёж”; the fields are ",
	} {
		_, err := Parse(query)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", query, err, want)
		}
	}
}
