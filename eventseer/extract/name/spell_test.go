package name

import (
	"strings"
	"testing"
)

func TestSpells(t *testing.T) {
	for _, test := range []struct {
		acronym, name string
		want          bool
	}{
		{"FRD", "Forum on Rivers and Dams", true},
		{"FoRD", "Forum on Rivers and Dams", true},
		{"FNRD", "Forum oN Rivers and Dams", true},
		{"SP4V", "Structures of Ponds for Valleys", true},
		{"TU+", "11th Talks on Uplands", true},
		{"FRX", "Forum on Rivers and Dams", false},
		{"Forum", "Forum", false},
		{strings.Repeat("A", 2*maxAcronym), strings.Repeat("A ", 2*maxAcronym), false},
	} {
		if got := IsAbbreviation(test.acronym, test.name); got != test.want {
			t.Errorf("%s spells %q: got %v", test.acronym, test.name, got)
		}
	}
}
