package seeds

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReadFile reads what editors and other programs write.
func TestReadFile(t *testing.T) {
	long := strings.Repeat("https://conf.example/a/very/long/path/of/one/page\n", MaxFile/49+1)
	tests := []struct {
		name, text string
		want       []string
		bad, err   string
	}{
		{"mark, line ends, comments", "\ufeffhttps://conf.example/a\r\n\r\n# no\r\n  https://conf.example/b # home \r\n", []string{"https://conf.example/a", "https://conf.example/b"}, "", ""},
		{"duplicates and fragments", "https://conf.example/a#dates\nhttps://CONF.example/a\n", []string{"https://conf.example/a#dates"}, "", ""},
		{"no scheme", "https://conf.example/a\nconf.example/cfp\n", []string{"https://conf.example/a"}, `seeds F: line 2: "conf.example/cfp" is not an http or https URL; did you mean https://conf.example/cfp?`, ""},
		{"a word", "calls\n", nil, `seeds F: line 1: "calls" is not an http or https URL`, ""},
		{"an address", "mailto:me@conf.example\n", nil, `seeds F: line 1: "mailto:me@conf.example" is not an http or https URL`, ""},
		{"a page", "\n<!DOCTYPE html><p>" + strings.Repeat("x", 900), nil, "", "F: line 2: this is a page in HTML or XML"},
		{"a line without end", "https://conf.example/a\n" + strings.Repeat("x", 1<<17), nil, "", "F: line 2: it is longer than 64 KB; a list of seeds has one URL per line"},
		{"a page behind URLs", "https://conf.example/a\n<p>\n", []string{"https://conf.example/a"}, `seeds F: line 2: "<p>" is not an http or https URL`, ""},
		{"binary data", "PK\x03\x04\x14\n<a>\n", nil, "", "F: line 1: this is not text, byte 3 is 0x03; a list of seeds has one URL per line"},
		{"UTF-16", "\xff\xfeh\x00t\x00t\x00p\x00", nil, "", "F: line 1: the file is in UTF-16; save it as UTF-8"},
		{"Latin-1", "# Universit\xe4t\nhttps://conf.example/a\n", []string{"https://conf.example/a"}, "", ""},
		{"too large", long, nil, "", "the file has more than 32 MB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "F")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, bad, err := ReadFile(path)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || len(err.Error()) > 500 {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			said := ""
			if len(bad) > 0 {
				said = strings.Replace(bad[0].Error(), path, "F", 1)
			}
			if err != nil || !slices.Equal(got, tt.want) || said != tt.bad {
				t.Errorf("read %q, %q, %v; want %q, %q", got, said, err, tt.want, tt.bad)
			}
		})
	}
}
