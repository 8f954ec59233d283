package htmltree

import (
	"fmt"
	"strings"
	"testing"
)

func TestHugeAttributeOfFormattingElement(t *testing.T) {
	if _, fair := measure("<font " + strings.Repeat("a=b ", maxTagBytes) + ">"); fair {
		t.Error("a tag beyond maxTagBytes was left to the standard's parser")
	}
	if _, fair := measure("<b><i>" + strings.Repeat("<p>x", 1000)); !fair {
		t.Error("an ordinary page was not left to the standard's parser")
	}
	long := "<b " + strings.Repeat("a=b ", maxTagBytes) + ">"
	if s, _ := measure(long + strings.Repeat("<i>", MaxTags)); len(s) != len(long)+3*(MaxTags-1) {
		t.Errorf("%d bytes kept behind a long tag", len(s)-len(long))
	}
}

func TestPagesForTheForgivingParser(t *testing.T) {
	var decoys, roots strings.Builder
	for i := range 1_000 {
		fmt.Fprintf(&decoys, "<font size=%d></i>", i)
		fmt.Fprintf(&roots, "<html a%d>", i)
	}
	for name, s := range map[string]string{
		"end tags of other elements": "<p>" + decoys.String() + strings.Repeat("<p>x", 1_000),
		"many html tags":             roots.String(),
		"many body tags":             strings.ReplaceAll(roots.String(), "html", "BODY"),
		"a long html tag":            "<html " + strings.Repeat("a=b ", maxTagBytes) + ">",
	} {
		if _, fair := measure(s); fair {
			t.Errorf("%s: left to the standard's parser", name)
		}
	}
}

func TestTagsAreLimited(t *testing.T) {
	if s, _ := measure(strings.Repeat("<br>", MaxTags+5)); len(s) != MaxTags*len("<br>") {
		t.Errorf("%d bytes kept", len(s))
	}
}

func TestManyNamesAreIndexed(t *testing.T) {
	var f Siblings
	var names strings.Builder
	for i := range 2_000 {
		fmt.Fprintf(&names, "<x%d></x%d>", i, i)
	}
	body := Parse("<p>" + names.String()).LastChild.LastChild.FirstChild
	f.Count(body)
	if len(f.names) != 2_000 || len(f.index) != 2_000 {
		t.Errorf("%d names, %d indexed: many names need an index", len(f.names), len(f.index))
	}
}
