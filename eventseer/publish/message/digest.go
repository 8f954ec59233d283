package message

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/text"
)

// maxLetterPage is the maximum length of the HTML part of a mail, in bytes. Mail programs cut mails longer
// than about 100 kB.
const maxLetterPage = 95_000

// A digestView is the content of a digest mail: groups of items in order.
type digestView struct {
	mailHead
	Groups   []digestGroup
	Lead     string // the counts of the subject as a sentence
	Page     string
	Lists    string
	LeaveAll string
	Crawled  string
}

// A digestGroup is a heading with its items.
type digestGroup struct {
	Heading string
	Name    string // name of the list, after the heading; "" if there is none
	Items   []digestItem
	More    int
	Leave   string
	Page    string
}

// NewDigestMail returns the mail of a digest: moved deadlines first, then calls that close soon, changes of state,
// and new calls by list. Times are also given in zone, the reader's time zone; nil means UTC. The HTML part
// is limited to maxLetterPage; further items are only counted.
func NewDigestMail(s Site, to string, d eventseer.Digest, k Links, zone *time.Location) (Email, error) {
	zone = cmp.Or(zone, time.UTC)
	letter := Email{To: to, At: d.At, Subject: cmp.Or(CleanLine(d.Subject, maxSubject), Subject(d))}
	v := digestView{
		mailHead: s.newMailHead(to, letter.Subject), Lead: countsInWords(d, eventseer.StateChanged, eventseer.Moved, eventseer.Closing, eventseer.NewCall),
		Page: webLink(k.Page), Lists: webLink(k.Lists), LeaveAll: webLink(k.LeaveAll), Crawled: mailTime(d.Crawled),
	}
	groups := digestGroups(d, k, zone)
	for most := eventseer.MaxDigestItems; ; most = min(most-1, most*maxLetterPage/len(letter.HTML)) {
		v.Groups = shownGroups(groups, most)
		if err := writeMail(&letter, "digest", v); err != nil {
			return Email{}, err
		}
		if len(letter.HTML) <= maxLetterPage || most <= 0 {
			return letter, nil
		}
	}
}

// digestGroups returns the items of a digest in groups. Groups without items and links are omitted.
func digestGroups(d eventseer.Digest, k Links, zone *time.Location) []digestGroup {
	page := webLink(k.Page)
	groups := []digestGroup{{Heading: "Deadlines moved", Page: page}, {Heading: "Closing soon", Page: page}, {Heading: "Cancelled or postponed", Page: page}}
	for _, section := range d.Sections {
		name := CleanLine(section.List.Name, maxLetterName)
		calls := digestGroup{Heading: "New calls", Name: name, More: max(section.More, 0), Page: page}
		if section.List.ID != "" && k.Leave != nil {
			calls.Leave = webLink(k.Leave(section.List.ID))
		}
		for _, i := range section.Items {
			if at, ok := map[eventseer.ItemKind]int{eventseer.Moved: 0, eventseer.Closing: 1, eventseer.StateChanged: 2}[i.Kind]; ok {
				groups[at].Items = append(groups[at].Items, newDigestItem(i, name, k, zone))
			} else {
				calls.Items = append(calls.Items, newDigestItem(i, "", k, zone))
			}
		}
		groups = append(groups, calls)
	}
	return slices.DeleteFunc(groups, func(g digestGroup) bool { return len(g.Items)+g.More == 0 && g.Leave == "" })
}

// shownGroups returns groups with at most the given number of items in all, distributed as evenly as
// possible. The others are counted in More.
func shownGroups(groups []digestGroup, most int) []digestGroup {
	shown := make([]int, len(groups))
	for given := true; given; {
		given = false
		for i, g := range groups {
			if most > 0 && shown[i] < len(g.Items) {
				shown[i]++
				most--
				given = true
			}
		}
	}
	out := slices.Clone(groups)
	for i := range out {
		out[i].More += len(out[i].Items) - shown[i]
		out[i].Items = out[i].Items[:shown[i]]
	}
	return out
}

// itemWords have the name of each kind of item, singular and plural.
var itemWords = map[eventseer.ItemKind][2]string{
	eventseer.NewCall: {"new call", "new calls"}, eventseer.Moved: {"deadline moved", "deadlines moved"},
	eventseer.Closing:      {"call closes soon", "calls close soon"},
	eventseer.StateChanged: {"event cancelled or postponed", "events cancelled or postponed"},
}

// countsInWords returns the numbers of items of the given kinds in words. Items that are not shown count as new
// calls, because new calls are sorted last.
func countsInWords(d eventseer.Digest, kinds ...eventseer.ItemKind) string {
	counts := map[eventseer.ItemKind]int{}
	for _, s := range d.Sections {
		for _, i := range s.Items {
			counts[i.Kind]++
		}
		counts[eventseer.NewCall] += max(s.More, 0)
	}
	var said []string
	for _, kind := range kinds {
		if n := counts[kind]; n > 0 {
			said = append(said, text.Count(n, itemWords[kind][0], itemWords[kind][1]))
		}
	}
	return cmp.Or(strings.Join(said, ", "), "nothing new")
}

// Subject returns the subject of a digest: `3 new calls, 1 deadline moved - "web crawling", "digital
// libraries"`. Names of lists that do not fit are omitted.
func Subject(d eventseer.Digest) string {
	subject := countsInWords(d, eventseer.NewCall, eventseer.StateChanged, eventseer.Moved, eventseer.Closing)
	separator := " - "
	for _, s := range d.Sections {
		name := CleanLine(strings.ReplaceAll(s.List.Name, `"`, ""), eventseer.MaxListName)
		if name == "" {
			continue
		}
		longer := subject + separator + `"` + name + `"`
		if utf8.RuneCountInString(longer) > maxSubject-3 {
			return subject + ", …"
		}
		subject, separator = longer, ", "
	}
	return subject
}
