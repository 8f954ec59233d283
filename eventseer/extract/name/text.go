package name

import (
	"net/url"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
)

// A source is the kind of text that a candidate is taken from.
type source uint8

const (
	element  source = iota // the title element
	metadata               // metadata in the head of the page
	picture                // the alternative text of a picture
	heading
	line // a separate paragraph or line
	item // an item of a list
	cell
	prose // running text
	menu
	sources
)

// A text is a part of the page in which candidates are searched.
type text struct {
	s              string
	source         source
	level          int // level of a heading, 0 for other texts
	block          int // index of its first block; -1 for a text that is not visible
	last           int // index of its last block, which differs from block for joined lines
	order          int // number of blocks before it that are not navigation
	mostlyCapitals bool
	chunks         []chunk
	low            string  // letters and digits of s in lower case; set by chunkData
	words          []word  // cached data of each chunk; nil before chunkData
	marks          marks   // see mayHoldNoName
	scored         bool    // around is set
	around         float64 // score by the ranker of names of the features of the blocks around it
}

// A marks says whether a text contains characters by which notName may hold.
type marks uint8

const (
	marksUnknown marks = iota
	noMarks
	someMarks
)

// A word is cached data of a chunk, used by the features of all candidates that contain it.
type word struct {
	from, to int  // bytes [from, to) of text.low
	inSite   bool // the chunk is telling and the page's address contains it
	inTitle  bool // the title element contains it
	seen     int  // number of occurrences in the blocks
	scored   bool // own and pair are set
	// own is the score by the ranker of names of the chunk's features. pair is the score of the features of
	// the chunk with the previous one.
	own, pair float64
}

// isTelling reports whether a chunk is long enough, or written so, that an address with it is evidence.
func (c *chunk) isTelling() bool {
	return c.letters > 3 || c.hasForm(allCapitals|innerCapital|ideo)
}

// chunkData returns the cached data of each chunk of t, computed at the first call. It also sets t.low.
func (d *document) chunkData(t *text) []word {
	if t.words != nil || len(t.chunks) == 0 {
		return t.words
	}
	t.words = d.memory.words.allocate(len(t.chunks))
	low := d.memory.low[:0]
	for k, c := range t.chunks {
		from := len(low)
		low = appendLettersAndDigits(low, t.s[c.from:c.to])
		t.words[k] = word{from: from, to: len(low), inTitle: d.element[c.hash], seen: d.words[c.hash]}
	}
	t.low, d.memory.low = string(low), low
	for k := range t.words {
		t.words[k].inSite = t.chunks[k].isTelling() && strings.Contains(d.site, t.low[t.words[k].from:t.words[k].to])
	}
	return t.words
}

const (
	maxLine       = 30     // chunks of a text that is not running text
	maxText       = 4_000  // bytes read of one text
	maxRead       = 40_000 // chunks read per page
	maxTitleLen   = 600    // bytes read of a title element or an address
	maxJoined     = 4      // lines of a joined text
	maxParts      = 16     // parts of an address
	minInCapitals = 3      // minimum chunks of a text in capitals
)

// A document is a page divided into texts.
type document struct {
	*Page
	texts   []text
	site    string   // letters and digits of the page's address
	parts   []string // words of the address in lower case
	plain   bool
	words   map[uint32]int  // hash of a chunk → number of occurrences
	element map[uint32]bool // hashes of the chunks of the title element
	shown   int             // number of blocks that are not navigation
	lead    int             // number of texts before those of the blocks
	guesses []Guess         // names suggested by rules
	joined  []text          // texts of joined lines, see joinLines; nil before the first call
	hosts   []hostView
	memory  *memory
}

// newDocument divides a page into texts, in memory that must not be used for another page at the same time.
func newDocument(p *Page, m *memory) *document {
	d := &document{Page: p, words: m.counts, element: map[uint32]bool{}, memory: m, texts: m.texts}
	d.readAddress()
	d.readHosts()
	if s := cutToBytes(p.Title, maxTitleLen); s != "" {
		d.addText(text{s: s, source: element, block: -1, last: -1})
		if d.Dates != nil {
			markDates(d.texts[0].chunks, d.Dates(-1))
		}
		for _, c := range d.texts[0].chunks {
			d.element[c.hash] = true
		}
	}
	for _, h := range p.Hints {
		src := metadata
		if h.From == "alt" {
			src = picture
		}
		d.addText(text{s: h.Text, source: src, block: -1, last: -1})
	}
	d.readBlocks()
	return d
}

// readAddress sets site and parts from the page's address: its host without the top-level domain, and its
// folders. The file name is left out, because it describes the page and not the event.
func (d *document) readAddress() {
	u, err := url.Parse(cutToBytes(d.URL, maxTitleLen))
	if err != nil {
		return
	}
	host := strings.ToLower(u.Hostname())
	host = host[:max(0, strings.LastIndexByte(host, '.'))]
	folders := strings.ToLower(u.Path[:strings.LastIndexByte(u.Path, '/')+1])
	d.site = lettersAndDigits(host + folders)
	for _, part := range strings.FieldsFunc(host+"/"+folders, func(r rune) bool { return !isInWord(r) }) {
		part = trimYear(part)
		if len(part) >= 3 && len(d.parts) < maxParts {
			d.parts = append(d.parts, part)
		}
	}
}

func (d *document) readBlocks() {
	d.lead = len(d.texts)
	d.plain = len(d.Blocks) > 0 && strings.HasPrefix(d.Blocks[0].Path, "text/")
	read := 0
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if read >= maxRead && i < len(d.Blocks)-8 {
			continue
		}
		t := text{s: cutToBytes(b.Text, maxText), block: i, last: i, level: b.Level, order: d.shown}
		t.source = sourceOf(b)
		if d.Menu[i] {
			t.source = menu
		} else {
			d.shown++
		}
		t.chunks = d.splitChunks(t.s)
		read += len(t.chunks)
		if t.source == line && len(t.chunks) > maxLine || t.source == item && len(t.chunks) > maxLine || t.source == cell && len(t.chunks) > maxLine {
			t.source = prose
		}
		if d.Dates != nil {
			markDates(t.chunks, d.Dates(i))
		}
		for _, c := range t.chunks {
			d.words[c.hash]++
		}
		t.mostlyCapitals = mostlyCapitals(t.chunks)
		d.texts = append(d.texts, t)
	}
}

func sourceOf(b *tagtree.Block) source {
	switch b.Kind {
	case tagtree.Heading:
		return heading
	case tagtree.Item, tagtree.Term, tagtree.Definition:
		return item
	case tagtree.Cell, tagtree.HeadCell:
		return cell
	}
	return line
}

func (d *document) addText(t text) {
	t.chunks = d.splitChunks(t.s)
	t.mostlyCapitals = mostlyCapitals(t.chunks)
	d.texts = append(d.texts, t)
}

// mostlyCapitals reports whether most chunks are in capitals. Capitals are then no evidence for a name.
func mostlyCapitals(cs []chunk) bool {
	n, all := 0, 0
	for _, c := range cs {
		if c.letters > 2 && !c.hasForm(digits) {
			all++
			if c.hasForm(allCapitals) {
				n++
			}
		}
	}
	return all >= minInCapitals && n*10 >= all*7
}

// trimYear removes the year at the end of a name, the number of the edition after a hyphen, and the marks
// before them. If fewer than two letters would remain, it returns s.
func trimYear(s string) string {
	t := s
	if n := len(t); n > 4 && (t[n-4:n-2] == "19" || t[n-4:n-2] == "20") && isDigits(t[n-2:]) {
		t = t[:n-4]
	} else if n > 3 && isDigits(t[n-2:]) && !(n > 5 && t[n-4] == '2' && t[n-3]|0x20 == 'k') && !isDigit(t[n-3]) {
		t = t[:n-2]
	} else if n > 5 && (t[n-4:n-2] == "2K" || t[n-4:n-2] == "2k") && isDigits(t[n-2:]) {
		t = t[:n-4] // 2K27
	} else if at := strings.LastIndexByte(t, '-'); at > 1 && (strings.Trim(t[at+1:], "IVX") == "" || at == n-2 && isDigit(t[n-1])) {
		t = t[:at]
	}
	t = strings.TrimRight(t, " -–'’‘_./")
	if sizeOfLettersAndDigits(t) < 2 {
		return s
	}
	return t
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
