package match

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/text"
)

// foreignSites match hosts with pages named after events but not belonging to them. They are
// submission systems, social networks, publishers and indexes.
var foreignSites = pattern.Compile(`(^|\.)(easychair|openreview|hotcrp|softconf|edas|conftool|cmt\d?|cmt\d?\.research\.microsoft|precisionconference|pcs|linklings|papercept|sessionize|pretalx|papercall|editorialmanager|manuscriptcentral|` +
	`twitter|x|facebook|linkedin|youtube|youtu|instagram|mastodon|slack|discord|meetup|eventbrite|regonline|cvent|whova|google|goo|bit|doodle|overleaf|dropbox|` +
	`springer|springeronline|elsevier|sciencedirect|ieeexplore|computer|dl\.acm|wikicfp|dblp|scholar|researchgate|arxiv|ceur-ws|wikipedia|tinyurl|wikidata|hotels?|booking|airbnb)\.[a-z.]{2,12}$|^github\.com$`)

// Weights of the parts of an address as evidence for an event.
const (
	homeByHost   = 40
	homeByFolder = 30
	homeOfYear   = 20
	homeFolder   = 2 // subtracted for each folder
	homeFile     = 5 // subtracted for a file named after the event, and for a query
)

// minContained is the length from which an acronym is recognised within a longer word.
const minContained = 5

// HomeScore returns how probable it is that an address is the event's own site. It is 0 if no part
// of it is named after the event, if it is named after another edition, or if it belongs to an
// archive, a submission system, or a network. The larger of two is nearer to the home page. It is
// pure.
func HomeScore(address string, e eventseer.Event) int {
	acronym := withoutSpaces(series.BareAcronym(e))
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || len(acronym) < minNamed || series.IsSociety(acronym) {
		return 0
	}
	host := strings.ToLower(u.Hostname())
	if foreignSites.MatchString(host) {
		return 0
	}
	if base := path.Base(u.Path); u.Path == "" || !strings.Contains(base, ".") && (isNamedAfter(base, acronym) || yearFolder.MatchString(base)) {
		u.Path = strings.TrimSuffix(u.Path, "/") + "/" // add the slash missing in the URL of a folder
	}
	s := siteOf(u.String())
	if s.archive || !isPage(u.Path) {
		return 0
	}
	score := 0
	for _, label := range hostLabels(s.host) {
		if isNamedAfter(label, acronym) {
			score = homeByHost
		}
	}
	for _, folder := range s.folders {
		if isNamedAfter(folder, acronym) {
			score = max(score, homeByFolder)
		}
	}
	file := path.Base(u.Path)
	if strings.HasSuffix(u.Path, "/") || strings.HasPrefix(file, "index.") {
		file = ""
	}
	fileNamed := file != "" && isNamedAfter(strings.TrimSuffix(file, path.Ext(file)), acronym)
	if file != "" && !fileNamed {
		return 0 // a page with dates or the committee, or another event's
	}
	if fileNamed {
		score = max(score, homeByFolder-homeFile)
	}
	if score == 0 {
		return 0
	}
	switch year := addressYear(s, acronym); {
	case year == 0:
	case e.Year == 0 || year == e.Year:
		score += homeOfYear
	default:
		return 0
	}
	score -= homeFolder * len(s.folders)
	if u.RawQuery != "" {
		score -= homeFile
	}
	return max(score, 1)
}

// MayBeHome reports whether an address that is not named after an event may be its site. It must be
// a web page, not on the site of the page that links it, an archive, a submission system or a
// network, and contain no other year. It is pure.
func MayBeHome(address string, e eventseer.Event) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || foreignSites.MatchString(strings.ToLower(u.Hostname())) {
		return false
	}
	s, from := siteOf(address), siteOf(e.URL)
	if s.host == "" || s.host == from.host || s.archive || !isPage(u.Path) {
		return false
	}
	year, sure := s.editionYear()
	return !sure || e.Year == 0 || year == e.Year
}

// pageFile matches the names of files that are pages to read.
var pageFile = pattern.Compile(`(?i)\.(html?|php\d?|aspx?|jsp|cgi|cfm|shtml|xhtml)$`)

// isPage reports whether a path leads to a page by its file extension, if it has one.
func isPage(p string) bool {
	ending := path.Ext(path.Base(p))
	return len(ending) < 3 || len(ending) > 6 || pageFile.MatchString(ending) || strings.ContainsAny(ending, "0123456789_~")
}

// hostLabels returns the names of a host without its top level domain.
func hostLabels(host string) []string {
	labels := strings.Split(host, ".")
	return labels[:max(1, len(labels)-1)]
}

var (
	nameParts = pattern.Compile(`[^\p{L}\p{N}]+`)
	endDigits = pattern.Compile(`\d+$`)
	// yearFolder matches a folder of an edition.
	yearFolder = pattern.Compile(`^(19|20)\d\d$`)
)

// isNamedAfter reports whether a label or a folder is named after an acronym: "icx", "icx2027",
// "2027-icx", or for a longer one "quiet-conference" and "thequiet".
func isNamedAfter(name, acronym string) bool {
	folded := text.FoldForComparison(name)
	if len(acronym) >= minContained && strings.Contains(withoutSpaces(folded), acronym) {
		return true
	}
	for _, part := range nameParts.Split(folded, -1) {
		if part = strings.TrimLeft(part, "0123456789"); endDigits.ReplaceAllString(part, "") == acronym || part == acronym {
			return true
		}
	}
	return endDigits.ReplaceAllString(withoutSpaces(nameParts.ReplaceAllString(folded, "")), "") == acronym
}

// addressYear returns the year of the edition in an address, or 0: four digits anywhere, or two
// after the acronym.
func addressYear(s site, acronym string) int {
	if year, sure := s.editionYear(); sure {
		return year
	}
	for _, name := range append(hostLabels(s.host), s.folders...) {
		_, rest, ok := strings.Cut(text.FoldForComparison(name), acronym)
		digits := strings.TrimLeft(rest, " -_'")
		if ok && len(digits) >= 2 && (len(digits) == 2 || digits[2] < '0' || digits[2] > '9') {
			if n, err := strconv.Atoi(digits[:2]); err == nil && n < shortYear {
				return 2000 + n
			} else if err == nil {
				return 1900 + n
			}
		}
	}
	return 0
}

// BetterHome returns the more probable home page of an event of two addresses, "" if neither is
// one.
func BetterHome(a, b string, e eventseer.Event) string {
	x, y := HomeScore(a, e), HomeScore(b, e)
	switch {
	case x == 0 && y == 0:
		return ""
	case x != y:
		if x > y {
			return a
		}
		return b
	case len(a) != len(b):
		if len(a) < len(b) {
			return a
		}
		return b
	}
	return min(a, b)
}
