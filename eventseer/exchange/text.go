package exchange

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/text"
)

// Limits on one value of an event in a publication, in runes.
const (
	maxName  = 300
	maxText  = 500
	maxShort = 120
	maxURL   = 2000 // bytes; longer ones are not links
	maxItems = 20   // of a list, such as topics
)

// singleLine returns a text in one line of at most n runes that is legal in XML, in a calendar and on a
// terminal. It has no control characters, non-characters, or marks that reverse the direction of
// the text that follows.
func singleLine(s string, n int) string {
	var b strings.Builder
	space, count := false, 0
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case r == utf8.RuneError, !isPublishable(r):
			continue
		}
		if count++; count > n {
			return b.String() + "…"
		}
		if space {
			b.WriteByte(' ')
			count++
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isPublishable reports whether a rune may be in a publication. Joiners are allowed, because emoji and some
// scripts need them.
func isPublishable(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\uFEFF', r&0xFFFE == 0xFFFE, r >= 0xFDD0 && r <= 0xFDEF:
		return false
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r >= 0xE0000 && r <= 0xE0FFF:
		return false
	}
	return true
}

// webURL returns a link for readers, "" for any other: only http and https, without user and
// password, escaped to ASCII.
func webURL(s string) string {
	if len(s) > maxURL {
		return ""
	}
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return ""
	}
	var b strings.Builder
	for _, c := range []byte(u.String()) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// eventURL returns the page of an event at a site.
func eventURL(base string, id eventseer.EventID) string {
	return webURL(base + "e/" + url.PathEscape(string(id)))
}

// pageURL returns the URL of an event's page on a site, otherwise of its call.
func pageURL(base string, e eventseer.Event) string {
	return cmp.Or(eventURL(base, e.ID), webURL(e.Page()))
}

// hostOf returns the host of the first of some URLs that has one; it names the publisher in UIDs
// and tag URIs.
func hostOf(urls ...string) string {
	for _, s := range urls {
		if u, err := url.Parse(s); err == nil && u.Hostname() != "" {
			return singleLine(strings.ToLower(u.Hostname()), maxShort)
		}
	}
	return "eventseer.invalid"
}

// eventName returns the name of an event in one line, with its year.
func eventName(e eventseer.Event) string {
	short, title := shortName(e), singleLine(e.Title, maxName)
	switch {
	case short == "" && title == "":
		return "Untitled call"
	case title == "" || strings.EqualFold(title, short) || strings.EqualFold(title, e.Acronym):
		return short
	case short == "":
		return title
	}
	return short + " - " + title
}

// shortName returns the acronym with the year, "" if there is no acronym.
func shortName(e eventseer.Event) string {
	short := singleLine(e.Acronym, 40)
	year := fmt.Sprintf("%04d", e.Year)
	if short != "" && e.Year > 0 && e.Year <= 9999 && !strings.Contains(short, year[2:]) {
		short += " " + year
	}
	return short
}

// briefName returns the shortest distinct name of an event.
func briefName(e eventseer.Event) string {
	return cmp.Or(shortName(e), singleLine(eventName(e), 80))
}

// placeLine returns the place of an event in one line.
func placeLine(v *eventseer.Venue) string {
	if v == nil {
		return ""
	}
	if s := singleLine(v.String(), maxShort); s != "" {
		if rest, ok := strings.CutPrefix(s, "("); ok { // "(online)" of no place
			s = strings.TrimSuffix(rest, ")")
		}
		return s
	}
	return singleLine(v.Text, maxShort)
}

// nonEmptyLines returns at most max texts, without empty ones.
func nonEmptyLines(texts []string, max int) (kept []string) {
	for _, t := range texts {
		if t = singleLine(t, maxShort); t != "" && len(kept) < max {
			kept = append(kept, t)
		}
	}
	return kept
}

// kindWords returns the name of a kind of event, "" for an unspecific one.
func kindWords(k eventseer.Kind) string {
	if k == eventseer.OtherKind {
		return ""
	}
	return singleLine(strings.ReplaceAll(string(k), "_", " "), 40)
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// slugOf converts a text to [a-z0-9-]. If more than spaces are lost, a hash of the text is appended,
// so that different texts have different slugs.
func slugOf(s string) string {
	folded := strings.Join(strings.Fields(strings.ToLower(singleLine(s, maxShort))), " ")
	var b strings.Builder
	lossy := false
	for _, r := range folded {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			lossy = lossy || r != ' ' && r != '-'
			if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
				b.WriteByte('-')
			}
		}
	}
	out := strings.Trim(b.String(), "-")
	if len(out) > 40 || lossy || out == "" && folded != "" {
		out = strings.Trim(out[:min(len(out), 40)], "-") + "-" + text.Hash(folded)[:8]
	}
	return strings.TrimPrefix(out, "-")
}

// editionSlug returns the identifier of an edition: its id, if that is a slug, otherwise a hash.
func editionSlug(e eventseer.Event) string {
	if id := string(e.ID); id != "" && len(id) <= maxID && slugPattern.MatchString(id) {
		return id
	}
	return "page-" + text.Hash(string(e.ID)+"\x00"+e.URL)
}

const maxID = 100 // bytes; ids of the store have at most 80 and a number

var slugPattern = regexp.MustCompile(`^[a-z0-9-]+$`)

// clockText returns the time of day of a deadline in the zone of its page, "23:59 AoE"; "" if no zone
// is known.
func clockText(d eventseer.Deadline) string {
	zone := eventseer.Zone(d.TZ)
	if d.Instant.IsZero() || zone == nil {
		return ""
	}
	s := d.Instant.In(zone).Format("15:04 ") + singleLine(d.TZ, 30)
	if d.TZSource == eventseer.TZAssumed {
		s += " (assumed)"
	}
	return s
}

// dayAndClock returns a deadline in the zone of its page, "15 Jan 2027, 23:59 AoE".
func dayAndClock(d eventseer.Deadline) string {
	day, ok := d.Date.Time()
	if zone := eventseer.Zone(d.TZ); !d.Instant.IsZero() && zone != nil {
		day, ok = d.Instant.In(zone), true
	}
	if !ok {
		return singleLine(string(d.Date), 20)
	}
	if c := clockText(d); c != "" {
		return day.Format("2 Jan 2006, ") + c
	}
	return day.Format("2 Jan 2006")
}

// describeDeadline describes a deadline: its kind, track and round, after the call if that is not the main one:
// "demos, submission".
func describeDeadline(d eventseer.Deadline) string {
	s := kindOfDate(d.Kind)
	switch d.Kind {
	case eventseer.Demo, eventseer.Poster, eventseer.Doctoral:
		s = "submission"
	case eventseer.TutorialProposal, eventseer.WorkshopProposal:
		s = "proposals"
	}
	call := d.Call()
	if t := singleLine(d.Track, 80); t != "" && call == eventseer.MainCall {
		s += ", " + t
	} else if t != "" && d.CallKey().Track != "" {
		s = t + ", " + s
	}
	if call != eventseer.MainCall && (d.Kind.OfOtherCall() || d.CallTrack() != "") {
		s = string(call) + ", " + s
	}
	if d.Round > 0 {
		s += fmt.Sprintf(", round %d", d.Round)
	}
	return s
}

// kindOfDate returns the purpose of a deadline, in words.
func kindOfDate(k eventseer.DeadlineKind) string {
	switch k {
	case "":
		return "date"
	case eventseer.OtherDeadline:
		return "other date"
	}
	return singleLine(strings.ReplaceAll(string(k), "_", " "), 40)
}

// isEstimated reports whether a date was estimated from earlier editions.
func isEstimated(p eventseer.Provenance) bool { return strings.HasPrefix(p.Rule, "estimate") }
