package mailbox

import (
	"cmp"
	"fmt"
	"html"
	"mime"
	"net/mail"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// An archivedMessage is the data on a message in the page of an archive.
type archivedMessage struct {
	subject, date, id string
	body              string // markup of the text
}

// archives has an entry for each program that makes web archives of lists. An entry has a pattern for the
// message between its comments, and a function that reads the header above it.
var archives = []struct {
	body *regexp.Regexp
	read func(head, body string) archivedMessage
}{{pipermailBody, readPipermail}, {hypermailBody, readHypermail}, {mhonarcBody, readMHonArc}}

// readArchived reads an archive page of a known program, or one that contains only a message.
func readArchived(markup string) (archivedMessage, bool) {
	for _, by := range archives {
		if m := by.body.FindStringSubmatchIndex(markup); m != nil {
			return by.read(markup[:m[0]], markup[m[2]:m[3]]), true
		}
	}
	return readBareMessage(markup)
}

// ArchivedMessage returns the message that a page of a list's archive shows, as a page like those of
// mails. It contains the text with its subject and date, without the archive's frame, and has the
// URL of the archive page. ok is false for other pages.
func ArchivedMessage(page *webgraph.Page) (message *webgraph.Page, ok bool) {
	l, ok := readArchivedMessage(page)
	if !ok {
		return nil, false
	}
	return l.asPageOfArchive(page), true
}

// Messages returns the messages that a page of a list's archive shows. Those of a digest have the
// page's URL with "#1", "#2" and so on; any other message is what Archived returns. It is empty for
// pages without a message.
func Messages(page *webgraph.Page) (messages []*webgraph.Page) {
	l, ok := readArchivedMessage(page)
	if !ok {
		return nil
	}
	inner := digestOf(l.plain.String())
	for i := range inner[:min(len(inner), maxLetters)] {
		if inner[i].date.IsZero() {
			inner[i].date = l.date
		}
		inner[i].removeAddresses()
		message := inner[i].asPageOfArchive(page)
		message.URL = fmt.Sprintf("%s#%d", page.URL, i+1)
		messages = append(messages, message)
	}
	if len(messages) == 0 {
		messages = append(messages, l.asPageOfArchive(page))
	}
	return messages
}

// readArchivedMessage reads the message in an archive page; ok is false for other pages.
func readArchivedMessage(page *webgraph.Page) (l mailMessage, ok bool) {
	mediaType, params, _ := mime.ParseMediaType(page.Header.Get("Content-Type"))
	if page.Text != "" || len(page.Body) == 0 || mediaType != "" && mediaType != "text/html" && mediaType != "application/xhtml+xml" {
		return l, false
	}
	label := params["charset"]
	if m := metaCharset.FindSubmatch(page.Body[:min(len(page.Body), metaWindow)]); label == "" && m != nil {
		label = string(m[1])
	}
	a, ok := readArchived(decodeCharset(label, page.Body[:min(len(page.Body), MaxMessage)]))
	if !ok {
		return l, false
	}
	l = a.toMessage()
	if l.date.IsZero() {
		l.date = dateInURL(page.URL)
	}
	return l, true
}

// asPageOfArchive returns the message as a page with the address and status of the archive page.
func (l *mailMessage) asPageOfArchive(page *webgraph.Page) *webgraph.Page {
	message := l.toPage(page.URL)
	message.Requested, message.Status, message.Truncated = page.Requested, page.Status, message.Truncated || page.Truncated
	if message.FetchedAt.IsZero() {
		message.FetchedAt = page.FetchedAt
	}
	return message
}

// metaWindow is the length of the beginning of a page that must name its charset, in bytes (HTML,
// "prescan").
const metaWindow = 4096

var metaCharset = regexp.MustCompile(`(?i)<meta[^>]+charset\s*=\s*["']?([\w-]+)`)

// toMessage returns the message. If the page prints no subject, the message has none. Its first line would be a
// bad subject, because it may end within a name.
func (a archivedMessage) toMessage() mailMessage {
	l := mailMessage{id: a.id, subject: foldSpaces(a.subject), date: parseDate(a.date), content: newContent(false)}
	body := text.CutBytes(a.body, MaxText)
	l.cut = len(body) < len(a.body)
	plain, simple := textOf(body)
	if simple {
		l.plain.WriteString(plain)
	} else {
		l.html.WriteString(body)
	}
	return l
}

// Comments of archiving programs around the text of a message.
var (
	pipermailBody = regexp.MustCompile(`(?s)<!--beginarticle-->(.*?)(?:<!--endarticle-->|$)`)
	pipermailDate = regexp.MustCompile(`(?is)</A>\s*<BR>\s*<I>([^<]{10,60})</I>`)
	hypermailBody = regexp.MustCompile(`(?s)<!--\s*body="start"\s*-->(.*?)(?:<!--\s*body="end"\s*-->|$)`)
	hypermailNote = regexp.MustCompile(`<!--\s*(subject|isosent|sent|received|id)="([^\n]*?)"\s*-->`)
	mhonarcBody   = regexp.MustCompile(`(?s)<!--X-Body-of-Message-->(.*?)(?:<!--X-Body-of-Message-End-->|$)`)
	mhonarcNote   = regexp.MustCompile(`<!--X-(Subject|Date|Message-Id): ([^\n]*?) ?-->`)
	headingOrName = regexp.MustCompile(`(?is)<h1[^>]*>(.*?)</h1>|<title[^>]*>(.*?)</title>`)
	listAddress   = regexp.MustCompile(`(?i)(<A HREF="[^"]*/listinfo/[^"]*">[^<]*?) at ([^<]*</A>)`)
)

func readPipermail(head, body string) archivedMessage {
	a := archivedMessage{subject: firstHeading(head), body: listAddress.ReplaceAllString(body, "$1@$2")}
	if date := pipermailDate.FindStringSubmatch(head); date != nil {
		a.date = date[1]
	}
	return a
}

func readHypermail(head, body string) archivedMessage {
	notes := commentValues(hypermailNote, head)
	a := archivedMessage{subject: cmp.Or(notes["subject"], firstHeading(head)), id: notes["id"], body: body}
	for _, name := range []string{"isosent", "sent", "received"} {
		if !parseDate(notes[name]).IsZero() {
			a.date = notes[name]
			break
		}
	}
	return a
}

func readMHonArc(head, body string) archivedMessage {
	notes := commentValues(mhonarcNote, head)
	return archivedMessage{subject: cmp.Or(notes["subject"], firstHeading(head)), date: notes["date"], id: notes["message-id"], body: body}
}

// commentValues returns the values in the comments of an archive, by name.
func commentValues(comment *regexp.Regexp, head string) map[string]string {
	notes := map[string]string{}
	for _, m := range comment.FindAllStringSubmatch(head, -1) {
		if name := strings.ToLower(m[1]); notes[name] == "" {
			notes[name] = html.UnescapeString(m[2])
		}
	}
	return notes
}

// firstHeading returns the first heading of a page, otherwise its title.
func firstHeading(markup string) string {
	title := ""
	for _, m := range headingOrName.FindAllStringSubmatch(markup, 4) {
		if m[1] != "" {
			return plainTextOf(m[1])
		}
		title = plainTextOf(m[2])
	}
	return title
}

func plainTextOf(markup string) string {
	text, _ := textOf(markup)
	return foldSpaces(text)
}

// Patterns of a bare page, such as DBWorld's. It consists of preformatted text under a title, and perhaps a
// heading, which are the same for all messages.
var (
	bareTitle = regexp.MustCompile(`(?i)<title[^>]*>[^<]{0,60}\b(?:message|mail|post|posting|announcement)s?\b[^<]{0,60}</title>`)
	aroundPre = regexp.MustCompile(`(?i)<h[1-6].*</h[1-6]>|</?(?:body|html)[^>]*>`)
	preBegins = regexp.MustCompile(`(?i)<pre[^>]*>`)
	preEnds   = regexp.MustCompile(`(?i)</pre>`)
	bodyBegin = regexp.MustCompile(`(?i)<body[^>]*>`)
)

func readBareMessage(markup string) (archivedMessage, bool) {
	if !bareTitle.MatchString(markup[:min(len(markup), metaWindow)]) {
		return archivedMessage{}, false
	}
	body, begin := bodyBegin.FindStringIndex(markup), preBegins.FindStringIndex(markup)
	ends := preEnds.FindAllStringIndex(markup, 2)
	if body == nil || begin == nil || len(ends) != 1 || body[1] > begin[0] || begin[1] > ends[0][0] {
		return archivedMessage{}, false
	}
	around := markup[body[1]:begin[0]] + markup[ends[0][1]:]
	if strings.TrimSpace(aroundPre.ReplaceAllLiteralString(around, "")) != "" {
		return archivedMessage{}, false
	}
	return archivedMessage{body: markup[begin[0]:ends[0][1]]}, true
}

// dateLayouts are the formats of dates in archives that differ from those in mails. time.Parse reads the
// names of time zones with errors of a few hours at most.
var dateLayouts = []string{"Mon Jan _2 15:04:05 MST 2006", "Mon Jan _2 15:04:05 2006", "20060102150405", time.RFC3339, "2006-01-02"}

func parseDate(s string) time.Time {
	s = strings.TrimSpace(s)
	t, err := mail.ParseDate(s)
	for i := 0; err != nil && i < len(dateLayouts); i++ {
		t, err = time.Parse(dateLayouts[i], strings.Join(strings.Fields(s), " "))
	}
	if err != nil || t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.UTC()
}

var monthAndSecond = regexp.MustCompile(`/((?:19|20)\d\d)-(\d\d)/(\d{9,10})\.html?$`)

// dateInURL returns the time in the URL of a message, zero if there is none. The URL must have a folder for
// its month and its time in seconds since 1970, which must agree.
func dateInURL(url string) time.Time {
	m := monthAndSecond.FindStringSubmatch(url)
	if m == nil {
		return time.Time{}
	}
	second, _ := strconv.ParseInt(m[3], 10, 64) // only digits, so no error
	t := time.Unix(second, 0).UTC()
	for _, near := range []time.Time{t, t.AddDate(0, 0, -1), t.AddDate(0, 0, 1)} {
		if near.Format("2006-01") == m[1]+"-"+m[2] {
			return t
		}
	}
	return time.Time{}
}

var tag = regexp.MustCompile(`(?s)<!--.*?-->|<(/?)([a-zA-Z][a-zA-Z0-9]*)(?:\s[^<>]*)?/?>|<![^>]*>`)

// plainTags has the effect of each tag on plain text: none, a new line, or a new paragraph. Markup with other
// tags is not plain text.
var plainTags = map[string]string{
	"a": "", "b": "", "i": "", "em": "", "strong": "", "tt": "", "u": "", "code": "", "span": "", "font": "", "small": "", "big": "",
	"cite": "", "center": "", "html": "", "body": "", "img": "", "nobr": "", "wbr": "",
	"br": "\n", "div": "\n", "li": "\n", "address": "\n",
	"p": "\n\n", "pre": "\n", "blockquote": "\n\n", "ul": "\n\n", "ol": "\n\n", "hr": "\n\n",
}

// textOf returns the text of markup that an archive adds to a plain text. simple reports whether
// there is no other structure, such as tables and headings.
func textOf(markup string) (text string, simple bool) {
	var b strings.Builder
	simple = true
	pre := 0
	write := func(s string) {
		s = html.UnescapeString(s)
		if pre > 0 {
			b.WriteString(s)
			return
		}
		for i, word := range strings.Fields(s) {
			if i > 0 || strings.TrimLeft(s, " \t\r\n") != s && !endsLine(&b) {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
		if trimmed := strings.TrimRight(s, " \t\r\n"); trimmed != s && trimmed != "" {
			b.WriteByte(' ')
		}
	}
	at := 0
	for _, m := range tag.FindAllStringSubmatchIndex(markup, -1) {
		write(markup[at:m[0]])
		at = m[1]
		if m[4] < 0 {
			continue // a comment
		}
		name, closes := strings.ToLower(markup[m[4]:m[5]]), m[2] < m[3]
		apart, known := plainTags[name]
		simple = simple && known
		if name == "pre" {
			if closes {
				pre = max(pre-1, 0)
			} else {
				pre++
			}
		}
		if name != "pre" || !endsLine(&b) {
			b.WriteString(apart)
		}
	}
	write(markup[at:])
	text = lineEnds.ReplaceAllLiteralString(b.String(), "\n")
	return strings.Trim(gaps.ReplaceAllLiteralString(text, "\n\n\n"), "\n") + "\n", simple
}

var (
	lineEnds = regexp.MustCompile(`[ \t\r]+\n`)
	gaps     = regexp.MustCompile(`\n{4,}`)
)

func endsLine(b *strings.Builder) bool {
	s := b.String()
	return s == "" || s[len(s)-1] == '\n' || s[len(s)-1] == ' '
}

// Limits on index pages. minIndexed is the minimum number of messages linked from an index page. They must be
// at least half of its links, unless the page names the program that made it. MaxIndexed is the maximum
// number of messages read from one page.
const (
	minIndexed = 3
	MaxIndexed = 5000
)

var (
	hrefs       = regexp.MustCompile(`(?i)<a\s[^>]*?href\s*=\s*["']?([^"'\s>#]+)`)
	messageName = regexp.MustCompile(`^(?:msg|mail|post)?\d{3,}\.html?$`)
)

// ArchiveIndex returns the addresses of the messages that an index of a list's archive lists, in
// order, each once; none for other pages.
func ArchiveIndex(page *webgraph.Page) []string {
	if _, shown := ArchivedMessage(page); shown || page.Text != "" {
		return nil
	}
	resolver := webgraph.NewResolver(page.URL)
	var messages []string
	links := 0
	for _, m := range hrefs.FindAllSubmatch(page.Body, 4*MaxIndexed) {
		href := html.UnescapeString(string(m[1]))
		target, err := resolver.Resolve(href)
		if err != nil {
			target = href // a page saved to a file
		}
		if messageName.MatchString(path.Base(target)) {
			messages = append(messages, target)
		}
		links++
	}
	messages = withoutDuplicates(messages)
	if len(messages) < minIndexed || 2*len(messages) < links && !isArchive.Match(page.Body) {
		return nil
	}
	return messages
}

// isArchive matches pages of the programs that create archives.
var isArchive = regexp.MustCompile(`(?i)(?:pipermail|hypermail|mhonarc)[^<]{0,40}(?:edition|version|[0-9])|generated by\s*(?:<[^>]*>\s*)?(?:pipermail|hypermail|mhonarc)|<!--X-(?:Head|Body|TopPN)`)

func withoutDuplicates(list []string) []string {
	seen := map[string]bool{}
	out := slices.DeleteFunc(list, func(s string) bool {
		known := seen[s]
		seen[s] = true
		return known
	})
	return out[:min(len(out), MaxIndexed)]
}
