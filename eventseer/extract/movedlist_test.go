package extract

import (
	"fmt"
	"strings"
	"testing"
)

// dayForms are how a list prints a day that was moved from A to B. M, W and N are as in movedForms.
var dayForms = []string{
	"<s>A</s> B", "<del>A</del> <b>B</b> (UTC-12)", "A (M)", "B (W)", "A → B", "<s>A</s><br>B", "A<br>M", "<s>A</s> M", "A, M", "B (N)",
	"<span style='text-decoration:line-through'>A</span>&nbsp;<span>B</span>", "<s>A</s><b>M</b>", "<s>A (23:59 UTC-12)</s> B (23:59 UTC-12)",
}

// TestMovedLists reads lists of four deadlines that were all moved, in each layout and form.
func TestMovedLists(t *testing.T) {
	for lang, months := range map[string][4]string{
		"en": {"May", "June", "July", "September"}, "fr": {"mai", "juin", "juillet", "septembre"}, "ja": {"年5", "年6", "年7", "年9"},
	} {
		f, steps := phrasing{}, [4]string{}
		for _, p := range phrasings {
			if p.lang == lang {
				f = p
			}
		}
		for _, v := range vocabularies {
			if v.lang == lang {
				steps = [4]string{v.abstract, v.paper, v.told, v.final}
			}
		}
		for _, l := range callLayouts {
			for _, form := range dayForms {
				var b strings.Builder
				fmt.Fprintf(&b, "<html lang=%s><h1>KITES 2027</h1><h2>Call for Papers</h2>%s", lang, l[0])
				for i, label := range steps {
					g := f
					g.a, g.b = strings.Replace(f.a, months[0], months[i], 1), strings.Replace(f.b, months[0], months[i], 1)
					b.WriteString(strings.NewReplacer("L", label, "D", g.fill(form)).Replace(l[1]))
				}
				want := "abstract 05-09 from 05-01; submission 06-09 from 06-01; notification 07-09 from 07-01; camera_ready 09-09 from 09-01; "
				if form == "B (N)" {
					want = "abstract 05-09; submission 06-09; notification 07-09; camera_ready 09-09; "
				}
				e, _ := newTestExtractor().Extract(parse(t, "p.html", b.String()+l[2]))
				got := ""
				for _, d := range e.Deadlines {
					got += strings.TrimSuffix(fmt.Sprintf("%s %s from %s", d.Kind, d.Date, d.ExtendedFrom), " from ") + "; "
				}
				if got = strings.ReplaceAll(got, "2027-", ""); got != want {
					t.Errorf("%s %s %s: %s", lang, l[1], form, got)
				}
			}
		}
	}
}
