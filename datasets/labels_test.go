package datasets

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

const header = "url\tpage_type\tis_cfp\tgroup\n"

func problems(d *Dataset) []string {
	var texts []string
	for _, p := range d.Problems.First() {
		texts = append(texts, p.String())
	}
	return texts
}

func TestReadLabels(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []Label
		problems []string
	}{
		{
			name: "plain",
			in:   header + "http://a.example/cfp\tcfp\ttrue\tg1\nhttp://b.example/\tother\tfalse\tg2\n",
			want: []Label{
				{URL: "http://a.example/cfp", PageType: "cfp", IsCFP: true, Group: "g1", Line: 2},
				{URL: "http://b.example/", PageType: "other", Group: "g2", Line: 3},
			},
		},
		{
			name: "columns in another order, carriage returns, byte order mark, no last newline",
			in:   "\ufeffis_cfp\tlang\turl\tpage_type\r\ntrue\tde\thttp://A.example/x\tconference",
			want: []Label{{URL: "http://A.example/x", PageType: "conference", IsCFP: true, Lang: "de", Group: "a.example", Line: 2}},
		},
		{
			name: "messages by id",
			in:   "id\tis_cfp\tlist\nmail-1\ttrue\ta\n",
			want: []Label{{URL: "mail-1", PageType: "mail_announcement", IsCFP: true, Group: "mail-1", Line: 2}},
		},
		{
			name: "no page types",
			in:   "url\tis_cfp\nhttp://a.example/\ttrue\n",
			want: []Label{{URL: "http://a.example/", IsCFP: true, Group: "a.example", Line: 2}},
		},
		{
			name: "every kind of bad line",
			in: header + "http://a.example/\tcfp\n" + "http://a.example/\tcall\ttrue\tg\n" + "http://a.example/\tcfp\tyes\tg\n" +
				"\tcfp\ttrue\tg\n" + "http://\xff/\tcfp\ttrue\tg\n" + strings.Repeat("x", maxLineBytes) + "\n\n" + "http://a.example/\tcfp\ttrue\tg\n",
			want: []Label{{URL: "http://a.example/", PageType: "cfp", IsCFP: true, Group: "g", Line: 9}},
			problems: []string{
				"l.tsv:2: 2 columns, the header has 4",
				`l.tsv:3: unknown page_type "call", the types are ` + strings.Join(pageTypes, ", "),
				`l.tsv:4: is_cfp is "yes", must be true or false`,
				"l.tsv:5: the url is empty",
				"l.tsv:6: the line is not UTF-8",
				"l.tsv:7: the line is longer than 65536 bytes",
			},
		},
		{
			name:     "a long last line without its end",
			in:       header + "u\tcfp\ttrue\tg\n" + strings.Repeat("x", maxLineBytes+1),
			want:     []Label{{URL: "u", PageType: "cfp", IsCFP: true, Group: "g", Line: 2}},
			problems: []string{"l.tsv:3: the line is longer than 65536 bytes"},
		},
		{
			name:     "lines without a label",
			in:       header + "u\tcfp\ttrue\tg\nv\tcfp\t\tg\nw\tcfp\t\tg\n",
			want:     []Label{{URL: "u", PageType: "cfp", IsCFP: true, Group: "g", Line: 2}},
			problems: []string{"l.tsv:3: is_cfp is empty, also in 1 more lines; they are left out"},
		},
		{
			name: "one URL twice",
			in:   header + "u\tcfp\ttrue\tg\nu\tcfp\ttrue\tg\nu\tother\tfalse\tg\n",
			want: []Label{{URL: "u", PageType: "cfp", IsCFP: true, Group: "g", Line: 2}},
			problems: []string{
				"l.tsv:4: url u has another label in line 2, the first is used: remove the wrong line",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := Read(strings.NewReader(test.in), "l.tsv")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, d.labels); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.problems, problems(d)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadLabelsFails(t *testing.T) {
	for name, in := range map[string]string{
		"empty":          "",
		"no column":      "url\tpage_type\nu\tcfp\n",
		"header only":    header,
		"all lines bad":  header + "u\tnone\ttrue\tg\n",
		"long header":    strings.Repeat("x", maxLineBytes+1),
		"no header line": "http://a.example/\tcfp\ttrue\tg\n",
	} {
		if d, err := Read(strings.NewReader(in), "l.tsv"); err == nil {
			t.Errorf("%s: %d labels and no error", name, d.Len())
		} else if !strings.HasPrefix(err.Error(), "l.tsv:") {
			t.Errorf("%s: error %q does not name the file", name, err)
		}
	}
}

// pagesOf yields a page for each URL, or an error for "!".
func pagesOf(urls ...string) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) {
		for _, u := range urls {
			var err error
			if u == "!" {
				err = errors.New("rotten record")
			}
			if !yield(&webgraph.Page{URL: u, Body: []byte("body of " + u)}, err) {
				return
			}
		}
	}
}

func TestExamples(t *testing.T) {
	const labels = header + "a\tcfp\ttrue\tg\nb\tother\tfalse\tg\nc\tweblog\tfalse\th\n"
	read := func(urls ...string) (*Dataset, []string) {
		d, err := Read(strings.NewReader(labels), "l.tsv")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for e := range d.Examples(pagesOf(urls...)) {
			got = append(got, e.PageType+" "+e.Page.URL)
		}
		return d, got
	}
	d, got := read("b", "unknown", "!", "b", "a")
	if diff := cmp.Diff([]string{"other b", "cfp a"}, got); diff != "" {
		t.Errorf("examples (-want +got):\n%s", diff)
	}
	want := []string{
		"l.tsv: a page cannot be read: rotten record",
		"l.tsv:3: page b occurs twice, the first one is used",
		"l.tsv:4: page c is not in the input: add the page or remove the line",
	}
	if diff := cmp.Diff(want, problems(d)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	other, _ := read("a", "b")
	if d.Digest() != other.Digest() {
		t.Error("the digest depends on the order of the pages")
	}
	if all, _ := read("a", "b", "c"); all.Digest() == other.Digest() {
		t.Error("the digest does not depend on the pages")
	}
}

func TestProblems(t *testing.T) {
	var ps Problems
	for range MaxProblems {
		ps.Add(Problem{Kind: NoPage, File: "f", Line: 1, Text: "x"})
	}
	ps.Add(Problem{Kind: Conflict, File: "f", Text: "y"})
	var b strings.Builder
	if err := ps.Write(&b, 2); err != nil {
		t.Fatal(err)
	}
	if want := "f:1: x\nf:1: x\n… and 999 more problems, in all 1 conflicting labels, 1000 labels without page\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	if ps.Len() != MaxProblems+1 || len(ps.First()) != MaxProblems || ps.counts[Conflict] != 1 {
		t.Errorf("%d problems, %d kept, %d conflicts", ps.Len(), len(ps.First()), ps.counts[Conflict])
	}
}

func FuzzReadLabels(f *testing.F) {
	f.Add(header + "u\tcfp\ttrue\tg\n")
	f.Add(header + "\xff\t\t\t\n\n\t")
	f.Fuzz(func(t *testing.T, in string) {
		d, err := Read(strings.NewReader(in), "l.tsv")
		if err != nil {
			return
		}
		for _, l := range d.labels {
			if l.URL == "" || l.Group == "" || d.typed && !slices.Contains(pageTypes, l.PageType) {
				t.Errorf("label %+v", l)
			}
		}
	})
}
