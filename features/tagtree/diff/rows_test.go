package diff

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func compared(t testing.TB, old, new string) *Comparison {
	t.Helper()
	var trees [2]*tagtree.Tree
	for i, body := range []string{old, new} {
		page := &webgraph.Page{URL: "https://conf.example/cfp", Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(body)}
		var err error
		if trees[i], err = tagtree.Parse(page); err != nil {
			t.Skip(err) // binary bytes of the fuzzer
		}
	}
	return Compare(trees[0], trees[1])
}

// drawn writes a row in one line, as wdiff marks words.
func drawn(r Row) string {
	if r.Kind == SkippedRow {
		return fmt.Sprintf("… %d", r.Skipped)
	}
	var b strings.Builder
	for _, p := range r.Parts {
		switch {
		case !p.Changed:
			b.WriteString(p.New)
		default:
			if p.Old != "" {
				b.WriteString("[-" + p.Old + "-]")
			}
			if p.New != "" {
				b.WriteString("{+" + p.New + "+}")
			}
		}
	}
	kind := string(r.Kind)
	if r.Restyling != "" {
		kind = string(r.Restyling)
	}
	return kind + ": " + b.String()
}

func TestRows(t *testing.T) {
	const top = "<h1>Workshop on Gardens</h1><p>We meet by the river.</p><p>Tea is served.</p>"
	for name, tt := range map[string]struct {
		old, new string
		context  int
		want     []string
	}{
		"nothing": {top, top, 1, []string{"… 3"}},
		"all":     {top, top, AllRows, []string{"same: Workshop on Gardens", "same: We meet by the river.", "same: Tea is served."}},
		"edited": {
			top + "<p>Papers are due on May 15, 2027 at noon.</p>", top + "<p>Papers are due on May 25, 2028 at noon.</p>", 1,
			[]string{"… 2", "same: Tea is served.", "edited: Papers are due on May [-15, 2027-]{+25, 2028+} at noon."},
		},
		"added and removed": {
			"<p>Old gates close.</p>" + top, top + "<p>Speakers: to be named soon.</p>", 0,
			[]string{"removed: [-Old gates close.-]", "… 3", "added: {+Speakers: to be named soon.+}"},
		},
		"struck": {
			top + "<p>Due 1 May</p>", top + "<p><s>Due 1 May</s></p>", 0,
			[]string{"… 3", "struck out: Due 1 May"},
		},
		"from nothing": {"", "<p>Hello gardeners</p>", 3, []string{"added: {+Hello gardeners+}"}},
	} {
		var got []string
		for _, r := range compared(t, tt.old, tt.new).SideBySideRows(tt.context) {
			got = append(got, drawn(r))
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestRowAround(t *testing.T) {
	long := strings.Repeat("leaf ", 50)
	row := Row{Parts: []Part{{Old: long, New: long}, {Old: "1", New: "2", Changed: true}, {Old: long, New: long}, {New: "3", Changed: true}, {Old: long, New: long}}}
	if got, want := drawn(row.WithContext(10)), ": …leaf leaf [-1-]{+2+}leaf leaf … leaf leaf {+3+}leaf leaf…"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	short := Row{Parts: []Part{{Old: "few words", New: "few words"}}}
	if d := cmp.Diff(short, short.WithContext(10)); d != "" {
		t.Error(d)
	}
}

// FuzzRows checks that every block of both versions is in one row, and that the parts of a row are its
// blocks.
func FuzzRows(f *testing.F) {
	f.Add("<p>a b c</p><p>d</p>", "<p>a x c</p>")
	f.Add("<s>one</s>", "one<h1>two")
	f.Fuzz(func(t *testing.T, old, new string) {
		c := compared(t, old, new)
		var olds, news []string
		n := 0
		for _, r := range c.SideBySideRows(AllRows) {
			n++
			var o, w strings.Builder
			for _, p := range r.Parts {
				o.WriteString(p.Old)
				w.WriteString(p.New)
			}
			if r.Old >= 0 {
				olds = append(olds, o.String())
			}
			if r.New >= 0 {
				news = append(news, w.String())
			}
		}
		if d := cmp.Diff(blockTexts(c.Old), olds) + cmp.Diff(blockTexts(c.New), news); d != "" {
			t.Error(d)
		}
		m := 0
		for _, r := range c.SideBySideRows(1) {
			m += max(1, r.Skipped)
			for _, p := range r.WithContext(5).Parts {
				if utf8.ValidString(old) && utf8.ValidString(new) && !utf8.ValidString(p.Old+p.New) {
					t.Errorf("%q | %q is cut within a character", p.Old, p.New)
				}
			}
		}
		if n != m {
			t.Errorf("%d rows with context, %d without", m, n)
		}
	})
}

func blockTexts(t *tagtree.Tree) []string {
	var texts []string
	for _, b := range t.Blocks() {
		texts = append(texts, b.Text)
	}
	return texts
}
