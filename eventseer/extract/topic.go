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
	// maxTopics is the maximum number of topics per record: "at most 60 or so" by the definition of the
	// field.
	maxTopics     = 60
	maxTopicBytes = 500
)

// A topicReading is a way to read topics from a block.
type topicReading uint8

const (
	noTopic     topicReading = iota
	wholeTopic               // the block is one topic
	partTopics               // the parts of the block between commas or similar separators are topics
	numReadings              // number of readings
)

// readTopics returns the topics of the page and a source that covers all of them. Its confidence is the
// probability that one of the topics is right, estimated from the mean log odds of their blocks.
func readTopics(p *page, m *classify.LogLinear) ([]string, eventseer.Provenance) {
	var out []string
	var src eventseer.Provenance
	sum := 0.0
	newTopicPage(p).forEachTopic(m, func(x topicBlock, topic string) {
		b := p.blocks[x.block]
		if len(out) == 0 {
			src = p.provenanceOf(x.block, 0, len(b.Text), "topic-list")
		}
		src.Offset[1] = b.Start + len(b.Text)
		out = append(out, topic)
		sum += logOdds(x.prob)
	})
	if len(out) > 0 {
		src.Confidence = topicCurve.Probability(sum / float64(len(out)))
	}
	return out, src
}

// forEachTopic calls f with each topic of the page and its block, at most maxTopics times. The model decides how a
// block is read, together with similar blocks around it. Topics are reported once, and names of groups of
// topics are left out.
func (tp *topicPage) forEachTopic(m *classify.LogLinear, f func(x topicBlock, topic string)) {
	chosen := slices.DeleteFunc(tp.withoutLevels(tp.chooseReadings(tp.readingProbabilities(m))), func(x topicBlock) bool { return tp.isUnderlined(x.block) })
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

// isUnderlined reports whether block i is a line of plain text with a rule below it. It is then the heading
// of the following lines.
func (tp *topicPage) isUnderlined(i int) bool {
	blocks := tp.p.blocks
	return i+1 < len(blocks) && blocks[i].Kind == tagtree.Line && blocks[i+1].Path == blocks[i].Path && ruleLine.MatchString(blocks[i+1].Text)
}

// ruleLine matches a line that consists of a rule.
var ruleLine = compilePattern(`^[-=~_*#+^]{3,}$`)

// separateTopicsAndPeople removes topics that are people, and people that are topics. A topic is a person if it
// is a person's whole name or affiliation, or names a person in a script without capitals. A name without a
// role is removed if a longer topic begins with it. It modifies both lists.
func separateTopicsAndPeople(topics []string, people []eventseer.Person) ([]string, []eventseer.Person) {
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

// maxHonorific is the maximum number of ideographs of a title after a name.
const maxHonorific = 3

// namesIdeographs reports whether a topic contains the name of a person in ideographs. No ideograph may
// precede the name, and at most a title may follow.
func namesIdeographs(topic string, q eventseer.Person) bool {
	if !isIdeograph(firstRune(q.Name)) || q.Role == "other" && q.Affiliation == "" {
		return false
	}
	before, behind, ok := strings.Cut(topic, q.Name)
	if !ok {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	return !isIdeograph(last) && (!isIdeograph(firstRune(behind)) || utf8.RuneCountInString(behind) <= maxHonorific)
}

// logOdds returns the log odds of a probability, which is limited to [1e-6, 1-1e-6].
func logOdds(p float64) float64 {
	p = max(1e-6, min(1-1e-6, p))
	return math.Log(p / (1 - p))
}

// A topicBlock is a block with its chosen reading.
type topicBlock struct {
	block   int
	reading topicReading
	prob    float64 // probability that the block contains topics
}

// readingProbabilities returns the probabilities of the readings of each candidate.
func (tp *topicPage) readingProbabilities(m *classify.LogLinear) [][numReadings]float64 {
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

// readingOf returns the probabilities of the readings. topic are the log odds that a block contains topics,
// parts the log odds that its parts are topics if it does.
func readingOf(topic, parts float64) (p [numReadings]float64) {
	t, q := sigmoid(topic), sigmoid(parts)
	p[noTopic], p[wholeTopic], p[partTopics] = 1-t, t*(1-q), t*q
	return p
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// ownShare is the weight of a block's own log probability in the choice of its reading. familyShare is the
// weight of the mean over similar blocks in its section; the rest is the weight of the mean over its run.
// Similar blocks are thereby read in the same way.
const (
	ownShare    = 0.1
	familyShare = 0.2
)

// chooseReadings returns the blocks that contain topics, with their readings, in document order.
func (tp *topicPage) chooseReadings(ps [][numReadings]float64) []topicBlock {
	runs, families := make([]meanLog, len(tp.runs)), make([]meanLog, len(tp.cands))
	for k, p := range ps {
		runs[tp.run[k]].add(p)
		families[tp.family[k]].add(p)
	}
	var out []topicBlock
	for k, p := range ps {
		var s [numReadings]float64
		run, family := &runs[tp.run[k]], &families[tp.family[k]]
		if tp.hasNoBullet(k) {
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

// bareReach is the number of blocks before and after that are used instead of the run for a line or
// paragraph without a bullet. On pages that consist of such blocks, all blocks are similar.
const bareReach = 3

// hasNoBullet reports whether candidate k is a line or paragraph without a bullet.
func (tp *topicPage) hasNoBullet(k int) bool {
	b := &tp.p.blocks[tp.cands[k]]
	return (b.Kind == tagtree.Line || b.Kind == tagtree.Paragraph) && bulletKind(b.Text) == 0
}

// A meanLog is the sum of log probabilities and their number.
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

// topicLeast is the minimum probability of a block for reading topics from it.
const topicLeast = 0.5

// topicsIn returns the topics of a text for a reading.
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
	bullet = compilePattern(`^\s*(?:[-*•·●○▪■◦‣∙–—+>»§✓✔→►▶]|\(?[0-9]{1,2}[.):]|\(?[a-zA-Z][.)]|o|[IVX]{1,4}[.)])\s+`)
	// numberedTopic matches a word and number before a topic: "Track 1: ".
	numberedTopic = compilePattern(`^\p{L}+\s*#?(?:[0-9]{1,2}|[A-Z]|[IVX]{1,4})\s*[:.)–—-]\s+`)
	// inlineLead matches a word before a list in a sentence without a colon. A preposition is one only if it follows
	// what is called for, since it may also be part of the first topic.
	inlineLead = compilePattern(`(?i)\b(?:are|is|include|includes|including|such as|incluyen|incluem)\s`)
	calledOn   = compilePattern(`(?i)\b(?:papers?|contributions?|submissions?|abstracts?|articles?|proposals?|works?|research|stud(?:y|ies)|results|talks?|topics?|areas?|themes?|fields?|aspects?|issues?|questions?)\b.{0,40}?\b(?:on|in|about|concerning|regarding)\s`)
)

// cleanTopic returns a topic without its bullet or number and the punctuation around it. It returns "" for
// a text without words, a number, and a text longer than maxTopicBytes.
func cleanTopic(s string) string {
	s = bullet.ReplaceAllString(s, "")
	s = numberedTopic.ReplaceAllString(s, "")
	s = strings.Trim(s, " ;,.-•·:；，。、：")
	s = strings.TrimSuffix(strings.TrimSuffix(s, " and"), ";")
	if !containsWord(s) || strings.Trim(strings.ToLower(s), "()ivx") == "" || len(s) > maxTopicBytes {
		return ""
	}
	return s
}

// leastParts is the minimum number of parts of a list in a sentence.
const leastParts = 3

// topicParts returns the topics in the sentence with the most parts: "Topics include: a, b, c and d."
func topicParts(s string) []string {
	s = cutToBytes(s, 8*maxTopicBytes)
	var best []string
	for _, sentence := range splitSentences(s) {
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

// splitSentences splits a text after sentence marks that no small letter follows.
func splitSentences(s string) []string {
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

// topicMarks are separators of lists. A separator comes before those that may occur inside the parts.
var topicMarks = []string{";", "；", "•", "·", "|", " - ", " – ", "、", "，", ","}

// splitTopics splits a sentence into topics, without the text that introduces them.
func splitTopics(s string) []string {
	if _, rest, ok := strings.Cut(s, ": "); ok { // such as "Topics include, but are not limited to: a, b, c"
		if parts := splitList(rest, false); len(parts) >= leastParts {
			return parts
		}
	}
	return splitList(s, true)
}

// splitList splits a list at the first separator of topicMarks that gives leastParts parts. introduced means
// that the first part may begin with text that introduces the list.
func splitList(s string, introduced bool) []string {
	for _, sep := range topicMarks {
		if strings.Count(s, sep) < leastParts-1 {
			continue
		}
		parts := splitOutside(s, sep)
		if len(parts) < leastParts {
			continue
		}
		if introduced {
			parts[0] = withoutIntroduction(parts[0])
		}
		last := len(parts) - 1
		if rest, ok := strings.CutPrefix(strings.TrimSpace(parts[last]), "and "); ok {
			parts[last] = rest
		} else if sep == "," && !strings.Contains(strings.Join(parts[:last], ","), " and ") {
			if a, b, ok := strings.Cut(parts[last], " and "); ok { // such as "a, b and c"
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

// splitOutside splits s at each sep that is not in brackets.
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

// withoutIntroduction returns the first part of a list without the text that introduces the list. That text ends
// with a colon, otherwise with a word such as "include".
func withoutIntroduction(s string) string {
	for _, colon := range []string{": ", "：", ":"} {
		if i := strings.LastIndex(s, colon); i >= 0 {
			return s[i+len(colon):]
		}
	}
	if ms := inlineLead.FindAllStringIndex(s, -1); len(ms) > 0 && ms[0][0] > 0 {
		return s[ms[len(ms)-1][1]:]
	}
	if m := calledOn.FindStringIndex(s); m != nil {
		return s[m[1]:]
	}
	return s
}

func withoutConjunction(s string) string {
	s = strings.TrimSpace(s)
	return strings.TrimPrefix(strings.TrimPrefix(s, "and "), "or ")
}

// continuesLine reports whether a line of plain text continues the line before.
func continuesLine(before, line string) bool {
	r, _ := utf8.DecodeRuneInString(line)
	return !strings.HasSuffix(before, ".") && (unicode.IsLower(r) || strings.HasSuffix(before, ",") || strings.HasPrefix(line, "("))
}

// topicKind returns the kind and level of a block as a number.
func topicKind(b *tagtree.Block) uint32 { return uint32(b.Kind)<<3 | uint32(b.Level) }
