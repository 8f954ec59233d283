package collection

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
)

// TestKept checks that the data kept of pages has no address of a person. That includes values,
// labels, links, texts that all pages have, and rows of lists.
func TestKept(t *testing.T) {
	set, err := OpenSet(t.TempDir(), SetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pages := func(i int) []*tagtree.Tree {
		record := fmt.Sprintf(`<title>Talk %[1]d</title><h1>Talk %[1]d</h1><p>Where: Room %[1]d</p>
<h2>ann%[1]d.hidden@owls.example</h2><p>chair%[1]d.hidden@owls.example</p><b>web.hidden@owls.example:</b> <i>%[1]d</i>
<p>Write to all.hidden@owls.example for room %[1]d</p><p>Write to us.hidden [at] owls [dot] example now</p>
<a href="mailto:bob%[1]d.hidden@owls.example">mail</a>`, i)
		list := "<title>Talks</title><table>"
		for j := range 12 {
			list += fmt.Sprintf(`<tr><td><a href="/talks/%[1]d">Talk %[1]d of eve%[1]d.hidden@owls.example</a><td>June %[1]d<td>dan%[1]d.hidden@owls.example`, 10*i+j)
		}
		return []*tagtree.Tree{
			pageOf(t, fmt.Sprintf("https://owls.example/talks/%d", i), record), pageOf(t, fmt.Sprintf("https://owls.example/list/%d", i), list+"</table>"),
		}
	}
	rows := 0
	for i := range 6 {
		for _, page := range pages(i) {
			if err := set.LearnPage(page, func(l *Lesson) error {
				rows += len(l.Fresh)
				if l.Wrapper != nil {
					l.Read()
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if list, err := set.List(); err != nil || len(list) < 2 || rows == 0 {
		t.Fatalf("%d wrappers, %d rows, %v", len(list), rows, err)
	}
	for name, text := range files(t, set.dir) {
		if i := strings.Index(text, "hidden"); i >= 0 {
			t.Errorf("%s holds an address: …%s…", name, text[max(0, i-80):min(len(text), i+40)])
		}
	}
}
