package seeds

import (
	"strings"
	"testing"
)

// TestParseStarting refuses lines that a list may not contain.
func TestParseStarting(t *testing.T) {
	head := "# comment\n" + startingColumns + "\n"
	points, err := ParseStarting(head + "https://conf.org/\tlist\tai,ml\tConf\ta list\tunknown\r\n")
	if err != nil || len(points) != 1 || points[0].Seen != "unknown" || len(points[0].Fields) != 2 || !points[0].IsWatched() {
		t.Fatalf("%+v, %v", points, err)
	}
	for line, want := range map[string]string{
		"https://conf.org/":                                        "line 3: 1 columns, want 6",
		"conf.org\tlist\t\tConf\ta list\tunknown":                  "line 3: ",
		"https://CONF.org\tlist\t\tConf\ta list\tunknown":          "is not a canonical URL; write https://conf.org/",
		"http://127.0.0.1/\tlist\t\tConf\ta list\tunknown":         "not a public host",
		"http://[::1]/\tlist\t\tConf\ta list\tunknown":             "not a public host",
		"http://conf.internal/\tlist\t\tConf\ta list\tunknown":     "not a public host",
		"http://localhost/\tlist\t\tConf\ta list\tunknown":         "not a public host",
		"https://conf.org/\tpage\t\tConf\ta list\tunknown":         `kind "page"`,
		"https://conf.org/\tlist\t\tConf\t\tunknown":               "needs a name, a source",
		"https://conf.org/a\tlist\t\tConf\ta list\tunknown\nurl\t": "line 4: ",
	} {
		if _, err := ParseStarting(head + line + "\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
	twice := "https://conf.org/\tlist\t\tConf\ta list\tunknown\n"
	if _, err := ParseStarting(head + twice + twice); err == nil || !strings.Contains(err.Error(), "line 4: https://conf.org/ is listed twice") {
		t.Errorf("twice: %v", err)
	}
	if _, err := ParseStarting("url\tname\n"); err == nil || !strings.Contains(err.Error(), "the columns are") {
		t.Errorf("other columns: %v", err)
	}
	if len(Starting()) < 400 {
		t.Errorf("%d shipped", len(Starting()))
	}
}
