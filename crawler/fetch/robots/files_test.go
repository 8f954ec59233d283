package robots

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/internal/golden"

	"github.com/google/go-cmp/cmp"
)

// robotsFiles has the expected results for the robots.txt files of crawler-commons, by RFC 9309 or, for
// extensions, by what the files themselves state. A line is
//
//   - agent path…     both parsers allow the paths
//   - agent path…     both deny them
//     ~ agent path…     the strict one allows, the lenient one denies
//     ? agent path…     the strict one denies, the lenient one allows
//     delay agent 5s    the Crawl-delay; "none"
//     sitemaps url…     as SitemapsAt("https://host.example/robots.txt") gives them
var robotsFiles = map[string]string{
	"astore.amazon.com-robots.txt": `
		+ anybot / /x
		delay anybot 5s
		sitemaps`,
	"crawl-delay-group-merging.txt": `
		- mybot /private/ /private/x
		+ mybot /login/ / /private
		- yourbot /private/x /login/x
		+ yourbot / /public
		+ other / /private/x /login/
		delay mybot 10s
		delay yourbot none
		delay other 30s`,
	"directive-typos-robots.txt": `
		+ bot1 /desallow/ /
		~ bot1 /dissalow/x
		~ bot2 /useragent/x
		~ bot4 /useragent-no-colon/
		+ bot2 / /dissalow/
		+ bot3 / /desallow/ /dissalow/`,
	"dos-line-endings.txt": `
		+ anybot / /x
		delay anybot 1s`,
	"extended-standard-robots.txt": `
		+ bot1 / /x
		+ bot2 / /x
		+ bot3 / /x
		+ bot4 / /x
		+ other /
		delay bot1 none`,
	"extension-robots.txt": `
		+ anybot / /private/ /admin/ /llms.txt
		- mybot /private/ /private/x
		+ mybot / /secret/ /admin/
		- otherbot /admin/x
		+ otherbot / /private/
		delay mybot none
		sitemaps https://host.example/sitemap.xml`,
	"extensions-group-merging.txt": `
		+ anybot /llms.txt
		- anybot / /private/ /x
		- mybot /private/x /login/x
		+ mybot / /x
		- yourbot /private/x /login/x
		+ yourbot / /x`,
	"format-errors-robots.txt": `
		- bot1 /whitespace-before-colon/
		~ bot1 /no-colon/
		~ bot2 /no-colon-useragent/
		- bot3 / /x
		+ bot3 /whitespace-before-colon
		sitemaps https://host.example/sitemap.xml`,
	"malformed-path.txt": `
		- anybot /wiki/Wikipedia_talk:Mediation_Committee/ /wiki/Wikipedia_talk:Mediation_Committee/x
		- anybot /wiki/Wikipedia_talk%3Mediation_Committee/
		+ anybot /wiki/ /wiki/Wikipedia_talk/`,
	"many-user-agents.txt": `
		- OutfoxBot / /x
		- OutfoxBot/0.5 /
		- Alexibot /
		- BackDoorBot /
		- Black.Hole /
		- GetRight/4.2 /
		- Go!Zilla /
		- complex_network_group /
		- Wget/1.21 /
		- wget /
		- anybot /translate/ /forum/x /lang/de/forum/ /home.php?x /g/x /bot-trap/
		+ anybot / /g /lang/de/ /x`,
	"merge-rules.txt": `
		- testy / /x
		- curl /foo/bar
		+ wget /foo/bar /ckh/bar / /x
		- wget /tmp/bar
		- other /foo/bar /tmp/bar/x
		+ other / /ckh/bar`,
	"precedence-of-rules.txt": `
		- testy /foo /foobar /foo/b /foo/bag
		+ testy /foo/bar /foo/bar/x / /bar
		+ wget /foo /foobar /index.html
		- wget /bar /x.html
		? wget /
		+ other / /foo`,
	"relative-sitemap-robots.txt": `
		- anybot /cache/x /cp/ /docs/ /files/
		+ anybot / /cache
		sitemaps https://host.example/sitemap.xml`,
	"rfc9309-example-longest-match-robots.txt": `
		+ foobot /example/page/ /example/page/allowed.gif /x
		- foobot /example/page/disallowed.gif
		+ other /example/page/disallowed.gif`,
	"rfc9309-example-rule-group-merging.txt": `
		- ExampleBot /foo /bar /baz
		+ ExampleBot /
		- BazBot /baz
		+ BazBot /foo /bar
		- other /foo /bar
		+ other /baz`,
	"rfc9309-example-simple-robots.txt": `
		- anybot /x.gif /example/ /example/x.gif
		+ anybot /publications/ /x.gif?y /
		- foobot / /publications/ /example/x
		+ foobot /example/page.html /example/allowed.gif
		- barbot /example/page.html
		+ barbot /example/ /x.gif
		- bazbot /example/page.html
		+ quxbot / /example/page.html /x.gif`,
	"robots-with-utf16be-bom.txt": withMark,
	"robots-with-utf16le-bom.txt": withMark,
	"robots-with-utf8-bom.txt":    withMark,
	"sitemap-robots-dedup.txt": `
		+ anybot / /x
		sitemaps http://example.org/sitemap.xml`,
	"sitemap-robots.txt": `
		+ anybot / /dir/
		sitemaps http://domain.com/sitemap.xml http://domain.com/dir/MixedCased-sitemap.xml`,
	"twitter.com-robots.txt": `
		- anybot /a? /search?q=x /someone/with_friends
		+ anybot / /someone /with_friends
		- Googlebot /a?b
		- Slurp /a?b
		delay Googlebot none
		delay Slurp 1s
		delay msnbot 10s
		delay anybot none`,
	"wildcards.txt": `
		- anybot /gp/cart /wishlist/ /wishlist/x /gp/registry/wishlist/x/reserve /x/gcrnsts /gcrnsts?y
		+ anybot / /wishlist/universal /wishlist/universal-x /wishlist/vendor-button?a /wishlist/get-button /gp/wishlist/ipad-install/x
		- anybot /gp/wishlist/other
		- Googlebot /rss/people/x/reviews /gp/pdp/rss/x/y/reviews /x/sim/B001132UEE
		+ Googlebot /rss/people/reviews /rss/people/x/news
		- EtaoSpider / /x`,
	"www.flot.com-robots.txt": `
		- anybot /bitrix/ /admin/x /upload/ /img/
		+ anybot / /bitrix
		sitemaps http://flot.com/sitemap_index.xml`,
}

// withMark is of one file in three encodings with a byte order mark.
const withMark = `
		- anybot /login.aspx /register.aspx?x /profile/x /a/output/print /search.aspx
		+ anybot / /output/print
		- Googlebot /login.aspx /a/b/output/print
		+ Googlebot / /x
		sitemaps http://www.newsweek.com/sitemap_index.xml`

func TestCrawlerCommonsRobots(t *testing.T) {
	dir := golden.SharedPath(t, "standards/crawler-commons/robots")
	found, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(robotsFiles) {
		t.Errorf("%d files, expectations of %d", len(found), len(robotsFiles))
	}
	var doc strings.Builder
	doc.WriteString("| file | expectations |\n|---|---|\n")
	total := 0
	for _, path := range found {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			n := checkRobotsFile(t, body, robotsFiles[name])
			total += n
			fmt.Fprintf(&doc, "| %s | %d |\n", name, n)
			if name == "dos-line-endings.txt" { // a checkout may have made other line ends of them
				dos := bytes.ReplaceAll(bytes.ReplaceAll(body, []byte("\r"), nil), []byte("\n"), []byte("\r\n"))
				checkRobotsFile(t, dos, robotsFiles[name])
			}
		})
	}
	fmt.Fprintf(&doc, "| all %d files | %d, all met |\n", len(found), total)
	golden.Section(t, "../../../doc/standards.md", "robots", doc.String())
}

// checkRobotsFile checks a file and returns how many expectations there are.
func checkRobotsFile(t *testing.T, body []byte, expectations string) (n int) {
	t.Helper()
	lenient, strict := Parse(body), ParseStrict(body)
	for line := range strings.Lines(expectations) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "delay":
			n++
			got, ok := lenient.CrawlDelay(words[1])
			if want, err := time.ParseDuration(words[2]); ok != (err == nil) || got != want {
				t.Errorf("delay of %s: got %v, %v, want %s", words[1], got, ok, words[2])
			}
		case "sitemaps":
			n++
			if diff := cmp.Diff(words[1:], append([]string{}, lenient.SitemapsAt("https://host.example/robots.txt")...)); diff != "" {
				t.Errorf("sitemaps, -want +got:\n%s", diff)
			}
		default:
			for _, path := range words[2:] {
				n++
				if got, rule := lenient.Allowed(words[1], path); got != slices.Contains([]string{"+", "?"}, words[0]) {
					t.Errorf("%s %s: lenient %v by %v", words[1], path, got, rule)
				}
				if got, rule := strict.Allowed(words[1], "https://host.example"+path); got != slices.Contains([]string{"+", "~"}, words[0]) {
					t.Errorf("%s %s: strict %v by %v", words[1], path, got, rule)
				}
			}
		}
	}
	if n == 0 {
		t.Error("no expectations")
	}
	return n
}
