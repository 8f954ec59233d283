package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/usage"
)

// A corpus is labelled pages, read for one task.
type corpus struct {
	task    string
	classes []string
	digest  string
	labels  []datasets.Label
	docs    []*features.Document
	rows    []features.Vector // examples that are vectors; then docs is empty
	dims    int               // components of a row
	class   []int             // class of each document or row
	groups  []string          // group of each document or row
	sizes   []int             // number of documents from each labels file
	// corrected is the class to learn, by document, if a correction differs from the label.
	corrected map[int]int
	threads   messageThreads // of messages

	links         *linkSet // collects the links of the pages if the task is about links, else nil
	pages         *corpus  // if the examples are links: the pages they are on
	pageOf        []int    // if the examples are links: the index in pages of each link's page
	numJudgedOnly int      // number of examples that are judged; later ones are only learned from; 0: all are judged
}

// readCorpus reads the pages that the labels files name from the inputs, except those of excluded page
// types. All inputs are read for each labels file; a page that two files name keeps its first label.
// Problems are reported to env.Problems and are no error as long as each file finds at least one page.
func readCorpus(ctx context.Context, o Options, env Environment) (*corpus, error) {
	classes, err := classify.Classes(o.Task)
	if err != nil {
		return nil, usage.Mark(err)
	}
	types, err := classify.Classes(classify.TaskPageType)
	if err != nil {
		return nil, err
	}
	for _, name := range o.Exclude {
		if !slices.Contains(types, name) {
			return nil, usage.Errorf("--exclude-type %q: the types are %s", name, strings.Join(types, ", "))
		}
	}
	if len(o.Labels) > 1 && slices.Contains(o.Pages, "-") {
		return nil, usage.Errorf("--pages - can be read only once: with several --data put the pages into a file")
	}
	c := &corpus{task: o.Task, classes: classes}
	if o.Task == classify.TaskLink {
		c.links = &linkSet{targets: map[string]datasets.Label{}}
	}
	var digests []string
	corrections := &datasets.Corrections{}
	if o.Corrections != "" {
		if corrections, err = datasets.ReadCorrections(o.Corrections); err != nil {
			return nil, err
		}
		digests = append(digests, corrections.Digest())
	}
	for _, file := range o.Labels {
		data, err := datasets.Open(file)
		if err != nil {
			return nil, err
		}
		if err := readLabelled(ctx, o, env, c, corrections, data, file); err != nil {
			return nil, err
		}
		digests = append(digests, data.Digest())
	}
	if len(c.labels) == 0 {
		return nil, fmt.Errorf("%s: no page is left to learn from: all have excluded types, or no label for task %s in column %s", strings.Join(o.Labels, ", "), o.Task, columnOf(o.Task))
	}
	c.threads.joinGroups(c.groups)
	c.digest = joinDigests(digests)
	if c.links != nil {
		return c.links.asCorpus(c)
	}
	return c, nil
}

// readLabelled adds the documents of one labels file to c.
func readLabelled(ctx context.Context, o Options, env Environment, c *corpus, corrections *datasets.Corrections, data *datasets.Dataset, file string) error {
	known := map[string]bool{}
	for _, l := range c.labels {
		known[l.URL] = true
	}
	problem := func(kind datasets.ProblemKind, line int, format string, args ...any) {
		data.Problems.Add(datasets.Problem{Kind: kind, File: file, Line: line, Text: fmt.Sprintf(format, args...)})
	}
	if c.links != nil {
		c.links.addTargets(data.Labels())
	}
	from, found := len(c.labels), 0
	for e := range data.Examples(env.ReadPages(ctx, o.Pages)) {
		found++
		if known[e.URL] {
			problem(datasets.Conflict, e.Line, "url %s has a label in another file, which is used: remove one of them", e.URL)
			continue
		}
		if slices.Contains(o.Exclude, e.PageType) || !hasClass(e.Label, c.task) {
			continue
		}
		tree, err := tagtree.Parse(e.Page)
		if err != nil {
			problem(datasets.Unreadable, e.Line, "%v", err)
			continue
		}
		corrected, err := corrections.Corrected(e.Label)
		if err != nil {
			return err
		}
		if k := classOf(c.task, c.classes, corrected); k != classOf(c.task, c.classes, e.Label) {
			c.setLearntClass(len(c.labels), k)
		}
		c.addPage(e.Label, tree)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if env.Problems != nil {
		if err := data.Problems.Write(env.Problems, datasets.ShownProblems); err != nil {
			return err
		}
	}
	if found == 0 {
		return fmt.Errorf("%s: none of its %d pages is in the input", file, data.Len())
	}
	c.sizes = append(c.sizes, len(c.labels)-from)
	return nil
}

// addPage adds a page. Messages without a group of their own (pages of a host have one) are grouped by their
// contents.
func (c *corpus) addPage(l datasets.Label, t *tagtree.Tree) {
	group := l.Group
	if (l.PageType == "" || l.PageType == "mail_announcement") && group == l.URL {
		group = c.threads.groupMessage(l.URL, t.Title(), t.Text())
	}
	c.labels = append(c.labels, l)
	if c.links != nil {
		c.links.addLinks(len(c.labels)-1, l, t)
	} else {
		c.docs = append(c.docs, features.Read(t))
	}
	c.class = append(c.class, classOf(c.task, c.classes, l))
	c.groups = append(c.groups, group)
}

// setLearntClass sets the class to learn for document i.
func (c *corpus) setLearntClass(i, class int) {
	if c.corrected == nil {
		c.corrected = map[int]int{}
	}
	c.corrected[i] = class
}

// learntClass returns the class to learn for document i: the corrected one if there is one, else the
// label's.
func (c *corpus) learntClass(i int) int {
	if k, ok := c.corrected[i]; ok {
		return k
	}
	return c.class[i]
}

// joinDigests returns one digest for several labels files; for a single file, its digest.
func joinDigests(digests []string) string {
	if len(digests) == 1 {
		return digests[0]
	}
	return "sha256:" + digestOf(digests)
}

// digestOf returns the SHA-256 of the lines in hexadecimal.
func digestOf(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// columnOf returns the column of a labels file that holds the class for a task.
func columnOf(task string) string {
	switch task {
	case classify.TaskPageType:
		return "page_type"
	case classify.TaskDiscipline:
		return "discipline"
	}
	return "is_cfp"
}

// hasClass reports whether a label has a class for a task.
func hasClass(l datasets.Label, task string) bool {
	switch task {
	case classify.TaskPageType:
		return l.PageType != ""
	case classify.TaskDiscipline:
		return l.Discipline != ""
	}
	return true
}

// classOf returns the index of the label's class for a task. For a discipline that is not a class of its
// own it returns that of "other".
func classOf(task string, classes []string, l datasets.Label) int {
	switch task {
	case classify.TaskPageType:
		return slices.Index(classes, l.PageType)
	case classify.TaskDiscipline:
		if k := slices.Index(classes, l.Discipline); k >= 0 {
			return k
		}
		return classify.FallbackClass(classes)
	}
	if l.IsCFP {
		return 1
	}
	return 0
}

// classCounts returns the number of documents of each class.
func (c *corpus) classCounts() []int {
	n := make([]int, len(c.classes))
	for _, k := range c.class {
		n[k]++
	}
	return n
}

// numGroups returns the number of different groups.
func (c *corpus) numGroups() int {
	groups := slices.Clone(c.groups)
	slices.Sort(groups)
	return len(slices.Compact(groups))
}

// numJudged returns the number of examples that are judged; they come first.
func (c *corpus) numJudged() int {
	if c.numJudgedOnly == 0 {
		return len(c.class)
	}
	return c.numJudgedOnly
}

// minGroups is the minimum number of groups with examples of a class: while one is held out, the other
// is needed for learning.
const minGroups = 2

// checkTrainable returns an error unless each class has examples in at least minGroups groups. If all
// examples of a class are in one group, the error names the file and line of the first and says what to
// do.
func (c *corpus) checkTrainable(files []string) error {
	for k, class := range c.classes {
		first, groups := -1, map[string]bool{}
		for i, other := range c.class {
			if other != k {
				continue
			}
			if first < 0 {
				first = i
			}
			groups[c.groups[i]] = true
		}
		switch {
		case first < 0:
			return fmt.Errorf("%s: class %q has no example: label pages of it from %d sites or more", strings.Join(files, ", "), class, minGroups)
		case len(groups) < minGroups:
			return fmt.Errorf("%s: class %q has examples in this group only, so it cannot be learnt and measured: label pages of it from another site",
				c.placeOf(first, files), class)
		}
	}
	return nil
}

// placeOf returns the file and line of document i's label; for vectors only the file.
func (c *corpus) placeOf(i int, files []string) string {
	if i >= len(c.labels) {
		return strings.Join(files, ", ")
	}
	line := c.labels[i].Line
	for f, size := range c.sizes {
		if i < size && f < len(files) {
			return fmt.Sprintf("%s:%d", files[f], line)
		}
		i -= size
	}
	return strings.Join(files, ", ")
}

// Bounds for recognizing near-duplicate messages.
const (
	shingleWords = 5   // words of a shingle
	sketchSize   = 64  // smallest shingle hashes stored per message
	minSketch    = 8   // minimum number of hashes of a text that can be compared
	maxHolders   = 50  // largest number of messages that are looked up for one shingle
	sketchShare  = 0.5 // minimum fraction of the smaller sketch that near-duplicates have in common
	minSubject   = 8   // minimum number of letters of a subject that can be compared
)

// messageThreads assigns messages to groups so that related messages are never in different folds. A group holds
// a thread, the calls of a series whose subjects differ only in numbers, and near-duplicates, such as one
// call sent to two lists. The zero value is empty.
type messageThreads struct {
	urls      []string
	parent    []int
	bySubject map[string]int
	byShingle map[uint64][]int
	sketches  []int // size of each sketch
}

// groupMessage adds a message and returns a provisional group, its URL. The method join replaces it by the final
// one.
func (t *messageThreads) groupMessage(url, subject, text string) string {
	if t.bySubject == nil {
		t.bySubject, t.byShingle = map[string]int{}, map[uint64][]int{}
	}
	i := len(t.urls)
	t.urls = append(t.urls, url)
	t.parent = append(t.parent, i)
	for _, key := range subjectKeys(subject) {
		if j, ok := t.bySubject[key]; ok {
			t.unite(i, j)
		} else {
			t.bySubject[key] = i
		}
	}
	sketch := sketchOf(text)
	t.sketches = append(t.sketches, len(sketch))
	shared := map[int]int{}
	for _, h := range sketch {
		holders := t.byShingle[h]
		for _, j := range holders {
			shared[j]++
			if n := min(len(sketch), t.sketches[j]); n >= minSketch && float64(shared[j]) >= sketchShare*float64(n) {
				t.unite(i, j)
			}
		}
		if len(holders) < maxHolders {
			t.byShingle[h] = append(holders, i)
		}
	}
	return url
}

// joinGroups replaces each group of a message by the URL of the first message that is connected to it.
func (t *messageThreads) joinGroups(groups []string) {
	first := map[string]string{}
	for i, url := range t.urls {
		first[url] = t.urls[t.findRoot(i)]
	}
	for i, g := range groups {
		if f, ok := first[g]; ok {
			groups[i] = f
		}
	}
}

func (t *messageThreads) findRoot(i int) int {
	for t.parent[i] != i {
		t.parent[i] = t.parent[t.parent[i]]
		i = t.parent[i]
	}
	return i
}

func (t *messageThreads) unite(i, j int) {
	i, j = t.findRoot(i), t.findRoot(j)
	t.parent[max(i, j)] = min(i, j)
}

var (
	subjectMark = regexp.MustCompile(`(?i)^(?:re|fwd?|aw|wg|antw|sv|tr|rv)(?:\[\d+\])?\s*:|^\[[^\]]*\]|^\d{4}-\d\d-\d\d -|\(fwd\)`)
	subjectWas  = regexp.MustCompile(`(?i)[(\[]\s*was\b:?`)
)

// subjectKeys returns the keys that connect messages with similar subjects. They are the letters of the
// subject without marks of lists, replies and forwards, and those of the previous subject that it
// mentions. Digits are dropped, so that calls of two years are one series.
func subjectKeys(subject string) []string {
	var keys []string
	for _, s := range subjectWas.Split(subject, 2) {
		s = strings.TrimSpace(s)
		for {
			rest := strings.TrimSpace(subjectMark.ReplaceAllString(s, ""))
			if rest == s {
				break
			}
			s = rest
		}
		key := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
		if len(key) >= minSubject {
			keys = append(keys, key)
		}
	}
	return keys
}

// footer matches the line that begins a signature or the footer of a mailing list. Otherwise unrelated
// messages have these in common.
var footer = regexp.MustCompile(`(?m)^(?:--|_{20,})$`)

// sketchOf returns the smallest hashes of a text's shingles, sorted (bottom-k sketch, Broder 1997).
func sketchOf(text string) []uint64 {
	if at := footer.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	var hashes []uint64
	for i := range max(0, len(words)-shingleWords+1) {
		h := fnv.New64a()
		for _, w := range words[i : i+shingleWords] {
			_, _ = h.Write([]byte(w + " ")) // a hash takes all
		}
		hashes = append(hashes, h.Sum64())
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	return hashes[:min(len(hashes), sketchSize)]
}
