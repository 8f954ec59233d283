package extract

import (
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
	topicHeading = compile(`(?i)\b(topics?|themes?|subjects?|areas|tracks|research areas|scope|t[oó]picos|temas|temáticas|áreas|themen\w*|thèmes|axes|ejes|temi|tematyka|tematika|témata|onderwerpen|konular|ämnen|emner|темы|тематика)\b|主题|主題|議題|征文范围|徵稿|テーマ|トピック|주제|分野`)
	notTopics    = compile(`(?i)\b(submi|format|guideline|instruction|date|deadline|committee|chair|registration|keynote|speaker|publication|proceedings|type|categor|review|criteria|venue|award|contact|hotel|program\b|programme|presentation (type|format|guide))`)
	leadIn       = compile(`(?i)\b(topics|areas|themes|subjects|issues|interest|scope|relevant|questions|tracks|fields|t[oó]picos|temas|áreas|themen|thèmes)\b.*(includ|limited|are\b|following|such as|:\s*$|but not|among|cover|rang|incluy|inclu|umfass|compris)|\b(includ\w+|not) (but )?(are )?not (be )?(limited|restricted|necessarily)|not limited to|non-exhaustive|(invit|solicit)\w* .{0,120}\b(on|in|about|following|areas)\b.{0,80}:\s*$|including:?\s*$|include:\s*$`)
	// plainLead matches a sentence that names topics without a colon, keywords a
	// label before them, forSubmission the topics one submits on, and demands what
	// stands over a list of what a submission must hold.
	plainLead     = compile(`(?i)\b(topics|areas|themes|subjects)( of interest| covered)?( for \w+)? (are|include)\b[^:.]*,[^:.]*,`)
	keywords      = compile(`(?i)^\W*(key ?words|topics( of interest)?|themes|research areas|areas of interest)\s*:[^:.]*[,;][^:.]*[,;]`)
	forSubmission = compile(`(?i)\b(topics|areas|themes) (of|for) (the )?(submission|paper)`)
	demands       = compile(`(?i)\b(submissions?|proposals?|papers?|abstracts?|descriptions?|applications?|manuscripts?|authors?|document|cover letter|pages?) (\w+ )?(should|must|shall|need to|has to|have to|needs to) (\w+ ){0,3}(include|contain|describe|provide|specify|consist)|following (information|items|details|sections|requirements|criteria|formats?)|\b(must|should) (include|contain|provide|specify)`)
	bullet        = compile(`^\s*(?:[-*•·●○▪■◦‣∙–—+>»§]|\(?[0-9]{1,2}[.)]|\(?[a-z][.)]|o)\s+`)
)

// topicsRight is the share of topics read that are gold's
// (tools/score_extract.py, precision of topics).
const topicsRight = 0.95

// topics finds the lists under a heading or a sentence that promises topics.
// The provenance spans all of them.
func (p *page) topics() ([]string, eventseer.Provenance) {
	var out []string
	var src eventseer.Provenance
	seen := map[string]bool{}
	for i := 0; i < len(p.blocks) && len(out) < maxTopics; i++ {
		b := p.blocks[i]
		heading := isHeading(b) && topicHeading.MatchString(b.Text) && !notTopics.MatchString(b.Text)
		lead := !heading && p.leads(b.Text)
		if !heading && !lead {
			continue
		}
		items, next := p.list(i, heading)
		if lead && (len(items) < 2 || keywords.MatchString(b.Text)) {
			if inline := inlineTopics(b.Text); len(inline) > len(items) {
				items = inline
			}
		}
		if len(items) < 2 {
			items, next = p.commaLists(i)
		}
		if len(items) < 2 {
			continue
		}
		if len(out) == 0 {
			src = p.source(i, 0, len(b.Text), "topic-list")
			src.Confidence = topicsRight
		}
		end := p.blocks[max(i, min(next, len(p.blocks))-1)]
		src.Offset[1] = end.Start + len(end.Text)
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

// leads reports whether a text ends with a sentence that promises topics.
func (p *page) leads(s string) bool {
	end := tail(s, maxLabel)
	if keywords.MatchString(s) {
		return true
	}
	if !leadIn.MatchString(end) && !plainLead.MatchString(end) {
		return false
	}
	end = tail(s, 60)
	return (!notTopics.MatchString(end) || forSubmission.MatchString(end)) && !demands.MatchString(lastSentence(s))
}

// commaLists returns the topics of the paragraphs behind block i that are
// lists between commas, and the block behind them.
func (p *page) commaLists(i int) ([]string, int) {
	var items []string
	next := i + 1
	for j, gap := i+1, 0; j < len(p.blocks) && gap <= maxTopicGap && len(items) < maxTopics; j++ {
		b := p.blocks[j]
		if b.Kind == tagtree.Heading && notTopics.MatchString(b.Text) || len(p.datesIn(j)) > 0 {
			break
		}
		parts := commaList(b.Text)
		if parts == nil {
			gap++
			continue
		}
		items, next, gap = append(items, parts...), j+1, 0
	}
	return items, next
}

// Bounds on what reads as a list between commas.
const (
	minCommaParts = 4
	minSemicolons = 2  // fewer are needed, for sentences have none
	maxCommaPart  = 80 // bytes
)

// commaList splits a text that is nothing but short phrases between commas or
// semicolons, or returns nil.
func commaList(s string) []string {
	if len(s) > 4*maxTopicBytes || strings.ContainsAny(s, "@?!") || strings.Contains(strings.TrimRight(s, ". "), ". ") {
		return nil
	}
	sep, least := ",", minCommaParts
	if strings.Count(s, ";") >= minSemicolons {
		sep, least = ";", minSemicolons+1
	}
	parts := strings.Split(strings.TrimRight(s, ". ;"), sep)
	if len(parts) < least {
		return nil
	}
	for i, part := range parts {
		part = withoutConjunction(part)
		if len(part) > maxCommaPart || sentenceWords.MatchString(part) || !says(part) || countryNamed(part) != "" || personName(part) {
			return nil
		}
		parts[i] = part
	}
	return parts
}

// sentenceWords matches what stands in a sentence and in no list of topics.
var sentenceWords = compile(`(?i)^(such as|including|includes?|in addition|we|our|this|these|it|but|which|that|where|who|as well|e\.g|i\.e|from|at|on|with|by|for|to|is|are|the following)\b|\b(we|are|is|was|were|will|has|have|can|our|you|your|this|these|include|i\.e|etc)\b`)

func withoutConjunction(s string) string {
	s = strings.TrimSpace(s)
	return strings.TrimPrefix(strings.TrimPrefix(s, "and "), "or ")
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
			if level == b.Level && level > 0 && len(items) == 0 && j == i+1 && !sectionWords.MatchString(b.Text) && !notTopics.MatchString(b.Text) {
				level-- // so are groups under a heading of their own rank
			}
			if level == 0 && len(items) == 0 && b.Kind == tagtree.Heading && !sectionWords.MatchString(b.Text) {
				level = b.Level - 1 // the list is in groups with headings
			}
			inside := b.Kind == tagtree.Heading && level > 0 && b.Level > level
			if notTopics.MatchString(b.Text) || inside && level < p.blocks[i].Level && sectionWords.MatchString(b.Text) || !inside && (len(items) > 0 || !topicHeading.MatchString(b.Text)) {
				break
			}
			gap = 0
			continue
		}
		item := b.Kind == tagtree.Item || b.Kind == tagtree.Definition || bullet.MatchString(b.Text)
		if item && p.isParent(j) {
			gap, last = 0, j+1
			continue
		}
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

// isParent reports whether item j is the heading of a list of its own, whose
// items are the topics: "Calculi:".
func (p *page) isParent(j int) bool {
	if j+1 >= len(p.blocks) {
		return false
	}
	b, next := p.blocks[j], p.blocks[j+1]
	return next.Kind == tagtree.Item && strings.HasSuffix(b.Text, ":") && len(b.Text) <= maxHeading
}

// continues reports whether a plain line goes on from the one before.
func continues(before, line string) bool {
	r := []rune(line)[0]
	return !strings.HasSuffix(before, ".") && (r >= 'a' && r <= 'z' || strings.HasSuffix(before, ",") || strings.HasPrefix(line, "("))
}

var inlineLead = compile(`(?i)(?:(?:topics|areas|themes|subjects)(?: of interest| covered)?(?: for \w+)? (?:are|include)\s|(?:limited to|include|including|includes|are|such as|following|topics|interest|areas|key ?words)\s*(?:\([^)]*\))?\s*[:,])\s*`)

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
		parts[i] = withoutConjunction(part)
	}
	return parts
}

// instruction matches what tells authors what to do, and other pages' names.
var instruction = compile(`(?i)\bcommittees?$|^chairs?$|^(please|do not|don['’]t|submit|click|note that|see|download)\b|^(abstracts?|papers?|submissions?|authors?|manuscripts?|posters?|proposals?)\b.*\b(that|must|should|will|are|can|may)\b|\b(should|must) (not )?(be|exceed|include|contain)\b|\b(up to|maximum|max\.?|minimum|at most|no more than|limited to)\b.{0,14}\b(pages?|words)\b|\b\d+ ?(-|–|to)? ?\d* (pages|words)\b`)

func cleanTopic(s string) string {
	s = bullet.ReplaceAllString(s, "")
	s = strings.Trim(s, " ;,.-•·:")
	s = strings.TrimSuffix(strings.TrimSuffix(s, " and"), ";")
	if instruction.MatchString(s) || !says(s) || len(s) > maxTopicBytes || strings.Contains(s, "http") || sentenceEnd.MatchString(s) && len(s) > maxPlaceBlock {
		return ""
	}
	return s
}
