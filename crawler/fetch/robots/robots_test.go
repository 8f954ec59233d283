package robots

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/internal/golden"

	"github.com/google/go-cmp/cmp"
)

// A googleCase is one expectation of the unit tests of Google's parser.
type googleCase struct {
	Test, Kind, Robots, UA, URL string
	Line                        int
	Expect                      bool
}

func googleCases(t *testing.T) []googleCase {
	t.Helper()
	data, err := os.ReadFile(golden.SharedPath(t, "standards/google_robots_cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []googleCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != 156 {
		t.Errorf("%d cases, want 156", len(cases))
	}
	return cases
}

func TestGoogleRobotsCases(t *testing.T) {
	for _, c := range googleCases(t) {
		if c.Kind == "validua" {
			if got := ValidProduct(c.UA); got != c.Expect {
				t.Errorf("%s:%d ValidProduct(%q) = %v", c.Test, c.Line, c.UA, got)
			}
			continue
		}
		all := Parse([]byte(c.Robots))
		got, rule := all.Allowed(c.UA, c.URL)
		if got != c.Expect {
			t.Errorf("%s:%d %.200q agent %q url %.80q: got %v by %.80q", c.Test, c.Line, c.Robots, c.UA, c.URL, got, rule)
		}
		if own, by := all.RulesFor(c.UA).Allowed(c.UA, c.URL); own != got || by != rule {
			t.Errorf("%s:%d %.200q agent %q: by its own rules alone %v by %.80q, not %v by %.80q", c.Test, c.Line, c.Robots, c.UA, own, by, got, rule)
		}
	}
}

// strictReasons explain the differences between RFC 9309 and a test of Google's.
var strictReasons = map[string]string{
	"ID_LineSyntax_Line":              "§2.2: a rule is `key: value`; Google also reads one without the colon",
	"ID_Encoding":                     "§2.2.2: both sides are percent-encoded, and encoded unreserved characters decoded, before they are compared; Google compares an encoded rule with the URL as written",
	"GoogleOnly_IndexHTMLisDirectory": "§2.2.2: a rule matches from its first byte; to Google `allow: /d/index.html` stands for `/d/` too",
	"GoogleOnly_LineTooLong":          "the RFC knows no longest line; Google reads 16,663 bytes of one",
}

func TestGoogleRobotsStrictly(t *testing.T) {
	var doc strings.Builder
	total, met := 0, 0
	for i, c := range googleCases(t) {
		if c.Kind == "validua" {
			continue
		}
		total++
		got, _ := ParseStrict([]byte(c.Robots)).Allowed(c.UA, c.URL)
		if got == c.Expect {
			met++
			continue
		}
		reason := strictReasons[c.Test]
		if reason == "" {
			t.Errorf("%s:%d differs for no reason", c.Test, c.Line)
		}
		fmt.Fprintf(&doc, "- case %d, %s:%d, Google %s: %s.\n", i+1, c.Test, c.Line, verdictWord(c.Expect), reason)
	}
	golden.Section(t, "../../../doc/standards.md", "google", fmt.Sprintf(
		"The lenient parser meets %d of %d cases, and 11 of 11 of user agents; the strict one %d. It differs in\n\n%s", total, total, met, doc.String()))
}

func verdictWord(allowed bool) string {
	if allowed {
		return "allows"
	}
	return "denies"
}

func TestRobotsAllowed(t *testing.T) {
	tests := []struct {
		name, robots, agent, url string
		want                     bool
		rule                     string
	}{
		{"empty", "", "EventSeer", "/x", true, "no rule"},
		{"own group only", "User-agent: *\nDisallow: /\n\nUser-agent: eventseer\nDisallow: /a", "EventSeer/0.1", "/b", true, "no rule"},
		{"groups merge", "User-agent: EventSeer\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: EVENTSEER\nDisallow: /b", "EventSeer", "/b/c", false, "disallow: /b (line 6)"},
		{"version in the file", "User-agent: EventSeer/1.0\nDisallow: /", "EventSeer", "/", false, "disallow: / (line 2)"},
		{"name that begins alike", "User-agent: EventSeerBot\nDisallow: /", "EventSeer", "/", true, "no rule"},
		{"tie allows", "User-agent: *\nDisallow: /p\nAllow: /p", "EventSeer", "/p", true, "allow: /p (line 3)"},
		{"star in the middle", "User-agent: *\nDisallow: /*/private/*.html", "EventSeer", "/a/private/b/c.html?d", false, "disallow: /*/private/*.html (line 2)"},
		{"dollar", "User-agent: *\nDisallow: /*.pdf$", "EventSeer", "/a.pdf?x", true, "no rule"},
		{"dollar behind star", "User-agent: *\nDisallow: /a*b$", "EventSeer", "/abbb", false, "disallow: /a*b$ (line 2)"},
		{"dollar alone", "User-agent: *\nDisallow: /$", "EventSeer", "/a", true, "no rule"},
		{"utf-8 bom", "\xef\xbb\xbfUser-agent: *\nDisallow: /", "EventSeer", "/", false, "disallow: / (line 2)"},
		{"utf-16", "\xff\xfeU\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n\x00D\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00/\x00", "EventSeer", "/", false, "disallow: / (line 2)"},
		{"carriage returns", "User-agent: *\rDisallow: /a\rDisallow: /b", "EventSeer", "/b", false, "disallow: /b (line 3)"},
		{"dos lines", "User-agent: *\r\nDisallow: /a\r\nDisallow: /b\r\n", "EventSeer", "/b", false, "disallow: /b (line 3)"},
		{"encoded rule denies decoded path", "User-agent: *\nDisallow: /%7ejoe/", "EventSeer", "/~joe/x", false, "disallow: /%7ejoe/ (line 2)"},
		{"decoded rule denies encoded path", "User-agent: *\nDisallow: /~joe/", "EventSeer", "/%7Ejoe/x", false, "disallow: /~joe/ (line 2)"},
		{"encoded slash is another character", "User-agent: *\nDisallow: /a%2Fb", "EventSeer", "/a/b", true, "no rule"},
		{"non-ascii", "User-agent: *\nDisallow: /caf\u00e9", "EventSeer", "/caf%c3%a9/", false, "disallow: /caf\u00e9 (line 2)"},
		{"unknown lines keep the group", "User-agent: EventSeer\nContent-Signal: search=yes\nSitemap: /s\nUser-agent: b\nDisallow: /", "EventSeer", "/", false, "disallow: / (line 5)"},
		{"colon left out", "user-agent eventseer\ndisallow /\n", "EventSeer", "/", false, "disallow: / (line 2)"},
		{"misspelt", "User-agent: *\nDissalow: /a", "EventSeer", "/a", false, "disallow: /a (line 2)"},
		{"empty disallow ends the agents", "User-agent: EventSeer\nDisallow:\nUser-agent: b\nDisallow: /", "EventSeer", "/", true, "no rule"},
		{"robots.txt itself", "User-agent: *\nDisallow: /", "EventSeer", "https://a.example/robots.txt", true, "no rule"},
		{"a file beside it", "User-agent: *\nDisallow: /", "EventSeer", "/robots.txt2", false, "disallow: / (line 2)"},
		{"a name that is no product token", "User-agent: Seer2\nDisallow: /a\nUser-agent: Seer3\nDisallow: /b", "seer3/1.0", "/b", false, "disallow: /b (line 4)"},
		{"another such name", "User-agent: Seer2\nDisallow: /", "Seer3", "/", true, "no rule"},
		{"star with a version is nobody", "User-agent: */1.0\nDisallow: /", "EventSeer", "/", true, "no rule"},
		{"html page", "<!doctype html><html><p>User-agent: * Disallow: /</html>", "EventSeer", "/", true, "no rule"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, rule := Parse([]byte(tt.robots)).Allowed(tt.agent, tt.url)
			if got != tt.want || rule.String() != tt.rule {
				t.Errorf("got %v by %q, want %v by %q", got, rule, tt.want, tt.rule)
			}
		})
	}
}

// Where the RFC and Google's parser differ, the strict parser keeps to the RFC.
func TestRobotsStrict(t *testing.T) {
	tests := []struct {
		name, robots, url string
		want, wantStrict  bool
	}{
		{"rfc 2.2.2, encoded letters", "User-agent: *\nDisallow: /\nAllow: /foo/bar/%62%61%7A", "/foo/bar/baz", false, true},
		{"misspelt", "User-agent: *\nDissalow: /a", "/a", false, true},
		{"colon left out", "user-agent *\ndisallow /", "/a", false, true},
		{"index.html", "User-agent: *\nAllow: /d/index.html\nDisallow: /", "/d/", true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := Parse([]byte(tt.robots)).Allowed("EventSeer", tt.url); got != tt.want {
				t.Errorf("ParseRobots: got %v, want %v", got, tt.want)
			}
			if got, _ := ParseStrict([]byte(tt.robots)).Allowed("EventSeer", tt.url); got != tt.wantStrict {
				t.Errorf("ParseRobotsStrict: got %v, want %v", got, tt.wantStrict)
			}
		})
	}
}

func TestRobotsLimits(t *testing.T) {
	filler := strings.Repeat("# "+strings.Repeat("x", 98)+"\n", MaxSize/101)
	head := "User-agent: *\nDisallow: /a\n"
	r := Parse([]byte(head + filler + "Disallow: /behind\n" + strings.Repeat("\n", MaxSize)))
	if got, _ := r.Allowed("EventSeer", "/a"); got {
		t.Error("a rule within the limit does not count")
	}
	if got, _ := r.Allowed("EventSeer", "/behind"); !got {
		t.Error("a rule behind 500 KiB counts")
	}
	// The limit falls into a line: half a rule would deny too much.
	half := head + strings.Repeat("#", MaxSize-len(head)-len("\nDisallow: /")) + "\nDisallow: /only-this\n"
	if got, rule := Parse([]byte(half)).Allowed("EventSeer", "/x"); !got {
		t.Errorf("half a line denies: %v", rule)
	}
}

func TestRobotsCrawlDelay(t *testing.T) {
	tests := []struct {
		name, robots, agent string
		want                time.Duration
		ok                  bool
	}{
		{"none", "User-agent: *\nDisallow: /", "EventSeer", 0, false},
		{"for all", "User-agent: *\nCrawl-delay: 1.5", "EventSeer", 1500 * time.Millisecond, true},
		{"own group has none", "User-agent: *\nCrawl-delay: 5\n\nUser-agent: EventSeer\nDisallow: /a", "EventSeer", 0, false},
		{"agents above it only", "User-agent: EventSeer\nCrawl-delay: 10\nUser-agent: b\nDisallow: /", "b", 0, false},
		{"no number", "User-agent: *\nCrawl-delay: soon", "EventSeer", 0, false},
		{"negative", "User-agent: *\nCrawl-delay: -3", "EventSeer", 0, false},
		{"NaN", "User-agent: *\nCrawl-delay: NaN", "EventSeer", 0, false},
		{"endless", "User-agent: *\nCrawl-delay: 1e300", "EventSeer", 24 * time.Hour, true},
		{"groups merge", "User-agent: EventSeer\nCrawl-delay: 3\nDisallow: /a\nUser-agent: *\nCrawl-delay: 30\nUser-agent: eventseer\nCrawl-delay: 7\n", "EventSeer", 7 * time.Second, true},
		{"agents above one another", "User-agent: EventSeer\nUser-agent: b\nCrawl-delay: 3\nUser-agent: c\nCrawl-delay: 9", "EventSeer", 3 * time.Second, true},
		{"twice in a group", "User-agent: EventSeer\nCrawl-delay: 3\nDisallow: /a\nCrawl-delay: 2", "EventSeer", 3 * time.Second, true},
		{"zero", "User-agent: *\nCrawl-delay: 0", "EventSeer", 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Parse([]byte(tt.robots)).CrawlDelay(tt.agent)
			if got != tt.want || ok != tt.ok {
				t.Errorf("got %v, %v, want %v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

// Whatever the bytes, parsing ends, verdict and rule agree, and the letter case of the agent does not matter.
func FuzzParseRobots(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /%7e\nCrawl-delay: 3\nSitemap: /s\n"), "/a/b?c#d")
	f.Add([]byte("\xef\xbbuser-agent eventseer\rdisallow /\r\n"), "http://a.example")
	f.Add([]byte("\xfe\xff\x00u"), "//x;y")
	f.Fuzz(func(t *testing.T, body []byte, url string) {
		for _, r := range []*File{Parse(body), ParseStrict(body)} {
			ok, rule := r.Allowed("EventSeer", url)
			if want := rule.Line == 0 || rule.Allow; ok != want {
				t.Errorf("verdict %v by rule %v", ok, rule)
			}
			if again, _ := r.Allowed("EVENTSEER/9", url); again != ok {
				t.Error("the agent's letter case changes the verdict")
			}
			if d, _ := r.CrawlDelay("EventSeer"); d < 0 || d > maxCrawlDelay {
				t.Errorf("crawl delay %v", d)
			}
			if n := len(r.SitemapsAt("https://a.example/robots.txt")); n > maxSitemaps {
				t.Errorf("%d sitemaps", n)
			}
		}
	})
}

func TestRobotsSitemaps(t *testing.T) {
	r := Parse([]byte("Sitemap: https://a.example/1.xml\nUser-agent: *\nsitemap : /2.xml.gz # the other\nDisallow: /\n" +
		"site-map: https://a.example/1.xml#x\nSitemap:\nSitemap: ftp://a.example/3\nSitemap: https://cdn.example/4.xml"))
	want := []string{"https://a.example/1.xml", "https://a.example/2.xml.gz", "https://cdn.example/4.xml"}
	if diff := cmp.Diff(want, r.SitemapsAt("https://a.example/robots.txt")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{want[0], want[2]}, r.SitemapsAt("")); diff != "" {
		t.Errorf("without the file's address, -want +got:\n%s", diff)
	}
	if ok, _ := r.Allowed("EventSeer", "/x"); ok {
		t.Error("a Sitemap line ends the group")
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, "Sitemap: https://a.example/%d\n", i)
	}
	if got := Parse([]byte(many.String())).SitemapsAt(""); len(got) != maxSitemaps {
		t.Errorf("%d sitemaps, want %d", len(got), maxSitemaps)
	}
}
