package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
)

// robotsOutput runs the robots command and returns its output.
func robotsOutput(t *testing.T, stdin string, arguments ...string) string {
	t.Helper()
	var out, talk bytes.Buffer
	a := newTestApp(t)
	a.Stdin, a.Stdout, a.Stderr = strings.NewReader(stdin), &out, &talk
	if code := run(t.Context(), append([]string{"robots"}, arguments...), a); code != 0 {
		t.Fatalf("robots %q: exit code %d: %s", arguments, code, talk.String())
	}
	return out.String()
}

// TestRobotsGoogleCases runs Google's cases, with their empty and odd URLs and
// agents, through the command line.
func TestRobotsGoogleCases(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(golden.SharedPath(t, "standards/google_robots_cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Kind, Robots, UA, URL, Test string
		Line                        int
		Expect                      bool
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "robots.txt")
	n := 0
	for _, c := range cases {
		if c.Kind != "allowed" {
			continue
		}
		n++
		if err := os.WriteFile(file, []byte(c.Robots), 0o600); err != nil {
			t.Fatal(err)
		}
		cells := strings.Split(robotsOutput(t, "", file, "--agent", c.UA, c.URL), "\t")
		if len(cells) != 3 || (cells[0] == "allowed") != c.Expect || cells[2] != c.URL+"\n" {
			t.Errorf("%s:%d: got %.200q, want allowed %v", c.Test, c.Line, cells, c.Expect)
		}
	}
	if n != 145 {
		t.Errorf("%d cases, want 145", n)
	}
}

func TestRobotsCommand(t *testing.T) {
	const file = "User-agent: EventSeer\nDisallow: /a\n\nUser-agent: *\nDissalow: /\n"
	tests := []struct {
		name      string
		arguments []string
		want      string
	}{
		{"own rules", []string{"-", "/a/b", "https://conf.example/b"}, "disallowed\tdisallow: /a (line 2)\t/a/b\nallowed\tno rule\thttps://conf.example/b\n"},
		{"another agent", []string{"-", "--agent", "Bot/2.0 (+x)", "/b"}, "disallowed\tdisallow: / (line 5)\t/b\n"},
		{"own agent in full", []string{"-", "--agent", "eventseer/0.3 (+https://conf.example/bot)", "/b"}, "allowed\tno rule\t/b\n"},
		{"strict", []string{"-", "--agent", "Bot", "--strict", "/b"}, "allowed\tno rule\t/b\n"},
		{"empty agent and URL", []string{"-", "--agent", "", ""}, "disallowed\tdisallow: / (line 5)\t\n"},
		{"a tab in the URL", []string{"-", "/\tx"}, "allowed\tno rule\t/ x\n"},
		{"jsonl", []string{"-", "--format", "jsonl", "/a"}, `{"url":"/a","agent":"EventSeer","allowed":false,"rule":"disallow: /a (line 2)","line":2}` + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := robotsOutput(t, file, tt.arguments...); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if code := run(t.Context(), []string{"robots", "-"}, newTestApp(t)); code != exitUsage {
		t.Errorf("without a URL: exit code %d", code)
	}
}

func TestRobotsOfServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved/robots.txt":
			http.Redirect(w, r, "/robots.txt", http.StatusMovedPermanently)
		case "/robots.txt":
			_, _ = w.Write([]byte("User-agent: *\nDisallow: /a"))
		case "/broken/robots.txt":
			w.WriteHeader(http.StatusInternalServerError)
		case "/busy/robots.txt":
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	for path, want := range map[string]string{
		"/robots.txt":        "disallowed\tdisallow: /a (line 2)\t/a\n",
		"/moved/robots.txt":  "disallowed\tdisallow: /a (line 2)\t/a\n",
		"/none/robots.txt":   "allowed\trobots.txt answered 404\t/a\n",
		"/busy/robots.txt":   "disallowed\trobots.txt answered 429\t/a\n",
		"/broken/robots.txt": "disallowed\trobots.txt answered 500\t/a\n",
	} {
		if got := robotsOutput(t, "", server.URL+path, "/a", "--contact", "test@conf.example", "--allow-private"); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if code := run(t.Context(), []string{"robots", server.URL + "/robots.txt", "/a"}, newTestApp(t)); code != exitRefused {
		t.Errorf("without contact: exit code %d", code)
	}
}
