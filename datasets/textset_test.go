package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// gather splits a sequence into values and errors.
func gather(seq iter.Seq2[Example, error]) (examples []Example, wrong []string) {
	for e, err := range seq {
		if err != nil {
			wrong = append(wrong, err.Error())
		} else {
			examples = append(examples, e)
		}
	}
	return examples, wrong
}

// summary is an example on one line.
func summary(e Example) string {
	source, html := e.SourceMarkup()
	return fmt.Sprintf("%d %s class=%s type=%s cfp=%t untyped=%t group=%s lang=%s html=%t %q",
		e.Line, e.URL, e.Class, e.PageType, e.IsCFP, e.Untyped, e.Group, e.Lang, html, source)
}

func TestReadTexts(t *testing.T) {
	tsv := func(r io.Reader, name string) iter.Seq2[Example, error] {
		return ReadTextTable(r, name, '\t', TextColumns{Text: "body"})
	}
	csv := func(r io.Reader, name string) iter.Seq2[Example, error] {
		return ReadTextTable(r, name, ',', TextColumns{})
	}
	for _, test := range []struct {
		name        string
		read        func(io.Reader, string) iter.Seq2[Example, error]
		in          string
		want, wrong []string
	}{
		{
			"fasttext", ReadFastText, "\ufeff__label__rec.autos a car\n\n__label__x\nno label\n__label__a __label__b two\n__label__ y\n",
			[]string{
				`1 f#1 class=rec.autos type= cfp=false untyped=true group=f#1 lang= html=false "a car"`,
				`3 f#3 class=x type= cfp=false untyped=true group=f#3 lang= html=false ""`,
			},
			[]string{
				`f:4: not in the format: the line begins with "no", not with __label__CLASS`,
				"f:5: not in the format: the line has two labels: keep one",
				`f:6: not in the format: the line begins with "__label__", not with __label__CLASS`,
			},
		},
		{
			"jsonl", ReadJSONL, `{"url":"http://A.example/x","page_type":"cfp","is_cfp":true,"html":"<p>hi","lang":"en","extra":[1]}
{"id":"m1","label":"spam","text":"t","group":"g"}
{"text":"x"}
{"label":
{"label":"x","page_type":"beauty"}
[]`,
			[]string{
				`1 http://A.example/x class= type=cfp cfp=true untyped=false group=a.example lang=en html=true "<p>hi"`,
				`2 m1 class=spam type= cfp=false untyped=true group=g lang= html=false "t"`,
			},
			[]string{
				"f:3: not in the format: no class: give label, page_type or is_cfp",
				"f:4: not in the format: unexpected end of JSON input: each line must be one JSON object",
				`f:5: not in the format: unknown page_type "beauty", the types are ` + strings.Join(pageTypes, ", ") + "; give other classes as label",
				"f:6: not in the format: json: cannot unmarshal array into Go value of type datasets.jsonExample: each line must be one JSON object",
			},
		},
		{
			"tsv", tsv, "class\tbody\tid\nham\t\"two\nlines\"\tm1\nspam\tx\n\tno class\tm3\nspam\tlast\tm4",
			[]string{
				`2 m1 class=ham type= cfp=false untyped=true group=m1 lang= html=false "two\nlines"`,
				`6 m4 class=spam type= cfp=false untyped=true group=m4 lang= html=false "last"`,
			},
			[]string{
				"f:4: not in the format: wrong number of fields: each line needs as many fields as the first, and quotes inside a field must be doubled",
				"f:5: not in the format: no class: give label, page_type or is_cfp",
			},
		},
		{
			"csv, quotes", csv, "text,label\na,b\nc \"d\",e\nf,g\n",
			[]string{`2 f#2 class=b type= cfp=false untyped=true group=f#2 lang= html=false "a"`},
			[]string{"f:3: not in the format: bare \" in non-quoted-field: each line needs as many fields as the first, and quotes inside a field must be doubled"},
		},
		{"csv without text", csv, "x,label\n1,b\n", nil, []string{"f:1: not in the format: no column of texts is given, the columns are x, label"}},
		{"empty csv", csv, "", nil, []string{"f: not in the format: no line contains a row"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			examples, wrong := gather(test.read(strings.NewReader(test.in), "f"))
			var got []string
			for _, e := range examples {
				got = append(got, summary(e))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("examples (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.wrong, wrong); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLongTextsAreRefused(t *testing.T) {
	in := "__label__a " + strings.Repeat("x", maxRecord) + "\n__label__b y\n"
	examples, wrong := gather(ReadFastText(strings.NewReader(in), "f"))
	if len(examples) != 1 || len(wrong) != 1 || !strings.HasPrefix(wrong[0], "f:1: too large: the line is longer than") {
		t.Errorf("%d examples, errors %q", len(examples), wrong)
	}
	long := strings.Repeat("x", maxNameBytes+1)
	if _, wrong := gather(ReadJSONL(strings.NewReader(`{"label":"`+long+`"}`), "f")); len(wrong) != 1 || !strings.Contains(wrong[0], "too large") {
		t.Errorf("errors %q", wrong)
	}
}

func TestFailingReaderEndsTexts(t *testing.T) {
	broken := errors.New("disk on fire")
	_, wrong := gather(ReadJSONL(io.MultiReader(strings.NewReader("{\"label\":\"x\"}\n"), failing{broken}), "f"))
	if len(wrong) != 1 || wrong[0] != "f:2: disk on fire" {
		t.Errorf("errors %q", wrong)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestTextsRoundTrip writes random sets as JSONL, CSV and TSV and reads them back.
func TestTextsRoundTrip(t *testing.T) {
	word := rapid.StringMatching(`[a-zé"',<&][ a-zß"',<&\t]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		var examples []Example
		for i := range rapid.IntRange(1, 6).Draw(t, "n") {
			j := jsonExample{
				URL: fmt.Sprintf("u%d", i), Label: word.Draw(t, "label"), Group: word.Draw(t, "group"),
				Lang: rapid.SampledFrom([]string{"", "en"}).Draw(t, "lang"), Source: rapid.SampledFrom([]string{"", "s"}).Draw(t, "source"),
			}
			if rapid.Bool().Draw(t, "typed") {
				cfp := rapid.Bool().Draw(t, "cfp")
				j.IsCFP, j.PageType = &cfp, rapid.SampledFrom(pageTypes).Draw(t, "type")
			}
			if rapid.Bool().Draw(t, "markup") {
				j.HTML = "<p>" + word.Draw(t, "html") + "\n"
			} else {
				j.Text = word.Draw(t, "text")
			}
			e, err := j.example(filePosition{"f", i + 1})
			if err != nil {
				t.Fatal(err)
			}
			examples = append(examples, e)
		}
		for name, f := range map[string]struct {
			write func(io.Writer) Writer
			read  func(io.Reader, string) iter.Seq2[Example, error]
		}{
			"jsonl": {NewJSONLWriter, ReadJSONL},
			"csv":   {func(w io.Writer) Writer { return NewTextTableWriter(w, ',') }, func(r io.Reader, n string) iter.Seq2[Example, error] { return ReadTextTable(r, n, ',', TextColumns{}) }},
			"tsv":   {func(w io.Writer) Writer { return NewTextTableWriter(w, '\t') }, func(r io.Reader, n string) iter.Seq2[Example, error] { return ReadTextTable(r, n, '\t', TextColumns{}) }},
		} {
			var b bytes.Buffer
			w := f.write(&b)
			for _, e := range examples {
				if err := w.Write(e, e.Class); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			again, wrong := gather(f.read(bytes.NewReader(b.Bytes()), "f"))
			for i := range again {
				again[i].Line = examples[min(i, len(examples)-1)].Line
			}
			if diff := cmp.Diff(examples, again); diff != "" || len(wrong) > 0 {
				t.Fatalf("%s, errors %q (-want +got):\n%s\n%s", name, wrong, diff, b.Bytes())
			}
		}
	})
}

func TestFastTextWriter(t *testing.T) {
	var b strings.Builder
	w := NewFastTextWriter(&b)
	e, _ := jsonExample{Label: "a b", HTML: "<title>T  1</title><p>x\n<p>y"}.example(filePosition{"f", 1})
	if err := errors.Join(w.Write(e, e.Class), w.Flush()); err != nil {
		t.Fatal(err)
	}
	if want := "__label__a_b T 1 x y\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestIsTextTable(t *testing.T) {
	for in, want := range map[string]bool{
		"text,class\nhello,a\n": true, "html,class\n<p>,a\n": true, "text,class\n0.5,a\n": false, "x,class\n1,a\n": false, "": false, "text,class\n": true,
	} {
		if got := IsTextTable(strings.NewReader(in), "f", ',', TextColumns{}); got != want {
			t.Errorf("%q is of texts: %t", in, got)
		}
	}
}

func TestWriteLabels(t *testing.T) {
	labels := []Label{
		{URL: "http://a.example/", PageType: "cfp", IsCFP: true, Group: "g", Lang: "en", How: "read", Source: "s", Line: 2},
		{URL: "b", PageType: "other", Group: "h", Subtype: "x", Discipline: "law", Line: 3},
	}
	for _, typed := range []bool{true, false} {
		var b strings.Builder
		if err := WriteLabels(&b, labels); err != nil {
			t.Fatal(err)
		}
		d, err := Read(strings.NewReader(b.String()), "l.tsv")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(labels, d.Labels()); diff != "" {
			t.Errorf("typed %t (-want +got):\n%s", typed, diff)
		}
		labels[0].PageType, labels[1].PageType = "", ""
	}
	labels[0].PageType = "cfp"
	if err := WriteLabels(io.Discard, labels); err == nil || !strings.Contains(err.Error(), "write them to separate files") {
		t.Errorf("error %v", err)
	}
	if err := WriteLabels(io.Discard, []Label{{URL: "a\tb"}}); err == nil || !strings.Contains(err.Error(), "column url contains a tab") {
		t.Errorf("error %v", err)
	}
}

func TestAsLabel(t *testing.T) {
	for class, want := range map[string]Label{
		"cfp": {PageType: "cfp", IsCFP: true}, "weblog": {PageType: "weblog"}, "true": {IsCFP: true}, "false": {}, "not_cfp": {},
	} {
		if got, err := (Example{Class: class, Untyped: true}).AsLabel(); err != nil || got != want {
			t.Errorf("%s is %+v, error %v, want %+v", class, got, err, want)
		}
	}
	if _, err := (Example{Class: "rec.autos", Untyped: true}).AsLabel(); err == nil {
		t.Error("rec.autos is a label")
	}
}

func TestMboxWriter(t *testing.T) {
	var b strings.Builder
	w := NewMboxWriter(&b)
	e, _ := jsonExample{URL: "m1", Label: "x", Text: "Dear all,\nFrom here it is =far.\nß\n"}.example(filePosition{"f", 1})
	if err := errors.Join(w.Write(e, ""), w.Flush()); err != nil {
		t.Fatal(err)
	}
	const want = `From corpus@example.org Thu Jan  1 00:00:00 1970
X-Corpus-Id: m1
Subject: 
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Dear all,
=46rom here it is =3Dfar.
=C3=9F


`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	e.URL = "m\n1"
	if err := w.Write(e, ""); err == nil {
		t.Error("a line end in an id is written")
	}
}

func TestNames(t *testing.T) {
	v := &Vectors{Classes: []string{"not_cfp", "cfp"}, Names: []string{"body:call", "url:cfp"}, Rows: []Row{{X: vec(1, 2)}}}
	var b strings.Builder
	if err := WriteNames(&b, v); err != nil {
		t.Fatal(err)
	}
	if want := "class\t-1\tnot_cfp\nclass\t1\tcfp\nterm\t1\tbody:call\nterm\t2\turl:cfp\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	again := &Vectors{Classes: []string{"-1", "1"}, Rows: v.Rows}
	if err := again.ReadNames(strings.NewReader(b.String()), "n"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v, again); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for in, want := range map[string]string{
		"term\t1\tx\n":              "n:2: not in the format: there are 1 terms for vectors of 2 components",
		"term\t2\tx\n":              `n:1: not in the format: "term" "2" is found where term 1 was expected`,
		"term\t1\n":                 "n:1: not in the format: the line has 2 fields",
		strings.Repeat("x", 10_000): "n:1: too large",
	} {
		if err := again.ReadNames(strings.NewReader(in), "n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: error %v, want %q", in, err, want)
		}
	}
}

func fuzzTexts(f *testing.F, read func(io.Reader, string) iter.Seq2[Example, error]) {
	f.Fuzz(func(t *testing.T, in string) {
		examples, wrong := gather(read(strings.NewReader(in), "f"))
		for _, e := range examples {
			if e.URL == "" || e.Group == "" || e.Page == nil || e.ClassBy("") == "" {
				t.Errorf("example %+v", e)
			}
		}
		for _, err := range wrong {
			if !strings.HasPrefix(err, "f:") {
				t.Errorf("error %q does not name the file", err)
			}
		}
	})
}

func FuzzReadJSONL(f *testing.F) {
	f.Add(`{"url":"u","label":"x","text":"t"}` + "\n{\"is_cfp\":null}\n[[[[")
	fuzzTexts(f, ReadJSONL)
}

func FuzzReadFastText(f *testing.F) {
	f.Add("__label__x y\n__label__\n\xff")
	fuzzTexts(f, ReadFastText)
}

func FuzzReadTextTable(f *testing.F) {
	f.Add("text,label,is_cfp\n\"a\nb\",x,true\n,,\nq\"")
	fuzzTexts(f, func(r io.Reader, name string) iter.Seq2[Example, error] {
		return ReadTextTable(r, name, ',', TextColumns{})
	})
}
