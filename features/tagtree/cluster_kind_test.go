package tagtree

import (
	"fmt"
	"strings"
	"testing"
)

func TestListShare(t *testing.T) {
	var rows, prose strings.Builder
	for i := range 12 {
		fmt.Fprintf(&rows, "<li><a href=/owl%d>Owl number %d</a>, %d May, a wood</li>", i, i, i+1)
		fmt.Fprintf(&prose, "<p>The owls of wood %d are heard by night, and seen by those who wait, as many do.</p>", i)
	}
	for _, c := range []struct {
		name, markup string
		category     bool
	}{
		{"a list", "<h1>Owls</h1><ul>" + rows.String() + "</ul>", true},
		{"prose with a few links", "<h1>An owl</h1>" + prose.String() + "<p><a href=/a>one</a> <a href=/b>two</a> <a href=/c>three</a>", false},
		{"a list of facts", "<h1>An owl</h1><table>" + strings.Repeat("<tr><th>Seen<td>by night", 12) + "</table>", false},
		{"nothing", "", false},
	} {
		tree, err := Parse(page(c.markup, "text/html"))
		if err != nil {
			t.Fatal(err)
		}
		if share := tree.ListShare(); (share >= ListShareOfCategory) != c.category {
			t.Errorf("%s: list share %v", c.name, share)
		}
	}
}
