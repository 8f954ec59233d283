package htmltree

import (
	"fmt"
	"strings"
	"testing"
)

func TestTagsAreLimited(t *testing.T) {
	if s := cutTags(strings.Repeat("<br>", MaxTags+5)); len(s) != (MaxTags-1)*len("<br>") {
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
	f.CountChildren(body)
	if len(f.names) != 2_000 || len(f.index) != 2_000 {
		t.Errorf("%d names, %d indexed: many names need an index", len(f.names), len(f.index))
	}
}
