package main

import (
	"path/filepath"
	"testing"
)

func TestParseReport(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		text, path string
		ok         bool
	}{
		{"html", filepath.Join(dir, "report.html"), true},
		{"text", filepath.Join(dir, "report.txt"), true},
		{"json=" + dir + "/a=b.json", dir + "/a=b.json", true},
		{"json=" + dir + "/absent/x.json", "", false},
		{"html=", "", false},
		{"html=-", "", false},
		{"pdf", "", false},
		{"", "", false},
	} {
		got, err := parseReport(test.text, dir)
		if (err == nil) != test.ok || got.path != test.path {
			t.Errorf("%q: %+v, %v; want %q", test.text, got, err, test.path)
		}
	}
}
