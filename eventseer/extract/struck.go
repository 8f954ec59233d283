package extract

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/features/tagtree"
)

// separateStruck returns a block's text twice, with spaces for the struck-out parts and with spaces for all
// other parts. The dates of both can then be read separately with the same offsets: of "May <s>3</s> 9"
// only May 9 is valid.
func separateStruck(b tagtree.Block) (kept, struck string) {
	spans := append(b.Struck[:len(b.Struck):len(b.Struck)], markdownStruck(b.Text)...)
	if len(spans) == 0 {
		return b.Text, ""
	}
	k, s := []byte(b.Text), []byte(strings.Repeat(" ", len(b.Text)))
	for _, sp := range spans {
		from, to := max(0, sp.Start), min(sp.End, len(k))
		for i := from; i < to; i++ {
			k[i], s[i] = ' ', b.Text[i]
		}
	}
	return string(k), string(s)
}

// markdownStruck returns the struck-out parts in Markdown that was not rendered: "May ~~3~~ 9".
func markdownStruck(s string) []tagtree.Span {
	var out []tagtree.Span
	for from := 0; len(out) < maxLabels; {
		start := strings.Index(s[from:], "~~")
		if start < 0 {
			break
		}
		start += from + 2
		end := strings.Index(s[start:], "~~")
		if end <= 0 || end > maxHeading {
			break
		}
		out = append(out, tagtree.Span{Start: start, End: start + end})
		from = start + end + 2
	}
	return out
}

// addStruck adds the struck-out dates of block i to the valid ones, in printed order. A struck-out date
// inside a valid one is added to its was field.
func addStruck(ds []foundDate, i int, text, struck, lang string) []foundDate {
	old := date.Read(struck, lang)
	for _, sp := range old {
		if sp.From.Day == 0 {
			continue
		}
		if n := slices.IndexFunc(ds, func(d foundDate) bool { return sp.Start < d.End && d.Start < sp.End }); n >= 0 {
			ds[n].was = append(ds[n].was, sp)
			continue
		}
		ds = append(ds, foundDate{Span: sp, block: i, struck: true})
	}
	slices.SortStableFunc(ds, func(a, b foundDate) int { return a.Start - b.Start })
	parts := date.SeparateParts(struck, lang)
	for n := range ds {
		if !ds[n].struck && ds[n].From == ds[n].To {
			ds[n].noteStruckPart(parts, text, old)
		}
	}
	return ds
}

// noteStruckPart reads a separate day or month that is struck out inside or directly before a date. It
// belongs to the previous date, which is added to was. old are the complete dates that are struck out.
func (d *foundDate) noteStruckPart(parts []date.Part, text string, old []date.Span) {
	near, _ := slices.BinarySearchFunc(parts, d.Start-maxGap, func(l date.Part, at int) int { return l.Start - at })
	for _, l := range parts[near:] {
		if l.End > d.End || len(d.was) > 0 {
			break
		}
		whole := slices.ContainsFunc(old, func(o date.Span) bool { return o.From.Day != 0 && o.Start <= l.Start && l.End <= o.End })
		if whole || l.End <= d.Start && separatesFromDate.MatchString(text[l.End:d.Start]) {
			continue
		}
		was := d.Span
		if l.Month != 0 {
			was.From.Month = l.Month
		} else {
			was.From.Day = l.Day
		}
		was.To = was.From
		if was.Start, was.End = l.Start, l.End; was.From.IsValid() && was.From != d.From {
			d.was = append(d.was, was)
		}
	}
}

// followsStruck reports whether a date directly follows the struck-out date of an entry and replaces it. An
// example is "Notification: <s>May 1</s> no later than May 9". link is the text between them. It must be a few
// words in any language, without punctuation and without the name of another deadline or round.
func followsStruck(old entry, d foundDate, link string) bool {
	if !old.date.struck || d.struck || d.block != old.date.block || len(link) > maxStruckLink || strings.ContainsAny(link, ":;,.|/()[]•·0123456789") {
		return false
	}
	number, season := roundOf(link)
	return number == 0 && season == "" && labelKind(link) == "" && !surelyNew.MatchString(link) && old.date.To.IsBefore(d.To) &&
		isShortlyAfter(old.date.Span, d.Span, maxMove)
}

// maxStruckLink is the maximum number of bytes between a struck-out date and the one that replaces it.
const maxStruckLink = 24

// separatesFromDate matches text between a struck-out number and a date which shows that the two do not belong
// together.
var separatesFromDate = compilePattern(`[\pL\pN():;]`)

// maxGap is the maximum number of bytes between a struck-out day and its month.
const maxGap = 12
