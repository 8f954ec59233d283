package tagtree

import (
	"fmt"
	"strings"
	"testing"
)

// rowsOf returns n rows, each made by a format from its number.
func rowsOf(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestHubAreas(t *testing.T) {
	links := "<ul>" + rowsOf(12, `<li><a href="http://c%[1]d.example/">Conference on Owls %[1]d</a> (Graz)</li>`) + "</ul>"
	table := "<table>" + rowsOf(12, `<tr><td><a href="http://c%[1]d.example/">OWL %[1]d</a></td><td>Graz, Austria</td></tr>`) + "</table>"
	described := rowsOf(12, `<p><a href="http://c%[1]d.example/">Conference on Owls %[1]d</a><br>`+strings.Repeat("It is held every year by those who like owls. ", 6)+"</p>")
	people := "<ul>" + rowsOf(8, `<li><a href="/~p%[1]d/">Ann Barn-Owl</a></li>`) + "</ul>"
	prose := "<p>" + strings.Repeat("Owls fly by night, and so do those who write of them, year after year. ", 60)
	for _, tt := range []struct {
		name, body, path string // path of the hub area, "" for none
	}{
		{"list of links", "<h1>Conferences</h1>" + links, "html/body/ul"},
		{"table of links", "<h1>Conferences</h1>" + table, "html/body/table"},
		{"long descriptions are to be read", "<h1>Conferences</h1>" + described, ""},
		{"a list on a page to be read", "<h1>Owls</h1>" + prose + prose + prose + "<h2>Committee</h2>" + people, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := parse(t, tt.body)
			var paths []string
			for _, a := range tree.Analysis().Areas {
				if a.Kind == Hub {
					paths = append(paths, a.Path)
				}
			}
			if got := strings.Join(paths, " "); got != tt.path {
				t.Errorf("hub areas %q, want %q", got, tt.path)
			}
		})
	}
}
