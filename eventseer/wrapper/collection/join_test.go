package collection

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/features/tagtree"

	"github.com/google/go-cmp/cmp"
)

// lessonOf returns the output of a Set for a page: its kind, its fresh records and the rows of category pages
// that lead to it.
func lessonOf(t testing.TB, s *Set, page *tagtree.Tree) (kind wrapper.Kind, fresh, rows []string) {
	t.Helper()
	err := s.LearnPage(page, func(l *Lesson) error {
		kind = l.Kind
		for _, r := range l.Fresh {
			fresh = append(fresh, r.Anchor)
		}
		for _, r := range l.Rows {
			if got := l.ListedEvents()[len(rows)]; got.Title != r.Anchor || got.URL != r.URL {
				t.Errorf("row %+v is listed as %+v", r, got)
			}
			rows = append(rows, strings.TrimPrefix(r.Category, owlSite)+": "+strings.Join(r.Fields, "|"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return kind, fresh, rows
}

func TestRecordsOfCategoryPagesAreJoinedByURL(t *testing.T) {
	dir := t.TempDir()
	s := openSet(t, dir, SetOptions{})
	if _, _, rows := lessonOf(t, s, talkPage(t, 1)); rows != nil {
		t.Errorf("before any category page: %q", rows)
	}
	kind, fresh, _ := lessonOf(t, s, listPage(t, "talks", "Owls", "Bats", "Bees", "Ants"))
	if kind != wrapper.CategoryPage {
		t.Errorf("a list of talks is of kind %s", kind)
	}
	if diff := cmp.Diff([]string{"Owls", "Bats", "Bees", "Ants"}, fresh); diff != "" {
		t.Error(diff)
	}

	// Only new or changed pages are taken, whichever process asks.
	s = openSet(t, dir, SetOptions{})
	_, fresh, _ = lessonOf(t, s, listPage(t, "talks", "Owls", "Fruit bats", "Bees", "Ants", "Crows"))
	if diff := cmp.Diff([]string{"Fruit bats", "Crows"}, fresh); diff != "" {
		t.Error(diff)
	}
	_, fresh, _ = lessonOf(t, s, listPage(t, "archive", "Owls", "Fruit bats", "Bees", "Ants"))
	if fresh != nil {
		t.Errorf("known from another list: %q", fresh)
	}

	kind, fresh, rows := lessonOf(t, s, talkPage(t, 1))
	if kind != wrapper.RecordPage || fresh != nil {
		t.Errorf("a talk is of kind %s with records %q", kind, fresh)
	}
	if diff := cmp.Diff([]string{"archive: Fruit bats|2 May", "talks: Fruit bats|2 May"}, rows); diff != "" {
		t.Error(diff)
	}
}

func TestJoin(t *testing.T) {
	a := archive{}
	for i := range 4 {
		p := talkPage(t, i)
		a[p.Page.URL] = p
	}
	dir := t.TempDir()
	s := openSet(t, dir, SetOptions{Archive: a})
	learnPages(t, s, a[owlSite+"talks/0"], a[owlSite+"talks/1"], a[owlSite+"talks/2"], a[owlSite+"talks/3"],
		listPage(t, "talks", "Owls", "Bats", "Bees", "Ants", "Crows"), listPage(t, "archive", "Owls", "Bats", "Bees", "Ants"))
	var got []string
	err := openSet(t, dir, SetOptions{Archive: a}).JoinRecords(func(j JoinedRecord) error {
		line := fmt.Sprintf("%s: %d rows, %s", strings.TrimPrefix(j.URL, owlSite), len(j.Rows), j.Rows[0].Anchor)
		if j.Wrapper != nil {
			line += ", " + j.Name
			for _, f := range j.Wrapper.Fields {
				if slices.Contains(j.Reading.Texts(f), "Speaker "+j.URL[len(j.URL)-1:]) {
					line += " knows the speaker"
				}
			}
		}
		got = append(got, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"talks/0: 2 rows, Owls, owls.example-1 knows the speaker", "talks/1: 2 rows, Bats, owls.example-1 knows the speaker",
		"talks/2: 2 rows, Bees, owls.example-1 knows the speaker", "talks/3: 2 rows, Ants, owls.example-1 knows the speaker",
		"talks/4: 1 rows, Crows",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRowsTakeTheLinkOfTheRecordsOwnPage(t *testing.T) {
	var b strings.Builder
	for i, title := range []string{"Owls", "Bats", "Bees", "Ants", "Crows"} {
		fmt.Fprintf(&b, `<li><a href="https://bio%[2]d.example/">who</a> <a href="/talks/%[1]s">%[1]s</a> <a href="/register">Come</a>, %[2]d May</li>`,
			title, i+1)
	}
	var got []string
	for _, r := range RecordRows(pageOf(t, owlSite, "<h1>Talks</h1><ul>"+b.String()+"</ul>")) {
		got = append(got, r.URL+" "+r.Anchor)
	}
	var want []string
	for _, title := range []string{"Owls", "Bats", "Bees", "Ants", "Crows"} {
		want = append(want, fmt.Sprintf("%stalks/%s %[2]s", owlSite, title))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTablesAreBounded(t *testing.T) {
	var titles []string
	for i := range maxRows + 50 {
		titles = append(titles, fmt.Sprintf("Owl %d of %s", i, strings.Repeat("the wood ", 60)))
	}
	rows := RecordRows(listPage(t, "talks", titles...))
	if len(rows) != maxRows {
		t.Errorf("%d rows, want %d", len(rows), maxRows)
	}
	for _, f := range append(rows[0].Fields, rows[0].Anchor) {
		if len(f) > maxRowText {
			t.Errorf("a text of %d bytes", len(f))
		}
	}
	s := site{}
	for i := range 2 * maxTables {
		s.storeTable(&rowTable{URL: fmt.Sprint(i)})
	}
	s.storeTable(&rowTable{URL: fmt.Sprint(maxTables)})
	if len(s.tables) != maxTables || s.tables[maxTables-1].URL != fmt.Sprint(maxTables) {
		t.Errorf("%d tables, the last %s", len(s.tables), s.tables[maxTables-1].URL)
	}
}
