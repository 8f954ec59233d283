package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"eventseer/eventseer/ui/views"
)

// A labelView is the labelling page; without Page nothing is left to label.
type labelView struct {
	views.Frame
	Progress LabelProgress
	Total    int
	Page     *LabelPage
	Name     string // of the page
	Href     string // of the page, or ""
	Call     string // chosen so far: yes, no or ""
	Type     string // chosen so far, or ""
	Buttons  []typeButton
	Lines    []string
	Cut      bool // there is more text
	Guess    string
	Reasons  []reasonList
}

// A typeButton gives a page its type.
type typeButton struct{ Key, Type, Name, About string }

// A reasonList is the features that speak for one answer, or against it.
type reasonList struct {
	Title   string
	Reasons []LabelReason
}

func newLabelView(l *labelServer, page *LabelPage, c choice) labelView {
	v := labelView{Frame: l.Frame("Label pages", ""), Progress: l.Queue.Progress(), Page: page}
	v.Total = v.Progress.Labelled + v.Progress.Skipped + v.Progress.Left
	if page == nil {
		return v
	}
	v.Call, v.Type, v.Href = c.call, c.pageType, views.WebLink(page.URL)
	v.Name = views.Clip(strings.TrimSpace(page.Title), maxLabelTitle)
	if v.Name == "" {
		v.Name = "Page without a title"
	}
	v.Title = v.Name
	for i, name := range l.PageTypes {
		v.Buttons = append(v.Buttons, typeButton{strconv.Itoa(i + 1), name, typeName(name), aboutTypes[name]})
	}
	v.Lines, v.Cut = shownLines(page.Text)
	v.Guess = guess(page)
	v.Reasons = reasonLists(page)
	return v
}

// aboutTypes says what the page types mean.
var aboutTypes = map[string]string{
	"cfp":               "the call itself, on a page of its own",
	"cfp_list":          "calls, dates or editions of many events",
	"conference":        "any page of one event, also one that holds its call",
	"homepage":          "of a person",
	"institution_topic": "of a group, institute, project or field",
	"mail_announcement": "a mail, or its page in an archive",
	"weblog":            "a blog, its posts, news",
	"other":             "none of these",
}

// typeName is a page type in words.
func typeName(pageType string) string {
	if pageType == "cfp" {
		return "call for papers"
	}
	return strings.ReplaceAll(pageType, "_", " ")
}

// guess says what the models make of a page, and how sure they are.
func guess(p *LabelPage) string {
	call := "no call"
	if p.Score >= p.Threshold {
		call = "a call"
	}
	s := fmt.Sprintf("The model takes it for %s: score %.3f, yes from %.3f.", call, p.Score, p.Threshold)
	if len(p.Types) > 0 {
		s += fmt.Sprintf(" Type: %s %.2f", typeName(p.Types[0].PageType), p.Types[0].Score)
		if len(p.Types) > 1 {
			s += fmt.Sprintf(", then %s %.2f", typeName(p.Types[1].PageType), p.Types[1].Score)
		}
		s += "."
	}
	return s
}

// reasonLists parts the features by what they speak for; empty lists are left out.
func reasonLists(p *LabelPage) []reasonList {
	var lists []reasonList
	add := func(title string, reasons []LabelReason, sign float64) {
		list := reasonList{Title: title}
		for _, r := range reasons {
			if r.Weight*sign > 0 {
				list.Reasons = append(list.Reasons, LabelReason{views.Clip(r.Text, 80), math.Abs(r.Weight)})
			}
		}
		if len(list.Reasons) > 0 {
			lists = append(lists, list)
		}
	}
	add("For a call", p.Call, 1)
	add("Against a call", p.Call, -1)
	if len(p.Types) > 0 {
		name := typeName(p.Types[0].PageType)
		add("For "+name, p.Type, 1)
		add("Against "+name, p.Type, -1)
	}
	return lists
}

// shownLines returns the paragraphs of text that are shown, and whether there is
// more. Runs of short lines, as menus have, become one paragraph.
func shownLines(text string) (lines []string, cut bool) {
	var short []string
	flush := func() {
		if len(short) >= minShortRun {
			short = []string{strings.Join(short, " · ")}
		}
		lines, short = append(lines, short...), nil
	}
	left := maxLabelText
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if left <= 0 {
			cut = true
			break
		}
		line = views.Clip(line, min(left, maxLabelLine))
		n := utf8.RuneCountInString(line)
		left -= n + 1
		if n <= shortLine {
			short = append(short, line)
			continue
		}
		flush()
		lines = append(lines, line)
	}
	flush()
	return lines, cut
}
