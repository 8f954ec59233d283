package extract

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
)

const (
	// maxTopics bounds the list: records hold "at most 60 or so" by definition.
	maxTopics     = 60
	maxTopicBytes = 500
)

// A topicReading is how a block is read as topics.
type topicReading uint8

const (
	noTopic     topicReading = iota
	wholeTopic               // the block is one topic
	partTopics               // its parts between commas or the like are topics
	numReadings              // number of readings
)

// topics returns the topics of the page. The provenance spans all of them; its confidence
// is the probability that a topic is right on a page whose blocks hold topics with such odds on average.
func (p *page) topics(m *classify.LogLinear) ([]string, eventseer.Provenance) {
	var out []string
	var src eventseer.Provenance
	sum := 0.0
	newTopicPage(p).each(m, func(x topicBlock, topic string) {
		b := p.blocks[x.block]
		if len(out) == 0 {
			src = p.source(x.block, 0, len(b.Text), "topic-list")
		}
		src.Offset[1] = b.Start + len(b.Text)
		out = append(out, topic)
		sum += logOdds(x.prob)
	})
	if len(out) > 0 {
		src.Confidence = topicCurve.Prob(sum / float64(len(out)))
	}
	return out, src
}

// each calls f with each topic of the page and the block that holds it, at most maxTopics. Each
// block is read in the way that the model finds likeliest, together with the blocks beside it
// that look like it.
func (tp *topicPage) each(m *classify.LogLinear, f func(x topicBlock, topic string)) {
	chosen := slices.DeleteFunc(tp.withoutLevels(tp.choose(tp.judge(m))), func(x topicBlock) bool { return tp.underlined(x.block) })
	lists := make([][]string, len(chosen))
	for k, x := range chosen {
		lists[k] = topicsIn(tp.texts[x.block], x.reading)
	}
	seen, groups, topics := map[string]bool{}, tp.groupNames(chosen, lists), 0
	for k, x := range chosen {
		for _, topic := range lists[k] {
			key := strings.ToLower(topic)
			if seen[key] || groups[key] {
				continue
			}
			if topics == maxTopics {
				return
			}
			seen[key] = true
			topics++
			f(x, topic)
		}
	}
}

// underlined reports whether block i is a line of plain text with a rule below it, which heads what follows.
func (tp *topicPage) underlined(i int) bool {
	blocks := tp.p.blocks
	return i+1 < len(blocks) && blocks[i].Kind == tagtree.Line && blocks[i+1].Path == blocks[i].Path && ruleLine.MatchString(blocks[i+1].Text)
}

// ruleLine matches a line that is but a rule.
var ruleLine = compile(`^[-=~_*#+^]{3,}$`)

// partTopicsAndPeople returns the topics and people of a page without those that are the other. A topic
// is a person if it is the whole name of one, a person's affiliation or, in a script without capitals, a line that
// names one; a name without a role is none if a longer topic begins with it.
func partTopicsAndPeople(topics []string, people []eventseer.Person) ([]string, []eventseer.Person) {
	if len(topics) == 0 || len(people) == 0 {
		return topics, people
	}
	names, begins := map[string]bool{}, map[string]bool{}
	for _, q := range people {
		names[strings.ToLower(q.Name)] = true
	}
	for _, q := range people {
		if q.Role != "other" && q.Affiliation != "" {
			names[strings.ToLower(q.Affiliation)] = true
		}
	}
	topics = slices.DeleteFunc(topics, func(s string) bool {
		return names[strings.ToLower(honorific.ReplaceAllString(s, ""))] || slices.ContainsFunc(people, func(q eventseer.Person) bool { return namesIdeographs(s, q) })
	})
	for _, s := range topics {
		words := strings.Fields(strings.ToLower(s))
		for n := range min(len(words), maxNameWords) {
			begins[strings.Join(words[:n+1], " ")] = true
		}
	}
	people = slices.DeleteFunc(people, func(q eventseer.Person) bool { return q.Role == "other" && begins[strings.ToLower(q.Name)] })
	return topics, people
}

// maxHonorific is how many ideographs behind a name its title has at most.
const maxHonorific = 3

// namesIdeographs reports whether a topic names a person in ideographs. The name is at its start or
// behind another mark, and before one or before no more than a title.
func namesIdeographs(topic string, q eventseer.Person) bool {
	if !ideograph(firstRune(q.Name)) || q.Role == "other" && q.Affiliation == "" {
		return false
	}
	before, behind, ok := strings.Cut(topic, q.Name)
	if !ok {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	return !ideograph(last) && (!ideograph(firstRune(behind)) || utf8.RuneCountInString(behind) <= maxHonorific)
}

// logOdds returns the logarithm of the odds of a probability.
func logOdds(p float64) float64 {
	p = max(1e-6, min(1-1e-6, p))
	return math.Log(p / (1 - p))
}

// A topicBlock is a block with the reading chosen for it.
type topicBlock struct {
	block   int
	reading topicReading
	prob    float64 // that the block holds topics
}

// judge returns the probability of each reading of each candidate.
func (tp *topicPage) judge(m *classify.LogLinear) [][numReadings]float64 {
	first, out := make([][numReadings]float64, len(tp.cands)), make([][numReadings]float64, len(tp.cands))
	second := make([][passOutputs]float64, len(tp.cands))
	var both, shared [2 * passOutputs]float64
	run := -1
	for k := range tp.cands {
		if tp.run[k] != run {
			run = tp.run[k]
			tp.terms, _ = tp.appendRunTerms(tp.terms[:0], run)
			m.Scores(tp.terms, shared[:])
		}
		both = shared
		tp.terms, _ = tp.appendTerms(tp.terms[:0], k)
		m.Add(tp.terms, both[:])
		first[k] = readingOf(both[0], both[1])
		copy(second[k][:], both[passOutputs:])
	}
	for k := range tp.cands {
		clear(both[:])
		tp.terms = tp.appendContext(tp.terms[:0], k, first)
		m.Add(tp.terms, both[:])
		out[k] = readingOf(second[k][0]+both[passOutputs], second[k][1]+both[passOutputs+1])
	}
	return out
}

// readingOf returns the probabilities of the readings, given the log odds that a block holds
// topics, and that then its parts are.
func readingOf(topic, parts float64) (p [numReadings]float64) {
	t, q := sigmoid(topic), sigmoid(parts)
	p[noTopic], p[wholeTopic], p[partTopics] = 1-t, t*(1-q), t*q
	return p
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// ownShare is the weight of a block's own log probability in the choice of its reading. familyShare
// is the weight of the mean of similar blocks in its section; the rest is the mean of its run. So
// siblings are read alike.
const (
	ownShare    = 0.1
	familyShare = 0.2
)

// choose returns the blocks that hold topics, in order.
func (tp *topicPage) choose(ps [][numReadings]float64) []topicBlock {
	runs, families := make([]meanLog, len(tp.runs)), make([]meanLog, len(tp.cands))
	for k, p := range ps {
		runs[tp.run[k]].add(p)
		families[tp.family[k]].add(p)
	}
	var out []topicBlock
	for k, p := range ps {
		var s [numReadings]float64
		run, family := &runs[tp.run[k]], &families[tp.family[k]]
		if tp.bare(k) {
			run, family = &meanLog{}, &meanLog{}
			for q := max(k-bareReach, 0); q <= min(k+bareReach, len(ps)-1); q++ {
				if tp.run[q] == tp.run[k] {
					run.add(ps[q])
				}
			}
			family = run
		}
		for r := range s {
			s[r] = ownShare*logShare(p[r]) + familyShare*family.sum[r]/family.n + (1-ownShare-familyShare)*run.sum[r]/run.n
		}
		classify.Softmax(s[:])
		if 1-s[noTopic] <= topicLeast {
			continue
		}
		best := wholeTopic
		if s[partTopics] > s[wholeTopic] {
			best = partTopics
		}
		out = append(out, topicBlock{tp.cands[k], best, 1 - s[noTopic]})
	}
	return out
}

// bareReach is how many blocks before and after a line or paragraph without a bullet are read like
// it. On pages that have only such blocks, all look alike.
const bareReach = 3

// bare reports whether candidate k is a line or paragraph without a bullet.
func (tp *topicPage) bare(k int) bool {
	b := &tp.p.blocks[tp.cands[k]]
	return (b.Kind == tagtree.Line || b.Kind == tagtree.Paragraph) && bulletKind(b.Text) == 0
}

// A meanLog is a sum of log probabilities and their number.
type meanLog struct {
	sum [numReadings]float64
	n   float64
}

func (m *meanLog) add(p [numReadings]float64) {
	for r, x := range p {
		m.sum[r] += logShare(x)
	}
	m.n++
}

func logShare(p float64) float64 { return math.Log(max(p, 1e-4)) }

// topicLeast is the probability above which a block is read for topics.
const topicLeast = 0.5

// topicsIn returns the topics of a text read in some way.
func topicsIn(s string, r topicReading) []string {
	switch r {
	case wholeTopic:
		if t := cleanTopic(s); t != "" {
			return []string{t}
		}
	case partTopics:
		return topicParts(s)
	}
	return nil
}

var (
	bullet = compile(`^\s*(?:[-*•·●○▪■◦‣∙–—+>»§✓✔→►▶]|\(?[0-9]{1,2}[.):]|\(?[a-zA-Z][.)]|o|[IVX]{1,4}[.)])\s+`)
	// numberedTopic matches what numbers a topic with a word: "Track 1: ".
	numberedTopic = compile(`^\p{L}+\s*#?(?:[0-9]{1,2}|[A-Z]|[IVX]{1,4})\s*[:.)–—-]\s+`)
	// inlineLead matches a verb that a list in a sentence follows without a colon.
	inlineLead = compile(`(?i)\b(?:are|is|include|includes|including|such as|on|in|incluyen|incluem)\s`)
)

// cleanTopic returns a topic without its bullet or number and the marks around it. It returns "" for
// a text without words and for a number.
func cleanTopic(s string) string {
	s = bullet.ReplaceAllString(s, "")
	s = numberedTopic.ReplaceAllString(s, "")
	s = strings.Trim(s, " ;,.-•·:；，。、：")
	s = strings.TrimSuffix(strings.TrimSuffix(s, " and"), ";")
	if !says(s) || strings.Trim(strings.ToLower(s), "()ivx") == "" || len(s) > maxTopicBytes {
		return ""
	}
	return s
}

// least parts of a list in a sentence.
const leastParts = 3

// topicParts splits the sentence of a text that has most parts: "Topics include: a, b, c and d."
func topicParts(s string) []string {
	s = clip(s, 8*maxTopicBytes)
	var best []string
	for _, sentence := range sentences(s) {
		if parts := splitTopics(sentence); len(parts) >= leastParts && len(parts) > len(best) {
			best = parts
		}
	}
	var out []string
	for _, part := range best {
		if t := cleanTopic(part); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// sentences splits a text after full stops that a capital or other letter follows.
func sentences(s string) []string {
	var out []string
	from := 0
	for i := 0; i+2 < len(s); i++ {
		if (s[i] == '.' || s[i] == '?' || s[i] == '!') && s[i+1] == ' ' && !(s[i+2] >= 'a' && s[i+2] <= 'z') && i-from > 3 {
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}

// topicMarks are the marks between the parts of a list, those before others that are in parts of
// such lists.
var topicMarks = []string{";", "；", "•", "·", "|", " - ", " – ", "、", "，", ","}

// splitTopics splits a sentence at the first of topicMarks that it has several of, what leads in
// left out.
func splitTopics(s string) []string {
	if _, rest, ok := strings.Cut(s, ": "); ok { // "Topics include, but are not limited to: a, b, c"
		if parts := splitList(rest); len(parts) >= leastParts {
			return parts
		}
	}
	return splitList(s)
}

func splitList(s string) []string {
	for _, sep := range topicMarks {
		if strings.Count(s, sep) < leastParts-1 {
			continue
		}
		parts := splitOutside(s, sep)
		if len(parts) < leastParts {
			continue
		}
		parts[0] = withoutLead(parts[0])
		last := len(parts) - 1
		if rest, ok := strings.CutPrefix(strings.TrimSpace(parts[last]), "and "); ok {
			parts[last] = rest
		} else if sep == "," && !strings.Contains(strings.Join(parts[:last], ","), " and ") {
			if a, b, ok := strings.Cut(parts[last], " and "); ok { // "a, b and c"
				parts = append(parts[:last], a, b)
			}
		}
		for i, part := range parts {
			parts[i] = withoutConjunction(part)
		}
		if strings.TrimSpace(parts[0]) == "" {
			parts = parts[1:]
		}
		return parts
	}
	return nil
}

// splitOutside splits s at each sep outside of brackets.
func splitOutside(s, sep string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth = max(depth-1, 0)
		}
		if depth == 0 && strings.HasPrefix(s[i:], sep) {
			out = append(out, s[from:i])
			from = i + len(sep)
			i = from - 1
		}
	}
	return append(out, s[from:])
}

// withoutLead returns the first part of a list without what leads in to it: up to a
// colon, else up to a verb.
func withoutLead(s string) string {
	for _, colon := range []string{": ", "：", ":"} {
		if i := strings.LastIndex(s, colon); i >= 0 {
			return s[i+len(colon):]
		}
	}
	if ms := inlineLead.FindAllStringIndex(s, -1); len(ms) > 0 && ms[0][0] > 0 {
		return s[ms[len(ms)-1][1]:]
	}
	return s
}

func withoutConjunction(s string) string {
	s = strings.TrimSpace(s)
	return strings.TrimPrefix(strings.TrimPrefix(s, "and "), "or ")
}

// continues reports whether a plain line goes on from the one before.
func continues(before, line string) bool {
	r, _ := utf8.DecodeRuneInString(line)
	return !strings.HasSuffix(before, ".") && (unicode.IsLower(r) || strings.HasSuffix(before, ",") || strings.HasPrefix(line, "("))
}

// topicKind returns the kind of a block for its features.
func topicKind(b *tagtree.Block) uint32 { return uint32(b.Kind)<<3 | uint32(b.Level) }
