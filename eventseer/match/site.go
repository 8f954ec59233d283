package match

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer/extract/pattern"
)

// A site is the location of a page: the host and its folders, in lower case, outermost first.
type site struct {
	page    string
	host    string
	folders []string
	archive bool // true for archives of mails and lists, whose adjacent pages are unrelated
}

// archiveWords match hosts and folders with messages of mailing lists or calls of many events.
var archiveWords = pattern.Compile(`(^mail\.|(^|[./_-])(lists?|listserv|listhub|pipermail|mailman|hyperkitty|mailarchive|groups?|usenet|wikicfp|dbworld|seworld|easychair|allconferences?)([./_-]|$))`)

// maxFolders is the maximum number of folders of a URL that are compared.
const maxFolders = 8

// siteOf returns the site of a page; a page without a host is a separate site. It is a message of a mailbox if its name is the
// id of a message, unlike the path of a file.
func siteOf(page string) site {
	u, err := url.Parse(page)
	if err != nil || u.Host == "" {
		return site{page: page, archive: strings.HasPrefix(page, "mid:") || page != "" && !strings.ContainsAny(page, "./\\")}
	}
	s := site{page: page, host: strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")}
	folders := strings.Split(strings.Trim(strings.ToLower(u.Path), "/"), "/")
	if !strings.HasSuffix(u.Path, "/") && len(folders) > 0 {
		folders = folders[:len(folders)-1]
	}
	for _, f := range folders {
		if f != "" && len(s.folders) < maxFolders {
			s.folders = append(s.folders, f)
		}
	}
	s.archive = archiveWords.MatchString(s.host + "/" + strings.Join(s.folders, "/"))
	return s
}

// countShared counts the common host and folders of two pages, 0 if the hosts differ.
func (s site) countShared(t site) int {
	if s.host == "" || s.host != t.host {
		return 0
	}
	n := 0
	for n < len(s.folders) && n < len(t.folders) && s.folders[n] == t.folders[n] {
		n++
	}
	return 1 + n
}

// folderYear matches a year in the name of a host or a folder: "2027",
// "icx2027", "icx-27".
var folderYear = pattern.Compile(`(?:^|\D)((?:19|20)\d\d)(?:\D|$)|[a-z]['_-]?(\d\d)(?:\D|$)`)

// editionYear returns the year that a host or folder is named after, 0 for none. sure reports
// whether it has four digits, because two may be any number. A folder with a folder for a month
// inside, next, is not an edition.
func editionYear(name, next string) (year int, sure bool) {
	if monthFolder.MatchString(next) {
		return 0, false
	}
	m := folderYear.FindStringSubmatch(name)
	switch {
	case m == nil:
		return 0, false
	case m[1] != "":
		year, _ = strconv.Atoi(m[1]) // four digits, so no error
		return year, true
	}
	year, _ = strconv.Atoi(m[2]) // two digits, so no error
	if year >= shortYear {
		return 1900 + year, false
	}
	return 2000 + year, false
}

// shortYear is the smallest two-digit year of the last century.
const shortYear = 80

var monthFolder = pattern.Compile(`^(0?[1-9]|1[0-2]|january|february|march|april|may|june|july|august|september|october|november|december)$`)

// editionYear returns the year of the edition whose site the page belongs to, 0 if there is none. It is
// taken from the innermost folder or else the host with four digits, otherwise with two.
func (s site) editionYear() (year int, sure bool) {
	if s.archive {
		return 0, false
	}
	label, _, _ := strings.Cut(s.host, ".")
	names := append([]string{label}, s.folders...)
	for i := len(names) - 1; i >= 0; i-- {
		next := ""
		if i+1 < len(names) {
			next = names[i+1]
		}
		y, sure := editionYear(names[i], next)
		if sure {
			return y, true
		}
		year = cmp.Or(year, y)
	}
	return year, false
}

// BetterPage orders pages by their reliability: archives of messages last, then deeper pages first,
// then by name.
func BetterPage(a, b string) bool {
	s, t := siteOf(a), siteOf(b)
	if s.archive != t.archive {
		return t.archive
	}
	return cmp.Or(cmp.Compare(len(s.folders), len(t.folders)), cmp.Compare(len(a), len(b)), strings.Compare(a, b)) < 0
}

// IsArchive reports, by the URL, whether a page is a message of a mailing list or a list of others' events.
// Such a page is not on the own site of an event.
func IsArchive(url string) bool { return siteOf(url).archive }
