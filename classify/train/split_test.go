package train

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/datasets"
)

func TestLabelsKnowEveryPageType(t *testing.T) {
	types, err := classify.Classes(classify.TaskPageType)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range types {
		d, err := datasets.Read(strings.NewReader("url\tpage_type\tis_cfp\nu\t"+name+"\tfalse\n"), "labels")
		if err != nil || d.Len() != 1 {
			t.Errorf("page type %s: %v", name, err)
		}
	}
}

func TestFoldTableKnowsHostsAndArchives(t *testing.T) {
	c := &corpus{}
	for _, url := range []string{
		"http://one.example/a", "http://one.example/b", "http://archive.example/1", "http://archive.example/2", "page.html",
	} {
		c.labels = append(c.labels, datasets.Label{URL: url})
	}
	table, err := c.foldTable([]int{1, 1, 0, 2, 2}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]int{
		"http://one.example/a":     1,
		"http://one.example/new":   1,
		"http://archive.example/1": 0,
		"http://archive.example/2": 2,
		"http://archive.example/3": -1,
		"page.html":                2,
		"http://new.example/":      -1,
	} {
		fold, ok := table.FoldOf(url)
		if !ok {
			fold = -1
		}
		if fold != want {
			t.Errorf("%s is in fold %d, want %d", url, fold, want)
		}
	}
}

func TestSplitIsTheSameForAllTasks(t *testing.T) {
	types, err := classify.Classes(classify.TaskPageType)
	if err != nil {
		t.Fatal(err)
	}
	c := &corpus{}
	for i := range 200 {
		c.labels = append(c.labels, datasets.Label{PageType: types[i%8], IsCFP: i%16 == 0})
		c.groups = append(c.groups, strings.Repeat("g", i/3))
		c.class = append(c.class, i%2)
	}
	c.sizes = []int{len(c.labels)}
	first, err := c.splitIntoFolds(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.class {
		c.class[i] = i % 8 // another task
	}
	second, err := c.splitIntoFolds(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range first {
		if first[i] != second[i] {
			t.Fatalf("document %d is in fold %d for one task, %d for another", i, first[i], second[i])
		}
	}
}
