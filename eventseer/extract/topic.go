package extract

import (
	"regexp"
	"strings"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

const (
	maxTopics     = 150
	maxTopicBytes = 500
	maxTopicGap   = 3 // blocks between a lead-in and its list
)

var (
	topicHeading = regexp.MustCompile(`(?i)\b(topics?|themes?|subjects?|areas|tracks|research areas|scope|t[oó]picos|temas|temáticas|áreas|themen\w*|thèmes|axes|ejes|temi)\b|主题|主題|議題|征文范围|徵稿|テーマ|トピック|주제|分野`)
	notTopics    = regexp.MustCompile(`(?i)\b(submi|format|guideline|instruction|date|deadline|committee|chair|registration|keynote|speaker|publication|proceedings|type|categor|review|criteria|venue|award|contact|hotel|program\b|programme|presentation (type|format|guide))`)
	leadIn       = regexp.MustCompile(`(?i)\b(topics|areas|themes|subjects|issues|interest|scope|relevant|questions|tracks|fields|t[oó]picos|temas|áreas|themen|thèmes)\b.*(includ|limited|are\b|following|such as|:\s*$|but not|among|cover|rang|incluy|inclu|umfass|compris)|\b(includ\w+|not) (but )?(are )?not (be )?(limited|restricted|necessarily)|not limited to|non-exhaustive|invite\w* .{0,120}\b(on|in|about|following|areas)\b.{0,80}:\s*$|including:?\s*$|include:\s*$`)
	bullet       = regexp.MustCompile(`^\s*(?:[-*•·●○▪■◦‣∙–—+>»§]|\(?[0-9]{1,2}[.)]|\(?[a-z][.)]|o)\s+`)
)

// topics finds the lists under a heading or a sentence that promises topics.
func (p *page) topics() ([]string, eventseer.Provenance) {
	var out []string
	var src eventseer.Provenance
	seen := map[string]bool{}
	for i := 0; i < len(p.blocks) && len(out) < maxTopics; i++ {
		b := p.blocks[i]
		heading := isHeading(b) && topicHeading.MatchString(b.Text) && !notTopics.MatchString(b.Text)
		lead := leadIn.MatchString(tail(b.Text, maxLabel)) && !notTopics.MatchString(tail(b.Text, 60))
		if !heading && !lead {
			continue
		}
		items, next := p.list(i, heading)
		if len(items) < 2 && lead {
			items = inlineTopics(b.Text)
		}
		if len(items) < 2 {
			continue
		}
		if len(out) == 0 {
			src = p.source(i, 0, len(b.Text), "topic-list")
		}
		for _, t := range items {
			t = cleanTopic(t)
			if k := strings.ToLower(t); t != "" && !seen[k] && len(out) < maxTopics {
				seen[k] = true
				out = append(out, t)
			}
		}
		i = max(i, next-1)
	}
	return out, src
}

// list returns the list items that follow block i, up to the end of its
// section, and the block after them.
func (p *page) list(i int, heading bool) ([]string, int) {
	var items []string
	gap := 0
	level := p.blocks[i].Level
	last := i + 1
	for j := i + 1; j < len(p.blocks) && len(items) < maxTopics; j++ {
		b := p.blocks[j]
		if p.menu[j] {
			continue
		}
		if isHeading(b) {
			if level == 0 && len(items) == 0 && b.Kind == tagtree.Heading && !sectionWords.MatchString(b.Text) {
				level = b.Level - 1 // the list is in groups with headings
			}
			inside := b.Kind == tagtree.Heading && level > 0 && b.Level > level
			if notTopics.MatchString(b.Text) || !inside && (len(items) > 0 || !topicHeading.MatchString(b.Text)) {
				break
			}
			gap = 0
			continue
		}
		item := b.Kind == tagtree.Item || b.Kind == tagtree.Definition || bullet.MatchString(b.Text)
		if item && len(p.datesIn(j)) == 0 && len(b.Text) <= maxTopicBytes {
			items = append(items, b.Text)
			gap, last = 0, j+1
			continue
		}
		if b.Kind == tagtree.Line && len(items) > 0 && continues(p.blocks[j-1].Text, b.Text) && gap == 0 {
			items[len(items)-1] += " " + b.Text
			last = j + 1
			continue
		}
		if gap++; gap > maxTopicGap || len(items) > 0 && gap > 1 {
			break
		}
	}
	return items, last
}

// continues reports whether a plain line goes on from the one before.
func continues(before, line string) bool {
	r := []rune(line)[0]
	return !strings.HasSuffix(before, ".") && (r >= 'a' && r <= 'z' || strings.HasSuffix(before, ",") || strings.HasPrefix(line, "("))
}

var inlineLead = regexp.MustCompile(`(?i)(?:limited to|include|including|includes|are|such as|following|topics|interest|areas)\s*(?:\([^)]*\))?\s*[:,]\s*`)

// inlineTopics splits "Topics include: a, b, c and d."
func inlineTopics(s string) []string {
	ms := inlineLead.FindAllStringIndex(s, 8)
	if len(ms) == 0 {
		return nil
	}
	rest := clip(s[ms[len(ms)-1][1]:], 4*maxTopicBytes)
	if i := strings.Index(rest, ". "); i > 0 {
		rest = rest[:i]
	}
	sep := ","
	for _, try := range []string{";", "•", " - "} {
		if strings.Count(rest, try) >= 2 {
			sep = try
			break
		}
	}
	parts := strings.Split(rest, sep)
	if len(parts) < 3 {
		return nil
	}
	for i, part := range parts {
		part = strings.TrimSpace(part)
		parts[i] = strings.TrimPrefix(strings.TrimPrefix(part, "and "), "or ")
	}
	return parts
}

func cleanTopic(s string) string {
	s = bullet.ReplaceAllString(s, "")
	s = strings.Trim(s, " ;,.-•·:")
	s = strings.TrimSuffix(strings.TrimSuffix(s, " and"), ";")
	if !says(s) || len(s) > maxTopicBytes || strings.Contains(s, "http") || sentenceEnd.MatchString(s) && len(s) > maxPlaceBlock {
		return ""
	}
	return s
}
